"""Greedy import of rows into a kernel logistic regression, and how far it is from the one with all of them.

    F(f) = |f|^2 / 2 + C sum_i w_i l(y_i, f(x_i)),   f = b0 + sum_{s in S} a_s k(., x_s) = b0 + v'z(x)
    z = L^-1 k_S(x),  K_SS = L L':  orthonormal features, |f|^2 = |v|^2; a row that is imported adds one at the end
    R = K - Z Z',  g = C w (p - y):   F(f) - min over all rows <= sum_classes g'R g / 2

The last is the gap to the dual at the minimum over S (its dual point is g), so it tells when enough rows have been
imported; and g'R g falls by (R g)_l^2 / R_ll with row l, which says which one is next.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.exceptions import ConvergenceWarning

from ....statistics.warnings import warn
from ...linear.logistic_regression import LogisticRegression

SPANNED = 1e-10  # of k(x, x): what is left of a row that is in the span of those imported
GROWTH = 8  # one more row for every so many that there are, before coefficients are found anew


@dataclass
class Import:
    """Rows imported so far, and what is known of all rows.

    Attributes
    ----------
    K : array (rows, rows)
    codes : array (rows,)
        The class of each row, 0, 1, ...
    weight : array (rows,)
    C : float
    points : list of int
        Rows imported, in order.
    Z : array (rows, points)
        Their features.
    left : array (rows,)
        R_ii.
    """

    K: np.ndarray
    codes: np.ndarray
    weight: np.ndarray
    C: float
    points: list[int] = field(default_factory=list)
    Z: np.ndarray = field(init=False)
    left: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.Z = np.empty((len(self.K), 0))
        self.left = self.K.diagonal().copy()
        self.hits = np.eye(int(self.codes.max()) + 1)[self.codes]
        self.hits = self.hits[:, 1:] if self.hits.shape[1] == 2 else self.hits

    def solved(self) -> ImportSolution:
        """The minimum over the rows imported."""
        if not self.points:
            share = np.bincount(self.codes, self.weight) / self.weight.sum()
            score = np.log(share) - np.log(share).mean()
            level = np.array([score[1] - score[0]]) if len(share) == 2 else score
            return self.judged(np.empty((len(level), 0)), level, np.tile(share, (len(self.K), 1)))
        model = LogisticRegression(C=self.C, tol=1e-8).fit(self.Z, self.codes, self.weight)
        return self.judged(model.coef_, model.intercept_, model.predict_proba(self.Z))

    def judged(self, v: np.ndarray, level: np.ndarray, probability: np.ndarray) -> ImportSolution:
        own = np.maximum(probability[np.arange(len(self.codes)), self.codes], np.finfo(float).tiny)
        value = 0.5 * float((v**2).sum()) - self.C * float(self.weight @ np.log(own))
        shares = probability[:, 1:] if self.hits.shape[1] == 1 else probability
        slope = self.C * self.weight[:, None] * (shares - self.hits)
        pull = self.K @ slope - self.Z @ (self.Z.T @ slope)  # R g
        gap = 0.5 * float((slope * pull).sum())
        if gap < -1e-6 * value or (self.left < -1e-6 * self.K.diagonal()).any():
            raise ValueError("the kernel is not positive semidefinite on these rows: no row would be the best")
        return ImportSolution(v, level, value, max(gap, 0.0), slope, pull)

    def grow(self, solution: ImportSolution, most: int) -> bool:
        """Import the next rows, if there are any that are not in the span of the others."""
        before, slope, pull = len(self.points), solution.slope, solution.pull.copy()
        for _ in range(min(max(1, len(self.points) // GROWTH), most - len(self.points))):
            new = self.left > SPANNED * self.K.diagonal()
            new[self.points] = False
            if not new.any():
                break
            gain = np.where(new, (pull**2).sum(axis=1) / np.where(new, self.left, 1.0), -1.0)
            row = int(gain.argmax())
            column = (self.K[:, row] - self.Z @ self.Z[row]) / np.sqrt(self.left[row])
            self.Z = np.column_stack([self.Z, column])
            self.left -= column**2
            pull -= np.outer(column, column @ slope)
            self.points.append(row)
        return len(self.points) > before

    def coefficients(self, v: np.ndarray) -> np.ndarray:
        """a of f = b0 + sum_s a_s k(., x_s), (points, functions)."""
        if not self.points:
            return v.T.copy()
        return solve_triangular(self.Z[self.points], v.T, lower=True, trans="T")  # Z_S = L


@dataclass(frozen=True)
class ImportSolution:
    """The minimum over the rows imported: v (functions, points), b0, F, what more rows gain at most, g, and R g."""

    v: np.ndarray
    level: np.ndarray
    value: float
    gap: float
    slope: np.ndarray
    pull: np.ndarray


def imported(start: Import, tol: float, most: int | None) -> tuple[ImportSolution, list[tuple[int, float, float]]]:
    """Import until the gap is `tol` of the objective; the last solution, and (points, objective, gap) of each."""
    limit = len(start.K) if most is None else min(most, len(start.K))
    solution, trace = start.solved(), []
    while True:
        trace.append((len(start.points), solution.value, solution.gap))
        if solution.gap <= tol * solution.value:
            return solution, trace
        if len(start.points) >= limit or not start.grow(solution, limit):
            if most is not None and len(start.points) >= most:
                warn(
                    f"max_points={most} rows leave a gap of {solution.gap / solution.value:.2g} of the objective, "
                    f"above tol={tol:g}: raise it",
                    ConvergenceWarning,
                )
            return solution, trace
        solution = start.solved()
