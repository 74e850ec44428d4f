"""How much is there: weights, what rounding may leave of them, and what is below that is nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from .warnings import warn

UNIT = 2.0**-53
FAINT = 2.0**-40  # share of a row's weight that rounding may leave, where it came and went in parts
USUAL = 2.0**-49  # and the share that it usually does
FAINTEST = 1e-280  # weights below this are nothing: products with them would leave the range of numbers
HEAVIEST = 1e150  # squares of weights above this leave the range of numbers


def refuse_heavy(weight: float) -> None:
    """Refuse rows of so much weight, where squares of sums are needed.

    >>> refuse_heavy(1e200)
    Traceback (most recent call last):
    ...
    ValueError: sample_weight is so large that squares of its sums overflow: scale it down
    """
    if weight > HEAVIEST:
        raise ValueError("sample_weight is so large that squares of its sums overflow: scale it down")


def refuse_faint(weight: np.ndarray) -> None:
    """Refuse rows that weigh something, but none of them enough for sums with digits."""
    most = weight.max(initial=0.0)
    if 0.0 < most < FAINTEST:
        raise ValueError("sample_weight is so small that its sums have no digits: scale it up")


def weight_rounding(rows: int, weight: float) -> float:
    """What may be left of the weight of so many rows, or of a share of it, when all of it is taken out again.

    Every weight ends at its last bit, and weights, or flags times weights, are added in any order.
    """
    return (rows + 64.0) * UNIT * float(weight)


def table_rounding(weight: np.ndarray | None) -> float:
    """The same for a table of the weights of some rows; whole weights are counted exactly."""
    if weight is None or not (weight % 1.0).any():
        return 0.0
    return weight_rounding(len(weight), weight.sum())


def joint_rounding(a: Any, b: Any) -> float:
    """The bound of the sum or difference of two tables, whose entries are floats."""
    bound = float(a.weight_rounding + b.weight_rounding)
    return bound + UNIT * (a.weight + b.weight) if bound and a.weight and b.weight else bound


def decayed_rounding(table: Any, factor: float) -> float:
    """The bound of a table all of whose entries were multiplied."""
    return factor * float(table.weight_rounding + 2.0 * UNIT * table.weight)


def difference(whole: np.ndarray, part: np.ndarray, rounding: float | np.ndarray) -> np.ndarray:
    """whole - part, where what is left of an entry within the rounding is nothing; refuses what would be negative.

    >>> difference(np.array([0.3, 2.0]), np.array([0.1 + 0.2, 0.5]), 1e-15).tolist()
    [0.0, 1.5]
    """
    left = whole - part
    if (left < -rounding).any():
        raise ValueError("cannot remove more rows than were merged: a weight would be negative")
    return np.where((left <= rounding) & (part != 0), 0.0, left)


def warn_of_faint_rows(count: int) -> None:
    """Say that what is left of some rows counts as nothing, although rounding seldom leaves so much."""
    if count:
        warn(f"of {count} row(s) less than {FAINT:.0e} of the weight is left: it counts as nothing")
