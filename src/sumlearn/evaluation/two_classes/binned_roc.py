"""A ROC curve that adds up: counts of scores on a fixed grid."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ...statistics import Decayable, Removable
from ...statistics.weights import decayed_rounding, difference, joint_rounding, table_rounding
from ..row_values import check_finite, weight_was_its_name, weights_of
from .labels_and_scores import labels_of, scores_of
from .roc_curve import RocCurve


@dataclass(frozen=True, eq=False)
class BinnedRoc(Removable, Decayable):
    """Weight of the scores of either class between the edges of a grid that is fixed beforehand.

        counts[c, k] = sum of the weights of class c (0 negative, 1 positive) with edge_k <= score < edge_{k+1}

    Edges are grid[0] < ... < grid[m - 1], and minus and plus infinity. The rates at every edge are exact. Only what
    happens between two edges is unknown: if all pairs in a bin count as ties, the AUC is off by no more than

        sum_k counts[1, k] counts[0, k] / (2 N_t. N_f.)

    which is `auc_error`, computed from the counts.

    Statistic: itself. One pass. Can merge, forget, decay. Cost: O(n log m) to sum, O(m) to merge and to solve.

    Parameters
    ----------
    grid : array of m numbers
        Edges, rising.
    counts : array of shape (2, m + 1)
        Weights by class and bin.
    count : int
        Rows of positive weight.
    positive : label
        The positive class.

    Examples
    --------
    >>> from sumlearn.data import make_two_gaussians
    >>> X, y = make_two_gaussians(30_000, distance=2.0)
    >>> grid = np.linspace(-4, 4, 801)
    >>> halves = [BinnedRoc.of(y[part], X[part, 0], grid=grid) for part in (slice(0, 9_000), slice(9_000, None))]
    >>> stream = halves[0] + halves[1]
    >>> print(f"{stream.auc():.4f} +- {stream.auc_error:.4f}, exact {RocCurve(y, X[:, 0]).auc():.4f}")
    0.9183 +- 0.0005, exact 0.9183
    """

    grid: np.ndarray
    counts: np.ndarray
    count: int
    positive: Any = 1
    weight_rounding: float = 0.0

    @classmethod
    @weight_was_its_name
    def of(cls, y_true: Any, score: Any, sample_weight: Any = None, *, grid: Any, positive: Any = 1) -> BinnedRoc:
        """Count scores; labels equal to `positive` are positive, all others negative."""
        edges = np.array(grid, dtype=float)
        if edges.ndim != 1 or not len(edges) or not np.isfinite(edges).all() or (np.diff(edges) <= 0).any():
            raise ValueError("grid must be one-dimensional, not empty, finite and rising")
        labels = labels_of(y_true)
        values = scores_of(score, len(labels))
        w = weights_of(sample_weight, len(labels))
        keep = slice(None) if w is None else w > 0
        labels, values, w = labels[keep], values[keep], None if w is None else w[keep]
        check_finite(values, "score")
        accepted = np.broadcast_to(labels == positive, labels.shape)
        cells = np.searchsorted(edges, values, side="right") + (len(edges) + 1) * accepted
        counts = np.bincount(cells, weights=w, minlength=2 * (len(edges) + 1)).astype(float)
        return cls(edges, counts.reshape(2, -1), len(values), positive, table_rounding(w))

    @property
    def weight(self) -> float:
        return float(self.counts.sum())

    @property
    def rows(self) -> int:
        return self.count

    def zero(self) -> Self:
        return type(self)(self.grid, np.zeros_like(self.counts), 0, self.positive)

    def merge(self, other: Self) -> Self:
        self._check_same(other)
        counts, rounding = self.counts + other.counts, joint_rounding(self, other)
        return replace(self, counts=counts, count=self.count + other.count, weight_rounding=rounding)

    def remove(self, other: Self) -> Self:
        self._check_same(other)
        rounding = joint_rounding(self, other)
        left = difference(self.counts, other.counts, rounding)
        if not left.any():
            return self.zero()
        return replace(self, counts=left, count=max(self.count - other.count, 1), weight_rounding=rounding)

    def decay(self, factor: float) -> Self:
        if self.check_factor(factor) == 1.0:
            return self
        rounding = decayed_rounding(self, factor)
        return replace(self, counts=self.counts * factor, weight_rounding=rounding)

    def curve(self) -> RocCurve:
        """The ROC curve through the edges of the grid; bins that hold no score are left out."""
        used = np.flatnonzero(self.counts.any(axis=0))[::-1]
        edges = np.append(-np.inf, self.grid)
        return RocCurve.from_counts(edges[used], self.counts[1, used], self.counts[0, used], self.positive)

    def auc(self) -> float:
        """The area under that curve: pairs in one bin count half."""
        return self.curve().auc()

    @property
    def auc_error(self) -> float:
        """Bound of the difference between `auc` and that of the scores themselves."""
        curve = self.curve()
        return float(self.counts[0] @ self.counts[1] / (2.0 * curve.positives * curve.negatives))

    def _check_same(self, other: BinnedRoc) -> None:
        if not np.array_equal(self.grid, other.grid):
            raise ValueError(f"the grids differ: {len(self.grid)} and {len(other.grid)} edges, or other values")
        if self.positive != other.positive:
            raise ValueError(f"the positive labels differ: {self.positive!r} and {other.positive!r}")
