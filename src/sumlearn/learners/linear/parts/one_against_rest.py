"""One class against the others, learnt pattern by pattern."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse
from sklearn.model_selection import StratifiedShuffleSplit

from ....compiled import patterns

NOTHING = np.zeros(0)
NO_INDICES = np.zeros(0, dtype=np.int32)


class Patterns(NamedTuple):
    """Rows with the numbers of their classes and their weights (or none)."""

    X: Any
    codes: np.ndarray
    weight: np.ndarray

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values, column numbers and beginnings of the rows; the last two are empty for dense rows."""
        if sparse.issparse(self.X):
            return self.X.data, self.X.indices, self.X.indptr
        return self.X.reshape(-1), NO_INDICES, NO_INDICES


class Rule(NamedTuple):
    """How a pattern changes the weights; see ``compiled/patterns.py``."""

    number: int
    low: float  # the target of the other classes: -1 or 0
    kind: int = patterns.PLAIN
    eta: float = 1.0
    annealing: float = 0.0
    curvature: float = 1.0
    ridge: float = 0.0
    lasso: float = 0.0
    intercept: bool = True
    batch: bool = False  # whether all mistakes of an epoch are corrected at once
    rests: bool = False  # whether learning ends with an epoch without mistakes, which changes nothing
    most: float = np.inf  # a mean loss beyond this means that learning diverges


class HeldBack:
    """A share of the rows, equal in every class, that is not learnt from: it judges when to stop."""

    def __init__(self, rows: Patterns, share: float, random_state: Any) -> None:
        split = StratifiedShuffleSplit(test_size=share, random_state=random_state)
        _, chosen = next(split.split(np.zeros((len(rows.codes), 1)), rows.codes))
        self.held = np.zeros(len(rows.codes), dtype=bool)
        self.held[chosen] = True
        self.rows = rows

    def without(self, order: np.ndarray) -> np.ndarray:
        return order[~self.held[order]]

    def score(self, problem: OneAgainstRest) -> float:
        """Share of the weight of these rows that the class against the rest gets right."""
        scores = self.rows.X[self.held] @ problem.coef + problem.bias
        right = (scores > 0) == (self.rows.codes[self.held] == problem.positive)
        weight = self.rows.weight[self.held] if len(self.rows.weight) else None
        return float(np.average(right, weights=weight))


@dataclass
class OneAgainstRest:
    """Weights of one class, and how far its learning has come."""

    positive: int
    coef: np.ndarray
    bias: float
    class_weights: np.ndarray  # of the class and of the others
    seed: int
    seen: float  # patterns before this fit
    due: float = 0.0  # L1 penalty so far, and what each column has paid of it
    paid: np.ndarray = field(default_factory=lambda: NOTHING)
    order: np.ndarray = field(default_factory=lambda: NOTHING)
    step: np.ndarray = field(default_factory=lambda: NOTHING)  # sum of the corrections of an epoch, bias last
    loss: float = 0.0  # sum over the epoch, and the sum of the weights in it
    weight: float = 0.0
    mistakes: float = 0.0
    best: float = np.inf
    idle: int = 0  # epochs in a row without improvement
    active: bool = True

    def begin_epoch(self) -> None:
        self.loss = self.weight = self.mistakes = 0.0
        self.step = np.zeros(len(self.coef) + 1)

    def order_of(self, rows: int, shuffle: bool, epoch: int | None) -> np.ndarray:
        """Of rows that stay in memory (no `epoch`) the last order, shuffled again; of others one for this epoch."""
        if epoch is not None or not len(self.order):
            self.order = np.arange(rows, dtype=np.int32 if rows < 2**31 else np.int64)
        if shuffle:
            patterns.shuffle(self.order, self.seed if epoch is None else self.seed ^ epoch)
        return self.order

    def learn_online(self, rows: Patterns, rule: Rule, order: np.ndarray) -> None:
        """w += step * error * x, row by row."""
        if rule.lasso and not len(self.paid):
            self.paid = np.zeros(len(self.coef))
        state = np.array([self.bias, self.due, self.seen, self.loss, self.weight, self.mistakes])
        patterns.present(
            *rows.arrays(), order, rows.codes, self.positive, rule.low, rows.weight, self.class_weights, self.coef,
            self.paid, state, rule.number, rule.kind, rule.eta, rule.annealing, rule.curvature, rule.ridge, rule.lasso,
            rule.intercept,
        )  # fmt: skip
        self.bias, self.due, self.seen, self.loss, self.weight, self.mistakes = state.tolist()

    def add_mistakes(self, rows: Patterns) -> None:
        """step += sum of y (x, 1) over the rows with y (w'x + b) <= 0."""
        y = np.where(rows.codes == self.positive, 1.0, -1.0)
        margin = y * (rows.X @ self.coef + self.bias)
        wrong = np.flatnonzero(margin <= 0.0)
        factor = y[wrong] * np.where(y[wrong] > 0, *self.class_weights)
        if len(rows.weight):
            factor *= rows.weight[wrong]
        self.step[:-1] += rows.X[wrong].T @ factor
        self.step[-1] += factor.sum()
        self.mistakes += len(wrong)
        self.loss -= margin[wrong].sum()
        self.weight += len(y)

    def wrong(self, rows: Patterns) -> int:
        """How many rows are not on their side."""
        scores = rows.X @ self.coef + self.bias
        return int((np.where(rows.codes == self.positive, scores, -scores) <= 0).sum())

    def end_epoch(self, rule: Rule, held_back: HeldBack | None, tol: float | None, patience: int) -> None:
        """Stop where no mistake is left (if the rule rests), or after `patience` epochs no better by `tol`."""
        if rule.batch:
            self.coef = self.coef + rule.eta * self.step[:-1]
            self.bias += rule.eta * self.step[-1] * rule.intercept
        if rule.rests:
            self.active = self.mistakes > 0
            return
        value = self.loss / self.weight if held_back is None else -held_back.score(self)
        self.idle = self.idle + 1 if tol is not None and value > self.best - tol else 0
        self.best = min(self.best, value)
        self.active = self.idle < patience
