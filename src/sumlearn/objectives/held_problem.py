"""HeldProblem: the rows of a linear objective, all of them in memory, for solvers that go through them one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ..data import Chunk, InMemory, Rows
from .duals import DUALS, Dual
from .frame import Frame
from .loss_sums import usable
from .losses import Loss
from .penalties import Penalty

NONE = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class HeldProblem:
    """Rows less the centre of the frame, in natural units: f = w'(x - m) + c.

    Rows are given as `values`, `indices`, `indptr` of a sparse matrix by rows; where the last two are empty, `values`
    holds dense rows one after the other. `scaling` is the column that the intercept belongs to, if it is penalised.
    """

    values: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    loss: Loss
    penalty: Penalty
    alpha: float
    frame: Frame
    scaling: float | None = None

    @property
    def rows(self) -> int:
        return len(self.y)

    @property
    def X(self) -> Any:
        """The rows as a matrix; nothing is copied."""
        shape = (self.rows, self.frame.features)
        if len(self.indptr):
            return sparse.csr_array((self.values, self.indices, self.indptr), shape=shape)
        return self.values.reshape(shape)

    @property
    def free(self) -> bool:
        """Whether there is an intercept without a penalty."""
        return self.frame.intercept and self.scaling is None

    @property
    def costs(self) -> np.ndarray:
        """C_n = s_n / alpha."""
        return self.weight / self.alpha

    def dual(self) -> Dual:
        return DUALS[self.loss.name](self.loss, self.y, self.costs)

    def point(self, w: np.ndarray, level: float) -> np.ndarray:
        """The point of coefficients in natural units and the score at the centre."""
        u = w * self.frame.unit
        return np.append(u, level)[None] if self.frame.intercept else u[None]

    def natural(self, point: np.ndarray) -> tuple[np.ndarray, float]:
        """The other way round."""
        return self.frame.coefficients(point)[0], float(self.frame.levels(point)[0])


def held(objective: Any) -> HeldProblem:
    """All rows of a linear objective that weigh something."""
    source, frame = objective.source, objective.frame
    assert isinstance(source, InMemory)
    thin = getattr(source, "X", None)  # sparse rows are all there already: slices would copy them
    chunk = Chunk(thin, source.y, source.weight) if sparse.issparse(thin) else source.chunk(Rows(slice(0, source.rows)))
    chunk = usable(chunk if objective.coding is None else objective.coding(chunk))
    X, n = chunk.X, chunk.X.shape[0]
    assert chunk.y is not None
    y = np.ascontiguousarray(chunk.y, dtype=np.int64 if objective.loss.coding == "class" else np.float64)
    weight = np.ones(n) if chunk.weight is None else np.ascontiguousarray(chunk.weight, dtype=np.float64)
    if sparse.issparse(X):
        X = sparse.csr_array(X)
        values, indices, indptr = np.ascontiguousarray(X.data, dtype=np.float64), X.indices, X.indptr
    else:
        X = np.asarray(X, dtype=np.float64)
        X = X - frame.centre if frame.intercept and frame.centre.any() else X
        values, indices, indptr = np.ascontiguousarray(X).reshape(-1), NONE, NONE
    return HeldProblem(
        values, indices, indptr, y, objective.multiplier * weight, objective.loss, objective.penalty, objective.alpha,
        frame, objective.intercept_scaling,
    )  # fmt: skip
