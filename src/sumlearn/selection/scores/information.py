"""Scores of discrete features from counts: mutual information, symmetric uncertainty."""

from __future__ import annotations

import numpy as np
from scipy.special import chdtrc, xlogy

from ...compiled.tables import pair_sums
from ...statistics import LevelCounts
from .moment_scores import RankScores

ROUNDING = 16 * np.finfo(float).eps  # of sums of w log w / W, in units of log W


def entropy(weights: np.ndarray) -> float:
    """H = -sum p log p of weights that add up to anything, in nats."""
    total = weights.sum()
    return float(np.log(total) - xlogy(weights, weights).sum() / total) if total > 0 else 0.0


def column_entropies(counts: LevelCounts) -> np.ndarray:
    """H(X_j) of every column."""
    weights = counts.table.sum(axis=1)
    return entropies_of_sums(by_column(counts, xlogy(weights, weights)), counts.weight)


def class_information(counts: LevelCounts) -> np.ndarray:
    """I(X_j, Y) = H(X_j) + H(Y) - H(X_j, Y) of every column; zero where it may be nothing but rounding."""
    joint = entropies_of_sums(by_column(counts, xlogy(counts.table, counts.table).sum(axis=1)), counts.weight)
    information = column_entropies(counts) + entropy(counts.classes) - joint
    return np.where(information > ROUNDING * (1.0 + abs(np.log(counts.weight))), information, 0.0)


def pair_information(counts: LevelCounts) -> np.ndarray:
    """I(X_i, X_j) of all pairs of columns; on the diagonal the entropies."""
    assert counts.pairs is not None
    sums = np.empty((counts.features, counts.features))
    pair_sums(counts.pairs, counts.starts, sums)
    H = column_entropies(counts)
    return np.maximum(H[:, None] + H - entropies_of_sums(sums, counts.weight), 0.0)


def uncertainty(information: np.ndarray, entropies: np.ndarray) -> np.ndarray:
    """SU = 2 I / (H + H), between 0 and 1; zero where neither side is uncertain."""
    return np.where(entropies > 0, 2.0 * information / np.where(entropies > 0, entropies, 1.0), 0.0)


def class_uncertainty(counts: LevelCounts, information: np.ndarray | None = None) -> np.ndarray:
    """SU(X_j, Y) of every column; `information` is I(X_j, Y), where it is known."""
    information = class_information(counts) if information is None else information
    return uncertainty(information, column_entropies(counts) + entropy(counts.classes))


def pair_uncertainty(counts: LevelCounts) -> np.ndarray:
    """SU(X_i, X_j) of all pairs of columns."""
    H = column_entropies(counts)
    return uncertainty(pair_information(counts), H[:, None] + H)


def mutual_information(counts: LevelCounts) -> RankScores:
    """I(X_j, Y) in nats."""
    refuse_one_class(counts)
    information = class_information(counts)
    return RankScores(information, chance(counts, information))


def symmetric_uncertainty(counts: LevelCounts) -> RankScores:
    """SU(X_j, Y) = 2 I(X_j, Y) / (H(X_j) + H(Y))."""
    refuse_one_class(counts)
    information = class_information(counts)
    return RankScores(class_uncertainty(counts, information), chance(counts, information))


def chance(counts: LevelCounts, information: np.ndarray) -> np.ndarray:
    """The G test: 2 W I has the chi-squared law of (levels - 1)(classes - 1) degrees of freedom."""
    freedom = (np.diff(counts.starts) - 1.0) * (len(counts.labels) - 1.0)
    G = 2.0 * counts.weight * information
    return np.where(freedom > 0, chdtrc(np.maximum(freedom, 1.0), G), 1.0)


def refuse_one_class(counts: LevelCounts) -> None:
    if len(counts.labels) < 2:
        raise ValueError(f"y holds one class only, {list(counts.labels)}: a score needs at least 2")


def by_column(counts: LevelCounts, values: np.ndarray) -> np.ndarray:
    """Sums over the levels of each column; every column has one or more."""
    return np.add.reduceat(values, counts.starts[:-1])


def entropies_of_sums(sums: np.ndarray, weight: float) -> np.ndarray:
    """H from sum w log w: log W - sum w log w / W."""
    return np.maximum(np.log(weight) - sums / weight, 0.0)
