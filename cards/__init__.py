"""Card templates and data-use texts, shipped beside the packages."""
