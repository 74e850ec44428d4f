"""What is to be predicted: labels or numbers, which label is the positive one, and rows without an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.target import check_labels
from ..decision.costs import Costs
from ..selection.target_kinds import looks_like_labels
from .opened_table import OpenedTable
from .problems import DataProblem, UsageProblem, suggested
from .reading import Reading


@dataclass(frozen=True, eq=False)
class TargetRows:
    """The target of the rows that have one.

    Attributes
    ----------
    name : str
    task : {"classify", "regress"}
    values : array (rows,)
    rows : array
        Numbers of those rows in the table.
    classes : array
        Sorted; empty for numbers.
    positive : label or None
        Of two classes, the one that scores are high for.
    weight : array or None
    costs : Costs or None
        Of more than two classes: what errors cost. Classifiers with probabilities decide by them.
    """

    name: str
    task: str
    values: np.ndarray
    rows: np.ndarray
    classes: np.ndarray
    positive: Any = None
    weight: np.ndarray | None = None
    costs: Costs | None = None

    @classmethod
    def known(cls, facts: dict[str, Any], values: Any = (), weight: np.ndarray | None = None) -> TargetRows:
        """The target as a model knows it, with the values of some rows."""
        values, classes = np.asarray(values), np.asarray(facts["classes"] if facts["task"] == "classify" else [])
        numbers = np.arange(len(values))
        known = set(map(str, classes.tolist()))
        named = tuple(tuple(pair) for pair in facts.get("costs") or () if {str(pair[0]), str(pair[1])} <= known)
        costs = Costs(pairs=named) if named and len(classes) > 2 else None
        return cls(facts["target"], facts["task"], values, numbers, classes, facts["positive"], weight, costs)

    @property
    def two_classes(self) -> bool:
        return len(self.classes) == 2

    @property
    def negative(self) -> Any:
        return next(c for c in self.classes.tolist() if c != self.positive)

    def share(self, label: Any) -> float:
        return float(np.mean(self.values == label))

    def counts(self) -> dict[str, int]:
        return {str(c): int(np.sum(self.values == c)) for c in self.classes}


def target_of(
    table: OpenedTable, name: str, task: str = "auto", positive: str | None = None, weights: str | None = None
) -> TargetRows:
    """The target column of a table, without the rows where it is missing.

    Text, booleans and a few different whole numbers are labels, all else are numbers; `task` overrides that.

    >>> from sumlearn.product import read_table
    >>> target = target_of(read_table("pima"), "diabetes")
    >>> target.task, target.positive, round(target.share("pos"), 3)
    ('classify', 'pos', 0.349)
    """
    table.require(name, "--target")
    column = table.frame.column(name).combine_chunks()
    present = ~np.asarray(column.is_null(nan_is_null=True))
    rows = np.flatnonzero(present)
    if not len(rows):
        raise DataProblem(f"the target {name!r} is empty in all rows; --target names another column")
    values = values_of_column(column.take(rows))
    weight = None if weights is None else weights_of(table, weights)[rows]
    if task == "auto":
        task = "classify" if looks_like_labels(values) else "regress"
    if task == "regress":
        if values.dtype.kind not in "fiub":
            raise DataProblem(f"the target {name!r} holds text ({str(values[0])!r}), not numbers; --task classify")
        numbers = values.astype(float)
        for i in np.flatnonzero(~np.isfinite(numbers))[:1]:
            raise DataProblem(f"the target {name!r} is {numbers[i]} in row {rows[i]}; --target names another column")
        if np.ptp(numbers) == 0:
            raise DataProblem(f"the target {name!r} is {numbers[0]:g} in every row: nothing can be learnt from it")
        return TargetRows(name, task, numbers, rows, np.array([]), None, weight)
    if values.dtype.kind != "U":  # of a text file, labels that differ as text stay apart
        labels = table.read_as(Reading(labels=(name,))).frame.column(name).combine_chunks()
        values = values_of_column(labels.take(rows))
    if values.dtype.kind == "f":
        values = whole(values, name)
    classes = np.unique(values)
    if len(classes) == 1:
        raise DataProblem(f"the target {name!r} is {str(classes[0])!r} in every row: nothing can be learnt from it")
    if len(classes) > max(2, len(rows) // 4):
        advice = "--target names another column" if values.dtype.kind == "U" else "--task regress"
        raise DataProblem(f"the target {name!r} has {len(classes)} labels in {len(rows)} rows; {advice}")
    return TargetRows(name, task, values, rows, classes, positive_of(classes, positive, name), weight)


def values_of_column(column: Any) -> np.ndarray:
    """Values of an Arrow array without missing ones: text, booleans or numbers."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    if pa.types.is_boolean(column.type) or pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    texts = [str(value) for value in column.to_pylist()]
    check_labels(texts, "the column")
    return np.array(texts)


def whole(values: np.ndarray, name: str) -> np.ndarray:
    """Labels that were read as floats: whole numbers become integers."""
    odd = np.flatnonzero(~np.isfinite(values) | (values != np.floor(values)))
    if len(odd):
        raise DataProblem(f"the target {name!r} holds {values[odd[0]]:g}, which is no label; --task regress")
    return values.astype(np.int64)


def positive_of(classes: np.ndarray, positive: str | None, name: str) -> Any:
    """The positive one of two labels: as named, else the greater."""
    if positive is None:
        return classes[-1].item() if len(classes) == 2 else None
    if len(classes) != 2:
        raise UsageProblem(f"--positive is for two classes; the target {name!r} has {len(classes)}")
    for label in classes.tolist():
        if str(label) == positive:
            return label
    raise UsageProblem(f"no class {positive!r} in {name!r}{suggested(positive, map(str, classes))} (--positive)")


def weights_of(table: OpenedTable, name: str) -> np.ndarray:
    table.require(name, "--weights")
    column = table.frame.column(name).combine_chunks()
    values = values_of_column(column.take(np.flatnonzero(~np.asarray(column.is_null()))))
    if len(values) < table.rows:
        row = int(np.argmax(np.asarray(column.is_null())))
        raise DataProblem(f"the weight {name!r} is missing in row {table.first + row} (--weights)")
    if values.dtype.kind not in "fiub":
        raise DataProblem(f"the weights {name!r} are text such as {str(values[0])!r}, not numbers (--weights)")
    weight = values.astype(float)
    for row in np.flatnonzero(~np.isfinite(weight) | (weight < 0))[:1]:
        at = table.first + row
        raise DataProblem(f"the weight {name!r} is {weight[row]:g} in row {at}; weights are not negative (--weights)")
    if not weight.any():
        raise DataProblem(f"the weight {name!r} is zero in every row (--weights)")
    return weight
