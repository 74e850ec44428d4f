"""Regression: least squares, ridge."""
