"""Many models that answer together."""
