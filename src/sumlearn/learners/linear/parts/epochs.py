"""Epochs: all rows are shown to all classes that still learn, again and again."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.utils._param_validation import Interval, StrOptions

from ....compiled import patterns
from ....engines import in_threads
from ....statistics.row_checks import check_range
from .one_against_rest import HeldBack, OneAgainstRest, Patterns, Rule

EPOCHS: dict[str, Any] = {
    "fit_intercept": ["boolean"],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="left"), None],
    "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
    "shuffle": ["boolean"],
    "random_state": ["random_state"],
    "class_weight": [StrOptions({"balanced"}), dict, None],
    "warm_start": ["boolean"],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
    "basis": "no_validation",
}  # what the parameters of all neurons may be
GRADIENT: dict[str, Any] = {
    "eta": [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither")],
    "annealing": [Interval(Real, 0, None, closed="left")],
}


@dataclass
class Epochs:
    """How to run them, and what came of every one."""

    rule: Rule
    most: int | None  # epochs of a fit; None: `partial_fit`, which has no end
    tol: float | None
    patience: int
    shuffle: bool
    workers: int
    verbose: int
    in_memory: bool  # whether every epoch shows the same rows again, in one piece
    held_back: HeldBack | None = None
    losses: list[float] = field(default_factory=list)
    mistakes: list[int] = field(default_factory=list)
    shown: int = 0  # rows, in this epoch
    over: bool = False  # whether it has ended
    active: list[OneAgainstRest] = field(default_factory=list)
    last: Any = None  # rows

    def begin(self, problems: list[OneAgainstRest]) -> None:
        """Before the rows of an epoch."""
        self.active = [problem for problem in problems if problem.active]
        for problem in self.active:
            problem.begin_epoch()
        self.shown, self.over = 0, False

    def end(self, problems: list[OneAgainstRest]) -> None:
        """After them."""
        self.over = True
        for problem in self.active:
            problem.end_epoch(self.rule, self.held_back, self.tol, self.patience)
        self.losses.append(float(np.mean([problem.loss / problem.weight for problem in problems])))
        self.mistakes.append(int(sum(problem.mistakes for problem in problems)))
        if self.verbose:
            print(f"epoch {len(self.losses)}: loss {self.losses[-1]:.6g}, mistakes {self.mistakes[-1]}")
        finite = all(np.isfinite(problem.coef).all() and np.isfinite(problem.bias) for problem in problems)
        if not finite or self.losses[-1] > self.rule.most:
            raise ValueError(divergence(self.rule, self.last))

    def show(self, rows: Patterns) -> None:
        """Some rows to all classes that still learn."""
        epoch = None if self.in_memory else len(self.losses)

        def learn(problem: OneAgainstRest) -> None:
            if self.rule.batch:
                problem.add_mistakes(rows)
                return
            order = problem.order_of(len(rows.codes), self.shuffle, epoch)
            problem.learn_online(rows, self.rule, order if self.held_back is None else self.held_back.without(order))

        in_threads(learn, self.active, self.workers)
        self.shown += len(rows.codes)
        self.last = rows


def divergence(rule: Rule, rows: Patterns) -> str:
    """What to say when the weights grow without bound."""
    lengths = squared_lengths(rows)
    if rule.kind != patterns.PLAIN and not np.isfinite(lengths).all():
        row = int(np.argmin(np.isfinite(lengths)))
        return f"row {row} of those that are shown is so large that its square overflows: scale the columns"
    if rule.kind == patterns.NORMALISED:
        limit = "2"
    else:
        X = rows.X.toarray() if sparse.issparse(rows.X) else rows.X
        augmented = np.column_stack([X, np.full(len(X), float(rule.intercept))])
        with np.errstate(over="ignore"):
            largest = np.linalg.norm(augmented, 2) ** 2 / len(X)  # the largest eigenvalue of the mean of (x, 1)(x, 1)'
        limit = f"2 / lambda_max = {2.0 / (rule.curvature * largest):.3g}"
    return (
        f"the step eta = {rule.eta:g} is too large, the error grows without bound: stay well below {limit}, or scale "
        "the columns"
    )


def largest_square(rows: Patterns, intercept: bool) -> float:
    """max of weight * |(x, 1)|^2 over some rows."""
    squares = squared_lengths(rows) + float(intercept)
    with np.errstate(over="ignore"):
        largest = float((squares * rows.weight if len(rows.weight) else squares).max())
    check_range(largest)
    return largest


def squared_lengths(rows: Patterns) -> np.ndarray:
    """|x|^2 of every row."""
    data, _, starts = rows.arrays()
    with np.errstate(over="ignore"):
        if not sparse.issparse(rows.X):
            return np.einsum("ij,ij->i", rows.X, rows.X, dtype=np.float64)
        sums = np.add.reduceat(np.append(data.astype(float) ** 2, 0.0), starts[:-1])
        return np.where(np.diff(starts) > 0, sums, 0.0)  # of an empty row it gives the next value
