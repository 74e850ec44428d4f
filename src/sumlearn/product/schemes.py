"""How rows are left out: `5`, `loo`, `group:COL`, `time:COL`, `holdout:0.2`, `boot632:100`.

The splitters are scikit-learn's, as in `evaluation.resampling`; what is here is which of them a word means, outside and
inside, and what is said where the rows are too few.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from .problems import DataProblem, UsageProblem
from .targets import TargetRows

Split = tuple[np.ndarray, np.ndarray]
INNER = 5  # folds that choose hyperparameters and model
TIME_SPLITS = 5
ROWS_IN_TIME = 10  # at least, where there are so many
MOST_LEFT_OUT_SINGLY = 500
EXAMPLES = "5, loo, group:COL, time:COL, holdout:0.2, boot632:100"


class Scheme(NamedTuple):
    """A way to leave rows out, outside to score and inside to choose.

    >>> Scheme.parse("holdout:0.25")
    Scheme(kind='holdout', number=0.25, column=None)
    """

    kind: str  # "folds", "loo", "group", "time", "holdout", "boot632"
    number: float = 5
    column: str | None = None

    @classmethod
    def parse(cls, text: str) -> Scheme:
        kind, _, value = str(text).partition(":")
        if kind.isdigit() and not value:
            if int(kind) < 2:
                raise UsageProblem(f"--cv {text}: at least two folds")
            return cls("folds", int(kind))
        if kind == "loo" and not value:
            return cls("loo", 0)
        if kind in ("group", "time"):
            if not value:
                raise UsageProblem(f"--cv {kind} needs a column, such as --cv {kind}:COL")
            return cls(kind, 5, value)
        try:
            number = float(value) if value else {"holdout": 0.2, "boot632": 100.0}[kind]
        except (KeyError, ValueError):
            raise UsageProblem(f"--cv {text!r} is no scheme; there are {EXAMPLES}") from None
        if kind == "holdout" and 0.0 < number < 1.0:
            return cls(kind, number)
        if kind == "boot632" and number == int(number) >= 2:
            return cls(kind, int(number))
        raise UsageProblem(f"--cv {text!r} is no scheme; there are {EXAMPLES}")

    def __str__(self) -> str:
        if self.kind == "folds":
            return f"{self.number:g}"
        return self.kind if self.kind == "loo" else f"{self.kind}:{self.column or f'{self.number:g}'}"

    @property
    def pooled(self) -> bool:
        """Whether a score is taken over all rows left out together: one split, or splits of one row."""
        return self.kind in ("loo", "holdout")

    def words(self) -> str:
        return {
            "folds": f"{self.number:g}-fold cross-validation",
            "loo": "leave-one-out",
            "group": f"{self.number:g}-fold cross-validation, groups of {self.column!r} kept together",
            "time": f"{TIME_SPLITS} splits forward in {self.column!r}",
            "holdout": f"{self.number:.0%} of the rows held out",
            "boot632": f".632 bootstrap, {self.number:g} samples",
        }[self.kind]

    def outer(self, target: TargetRows, groups: np.ndarray | None, seed: int) -> list[Split]:
        """The splits that score."""
        n = len(target.values)
        if self.kind == "loo":
            if n > MOST_LEFT_OUT_SINGLY:
                raise UsageProblem(f"--cv loo would train {n} times; use --cv 10 above {MOST_LEFT_OUT_SINGLY} rows")
            return [(np.delete(np.arange(n), i), np.array([i])) for i in range(n)]
        if self.kind == "holdout":
            return self._holdout(target, seed)
        if self.kind == "boot632":
            return bootstrap_splits(n, int(self.number), seed)
        return folds(target.values, target.task, int(self.number), groups, self.kind, seed, outside=True)

    def inner(self, target: TargetRows, rows: np.ndarray, groups: np.ndarray | None, seed: int) -> list[Split]:
        """Splits of some training rows, for choosing; a row that stands there twice never is on both sides."""
        if self.kind == "boot632":
            return folds(target.values[rows], target.task, INNER, rows, "group", seed, outside=False)
        inside = None if groups is None else groups[rows]
        return folds(target.values[rows], target.task, INNER, inside, self.kind, seed, outside=False)

    def _holdout(self, target: TargetRows, seed: int) -> list[Split]:
        from sklearn.model_selection import train_test_split

        rows = np.arange(len(target.values))
        labels = target.values if target.task == "classify" else None
        try:
            train, test = train_test_split(rows, test_size=self.number, random_state=seed, stratify=labels)
        except ValueError as error:
            raise DataProblem(f"{str(error).rstrip('.')} (--cv holdout)") from None
        return [(np.sort(train), np.sort(test))]


def folds(
    values: np.ndarray, task: str, number: int, groups: np.ndarray | None, kind: str, seed: int, outside: bool
) -> list[Split]:
    """Folds that keep the shares of the classes, groups together, or the order of time."""
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold, TimeSeriesSplit

    labels = task == "classify"
    splitter: Any
    if kind == "time":
        splitter = TimeSeriesSplit(min(TIME_SPLITS, max(2, len(values) // ROWS_IN_TIME)))
    elif kind == "group":
        number = min(number, len(np.unique(np.asarray(groups))))
        if number < 2:
            raise DataProblem("there is one group only: nothing can be left out (--cv)")
        splitter = (
            StratifiedGroupKFold(number, shuffle=True, random_state=seed)
            if labels
            else GroupKFold(number, shuffle=True, random_state=seed)
        )
    elif labels:
        number = fitting_number(values, number, outside)
        splitter = StratifiedKFold(number, shuffle=True, random_state=seed)
    else:
        if len(values) < 2 * number:
            raise DataProblem(f"{len(values)} rows are too few for {number} folds; --cv 2")
        splitter = KFold(number, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes with fewer rows than folds are reported by the checks
        splits = list(splitter.split(np.zeros(len(values)), values, groups))
    if outside and labels and any(len(np.unique(values[train])) < 2 for train, _ in splits):
        raise DataProblem("some training part holds one class only; another --cv or more rows are needed")
    return splits


def fitting_number(values: np.ndarray, number: int, outside: bool) -> int:
    """Folds for labels. Outside, each of two classes needs a row in every fold; inside, fewer folds may do."""
    labels, counts = np.unique(values, return_counts=True)
    least, rarest = int(counts.min()), str(labels[counts.argmin()])
    if len(labels) == 2 and least < (3 if outside else 2):
        raise DataProblem(
            f"the class {rarest!r} has {least} rows: too few to learn from some and be scored on others; "
            "collect more, or name another --target"
        )
    if len(labels) == 2 and least < number:
        if outside:
            raise DataProblem(f"the class {rarest!r} has {least} rows, fewer than {number} folds; --cv {least}")
        return least
    if counts.max() < number:
        raise DataProblem(f"no class has {number} rows: too few for {number} folds; --cv 2")
    return number


def bootstrap_splits(rows: int, samples: int, seed: int) -> list[Split]:
    """Rows drawn with replacement, and the rows that were not drawn."""
    rng = np.random.default_rng(seed)
    splits: list[Split] = []
    while len(splits) < samples:
        drawn = np.sort(rng.integers(0, rows, rows))
        left = np.setdiff1d(np.arange(rows), drawn)
        if len(left):
            splits.append((drawn, left))
    return splits
