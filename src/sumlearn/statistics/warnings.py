"""Warnings that the sums themselves give rise to."""

from __future__ import annotations

import sys
import warnings


class IllConditionedWarning(UserWarning):
    """Columns are so nearly dependent, or so few digits are left, that the result deserves a second look."""


class UnseenLevelsWarning(UserWarning):
    """Rows have levels that the model has never met."""


def warn(message: str, category: type[Warning] = IllConditionedWarning) -> None:
    """Warn at the line that called into this library, however deep the cause lies."""
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("sumlearn", "sklearn"):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
