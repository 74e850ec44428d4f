"""The quadratic discriminant on subsets of the features."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiled import quadratic_scores as kernels
from ...learners.gaussian.parts.gaussian_classifier import shrinkage_of
from .discriminants import DiscriminantJudge
from .judge import Subset
from .swept import Swept


class QuadraticDiscriminantJudge(DiscriminantJudge):
    """score_k(S) = ln p_k - 1/2 ln |C_k| - 1/2 (z - m_k)_S'C_k^-1 (z - m_k)_S, each C_k swept on S, its mean beside it.

        score_k(S + j) = score_k(S) - 1/2 ln |T_jj| - w_j(z - m_k)^2 / (2 T_jj)

    and the same for S - j, T and w those of class k. Where a class does not vary beyond what S explains, -inf.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        d = self.size
        stack = np.tile(np.eye(d + 1), (self.present.size, 1, 1))
        stack[:, d, d] = 0.0
        scale = self.rows.scale
        for f, sums in enumerate(self.training):
            for k, label in enumerate(self.rows.labels.tolist()):
                if label not in sums.groups:
                    continue
                part = sums[label]
                if part.is_single and not self.estimator._regular():
                    raise ValueError(f"split {f} trains on 1 row of class {label!r}: its covariance needs two")
                deviation, R = self.estimator._covariance(part)
                T = stack[f * self.present.shape[1] + k]
                T[:d, :d] = R * (deviation * scale) * (deviation * scale)[:, None]
                T[:d, d] = T[d, :d] = part.shift(-self.rows.centre).mean * scale
        self.state = Swept(stack, d)

    @staticmethod
    def honours(estimator: Any) -> bool:
        estimator._check_options()
        return not shrinkage_of(estimator)

    def base_scores(self, subset: Subset) -> np.ndarray | None:
        if not self.state.move(subset):
            return None
        inside = np.array(sorted(subset), dtype=np.int64)
        P = -self._by_class(self.state.T[:, inside[:, None], inside])
        means = self._by_class(self.state.start[0][:, inside, self.size])
        # |C_SS| from the precision, which is in the swept matrix
        determinant = -np.linalg.slogdet(P)[1] if len(inside) else np.zeros(self.present.shape)
        constant = self.log_priors - 0.5 * determinant
        return self.base_from(kernels.quadratic_base, inside, means, P, constant)

    def ready(self, subset: Subset) -> bool:
        return self.base(subset) is not None

    def can_move(self, columns: np.ndarray) -> np.ndarray:
        return self.state.movable(columns)

    def neighbour_folds(self, subset: Subset, columns: np.ndarray) -> np.ndarray:
        return self.folds_beside(subset, columns)

    def count(self, subset: Subset, columns: np.ndarray) -> np.ndarray:
        inside, outside, A, shift, gain, off = self._terms(columns)
        more = -len(inside) % 4  # the kernel takes four columns at a time
        correct, doubt = self.counted(
            kernels.count_quadratic,
            (len(self.training), len(columns)),
            *self.rows.place,
            self.rows.codes,
            self.rows.weight,
            self.present,
            self.scored(subset),
            np.append(inside, np.zeros(more, np.int64)),
            columns,
            outside,
            np.pad(A, ((0, 0), (0, 0), (0, more), (0, 0))),
            shift,
            gain,
            off,
            np.zeros((len(self.training), len(columns))),
            np.zeros(len(self.training)),
        )
        return self.settled(subset, columns, correct, doubt)

    def scores(self, f: int, subset: Subset, columns: np.ndarray) -> np.ndarray:
        inside, outside, A, shift, gain, off = self._terms(columns)
        z, rest = self.rows.coordinates(f, columns) * outside, self.rows.coordinates(f, inside)
        out = np.repeat(self.scored(subset)[self.rows.of_split(f)][:, :, None], len(columns), axis=2)
        for k in range(out.shape[1]):
            out[:, k] += off[f, k] - 0.5 * gain[f, k] * (z + rest @ A[f, k] - shift[f, k]) ** 2
        return out

    def _terms(self, columns: np.ndarray) -> tuple[np.ndarray, ...]:
        """w_kj = outside_j z_j + z_S'A_kj - shift_kj, and the score gains off_kj - 1/2 gain_kj w_kj^2."""
        T = self.state.T
        inside = np.array(sorted(self.state.subset), dtype=np.int64)
        t = self._by_class(T[:, columns, columns])
        A = self._by_class(-T[:, inside[:, None], columns])
        shift = self._by_class(T[:, columns, self.size])
        return inside, (~np.isin(columns, inside)).astype(float), A, shift, 1.0 / t, -0.5 * np.log(np.abs(t))

    def _by_class(self, values: np.ndarray) -> np.ndarray:
        """(splits x classes, ...) as (splits, classes, ...)."""
        return values.reshape(*self.present.shape, *values.shape[1:])
