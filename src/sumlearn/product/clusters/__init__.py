"""A table in, clusters and what tells them apart out."""
