"""Straight lines with Gaussian weights, each for its own neighbourhood."""
