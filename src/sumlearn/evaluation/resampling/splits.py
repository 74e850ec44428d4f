"""Splits of rows into training and test sets, by scikit-learn's splitters."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import KFold, check_cv

from ...data import InMemory, Stream, split_target, vector
from ...data.collections import frame_target, is_dask
from ...data.files import FileSource, is_path
from ...engines.folds import ConsecutiveFolds, row_numbers
from ...learners.validation import rows_by_number, training_source

Split = tuple[np.ndarray, np.ndarray]  # row numbers to train on and to test on


def splits_of(estimator: Any, X: Any, y: Any, groups: Any, cv: Any) -> list[Split]:
    """All splits of a scheme: a number of folds (stratified for a classifier), a splitter, or an iterable of splits.

    >>> from sumlearn import Ridge
    >>> [test.tolist() for _, test in splits_of(Ridge(), np.zeros((5, 1)), np.arange(5.0), None, 2)]
    [[0, 1, 2], [3, 4]]
    """
    if is_path(X) or is_dask(X):
        source, groups = numbered_source(clone(estimator), X, y, groups, None)
        rows, labels = source.rows, source.y
    else:
        X, y, groups = columns_apart(X, y, groups)
        rows, labels = X.shape[0] if hasattr(X, "shape") else len(X), None if y is None else vector(y)
    return checked_splits(estimator, rows, labels, groups, cv)


def checked_splits(estimator: Any, rows: Any, labels: Any, groups: Any, cv: Any) -> list[Split]:
    """Splits of so many rows, none of them without rows to train on or to test on."""
    splitter = check_cv(cv, labels, classifier=is_classifier(estimator))
    if type(splitter) is KFold and not splitter.shuffle and splitter.n_splits <= rows:
        return ConsecutiveFolds(rows, splitter.n_splits)
    splits = [
        (row_numbers(train), row_numbers(test)) for train, test in splitter.split(np.zeros(rows), labels, groups)
    ]
    for number, (train, test) in enumerate(splits):
        if not len(train) or not len(test):
            raise ValueError(f"split {number} of cv has {len(train)} rows to train on and {len(test)} to test on")
    if not splits:
        raise ValueError("cv makes no splits")
    return splits


def columns_apart(X: Any, y: Any, groups: Any) -> tuple[Any, Any, Any]:
    """A table in memory, its target and its groups, where those may be names of columns."""
    if isinstance(groups, str):
        X, groups = split_target(X, groups, "groups")
    X, y = split_target(X, y)
    return X, y, groups


def numbered_source(
    estimator: Any, X: Any, y: Any, groups: Any, sample_weight: Any
) -> tuple[InMemory | Stream, np.ndarray | None]:
    """The rows for a one-pass learner, told apart by number, and their groups, which may be a column of X."""
    named = isinstance(groups, str)
    if named and is_dask(X):
        X, groups = frame_target(X, groups)
    elif named and not is_path(X):
        X, groups = split_target(X, groups, "groups")
    left_out = (groups,) if named and is_path(X) else ()
    source = rows_by_number(
        training_source(estimator, X, y, sample_weight, target=estimator.target, reset=True, left_out=left_out)
    )
    if isinstance(source, FileSource) and named:
        return source, source.vector(groups, "label", "groups")
    return source, groups if groups is None else vector(groups, "groups")
