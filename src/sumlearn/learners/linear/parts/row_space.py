"""Fewer rows than columns under a penalty on the length of w: the minimum lies in the span of the rows.

w = Q c,   Q'Q = I,   |w| = |c|:   as many unknowns as there are rows
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ....data import InMemory, Rows, Source
from ....data.source import ArraySource
from ....engines import one_blas_thread
from ....objectives import Frame, Penalty
from ....solvers import Solution
from ....statistics.held_rows import are_held


@dataclass(frozen=True)
class RowSpace:
    """Rows z = Q'(x - m) of a source, and their frame; `outside` is the frame of x."""

    source: ArraySource
    frame: Frame
    outside: Frame
    Q: np.ndarray  # (features, rows)

    def point(self, outside: np.ndarray) -> np.ndarray:
        """The coordinates inside of a point."""
        coef = self.outside.coefficients(outside) @ self.Q
        return self.frame.point(coef, self.outside.levels(outside))

    def solution(self, inside: Solution) -> Solution:
        """A solution in the coordinates outside."""
        coef, unit = self.frame.coefficients(inside.point) @ self.Q.T, self.outside.unit
        level = [self.frame.levels(inside.point)] if self.outside.intercept else []
        return replace(inside, point=np.column_stack([coef * unit, *level]))


def is_in_row_space(source: Source, penalty: Penalty, alpha: float, solver: Any) -> bool:
    """Whether rows are few, in memory and dense, and the steps would form d x d numbers."""
    few = isinstance(source, InMemory) and are_held(source.rows, source.features)
    dense = not sparse.issparse(getattr(source, "X", None))
    return bool(few and dense and alpha and penalty.name == "l2" and solver.name in ("newton", "interior_point"))


def row_space(source: Source, frame: Frame, penalty: Penalty, alpha: float, solver: Any) -> RowSpace | None:
    """The span of the rows, where the minimum is looked for there."""
    if not is_in_row_space(source, penalty, alpha, solver):
        return None
    assert isinstance(source, InMemory)
    weight = source.weight
    numbers = np.arange(source.rows) if weight is None else np.flatnonzero(weight)
    chunk = source.chunk(Rows(numbers))
    away = np.asarray(chunk.X, dtype=np.float64) - frame.centre
    with one_blas_thread():
        Q, R = np.linalg.qr(away.T)
    Z = np.ascontiguousarray(R.T)
    unit = np.sqrt((Z**2).sum(axis=1).max(initial=0.0) / max(len(Z), 1)) or 1.0
    inside = Frame(np.zeros(len(R)), np.full(len(R), unit), frame.intercept, standardised=False)
    return RowSpace(ArraySource(Z, chunk.y, chunk.weight), inside, frame, Q)
