"""How good is it: errors, and cross-validation from one read of the data."""

from .cross_validation import cross_validate
from .errors import rms_error, sum_of_squares_error

__all__ = ["cross_validate", "rms_error", "sum_of_squares_error"]
