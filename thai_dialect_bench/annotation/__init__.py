"""Collect judgements of native speakers in a browser, over one SQLite file: dialect scores and preferences."""
