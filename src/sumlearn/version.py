"""The version of the library: this line is its only source."""

__version__ = "0.1.0"
