"""Seeds that can be told: a number that gives the same draws everywhere."""

from __future__ import annotations

from typing import Any

from sklearn.utils import check_random_state

from .input_ranges import is_number, whole_number

LARGEST = 2**31 - 1


def drawn_seed(random_state: Any) -> int:
    """The number itself, or one that is drawn."""
    if is_number(random_state):
        return whole_number(random_state, "random_state", 0)
    return int(check_random_state(random_state).randint(LARGEST))
