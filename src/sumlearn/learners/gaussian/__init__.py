"""Gaussian classes: shared, separate and diagonal covariances."""
