"""The linear discriminant on subsets of the features."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiled import discriminant_scores as kernels
from ...learners.gaussian.parts.gaussian_classifier import shrinkage_of
from ...statistics import Pooled
from .discriminants import DiscriminantJudge
from .judge import Subset
from .least_squares import leave_out
from .swept import SMALLEST, Swept


class LinearDiscriminantJudge(DiscriminantJudge):
    """score_k(S) = z'C_S^-1 m_k - 1/2 m_k'C_S^-1 m_k + ln p_k, with C swept on S and the means as columns beside it.

    With w_j the swept variable of column j, T_jj its pivot:

        score_k(S + j) = score_k(S) + w_j(z) w_j(m_k) / T_jj - w_j(m_k)^2 / (2 T_jj)

    and the same for S - j. Columns that the others explain but for `tol`^2 of their variance, whose direction a refit
    would leave out, are -inf.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        d, K = self.size, len(self.rows.labels)
        stack, constant = np.zeros((len(self.training), d + K, d + K)), np.zeros((len(self.training), d), bool)
        for f, sums in enumerate(self.training):
            priors = np.exp(self.log_priors[f][self.weights[f] > 0])
            within = self.estimator._within(sums, priors, self.estimator.labels_of(sums))
            unit = within.deviation * self.rows.scale
            stack[f, :d, :d] = within.whole * unit * unit[:, None]
            stack[f, :d, d:] = self._means(sums).T
            stack[f, d:, :d] = stack[f, :d, d:].T
            constant[f] = ~(within.deviation > 0)
        leave_out(list(stack), constant)
        self.state = Swept(stack, d, smallest=max(SMALLEST, self.estimator.tol**2))

    @staticmethod
    def honours(estimator: Any) -> bool:
        estimator._check_options()
        return not shrinkage_of(estimator) and estimator.n_components is None

    def base_scores(self, subset: Subset) -> np.ndarray | None:
        if not self.state.move(subset):
            return None
        d, inside = self.size, np.array(sorted(subset), dtype=np.int64)
        T = self.state.T
        W = T[:, inside, d:]
        constant = self.log_priors + 0.5 * T.diagonal(axis1=1, axis2=2)[:, d:]
        return self.base_from(kernels.linear_base, inside, W, constant)

    def can_move(self, columns: np.ndarray) -> np.ndarray:
        return self.state.movable(columns)

    def ready(self, subset: Subset) -> bool:
        return self.state.move(subset)

    def neighbour_folds(self, subset: Subset, columns: np.ndarray) -> np.ndarray:
        return self.folds_beside(subset, columns)

    def count(self, subset: Subset, columns: np.ndarray) -> np.ndarray:
        rows, state = self.rows, self.state
        correct, doubt = self.counted(
            kernels.count_linear,
            (len(self.training), len(columns)),
            rows.order,
            rows.bounds,
            rows.X,
            rows.centre,
            rows.scale,
            *rows.narrow,
            rows.weight,
            self.present,
            state.T,
            self.log_priors,
            np.array(sorted(state.subset), dtype=np.int64),
            columns,
        )
        return self.settled(subset, columns, correct, doubt)

    def scores(self, f: int, subset: Subset, columns: np.ndarray) -> np.ndarray:
        base = self.scored(subset)
        inside, outside, A, delta, off = self._terms(columns)
        w = self.rows.coordinates(f, columns) * outside + self.rows.coordinates(f, inside) @ A[f]
        return base[self.rows.of_split(f)][:, :, None] + w[:, None, :] * delta[f] + off[f]

    def _terms(self, columns: np.ndarray) -> tuple[np.ndarray, ...]:
        """w_j = outside_j z_j + z_S'A_j, and what it adds to the score of class k: w_j delta_kj + off_kj."""
        T, d = self.state.T, self.size
        inside = np.array(sorted(self.state.subset), dtype=np.int64)
        A = -T[:, inside[:, None], columns]
        means = T[:, columns, d:].transpose(0, 2, 1)
        delta = means / T[:, None, columns, columns]
        return inside, ~np.isin(columns, inside), A, delta, -0.5 * means * delta

    def _means(self, sums: Any) -> np.ndarray:
        """Class means in the coordinates of the rows; zero for a class without rows."""
        groups = sums.groups.groups if isinstance(sums, Pooled) else sums.groups
        out = np.zeros((len(self.rows.labels), self.size))
        for k, label in enumerate(self.rows.labels.tolist()):
            if label in groups:
                out[k] = groups[label].shift(-self.rows.centre).mean * self.rows.scale
        return out
