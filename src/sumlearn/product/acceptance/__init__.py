"""A table of one class in, a model that tells outliers out."""
