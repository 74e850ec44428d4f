"""Naive Bayes by counting: categories, counts, truth values, and all of them in one table."""
