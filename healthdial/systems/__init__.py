"""lighteval custom models: recognisers, retrievers, filters and baselines of HealthDial's tasks."""
