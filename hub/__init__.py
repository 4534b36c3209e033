"""What both data sets share towards the Hugging Face Hub."""
