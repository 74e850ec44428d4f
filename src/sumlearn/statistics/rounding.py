"""How much rounding the sums of a chunk carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .moments import Moments
    from .statistic import Words

EXACT_ROUNDING = 2.0**-98  # relative rounding of sums in two words
PRECISE_WORK = 2e9  # two-word multiplications above which the scatter of few rows is one product after all


def rounding_of_product(rows: int, dtype: Any) -> float:
    """Relative rounding error of a sum of `rows` products (probabilistic: Higham & Mary 2019)."""
    return (4.0 + np.sqrt(rows)) * float(np.finfo(dtype).eps) / 2.0


def weighted_rounding(weight: np.ndarray | None) -> float:
    """Relative rounding where only the weights are summed in one word."""
    whole = weight is None or bool((weight == np.floor(weight)).all())
    return EXACT_ROUNDING if whole else rounding_of_product(1, np.float64)


def outer_rounding(factor: float, delta: Words, a: Moments, b: Moments) -> np.ndarray:
    """Rounding of f d d' where d is a difference of means of two words: |d| and |m| share 104 bits between them.

    d_i e_j + d_j e_i with e = 2^-104 |m| is below (s d_i + e_i / s)(s d_j + e_j / s) for any s. 2^-45 suits numbers of
    one word; a sum of such may be nearer to its mean, and asks for more, so that it is not lost in e / s. Where no mean
    has moved, e e' is left.
    """
    means, away = np.minimum(np.abs(a.centre.hi) + np.abs(b.centre.hi), 1e150), np.abs(delta.hi)
    if not away.any():
        return factor * (2.0**-104 * means) ** 2
    near = (away < 2.0**-57 * means) & (away > 2.0**-84 * means)
    share = 2.0**-45 if not near.any() else 2.0**-52 * np.sqrt((means[near] / away[near]).max())
    return (np.sqrt(factor) * (share * away + 2.0**-104 / share * means)) ** 2


def known_to_vary(a: Moments, b: Moments, merged: Moments) -> np.ndarray:
    """Columns whose means differ by more than two words leave open: their scatter is none that rows gone have left."""
    a, b = a.with_exponent(merged.exponent), b.with_exponent(merged.exponent)
    away = np.abs((b.centre.hi - a.centre.hi) + (b.centre.lo - a.centre.lo))
    return away > 2.0**-102 * (np.abs(a.centre.hi) + np.abs(b.centre.hi))
