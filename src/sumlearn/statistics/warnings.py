"""Warnings that the sums themselves give rise to."""

from __future__ import annotations

import warnings


class IllConditionedWarning(UserWarning):
    """Columns are so nearly dependent, or so few digits are left, that the result deserves a second look."""


def warn_digits(column: int, digits: float) -> None:
    warnings.warn(
        f"removing these rows leaves only {digits:.1f} digits in column {column}: what stays is small beside what went",
        IllConditionedWarning,
        stacklevel=5,
    )
