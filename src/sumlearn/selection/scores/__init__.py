"""How much a single feature says about the target: one file for each family of scores."""
