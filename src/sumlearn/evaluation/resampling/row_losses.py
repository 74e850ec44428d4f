"""The loss of every row: what risks, bootstrap errors and decompositions average."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import is_classifier

RowLoss = Callable[[np.ndarray, np.ndarray], np.ndarray]


def zero_one(y: np.ndarray, prediction: np.ndarray) -> np.ndarray:
    """1 where the label is wrong."""
    return (np.asarray(y) != np.asarray(prediction)).astype(float)


def squared(y: np.ndarray, prediction: np.ndarray) -> np.ndarray:
    """(y - f)^2, averaged over the targets of a row."""
    return per_row((np.asarray(y, dtype=float) - prediction) ** 2)


def absolute(y: np.ndarray, prediction: np.ndarray) -> np.ndarray:
    """|y - f|, averaged over the targets of a row."""
    return per_row(np.abs(np.asarray(y, dtype=float) - prediction))


def per_row(values: np.ndarray) -> np.ndarray:
    return values.reshape(len(values), -1).mean(axis=1)


NAMED: dict[str, RowLoss] = {"zero_one": zero_one, "squared": squared, "absolute": absolute}


def row_loss(loss: Any, estimator: Any) -> tuple[str, RowLoss]:
    """Name and function of a loss; None is "zero_one" for a classifier, "squared" for anything else.

    >>> from sumlearn import GaussianNB
    >>> name, function = row_loss(None, GaussianNB())
    >>> name, function(np.array(["a", "b"]), np.array(["a", "a"])).tolist()
    ('zero_one', [0.0, 1.0])
    """
    if callable(loss):
        return getattr(loss, "__name__", "loss"), checked(loss)
    if loss is None:
        loss = "zero_one" if is_classifier(estimator) else "squared"
    if loss not in NAMED:
        raise ValueError(f"loss must be one of {', '.join(map(repr, NAMED))} or a function of (y, f), got {loss!r}")
    return loss, NAMED[loss]


def checked(loss: Callable[[Any, Any], Any]) -> RowLoss:
    """A loss of the user's, which must give one finite number per row."""

    def of_rows(y: np.ndarray, prediction: np.ndarray) -> np.ndarray:
        values = np.asarray(loss(y, prediction), dtype=float)
        if values.shape != (len(y),):
            raise ValueError(f"loss must give one number per row, shape ({len(y)},); it gave shape {values.shape}")
        for row in np.flatnonzero(~np.isfinite(values))[:1]:
            raise ValueError(f"loss is {values[row]} at row {row}: it must be finite")
        return values

    return of_rows
