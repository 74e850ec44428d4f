"""Statistics as solvers read them: in two words."""

from __future__ import annotations

from typing import Any

from .exact_moments import ExactMoments
from .grouped import Grouped


def in_words(statistic: Any) -> Any:
    """A statistic in which exact moments, alone or by label, are moments of two words; any other is itself.

    >>> in_words(ExactMoments.of([[1.0], [3.0]])).mean.tolist(), in_words(None)
    ([2.0], None)
    """
    if isinstance(statistic, ExactMoments):
        return statistic.moments
    if isinstance(statistic, Grouped):
        parts = {label: in_words(part) for label, part in statistic.items()}
        if any(parts[label] is not part for label, part in statistic.items()):
            return Grouped(parts)
    return statistic
