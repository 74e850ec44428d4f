"""What is left when rows are removed: how far rounding can have moved it, and whether it can be trusted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from .projection import TWO_WORD_EPS
from .statistic import Words
from .warnings import warn
from .weights import UNIT

if TYPE_CHECKING:
    from .moments import Moments

M = TypeVar("M", bound="Moments")


def nothing_left(before: Moments, gone: Moments, left: float, rounding: float) -> bool:
    """Whether the weight that is left is none, as far as rounding can tell; refuses more than there was."""
    if left < -rounding:
        raise ValueError(
            f"cannot remove {gone.count} rows of weight {gone.weight:g} "
            f"from {before.count} rows of weight {before.weight:g}"
        )
    if left <= rounding and before.count > gone.count and left > TWO_WORD_EPS * before.weight:
        warn(
            f"of the weight {before.weight:g} {left:.2g} is left, which rounding of weights may have left too: "
            "it counts as nothing; if rows so light are left, fit them anew"
        )
    return left <= rounding


def removal_rounding(
    before: Moments, gone: Moments, exponent: np.ndarray, rounded: float = 0.0, reach: float = 0.0
) -> np.ndarray:
    """What last bits leave of rows in the scatter that stays: they go in other pieces than came (`Moments.remove`)."""
    a, b = before.with_exponent(exponent), gone.with_exponent(exponent)
    apart = (b.centre.hi - a.centre.hi) + (b.centre.lo - a.centre.lo)
    apart *= a.weight / (a.weight - b.weight)  # from the mean of the rows that stay
    sizes = apart**2 + b.centre.hi**2 if rounded else apart**2
    own = 4.0 * max(UNIT, rounded) * (np.abs(b.diagonal) + b.weight * sizes)
    bits, about = rounded * reach, np.sqrt(b.weight * (np.abs(b.diagonal) + b.weight * apart**2))
    return own + bits * (2.0 * about + b.weight * bits)


def checked_rest(before: M, rest: M, whole: bool) -> M:
    """What a removal left: zeros where nothing can be left, an error where rounding has eaten the digits."""
    left, noise, all_rows = rest.diagonal, rest.rounding, before.with_exponent(rest.exponent).diagonal
    single = rest.count == 1 and rest.total == (1.0, 0.0)  # a row, which was learnt whole
    if single and (np.abs(left) <= noise).all():
        return replace(rest, spread=Words.zeros(rest.spread.hi.shape))
    never = left < -noise
    if never.any():
        raise ValueError(
            f"removing these rows would leave a negative variance in column {int(never.argmax())}: "
            "they were not all merged before"
        )
    # constant in the rows that stay: exactly so, or as far as weights can tell that came and went in pieces
    flat = np.abs(left) <= (np.minimum(noise, 2.0**-93 * all_rows) if whole else noise)
    with np.errstate(divide="ignore", invalid="ignore"):
        digits = np.where(flat, 32.0, -np.log10(noise / left))
    if (digits < 3).any() or np.isnan(digits).any():
        column = int(np.argmax(~(digits >= 3)))
        raise ValueError(
            f"removing these rows would leave fewer than 3 digits in column {column}: "
            "what stays is too small beside what goes; fit the remaining rows anew"
        )
    if (digits < 6).any():
        warn(
            f"removing these rows leaves only {digits.min():.1f} digits in column {int(digits.argmin())}: "
            "what stays is small beside what went"
        )
    return replace(rest.flattened(flat, rest.mean), centre=rest.centre, rounding=noise) if flat.any() else rest
