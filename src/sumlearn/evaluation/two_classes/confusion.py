"""Confusion: which class was taken for which."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from ...statistics import Counts, Decayable, Removable
from ...statistics.grouped import sorted_labels
from ..row_values import weight_was_its_name, weights_of
from .labels_and_scores import labels_of
from .rates import Rates

AVERAGES = ("macro", "micro", "weighted")


@dataclass(frozen=True, eq=False, repr=False)
class Confusion(Removable, Decayable):
    """Weight of the rows of every true class that were given every class: table[i, j] = sum w [truth i, decision j].

    Statistic: itself, a table of counts. One pass. Can merge, forget, decay. Cost: O(n) to sum, O(K^2) to merge.

    Labels are sorted; merging takes the union of both sides, a label that is absent being zero. Labels that were given
    to `of` are declared: they stay in the table without rows.

    Parameters
    ----------
    counts : Counts
        The table of truth and decision, as far as there are rows.
    declared : tuple of labels
        Labels that are shown with or without rows.

    Attributes
    ----------
    labels : tuple
        The K classes.
    table : array of shape (K, K)
        Truth by row, decision by column.

    Examples
    --------
    >>> from sumlearn import LinearDiscriminantAnalysis
    >>> from sumlearn.data import load_example
    >>> train, test = load_example("pima_tr"), load_example("pima_te")
    >>> decision = LinearDiscriminantAnalysis().fit(train.X, train.y).predict(test.X)
    >>> confusion = Confusion.of(test.y, decision)
    >>> print(confusion)
           predicted
    truth   No  Yes    tpr  precision      f
    No     198   25  0.888      0.825  0.855
    Yes     42   67  0.615      0.728  0.667
    accuracy 0.798 of 332 rows
    >>> print(round(confusion.rates("Yes").tnr, 4), round(confusion.f(weight=0.2), 4))
    0.8879 0.6345
    >>> (Confusion.of(test.y[:100], decision[:100]) + Confusion.of(test.y[100:], decision[100:])).accuracy
    0.7981928

    References
    ----------
    Lecture notes 002 and 003.
    """

    counts: Counts
    declared: tuple[Any, ...] = ()
    labels: tuple[Any, ...] = field(init=False)

    @classmethod
    @weight_was_its_name
    def of(cls, y_true: Any, y_pred: Any, sample_weight: Any = None, labels: Iterable[Any] | None = None) -> Confusion:
        """Count pairs of truth and decision. With `labels` given, any other label is an error that names its row."""
        truth, decision = labels_of(y_true), labels_of(y_pred, "y_pred")
        if len(truth) != len(decision):
            raise ValueError(f"y_true has {len(truth)} rows and y_pred {len(decision)}")
        declared = () if labels is None else tuple(sorted_labels(set(labels)))
        counts = Counts.of(truth, decision, weight=weights_of(sample_weight, len(truth)))
        if labels is not None:
            for name, values, levels in zip(("y_true", "y_pred"), (truth, decision), counts.levels, strict=True):
                check_known(values, levels, declared, name)
        return cls(counts, declared)

    def __post_init__(self) -> None:
        known = {*self.counts.levels[0], *self.counts.levels[1], *self.declared}
        object.__setattr__(self, "labels", tuple(sorted_labels(known)))

    @cached_property
    def table(self) -> np.ndarray:
        return self.counts.aligned((self.labels, self.labels))

    @property
    def weight(self) -> float:
        return self.counts.weight

    @property
    def rows(self) -> int:
        return self.counts.rows

    def zero(self) -> Self:
        return replace(self, counts=self.counts.zero())

    def merge(self, other: Self) -> Self:
        declared = tuple(sorted_labels({*self.declared, *other.declared}))
        return type(self)(self.counts.merge(other.counts), declared)

    def remove(self, other: Self) -> Self:
        return replace(self, counts=self.counts.remove(other.counts))

    def decay(self, factor: float) -> Self:
        return replace(self, counts=self.counts.decay(factor))

    # -- rates ------------------------------------------------------------------------------------------------------

    def rates(self, positive: Any = None, empty: float | None = None) -> Rates:
        """Rates of one class against all others; of two classes the greater is positive unless another is named.

        `empty` stands for rates that are 0/0; without it they raise ValueError when they are asked for.
        """
        if positive is None:
            if len(self.labels) != 2:
                raise ValueError(f"there are {len(self.labels)} classes: say with positive= which one is meant")
            positive = self.labels[1]
        if positive not in self.labels:
            raise ValueError(f"no class {positive!r} in the table: {', '.join(map(repr, self.labels))}")
        this = np.array([label == positive for label in self.labels])
        sides = {"tp": (this, this), "fn": (this, ~this), "fp": (~this, this), "tn": (~this, ~this)}
        sums = {name: float(self.table[np.ix_(*side)].sum()) for name, side in sides.items()}
        return Rates(**sums, label=positive, empty=empty)

    @property
    def accuracy(self) -> float:
        """Share of the rows that were given their true class."""
        if not self.weight > 0:
            raise ValueError("accuracy is 0/0: the table holds no rows")
        return float(np.trace(self.table)) / self.weight

    @property
    def error(self) -> float:
        """Share of the rows that were given another class than theirs."""
        if not self.weight > 0:
            raise ValueError("error is 0/0: the table holds no rows")
        return float(self.table[~np.eye(len(self.labels), dtype=bool)].sum()) / self.weight

    def average(self, rate: str, kind: str = "macro", empty: float | None = None, **options: float) -> float:
        """Mean of a rate over the classes.

        Parameters
        ----------
        rate : str
            An attribute of `Rates`: "tpr", "precision", "f", ...
        kind : {"macro", "micro", "weighted"}
            The plain mean, the rate of the summed counts, or the mean weighted by the rows of each class.
        empty : float, default=None
            Value of a rate that is 0/0; None raises.
        **options
            Passed on: ``weight`` of "f".
        """
        if kind not in AVERAGES:
            raise ValueError(f"kind must be one of {', '.join(map(repr, AVERAGES))}, got {kind!r}")
        if rate not in RATES:
            raise ValueError(f"no rate {rate!r}: there are {', '.join(RATES)}")
        if not self.weight > 0:
            raise ValueError(f"{rate} is 0/0: the table holds no rows")
        by_class = [self.rates(label, empty) for label in self.labels]
        if kind == "micro":
            sums = {name: sum(getattr(part, name) for part in by_class) for name in ("tp", "fn", "fp", "tn")}
            return value_of(Rates(**sums, label="all together", empty=empty), rate, options)
        share = np.ones(len(by_class)) if kind == "macro" else self.table.sum(axis=1)
        values = [value_of(part, rate, options) for part, w in zip(by_class, share, strict=True) if w > 0]
        return float(np.average(values, weights=share[share > 0]))

    def f(
        self, weight: float = 0.5, positive: Any = None, average: str | None = None, empty: float | None = None
    ) -> float:
        """(weight / precision + (1 - weight) / recall)^-1, of one class or averaged over all (see `average`)."""
        if average is not None:
            return self.average("f", average, empty, weight=weight)
        return self.rates(positive, empty).f(weight)

    def __repr__(self) -> str:
        return f"Confusion(labels={self.labels!r}, table={self.table.tolist()!r})"

    def __str__(self) -> str:
        from .confusion_table import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from .confusion_table import as_html

        return as_html(self)


RATES = tuple(name for name, value in vars(Rates).items() if isinstance(value, property) or name == "f")


def value_of(rates: Rates, name: str, options: dict[str, float]) -> float:
    value = getattr(rates, name)
    return value(**options) if callable(value) else value


def check_known(values: np.ndarray, levels: tuple[Any, ...], labels: tuple[Any, ...], name: str) -> None:
    rows = [(int(np.argmax(values == level)), level) for level in levels if level not in labels]
    if rows:
        row, level = min(rows)
        raise ValueError(f"{name} holds the label {level!r}, which is not in labels: first at row {row}")
