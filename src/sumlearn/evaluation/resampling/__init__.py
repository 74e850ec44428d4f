"""Fits on parts of the rows, and what the other rows say: cross-validation, bootstrap, learning curves."""
