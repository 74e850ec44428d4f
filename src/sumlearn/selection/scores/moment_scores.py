"""Scores of single features from moments: correlation, the F test, Fisher's ratio."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import fdtrc

from ...statistics import Grouped, Moments, Strips


class RankScores(NamedTuple):
    """A score for each feature, the larger the better, and how probable one so large would be by chance."""

    values: np.ndarray
    p_values: np.ndarray | None = None


class Squares(NamedTuple):
    """The squares of a feature, in units of its own: what the target explains and what it leaves, with freedoms."""

    explained: np.ndarray
    left: np.ndarray
    groups: float  # degrees of freedom of what is explained
    rest: float


def squares_of(statistic: Strips | Grouped[Moments]) -> Squares:
    """From moments of (x, y), or from those of x for each label."""
    return squares_by_line(statistic) if isinstance(statistic, Strips) else squares_by_class(statistic)


def squares_by_class(groups: Grouped[Moments]) -> Squares:
    """Between and within the classes: B = sum_k W_k (m_k - m)^2, S = sum_k S_k.

    Differences of means are taken in two words, so that an offset costs no digits.
    """
    if len(groups) < 2:
        raise ValueError(f"y holds one class only, {groups.labels}: a score needs at least 2")
    total = groups.moments()
    parts = [part.with_exponent(total.exponent) for part in groups.groups.values()]
    between, within = np.zeros(total.columns), np.zeros(total.columns)
    for part in parts:
        apart = (part.centre.hi - total.centre.hi) + (part.centre.lo - total.centre.lo)
        between += part.weight * apart**2
        within += part.diagonal
    return Squares(between, np.maximum(within, 0.0), len(parts) - 1.0, total.weight - len(parts))


def squares_by_line(strips: Strips) -> Squares:
    """On the line through the rows and off it, as shares of the whole: r^2 and 1 - r^2."""
    if strips.parts[0].is_single:
        raise ValueError("n_samples = 1: a correlation needs at least 2 rows")
    r = np.concatenate([correlations(part) for part in strips.parts.values()])
    return Squares(r**2, 1.0 - r**2, 1.0, strips.weight - 2.0)


def correlations(moments: Moments) -> np.ndarray:
    """r = S_xy / sqrt(S_xx S_yy); zero for a feature, or a target, that does not vary."""
    d, S = moments.features, moments.spread.hi
    deviation = np.sqrt(np.maximum(moments.diagonal, 0.0))
    varies = (deviation[:d] > 0) & (deviation[d] > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = S[:d, d] / deviation[:d] / deviation[d]
    return np.where(varies, np.clip(r, -1.0, 1.0), 0.0)


def pearson(statistic: Strips | Grouped[Moments]) -> RankScores:
    """|r| = |Cov[x, y]| / sqrt(Var[x] Var[y]); of two classes that of their indicator."""
    if isinstance(statistic, Grouped) and len(statistic) > 2:
        raise ValueError(
            f"score='pearson' correlates with a number, or with two classes; y holds {len(statistic)} classes: take "
            "score='f', or say task='regression' if they are numbers"
        )
    squares = squares_of(statistic)
    return RankScores(np.sqrt(ratio(squares.explained, squares.explained + squares.left)), chance(squares))


def f_test(statistic: Strips | Grouped[Moments]) -> RankScores:
    """F = (B / (K - 1)) / (S / (W - K)): analysis of variance; of a numeric target the test of r = 0."""
    squares = squares_of(statistic)
    if squares.rest <= 0:
        return RankScores(np.zeros_like(squares.left), np.ones_like(squares.left))
    return RankScores(ratio(squares.explained, squares.left) * (squares.rest / squares.groups), chance(squares))


def fisher(statistic: Grouped[Moments]) -> RankScores:
    """Fisher's ratio B / S: squares between the classes over squares within them."""
    squares = squares_of(statistic)
    return RankScores(ratio(squares.explained, squares.left), chance(squares))


def ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a / b, where nothing over nothing is nothing: a constant feature says nothing."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(a > 0, a / b, 0.0)


def chance(squares: Squares) -> np.ndarray:
    """P(F >= found) for a feature that has nothing to do with the target; one where no row is left to tell."""
    if squares.rest <= 0:
        return np.ones_like(squares.left)
    F = ratio(squares.explained, squares.left) * (squares.rest / squares.groups)
    return np.where(np.isinf(F), 0.0, fdtrc(squares.groups, squares.rest, np.where(np.isinf(F), 0.0, F)))
