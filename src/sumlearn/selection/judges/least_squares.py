"""Least squares and ridge on subsets of the features, judged from sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...compiled.sweep import held_out_scores
from ...data import Source
from ...evaluation.resampling.splits import Split
from ...learners.regression.ridge import penalties
from ...statistics import Moments, Words
from .fold_sums import fold_sums, is_constant, moments_of, numbered, scaled_difference, scaled_scatter, total_of, units
from .judge import Judge, JudgesFolds, Subset
from .swept import Swept, SweptJudge

CROSS_VALIDATED = ("r2", "mse")
CRITERIA = (*CROSS_VALIDATED, "loo", "aic", "bic")


class LeastSquaresJudge(JudgesFolds, SweptJudge):
    """J(S) of a linear regression on the columns S, larger is better, from the sums of the rows.

        r2    mean over the splits of 1 - SSE / SST of the rows left out
        mse   minus the mean over the splits of SSE / W of the rows left out
        aic   -(N ln(2 pi RSS / N) + N + 2 k)          bic   the same with k ln N in place of 2 k

    with k the number of coefficients, constant included (with a penalty: the trace of the hat matrix). The training
    scatter T is swept on S, and the moments V of the rows left out, about the training means, go through the same
    change of variables; then for every column j outside S or in it, with c = T_jy / T_jj,

        SSE(S + j) or SSE(S - j) = V_yy - 2 c V_jy + c^2 V_jj

    so all neighbours of S cost O(d), and a move to one of them O(d^2), for each split. A column that is constant in the
    training rows of a split has coefficient zero there; one that is constant everywhere, or whose variance the others
    explain but for 1e-10, is -inf.

    Statistic: Moments of (x, y) for every group of rows that share their role in all splits. One pass ("loo" reads the
    rows again for every step: `LeaveOneOutJudge`).

    Examples
    --------
    >>> from sklearn.model_selection import KFold
    >>> from sumlearn.data import open_source, load_example
    >>> iris = load_example("iris").X
    >>> splits = list(KFold(5, shuffle=True, random_state=0).split(iris))
    >>> judge = LeastSquaresJudge.of(open_source(iris[:, :3], iris[:, 3]), 0.0, True, "r2", splits)
    >>> judge.with_each((2,), [0, 1]).round(4).tolist()
    [0.918, 0.9194]

    References
    ----------
    Goodnight, "A tutorial on the SWEEP operator", 1979; Miller, "Subset selection in regression", 2002, ch. 2.
    """

    def __init__(self, folds: Sequence[tuple[Moments, Moments]], alpha: float, intercept: bool, criterion: str) -> None:
        self.criterion, self.alpha, self.intercept = criterion, alpha, intercept
        first = folds[0][0]
        self.size = first.features
        self.unit = units(first if intercept else about_zero(first))
        training, held = (np.empty((len(folds), first.columns, first.columns)) for _ in range(2))
        for T, V, (train, test) in zip(training, held, folds, strict=True):
            training_matrix(train, alpha, intercept, self.unit, T)
            held_out_moments(train, test, intercept, self.unit, V)
        constant = np.array([is_constant(train)[: self.size] for train, _ in folds])
        if intercept:
            leave_out(list(training), constant)
        self.state = Swept(training, self.size, held)
        self.total = folds[0][1].weight  # for "aic" and "bic" that of all rows
        self.weight = np.array([test.weight for _, test in folds]) * 2.0 ** (-2.0 * self.unit[-1])  # in units of SSE
        own = np.array([test.diagonal[-1] for _, test in folds])
        exponent = np.array([test.exponent[-1] for _, test in folds])
        noise = np.array([test.rounding[-1] for _, test in folds])
        self.spread = np.where(own <= noise, 0.0, np.ldexp(own, 2 * (exponent - self.unit[-1])))  # zero if constant

    @classmethod
    def of(
        cls, source: Source, alpha: float, intercept: bool, criterion: str, splits: Sequence[Split] | None = None
    ) -> Judge:
        """A judge of the rows of a source: arrays, tables, files or Dask collections, with weights if it has any.

        Parameters
        ----------
        source : Source
            Rows with one numeric target, as `training_source` opens them.
        alpha : float
            Ridge penalty, not on the constant; zero is least squares.
        intercept : bool
            Whether there is a constant.
        criterion : {"r2", "mse", "loo", "aic", "bic"}
        splits : list of (train, test), default=None
            Row numbers; needed by "r2" and "mse", ignored by the others.
        """
        if criterion not in CRITERIA:
            raise ValueError(f"criterion must be one of {', '.join(CRITERIA)}, got {criterion!r}")
        if source.targets != 1:
            raise ValueError(f"a subset is judged by one target, y has {source.targets} columns")
        penalty = float(penalties(alpha, 1)[0])
        if criterion in CROSS_VALIDATED:
            if splits is None:
                raise ValueError(f"criterion {criterion!r} is cross-validated: splits must be given")
            folds = fold_sums(moments_of, numbered(source), splits)
            lonely = [number for number, (_, test) in enumerate(folds) if test.rows < 2]
            if criterion == "r2" and lonely:
                raise ValueError(f"R^2 needs two rows to test on, split {lonely[0]} has one: use criterion 'mse'")
            return cls(folds, penalty, intercept, criterion)
        total = total_of(moments_of, source, 2)
        if criterion == "loo":
            from .leave_one_out import LeaveOneOutJudge

            return LeaveOneOutJudge(source, total, penalty, intercept)
        return cls([(total, total)], penalty, intercept, criterion)

    def fold_scores(self, subset: Subset) -> np.ndarray | None:
        """The scores of the splits; None for "aic" and "bic", which are no means."""
        return self.values(subset) if self.criterion in CROSS_VALIDATED else None

    def here(self) -> np.ndarray:
        y = self.size
        return self._judged(self.state.V[:, y, y][:, None], self._freedom())[:, 0]

    def beside(self, columns: np.ndarray) -> np.ndarray:
        if self.criterion in CROSS_VALIDATED:
            return self._held_out(columns)[0]
        y, T, V = self.size, self.state.T, self.state.V
        c = T[:, columns, y] / T[:, columns, columns]
        squares = V[:, y, y][:, None] - 2.0 * c * V[:, columns, y] + c * c * V[:, columns, columns]
        return self._judged(squares, self._freedom(columns))

    def means_beside(self, columns: np.ndarray) -> np.ndarray:
        if self.criterion in CROSS_VALIDATED:
            return self._held_out(columns)[1]
        return self.means_of_movable(columns)

    def _held_out(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Scores (splits, columns) and their means."""
        state, values, means = self.state, np.empty((len(self.weight), len(columns))), np.empty(len(columns))
        place = state.T, state.V, state.least, state.inside, columns
        held_out_scores(*place, self.spread, self.weight, self.criterion == "r2", values, means)
        return values, means

    def _judged(self, squares: np.ndarray, freedom: np.ndarray) -> np.ndarray:
        """The criterion from squared errors (splits, subsets)."""
        squares = np.maximum(squares, 0.0)
        if self.criterion == "r2":
            spread = self.spread[:, None]
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.where(spread > 0, 1.0 - squares / spread, np.where(squares == 0, 1.0, 0.0))
        if self.criterion == "mse":
            return -squares / self.weight[:, None]
        N = self.total
        with np.errstate(divide="ignore"):
            likelihood = -0.5 * N * (np.log(2.0 * np.pi * squares / self.weight[0]) + 1.0)
        return 2.0 * likelihood - (2.0 if self.criterion == "aic" else np.log(N)) * freedom

    def _freedom(self, columns: np.ndarray | None = None) -> np.ndarray:
        """Coefficients, each counted as the penalty leaves it: 1 + |S| - alpha tr (T_SS + alpha I)^-1."""
        if self.criterion in CROSS_VALIDATED:
            return np.zeros(1)
        T, inside = self.state.T[0], sorted(self.state.subset)
        shrink = np.zeros(self.size)
        shrink[inside] = self.alpha * 2.0 ** (-2.0 * self.unit[inside])
        trace = -shrink @ T.diagonal()[: self.size]
        if columns is None:
            return np.array([self.intercept + len(inside) - trace])
        entering = ~np.isin(columns, inside)
        own = self.alpha * 2.0 ** (-2.0 * self.unit[columns]) * np.where(entering, 1.0, T[columns, columns] ** 2)
        squares = T[columns, : self.size] ** 2
        squares[np.arange(len(columns)), columns] = 0.0
        trace = trace + (squares @ shrink + own) / T[columns, columns]
        return self.intercept + len(inside) + np.where(entering, 1, -1) - trace


def about_zero(moments: Moments) -> Moments:
    """Moments whose scatter is about zero, for models without a constant."""
    natural = moments.with_exponent(np.zeros_like(moments.exponent))
    spread = natural.spread.hi + natural.weight * np.outer(natural.mean, natural.mean)
    return replace(natural, spread=Words(spread, np.zeros_like(spread)))


def training_matrix(
    train: Moments, alpha: float, intercept: bool, unit: np.ndarray, out: np.ndarray | None = None
) -> np.ndarray:
    """Scatter of (x, y) in units, with the penalty on the diagonal of x."""
    T = scaled_scatter(train if intercept else about_zero(train), unit, out=out)
    if alpha:
        own = np.einsum("ii->i", T)[: train.features]  # a view
        own += np.ldexp(alpha, np.minimum(-2 * unit[: train.features], 900))  # beyond, it is nothing
    return T


def leave_out(training: list[np.ndarray], constant: np.ndarray) -> None:
    """Columns that are constant in the training rows of some splits only: coefficient zero there, in place."""
    for T, flat in zip(training, constant & ~constant.all(axis=0), strict=True):
        for j in np.flatnonzero(flat):
            own = T[j, j] if T[j, j] > 0 else 1.0
            T[j], T[:, j] = 0.0, 0.0
            T[j, j] = own


def held_out_moments(train: Moments, test: Moments, intercept: bool, unit: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Second moments of the rows left out, about the training means."""
    if not intercept:
        return scaled_scatter(about_zero(test), unit, out=out)
    return scaled_scatter(test, unit, scaled_difference(test, train, unit), out)
