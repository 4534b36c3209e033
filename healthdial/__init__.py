"""HealthDial: multilingual spoken health dialogue, from the authors' release to a data set that loads and plays."""
