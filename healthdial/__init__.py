"""HealthDial: multilingual spoken health dialogue. This version reserves the name; the importer comes next."""
