"""Leave-one-out errors of least squares and ridge on subsets of the features."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...compiled import left_out as kernels
from ...data import Chunk, Source
from ...engines import engine_for
from ...engines.journal import summed
from ...statistics import Moments, Total
from .fold_sums import is_constant, units
from .least_squares import about_zero, leave_out, training_matrix
from .swept import Swept, SweptJudge


class LeaveOneOutJudge(SweptJudge):
    """J(S) = -1/W sum_i w_i (r_i / (1 - h_i))^2: minus the mean squared error of rows predicted by all the others.

    With T, the scatter of all rows, swept on S, w_j(x) the swept variable of column j, and c = T_jy / T_jj,

        r(S + j) = r(S) - c w_j,   h(S + j) = h(S) + w_j^2 / T_jj

    and the same for S - j, so that a step over all columns is one matrix product and one pass over the rows. A row of
    weight above one counts as so many rows, of which one is left out, as in RidgeCV.

    Statistic: Moments of (x, y), then a sum over the rows for every step: rows in files are read each time.
    """

    def __init__(self, source: Source, total: Moments, alpha: float, intercept: bool) -> None:
        self.source, self.size, self.intercept = source, total.features, intercept
        self.unit = units(total if intercept else about_zero(total))
        T = training_matrix(total, alpha, intercept, self.unit)
        if intercept:
            leave_out([T], is_constant(total)[None, : self.size])
        self.state = Swept(T[None], self.size)
        self.mean = total.mean if intercept else np.zeros(total.columns)
        self.weight = total.weight

    def here(self) -> np.ndarray:
        none = np.zeros(0, np.intp)
        return self._errors(none, np.zeros((self.size + 1, 0)))[:1]

    def beside(self, columns: np.ndarray) -> np.ndarray:
        inside = sorted(self.state.subset)
        change = np.zeros((self.size + 1, len(columns)))  # w_j = x'change: the residual on S, or the dual variable
        change[inside] = -self.state.T[0][inside][:, columns]
        outside = ~np.isin(columns, inside)
        change[columns[outside], np.flatnonzero(outside)] = 1.0
        return self._errors(columns, change)[None, 1:]

    def means_beside(self, columns: np.ndarray) -> np.ndarray:
        return self.means_of_movable(columns)

    def _errors(self, columns: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Minus the mean squared errors of this subset and of all that differ from it in one of the columns."""
        T, y, inside = self.state.T[0], self.size, sorted(self.state.subset)
        residual = np.zeros((y + 1, 1))
        residual[y], residual[inside, 0] = 1.0, -T[inside, y]
        precision = np.zeros((y + 1, len(inside)))
        precision[inside] = -T[inside][:, inside]
        terms = LeftOutTerms(
            np.column_stack([residual, change]),
            precision,
            np.array(inside, dtype=np.intp),
            T[columns, y] / T[columns, columns],
            1.0 / T[columns, columns],
            1.0 / self.weight if self.intercept else 0.0,
        )
        squares = summed(partial(self._of_part, terms), self.source, engine_for(self.source), 8).values
        return -np.ldexp(squares, 2 * int(self.unit[-1])) / self.weight

    def _of_part(self, terms: LeftOutTerms, part: Any) -> Total:
        return terms.total(self.source.chunk(part), self.mean, self.unit)


class LeftOutTerms:
    """What a step asks of every row."""

    def __init__(
        self, maps: np.ndarray, precision: np.ndarray, inside: np.ndarray, c: np.ndarray, gain: np.ndarray, least: float
    ) -> None:
        self.maps, self.precision, self.inside, self.c, self.gain, self.least = maps, precision, inside, c, gain, least

    def total(self, chunk: Chunk, mean: np.ndarray, unit: np.ndarray) -> Total:
        X = chunk.X.toarray() if hasattr(chunk.X, "toarray") else np.asarray(chunk.X, dtype=float)
        Z = np.ldexp(np.column_stack([X, np.asarray(chunk.y, dtype=float)]) - mean, -unit)
        W = Z @ self.maps
        hat = self.least + np.einsum("ij,ij->i", Z @ self.precision, Z[:, self.inside])
        weight = np.ones(len(Z)) if chunk.weight is None else np.asarray(chunk.weight, dtype=float)
        squares = np.zeros(len(self.c) + 1)
        kernels.squared_errors(W, hat, weight, self.c, self.gain, squares)
        return Total(squares, float(weight.sum()), int((weight > 0).sum()))
