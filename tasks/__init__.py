"""lighteval task tables of both data sets."""
