"""How much rounding the sums of a chunk carry."""

from __future__ import annotations

from typing import Any

import numpy as np

EXACT_ROUNDING = 2.0**-98  # relative rounding of sums in two words
PRECISE_WORK = 2e9  # two-word multiplications above which the scatter of few rows is one product after all


def rounding_of_product(rows: int, dtype: Any) -> float:
    """Relative rounding error of a sum of `rows` products (probabilistic: Higham & Mary 2019)."""
    return (4.0 + np.sqrt(rows)) * float(np.finfo(dtype).eps) / 2.0


def weighted_rounding(weight: np.ndarray | None) -> float:
    """Relative rounding where only the weights are summed in one word."""
    whole = weight is None or bool((weight == np.floor(weight)).all())
    return EXACT_ROUNDING if whole else rounding_of_product(1, np.float64)
