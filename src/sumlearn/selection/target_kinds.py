"""Labels or numbers: which estimator a target asks for."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..data import split_target, vector
from ..data.collections import is_dask
from ..data.continuous_labels import ContinuousLabels
from ..data.files import is_path
from ..learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ..learners.regression.linear_regression import LinearRegression
from ..learners.validation import rows_by_number, training_source

FEW_VALUES = 10  # as many different whole numbers may be labels
SOME_ROWS = 1000  # tell most targets of many values
ROWS_PER_VALUE = 5  # if each of them has this many rows on average


def estimator_for(X: Any, y: Any) -> Any:
    """Linear discriminants for labels, linear regression for numbers."""
    labels = holds_labels(X, y, "estimator=LinearDiscriminantAnalysis() if they are labels, LinearRegression() if not")
    return LinearDiscriminantAnalysis() if labels else LinearRegression()


def holds_labels(X: Any, y: Any, remedy: str | None = None) -> bool:
    """Whether the target looks like labels; that of files and clusters is read for it.

    With a `remedy`, one that is taken for numbers and may be labels is warned about.
    """
    if not is_path(X) and not is_dask(X):
        return decided(vector(split_target(X, y)[1]), remedy)
    probe = LinearDiscriminantAnalysis()
    try:
        source: Any = rows_by_number(training_source(probe, X, y, None, target="label", reset=True))
    except ContinuousLabels:
        return False
    return decided(source.y, remedy)


def decided(y: np.ndarray, remedy: str | None) -> bool:
    """Whether a target is one of labels; with a `remedy`, a warning where it is taken for numbers and may be either."""
    if looks_like_labels(y):
        return True
    some = whole_values(y, FEW_VALUES)
    if remedy is not None and some is not None and may_be_labels(some, len(y)):
        many = len(some) if len(some) <= FEW_VALUES else f"more than {FEW_VALUES}"
        warnings.warn(
            f"y holds {many} different whole numbers, which may be labels, and is taken for numbers: say {remedy}",
            UserWarning,
            stacklevel=2,
        )
    return False


def looks_like_labels(y: np.ndarray) -> bool:
    """Text, booleans, and a few different whole numbers: two in any number of rows, up to ten with five rows each.

    >>> looks_like_labels(np.arange(100) % 3), looks_like_labels(np.arange(100)), looks_like_labels(np.array(["a"]))
    (True, False, True)
    >>> looks_like_labels(np.array([0, 1, 1])), looks_like_labels(np.array([0, 1, 2]))
    (True, False)
    """
    if y.dtype.kind not in "fiu":
        return True
    different = whole_values(y, FEW_VALUES)
    if different is None:
        return False
    return len(different) <= 2 or (len(different) <= FEW_VALUES and len(different) * ROWS_PER_VALUE <= len(y))


def may_be_labels(some: np.ndarray, rows: int) -> bool:
    """Whether whole numbers, of which `some` occur among the first rows, come up often enough to be labels.

    >>> letters = np.arange(26)
    >>> may_be_labels(letters, 500), may_be_labels(letters, 50), may_be_labels(letters[:3], 12)
    (True, False, True)
    """
    each = 2 if len(some) <= FEW_VALUES else ROWS_PER_VALUE
    return len(some) > 2 and each * len(some) <= min(rows, SOME_ROWS)


def whole_values(y: np.ndarray, few: int) -> np.ndarray | None:
    """The different values of a target of whole numbers, or some of them if they are more than `few`; else None.

    >>> whole_values(np.array([2.0, 1.0, 2.0]), 10), whole_values(np.array([1.5, 2.0]), 10)
    (array([1., 2.]), None)
    """
    whole = y.dtype.kind in "iu" or (y.dtype.kind == "f" and bool(np.isfinite(y).all() and (y == np.floor(y)).all()))
    if y.ndim != 1 or not whole:
        return None
    some = np.unique(y[:SOME_ROWS])
    return some if len(some) > few else np.unique(y)
