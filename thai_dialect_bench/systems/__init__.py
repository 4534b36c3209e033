"""lighteval custom models: baselines and the replay of saved outputs."""
