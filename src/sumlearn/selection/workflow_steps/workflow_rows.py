"""The rows of a workflow, and its target as one vector of labels or numbers."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import KFold, StratifiedKFold

from ...data import split_target
from ...data.collections import is_dask
from ...data.files import is_path
from ...evaluation.row_values import weights_of
from ...features.input_ranges import one_of
from ...learners.validation import prediction_rows, training_source
from ..target_kinds import holds_labels
from .step import fitted

TASKS = ("classification", "regression")
FOLDS = 5  # by default
REMEDY = "task='classification' if they are labels, 'regression' if not"


class WorkflowRows(NamedTuple):
    """Rows with their target and weights (None: one for each).

    >>> from sumlearn import LinearRegression
    >>> rows = WorkflowRows(np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.0]), None, "regression")
    >>> rows.score(rows.take(np.array([0, 2])).fit(LinearRegression()))
    1.0
    """

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    task: str

    def take(self, rows: np.ndarray) -> WorkflowRows:
        return WorkflowRows(self.X[rows], self.y[rows], None if self.weight is None else self.weight[rows], self.task)

    def seen_as(self, features: np.ndarray) -> WorkflowRows:
        return self._replace(X=features)

    def fit(self, estimator: Any) -> Any:
        return fitted(estimator, self.X, self.y, self.weight)

    def score(self, model: Any) -> float:
        """Accuracy, or R^2."""
        measure = accuracy_score if self.task == "classification" else r2_score
        return float(measure(self.y, model.predict(self.X), sample_weight=self.weight))


def opened(workflow: Any, X: Any, y: Any, weight: Any = None) -> WorkflowRows:
    """Rows, target, weights and task, checked; the workflow learns the names of the columns."""
    one_of(workflow.task, "task", (None, *TASKS))
    cv, named = workflow.cv, isinstance(workflow.cv, str)
    if named:
        one_of(cv, "cv", ("auto",))
    if not (named or cv is None or isinstance(cv, int | np.integer) or hasattr(cv, "split")):
        raise ValueError("cv splits the rows of each step: give a number of folds or a splitter, no list of splits")
    if is_path(X) or is_dask(X):
        raise ValueError("a workflow asks about single rows again and again: load the table into memory first")
    X, y = split_target(X, y)
    if y is None:
        raise ValueError("Workflow requires y to be passed, but the target y is None.")
    task = workflow.task or ("classification" if holds_labels(X, y, REMEDY) else "regression")
    target = "label" if task == "classification" else "number"
    source: Any = training_source(workflow, X, y, weight, target=target, reset=True)
    rows = np.asarray(prediction_rows(workflow, X, sparse_ok=False), dtype=float)
    values = label_vector(source.y) if task == "classification" else number_vector(source.y)
    return WorkflowRows(rows, values, weights_of(source.weight, len(rows)), task)


def folds_of(workflow: Any, task: str) -> Any:
    """Folds of search and contest: as they were given, or five of rows in any order.

    Tables are often sorted by something that is no column. Folds of neighbouring rows then differ by it, and the
    scores of a contest tell more of the folds than of the entrants.

    >>> from sumlearn.selection import Workflow
    >>> folds_of(Workflow(), "regression")
    KFold(n_splits=5, random_state=0, shuffle=True)
    """
    if not isinstance(workflow.cv, str):
        return workflow.cv
    seed = workflow.random_state if isinstance(workflow.random_state, int | np.integer) else 0
    return (StratifiedKFold if task == "classification" else KFold)(FOLDS, shuffle=True, random_state=seed)


def label_vector(y: np.ndarray) -> np.ndarray:
    """Labels of one kind, at least two of them.

    >>> label_vector(np.array([1, 2], dtype=object)).dtype.kind
    'i'
    """
    if y.dtype.kind == "O":
        kinds = {type(label) for label in y}
        if len(kinds) > 1:
            names = ", ".join(sorted(kind.__name__ for kind in kinds))
            raise ValueError(f"Unknown label type: y holds labels of different kinds ({names})")
        y = np.array(y.tolist())
    if len(np.unique(y)) < 2:
        raise ValueError(f"y has one class only, {y[:1].tolist()[0]!r}: nothing can be learnt from it")
    return y


def number_vector(y: np.ndarray) -> np.ndarray:
    """Finite numbers, one for each row."""
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected: it is taken for one target",
            DataConversionWarning,
            stacklevel=4,
        )
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    y = y.astype(float)
    for row in np.flatnonzero(~np.isfinite(y))[:1]:
        raise ValueError(f"Input y contains NaN or infinity: {y[row]} in row {row}.")
    return y
