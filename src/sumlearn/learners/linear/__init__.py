"""Linear classifiers: planes between the classes."""
