"""What a choice of columns is asked for, what it chooses from, and what it finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...features import TableEncoder
from ...learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ...learners.regression.linear_regression import LinearRegression
from ...learners.regression.ridge import Ridge
from ...selection import SubsetSearch
from ..problems import DataProblem
from .select_methods import SEPARABILITY, Method


@dataclass(frozen=True)
class Plan:
    """What is asked for: k is a number, "best" or "parsimonious"; `penalty` is that of least squares.

    Folds are shuffled with `seed`, as those of `train` are: a table may be sorted. None leaves the rows in their order.

    >>> from sumlearn.data import load_example
    >>> from sumlearn.product.columns.selecting import selected
    >>> iris = load_example("iris")
    >>> plan = Plan(Method.parse("sfs"), "classify", "accuracy", 2)
    >>> selection = selected(Features(iris.X, iris.y, ["length", "width", "petal", "petal"]), plan)
    >>> selection.columns, round(selection.score, 3)
    (['length', 'petal'], 0.973)
    """

    method: Method
    task: str
    criterion: str
    k: int | str
    cv: int = 5
    max_seconds: float | None = None
    penalty: float = 0.0
    option: str = "--method"
    seed: int | None = None

    def folds(self, number: int) -> Any:
        """So many folds, stratified for labels."""
        from sklearn.model_selection import KFold, StratifiedKFold

        if self.seed is None:
            return number
        return (StratifiedKFold if self.task == "classify" else KFold)(number, shuffle=True, random_state=self.seed)

    def model(self) -> Any:
        """The model whose score chooses: the sums of all subsets are those of one pass."""
        if self.task == "classify":
            return LinearDiscriminantAnalysis()
        return Ridge(alpha=self.penalty) if self.penalty else LinearRegression()

    def search(self, features: Features) -> SubsetSearch:
        """The search; of a filter, one whose judge is asked along the order."""
        groups = [features.numbers(name) for name in dict.fromkeys(features.owners)]
        return SubsetSearch(
            "sfs" if self.method.is_filter else self.method.name,
            None if self.criterion in (*SEPARABILITY, "nearest") else self.model(),
            self.criterion,
            k=self.size(features),
            cv=self.folds(self.cv),
            column_groups=groups,
            fixed=[j for name in features.fixed for j in features.numbers(name)],
            excluded=[j for name in features.excluded for j in features.numbers(name)],
            max_seconds=self.max_seconds,
            **self.method.parameters,  # type: ignore[arg-type]
        )

    def size(self, features: Features) -> int | str:
        """How many columns; some of those that were counted may be constant in the rows at hand."""
        return min(self.k, len(features.columns)) if isinstance(self.k, int) else self.k


@dataclass(frozen=True, eq=False)
class Features:
    """Numbers to choose from, in memory or in files, and the column of the table that each comes from.

    A category's levels enter and leave together, as does a number with its missing flag. Of files, y and weight are
    names of columns. Columns may be `fixed`, always chosen, or `excluded`, never.
    """

    X: Any
    y: Any
    owners: list[str]
    fixed: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    weight: Any = None

    @property
    def columns(self) -> list[str]:
        return [name for name in dict.fromkeys(self.owners) if name not in self.excluded]

    def numbers(self, column: str) -> list[int]:
        return [j for j, owner in enumerate(self.owners) if owner == column]

    def together(self, columns: list[str]) -> tuple[int, ...]:
        return tuple(sorted(j for name in columns for j in self.numbers(name)))

    def chosen(self, numbers: Any) -> list[str]:
        return list(dict.fromkeys(self.owners[j] for j in numbers))


@dataclass(frozen=True, eq=False)
class Selection:
    """The chosen columns, their score, and the best subset of every size that was met.

    Columns that depend on others could not be judged with them: a search begins without them, a ranking passes over
    them.
    """

    columns: list[str]
    score: float
    standard_error: float | None
    sizes: list[tuple[int, float, list[str]]]
    evaluations: int
    proven: bool = False
    interrupted: bool = False
    dependent: Sequence[str] = ()


class TableRows(NamedTuple):
    """Rows of a table in memory with their target, and what is said about its `columns`, as TableModel's options."""

    frame: Any
    y: np.ndarray
    weight: np.ndarray | None
    columns: dict[str, Any]
    fixed: list[str]

    def take(self, rows: np.ndarray) -> TableRows:
        weight = None if self.weight is None else self.weight[rows]
        return self._replace(frame=self.frame.take(rows), y=self.y[rows], weight=weight)

    def coded(self) -> tuple[Features, TableEncoder]:
        """The rows as numbers; flags of a category, and of gaps, belong to their column."""
        coding = {name: value for name, value in self.columns.items() if value is not None}
        encoder = TableEncoder(**coding).fit(self.frame, sample_weight=self.weight)
        owners = [feature.column for feature in encoder.design_.features]
        if owners == [""]:
            raise DataProblem("no column varies: there is nothing to choose from")
        fixed = [name for name in self.fixed if name in owners]
        return Features(encoder.transform(self.frame), self.y, owners, fixed, weight=self.weight), encoder
