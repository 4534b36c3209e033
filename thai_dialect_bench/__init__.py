"""The Thai dialect benchmark: its release reader, builder, baselines and report."""
