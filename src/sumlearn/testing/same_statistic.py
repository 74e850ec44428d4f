"""Whether two statistics say the same, up to rounding or to the bit."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..statistics import Moments, Pooled
from .laws import ensure, law

EPS = float(np.finfo(float).eps)
TWO_WORDS = 2.0**-96  # the last bits of a number of two words, after the few operations of a removal


def assert_same_statistic(a: Any, b: Any, tolerance: float = 1e-12, *, within: Any = None) -> None:
    """Raise AssertionError unless two statistics say the same of the same number of rows.

    Moments: the difference of S_ij relative to sqrt(S_ii S_jj), beyond the rounding bound that both carry; the
    difference of a mean relative to the deviation of its column, beyond the last bit of the mean. Where one of them was
    taken out of a larger sum, that is `within`: the last bit of two words of its mean and deviation is allowed too. Any
    other dataclass: field by field, numbers relative to the largest of their field.

    >>> from sumlearn.statistics import Moments
    >>> a = Moments.of([[1.0], [2.0]]) + Moments.of([[6.0]])
    >>> assert_same_statistic(a, Moments.of([[6.0], [2.0], [1.0]]))
    >>> assert_same_statistic(a, Moments.of([[6.0], [2.0], [1.001]]))
    Traceback (most recent call last):
    AssertionError: the mean of column 0 differs by 0.000333, 0.000154 of its deviation
    """
    ensure(type(a) is type(b), f"{type(a).__name__} and {type(b).__name__} are no two of a kind")
    if isinstance(a, Moments):
        assert_same_moments(a, b, tolerance, within)
    elif isinstance(a, Mapping):
        ensure(list(a) == list(b), f"the labels are {list(a)} and {list(b)}")
        for key in a:
            with law(f"label {key!r}"):
                assert_same_statistic(a[key], b[key], tolerance, within=within and within[key])
    elif dataclasses.is_dataclass(a):
        if isinstance(a, Pooled):  # rows that are held, or their scatter
            a, b = a.squared(), b.squared()
        for field in dataclasses.fields(a):
            if field.name.endswith("_rounding"):  # a bound of the way they came about
                continue
            with law(field.name):
                around = getattr(within, field.name, None)
                assert_same_statistic(getattr(a, field.name), getattr(b, field.name), tolerance, within=around)
    elif isinstance(a, np.ndarray | float) and np.asarray(a).dtype.kind == "f":
        assert_close(a, b, tolerance)
    elif isinstance(a, np.ndarray):
        ensure(np.array_equal(a, b), f"{a} and {b}")
    else:
        ensure(a == b, f"{a} and {b}")


def assert_same_moments(a: Moments, b: Moments, tolerance: float, within: Moments | None) -> None:
    for name in ("columns", "targets", "form", "rows"):
        x, y = getattr(a, name), getattr(b, name)
        ensure(x == y, f"{name} differ: {x} and {y}")
    ensure(
        abs(a.weight - b.weight) <= tolerance * max(a.weight, b.weight), f"weights differ: {a.weight} and {b.weight}"
    )
    if a.rows == 0:
        return
    deviation = np.maximum(a.deviation, b.deviation)
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        mean = np.maximum(np.abs(a.mean), np.abs(b.mean))
        apart = np.abs(natural(a, a.centre.hi, a.centre.lo, b))
        bound = tolerance * deviation + EPS * mean
        if within is not None:
            bound += TWO_WORDS * (np.abs(within.mean) + within.deviation)
        worst = int(np.argmax(apart - bound))
        ensure(
            apart[worst] <= bound[worst],
            f"the mean of column {worst} differs by {apart[worst]:.3g}, {apart[worst] / deviation[worst]:.3g} of its "
            "deviation",
        )
        # scatters in units of a power of two near the deviation: they neither overflow nor vanish
        unit = np.frexp(deviation)[1]
        (A, a_low, a_rounding), (B, b_low, b_rounding) = in_units(a, unit), in_units(b, unit)
        apart = np.abs((A - B) + (a_low - b_low))
        sizes = np.sqrt(np.maximum(diagonal(A), diagonal(B)))
        bounds = np.sqrt(a_rounding), np.sqrt(b_rounding)
        if a.form == "full":
            allowed = tolerance * np.outer(sizes, sizes) + sum(np.outer(bound, bound) for bound in bounds)
        else:
            allowed = tolerance * sizes**2 + a_rounding + b_rounding
        worst_at = np.unravel_index(int(np.argmax(apart - allowed)), apart.shape)
        size = sizes[worst_at[0]] * sizes[worst_at[-1]]
        ensure(
            apart[worst_at] <= allowed[worst_at],
            f"scatter entry {tuple(map(int, worst_at))} differs by {apart[worst_at] / size:.3g} of sqrt(S_ii S_jj)",
        )


def natural(a: Moments, high: np.ndarray, low: np.ndarray, b: Moments) -> np.ndarray:
    """Difference of the means of a and b, in natural units and in two words."""
    ours, theirs = (np.ldexp(high, a.exponent), np.ldexp(low, a.exponent)), (b.centre.hi, b.centre.lo)
    return (ours[0] - np.ldexp(theirs[0], b.exponent)) + (ours[1] - np.ldexp(theirs[1], b.exponent))


def in_units(m: Moments, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both words of the scatter, and the rounding bound, in units of 2**unit."""
    shift = m.exponent - unit
    both = shift[:, None] + shift if m.form == "full" else 2 * shift
    return np.ldexp(m.spread.hi, both), np.ldexp(m.spread.lo, both), np.ldexp(m.rounding, 2 * shift)


def diagonal(A: np.ndarray) -> np.ndarray:
    return np.maximum(A.diagonal() if A.ndim == 2 else A, 0.0)


def assert_close(a: Any, b: Any, tolerance: float) -> None:
    """Equal shapes, NaN and infinity at the same places, and differences relative to the largest number."""
    a, b = np.asarray(a), np.asarray(b)
    ensure(a.shape == b.shape, f"shapes differ: {a.shape} and {b.shape}")
    finite = np.isfinite(a) & np.isfinite(b)
    ensure(np.array_equal(a[~finite], b[~finite], equal_nan=True), "NaN or infinity on one side only")
    a, b = a[finite].astype(float), b[finite].astype(float)
    size = np.abs(np.concatenate([a, b])).max(initial=0.0)
    apart = np.abs(a - b).max(initial=0.0)
    ensure(apart <= tolerance * size, f"they differ by {apart:.3g}, where the largest is {size:.3g}")


def assert_same_bits(a: Any, b: Any) -> None:
    """Equal in every field of every statistic inside."""
    if dataclasses.is_dataclass(a):
        ensure(type(a) is type(b), f"{type(a).__name__} became {type(b).__name__}")
        for field in dataclasses.fields(a):
            assert_same_bits(getattr(a, field.name), getattr(b, field.name))
    elif isinstance(a, Mapping):
        ensure(list(a) == list(b), f"the labels are {list(a)} and {list(b)}")
        for key in a:
            assert_same_bits(a[key], b[key])
    elif isinstance(a, tuple) and isinstance(b, tuple):
        ensure(len(a) == len(b), f"{a} and {b}")
        for x, y in zip(a, b, strict=True):
            assert_same_bits(x, y)
    else:
        ensure(np.array_equal(a, b), f"{a} and {b}")
