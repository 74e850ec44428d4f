"""Hypothesis strategies that reach the edges: no row, one row, equal rows, odd weights, huge offsets, tiny scales.

Every number is a multiple of a power of two with few bits beside its offset, so that offsets up to 1e12 are exact and
rational arithmetic gives the true sums.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

OFFSETS = (0.0, 0.0, 3.0, -1e6, 1e12)
SCALES = (0, 0, 0, -10, 40, -532, 498)  # exponents of two: 2**-532 is 7e-161, 2**498 is 8e149
WEIGHTS = (0.0, 0.1, 0.25, 1.0, 1.0, 2.0, 3.5)
KINDS = ("varying", "varying", "varying", "constant", "duplicate")


class Piece(NamedTuple):
    """Rows of one part: features, a target, labels, and weights or None."""

    X: np.ndarray
    y: np.ndarray
    labels: np.ndarray
    weight: np.ndarray | None


@st.composite
def pieces(draw, most=5, dtypes=(np.float64, np.float64, np.float32, np.int8), scales=SCALES, weighted=True):
    """Some parts of one table: columns keep their offset and scale, parts have sizes from zero up."""
    d = draw(st.integers(1, 4))
    dtype = draw(st.sampled_from(dtypes))
    columns = [
        (draw(st.sampled_from(KINDS)), draw(st.sampled_from(OFFSETS)), draw(st.sampled_from(scales))) for _ in range(d)
    ]
    weighted = weighted and draw(st.booleans())
    return [draw(piece(columns, dtype, weighted)) for _ in range(draw(st.integers(1, most)))]


@st.composite
def piece(draw, columns, dtype, weighted):
    n = draw(st.sampled_from((0, 1, 1, 2, 3, 5, 9)))
    equal = draw(st.integers(0, 5)) == 0
    numbers = st.integers(-100, 100) if dtype == np.int8 else st.integers(-4000, 4000)
    X = np.zeros((n, len(columns)))
    for j, (kind, offset, scale) in enumerate(columns):
        values = np.array(draw(st.lists(numbers, min_size=n, max_size=n)), dtype=float)
        if equal and n:
            values[:] = values[0]
        if kind == "constant":
            values[:] = 7.0
        if dtype == np.int8:
            X[:, j] = values
        elif dtype == np.float32:
            X[:, j] = np.ldexp(values, max(min(scale, 40), -40))
        else:
            X[:, j] = np.ldexp(values / 1024.0 + offset, scale)
        if kind == "duplicate" and j:
            X[:, j] = X[:, 0]
    y = np.array(draw(st.lists(numbers, min_size=n, max_size=n)), dtype=float) / 16.0
    labels = np.array(draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n)), dtype="U1")
    weight = np.array(draw(st.lists(st.sampled_from(WEIGHTS), min_size=n, max_size=n))) if weighted else None
    return Piece(X.astype(dtype), y, labels, weight)


def together(parts):
    """All rows in one piece."""
    weight = None if parts[0].weight is None else np.concatenate([p.weight for p in parts])
    return Piece(
        np.concatenate([p.X for p in parts]),
        np.concatenate([p.y for p in parts]),
        np.concatenate([p.labels for p in parts]),
        weight,
    )


def exact_moments(Z, weight=None):
    """Weight, mean and scatter as rational numbers."""
    rows = [[Fraction(float(v)) for v in row] for row in Z]
    w = [Fraction(1)] * len(rows) if weight is None else [Fraction(float(v)) for v in weight]
    W, p = sum(w), len(rows[0])
    mean = [sum(a * row[j] for a, row in zip(w, rows, strict=True)) / W for j in range(p)]
    away = [[v - m for v, m in zip(row, mean, strict=True)] for row in rows]
    S = [[sum(a * row[i] * row[j] for a, row in zip(w, away, strict=True)) for j in range(p)] for i in range(p)]
    return W, mean, S


def words(hi, lo, exponent):
    """The exact value of two words in units of 2**exponent."""
    return (Fraction(float(hi)) + Fraction(float(lo))) * Fraction(2) ** int(exponent)


def exact_errors(moments, mean, S):
    """Fractions: errors of the mean, and (error of S_ij)^2 beside rounding_i rounding_j."""
    e = moments.exponent
    p = moments.columns
    means = [abs(words(moments.centre.hi[j], moments.centre.lo[j], e[j]) - mean[j]) for j in range(p)]
    cells = [(i, j) for i in range(p) for j in range(p)] if moments.form == "full" else [(j, j) for j in range(p)]
    squares = []
    for i, j in cells:
        at = (i, j) if moments.form == "full" else j
        found = words(moments.spread.hi[at], moments.spread.lo[at], e[i] + e[j])
        bound = words(moments.rounding[i], 0.0, 2 * e[i]) * words(moments.rounding[j], 0.0, 2 * e[j])
        squares.append(((found - S[i][j]) ** 2, bound))
    return means, squares
