"""Speed and memory, each against what a user would use instead, in one run."""
