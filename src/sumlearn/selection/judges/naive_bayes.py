"""Gaussian naive Bayes on subsets of the features."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiled import quadratic_scores as kernels
from .discriminants import DiscriminantJudge
from .judge import Subset

SLIGHT = 1e-7  # relative change of a variance by another smoothing that is left to the margin of a decision


class NaiveBayesJudge(DiscriminantJudge):
    """score_k(S) = ln p_k - 1/2 sum_{j in S} [ln v_kj + (z_j - m_kj)^2 / v_kj]: a column adds its own term.

    The smoothing is a share of the largest variance among the columns of the subset, so a column with a larger one
    changes the terms of the others too. A change below 1e-7 widens the margin within which a refit decides; for a
    greater one the subset is scored by itself.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        shape = (*self.present.shape, self.size)
        self.mean, self.variance = np.zeros(shape), np.ones(shape)
        self.spread = np.zeros((shape[0], self.size))  # smoothing that a column asks for, in its own units
        scale = self.rows.scale
        for f, sums in enumerate(self.training):
            self.spread[f] = self.estimator.var_smoothing * sums.moments().deviation ** 2
            for k, label in enumerate(self.rows.labels.tolist()):
                if label in sums.groups:
                    part = sums[label]
                    self.mean[f, k] = part.shift(-self.rows.centre).mean * scale
                    self.variance[f, k] = (part.deviation * scale) ** 2
        self.varying: np.ndarray = np.min(self.spread, axis=0) > 0

    @staticmethod
    def honours(estimator: Any) -> bool:
        return bool(estimator.var_smoothing > 0)

    def base_scores(self, subset: Subset) -> np.ndarray | None:
        if not self.varying[list(subset)].all():
            return None
        self.inside = np.array(sorted(subset), dtype=np.int64)
        self.smoothing = self._smoothing(self.inside)
        v = self._smoothed(self.inside, self.smoothing[:, None])
        constant = self.log_priors - 0.5 * np.log(v).sum(axis=2)
        self.reach = np.abs(np.where(self.present, constant, 0.0)).max(axis=1) + len(self.inside)
        means = self.mean[:, :, self.inside]
        return self.base_from(kernels.diagonal_base, self.inside, means, 1.0 / v, constant)

    def ready(self, subset: Subset) -> bool:
        return self.base(subset) is not None

    def can_move(self, columns: np.ndarray) -> np.ndarray:
        return self.varying[columns]

    def neighbour_folds(self, subset: Subset, columns: np.ndarray) -> np.ndarray:
        alike = self._change(columns).max(axis=0) <= (SLIGHT if self.criterion == "accuracy" else 0.0)
        scores = np.empty((len(self.training), len(columns)))
        if alike.any():
            scores[:, alike] = self.folds_beside(subset, columns[alike])
        for j in np.flatnonzero(~alike):
            scores[:, j] = self.fold_scores(tuple(sorted({*subset} ^ {int(columns[j])})))
        return scores

    def count(self, subset: Subset, columns: np.ndarray) -> np.ndarray:
        mean, gain, off = self._terms(columns)
        none = np.zeros(0, np.int64)
        correct, doubt = self.counted(
            kernels.count_quadratic,
            (len(self.training), len(columns)),
            *self.rows.place,
            self.rows.codes,
            self.rows.weight,
            self.present,
            self.scored(subset),
            none,
            columns,
            np.ones(len(columns)),
            np.zeros((*self.present.shape, 0, len(columns))),
            mean,
            gain,
            off,
            4.0 * self._change(columns),
            self.reach,
        )
        return self.settled(subset, columns, correct, doubt)

    def scores(self, f: int, subset: Subset, columns: np.ndarray) -> np.ndarray:
        mean, gain, off = self._terms(columns)
        z = self.rows.coordinates(f, columns)
        out = np.repeat(self.scored(subset)[self.rows.of_split(f)][:, :, None], len(columns), axis=2)
        for k in range(out.shape[1]):
            out[:, k] += off[f, k] - 0.5 * gain[f, k] * (z - mean[f, k]) ** 2
        return out

    def _terms(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Means, and sign / v and -sign / 2 ln v, with the sign of entering or leaving; v as the new subset smooths."""
        sign = np.where(np.isin(columns, self.inside), -1.0, 1.0)
        leaving = np.isin(columns, self.inside)
        smoothing = np.where(leaving, self.smoothing[:, None], self._after(columns))
        v = self._smoothed(columns, smoothing)
        return self.mean[:, :, columns], sign / v, -0.5 * sign * np.log(v)

    def _smoothing(self, columns: np.ndarray) -> np.ndarray:
        """What the largest variance of some columns adds to all, for each split, in natural units."""
        return self.spread[:, columns].max(axis=1, initial=0.0)

    def _after(self, columns: np.ndarray) -> np.ndarray:
        """The smoothing after each column entered or left, (splits, columns)."""
        out = np.maximum(self.smoothing[:, None], self.spread[:, columns])
        for j in np.flatnonzero(np.isin(columns, self.inside)):
            out[:, j] = self._smoothing(self.inside[self.inside != columns[j]])
        return out

    def _change(self, columns: np.ndarray) -> np.ndarray:
        """Largest relative change of a variance of the subset, (splits, columns)."""
        if not len(self.inside):
            return np.zeros((len(self.training), len(columns)))
        change = np.abs(self._after(columns) - self.smoothing[:, None])
        v = self._smoothed(self.inside, self.smoothing[:, None]) / self.rows.scale[self.inside] ** 2
        v = np.where(self.present[:, :, None], v, np.inf)
        return change / v.min(axis=(1, 2))[:, None]

    def _smoothed(self, columns: np.ndarray, smoothing: np.ndarray) -> np.ndarray:
        """Variances in the units of the rows, (splits, classes, columns)."""
        return self.variance[:, :, columns] + (smoothing * self.rows.scale[columns] ** 2)[:, None, :]
