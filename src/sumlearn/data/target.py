"""Target: what is known of y. One vocabulary for those who ask for a target and for sources that have one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .continuous_labels import ContinuousLabels
from .levels import order_of
from .missing import is_missing

KINDS = ("number", "label", "ordered", None)
LABELS = {"truth": (bool, np.bool_), "text": (str,), "bytes": (bytes,), "number": (int, float, np.number)}
UNLABELLED = -1  # among whole numbers, where a target may be partly known: scikit-learn's sign


@dataclass(frozen=True)
class Target:
    """What y is: numbers, labels, labels with an order, or nothing (None); one column or many; partly known or not.

    `columns` counts those of y and `single` says that y is a vector. `levels` are labels from lowest to highest, where
    an order was declared: by an ordered category of pandas, Dask or Arrow, or an Enum of polars; an empty tuple where
    only the rows would tell. `partly` says that some rows may have no label: None, NaN, a null, or -1 among whole
    numbers (`is_labelled`, `partly_labelled`).

    >>> import pandas as pd
    >>> size = pd.Series(pd.Categorical(["M", "S"], categories=["S", "M", "L"], ordered=True))
    >>> Target("label").of(size).kind, Target("label").of(size).levels
    ('ordered', ('S', 'M', 'L'))
    """

    kind: str | None = None
    columns: int = 1
    single: bool = True
    levels: tuple[Any, ...] | None = None
    partly: bool = False
    sparse: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"a target is one of {', '.join(map(repr, KINDS))}, got {self.kind!r}")

    @classmethod
    def named(cls, what: Target | str | None) -> Target:
        """The target that is meant by a word, or a target itself."""
        return what if isinstance(what, Target) else cls(what)

    @property
    def labels(self) -> bool:
        """Whether y holds labels, with an order or without."""
        return self.kind in ("label", "ordered")

    def of(self, y: Any) -> Target:
        """What is known of a y that was asked for as this target: its columns, and the order of its labels."""
        single = getattr(y, "ndim", 1) == 1
        known = replace(self, single=single, columns=1 if single else y.shape[1])
        return known.with_order(order_of(y)) if self.labels else known

    def with_order(self, levels: tuple[Any, ...] | None) -> Target:
        """The same with an order of labels, if one was declared."""
        return self if levels is None else replace(self, kind="ordered", levels=levels)


PARTLY_LABELLED = Target("label", partly=True)


def check_labels(labels: Sequence[Any] | np.ndarray, what: str = "y", place: Callable[[int], Any] = int) -> None:
    """Labels are text, whole numbers or truth values, all of one kind; the first row with another is named.

    >>> check_labels(["a", "b", 7])
    Traceback (most recent call last):
    ValueError: y holds labels of different kinds: 'a' in row 0 and 7 in row 2; make all of them text
    """
    try:
        distinct = set(labels)
    except TypeError:  # what cannot be hashed will be named
        distinct = {None}
    if {type(label) for label in distinct} in ({str}, {int}) and not any("\0" in str(label) for label in distinct):
        return
    first: tuple[Any, str] | None = None
    for row, label in enumerate(labels):
        if is_missing(label):
            raise ValueError(f"Input {what} contains NaN: first at row {place(row)}.")
        kind = next((kind for kind, types in LABELS.items() if isinstance(label, types)), None)
        if kind is None:
            raise ValueError(
                f"Unknown label type: row {place(row)} holds {label!r} in {what}; labels are text, whole numbers or "
                "truth values, so convert them"
            )
        if kind == "text" and "\0" in label:  # which NumPy cuts off at the end
            raise ValueError(f"a label contains a NUL byte: row {place(row)} holds {label!r} in {what}; take it out.")
        if kind == "number" and label != int(label):
            raise ContinuousLabels(
                "Unknown label type: continuous. Labels must be whole numbers, strings or booleans; "
                f"row {place(row)} holds {label!r}."
            )
        first = (label, kind) if first is None else first
        if kind != first[1]:
            raise ValueError(
                f"{what} holds labels of different kinds: {first[0]!r} in row {place(0)} and {label!r} in row "
                f"{place(row)}; make all of them text"
            )


def is_labelled(y: np.ndarray) -> np.ndarray:
    """Which rows of a partly known target have a label.

    >>> is_labelled(np.array([0, 2, -1])).tolist(), is_labelled(np.array(["a", None], dtype=object)).tolist()
    ([True, True, False], [True, False])
    """
    if y.dtype.kind in "iu":
        return y != UNLABELLED
    if y.dtype.kind == "f":
        return ~np.isnan(y) & (y != UNLABELLED)
    if y.dtype.kind == "O":
        return np.array([not is_missing(label) and label != UNLABELLED for label in y], dtype=bool)
    return np.ones(len(y), dtype=bool)


def partly_labelled(y: np.ndarray, what: str = "y", place: Callable[[int], Any] = int) -> np.ndarray:
    """Labels of which some may be missing, in one spelling: -1 among numbers, None among all others.

    In an array of text, where a number would have become text, "-1" is refused: nobody knows what was meant.

    >>> partly_labelled(np.array([1, None, 0], dtype=object)), partly_labelled(np.array(["a", -1, "-1"], dtype=object))
    (array([ 1, -1,  0]), array(['a', None, '-1'], dtype=object))
    """
    kind = y.dtype.kind
    if kind == "U":
        for row in np.flatnonzero(y == str(UNLABELLED))[:1]:
            raise ValueError(
                f"{what} is an array of text and holds '-1' in row {place(int(row))}: for no label give None, or the "
                "number -1, and for a class of this name the text, in an array of dtype object"
            )
    if kind == "f":
        y = np.where(np.isnan(y), UNLABELLED, y)
        for row in np.flatnonzero(~np.isfinite(y))[:1]:
            raise ValueError(f"Input {what} contains infinity: first at row {place(int(row))}.")
        for row in np.flatnonzero(y != np.floor(y))[:1]:
            raise ContinuousLabels(
                "Unknown label type: continuous. Labels must be whole numbers, strings or booleans; "
                f"row {place(int(row))} holds {y[row].item()!r}."
            )
    if kind != "O":
        return y
    rows = np.flatnonzero(is_labelled(y))
    check_labels(y[rows].tolist(), what, lambda row: place(int(rows[row])))
    known = np.array(y[rows].tolist())
    out: np.ndarray = np.full(len(y), UNLABELLED if known.dtype.kind in "if" and len(rows) else None, dtype=object)
    out[rows] = y[rows]
    return out.astype(known.dtype) if known.dtype.kind in "if" and len(rows) else out


def check_spelling(learnt: str | None, given: str | None, what: str, error: type[ValueError] = ValueError) -> None:
    """Refuse labels that are written otherwise than those that were learnt; None is a spelling that is not known.

    >>> check_spelling("true", None, "the labels 'y'")
    >>> check_spelling("true", "TRUE", "the labels 'y'")
    Traceback (most recent call last):
    ValueError: the labels 'y' are written like TRUE, those that the model has learnt like true: write them alike
    """
    if learnt and given and learnt != given:
        raise error(f"{what} are written like {given}, those that the model has learnt like {learnt}: write them alike")
