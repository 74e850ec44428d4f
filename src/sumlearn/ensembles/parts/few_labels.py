"""What learners of partly labelled rows share: whether the rows without a label helped, and how sure that is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse
from sklearn.base import clone

from ...data import InMemory, Source
from ...data.mapped import inputs_of
from ...data.target import is_labelled
from ...features.input_ranges import whole_number
from ...statistics import row_checks

NO_LABEL = "no row has a label: y is None, NaN or -1 wherever sample_weight is positive; label some rows of each class"
SURE = 2.0  # standard errors


class WorthOfUnlabelled(NamedTuple):
    """Labelled rows that were left out, answered with the unlabelled rows and without them.

    Attributes
    ----------
    gain : float
        By how much the mean loss falls through the unlabelled rows; below zero, they do harm. The loss of a row is
        Brier's, half the squared distance of its probabilities from the truth, and 0 or 1 where there are none.
    error : float
        Standard error of that mean, from the differences row by row. It is rather too small: the models of all folds
        share most of their rows. A few labels can tell large gains only.
    accuracy, accuracy_without : float
        Share of the rows left out whose label was right, with the unlabelled rows and without them.
    rows : int
        Labelled rows that were left out in turn.
    """

    gain: float
    error: float
    accuracy: float
    accuracy_without: float
    rows: int

    @classmethod
    def of(cls, losses: np.ndarray, right: np.ndarray, weight: np.ndarray) -> WorthOfUnlabelled:
        """From two columns each, with the unlabelled rows and without, and the weights of the rows."""
        share, n = weight / weight.sum(), len(weight)
        difference = losses[:, 1] - losses[:, 0]
        gain = float(share @ difference)
        spread = float(share @ (difference - gain) ** 2)
        error = np.sqrt(spread * float(share @ share) * n / max(n - 1, 1)) if n > 1 else np.inf
        return cls(gain, float(error), float(share @ right[:, 0]), float(share @ right[:, 1]), n)

    @property
    def helped(self) -> bool | None:
        """Whether the unlabelled rows helped; None where chance could have done it, below two standard errors."""
        if not abs(self.gain) > SURE * self.error:
            return None
        return self.gain > 0


def check_folds(folds: Any, name: str = "compare") -> None:
    """Refuse what is no number of folds."""
    if folds is not None:
        whole_number(folds, name, 2)


def labelled_folds(y: np.ndarray, there: np.ndarray, folds: int, name: str = "compare") -> list[np.ndarray]:
    """Numbers of the labelled rows of each fold, alike in classes; y is that of a source, `there` who weighs."""
    from sklearn.model_selection import StratifiedKFold

    rows = np.flatnonzero(is_labelled(y) & there)
    labels = np.array(y[rows].tolist())
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) < 2 or counts.min() < 2:
        which = classes[int(np.argmin(counts))].item() if len(classes) else None
        raise ValueError(
            f"{name}={folds} leaves labelled rows out in turn, and of class {which!r} there is one row or nothing to "
            f"tell it from: label more rows, or set {name}=None"
        )
    split = StratifiedKFold(min(folds, int(counts.min())), shuffle=True, random_state=0)
    return [rows[test] for _, test in split.split(rows, labels)]


def losses_of(model: Any, X: Any, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Loss of every row, and whether its label was right."""
    right = np.asarray(model.predict(X)) == y
    if not hasattr(model, "predict_proba"):
        return 1.0 - right, right.astype(float)
    truth = np.asarray(model.classes_)[None, :] == y[:, None]
    p = np.asarray(model.predict_proba(X), dtype=float)
    missed = 1.0 - truth.any(axis=1)  # the class was in no row that was learnt
    return 0.5 * (((p - truth) ** 2).sum(axis=1) + missed), right.astype(float)


def compared(model: Any, source: Source, folds: int) -> WorthOfUnlabelled:
    """The comparison of a model with itself on the labelled rows alone; needs rows in memory."""
    rows = in_memory(source, "compare")
    assert rows.y is not None
    weight = np.ones(rows.rows) if rows.weight is None else rows.weight
    y, plain = rows.y, clone(model).set_params(compare=None)
    labelled = is_labelled(y)
    found = []
    for test in labelled_folds(y, weight > 0, folds):
        left = weight > 0
        left[test] = False
        truth = np.array(y[test].tolist())
        pair = [
            losses_of(fitted(clone(plain), rows, np.flatnonzero(kept)), taken(rows, test), truth)
            for kept in (left, left & labelled)
        ]
        found.append((*(np.column_stack(values) for values in zip(*pair, strict=True)), weight[test]))
    return WorthOfUnlabelled.of(*(np.concatenate(values) for values in zip(*found, strict=True)))


def fitted(model: Any, rows: InMemory, numbers: np.ndarray) -> Any:
    """A model of some rows."""
    import warnings

    assert rows.y is not None
    weight = {} if rows.weight is None else {"sample_weight": rows.weight[numbers]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what is to be said of the whole is said of the whole
        return model.fit(taken(rows, numbers), rows.y[numbers], **weight)


def taken(rows: InMemory, numbers: np.ndarray) -> Any:
    """Rows by number, as they came."""
    return inputs_of(rows).native(numbers)  # type: ignore[attr-defined]


def in_memory(source: Source, what: str) -> InMemory:
    """A source whose rows can be read by number."""
    if not isinstance(source, InMemory):
        raise ValueError(f"{what} goes over the rows by number, and X is read as a stream: load it into memory first")
    return source


def labels_of(y: np.ndarray) -> np.ndarray:
    """Labels of some rows, all of which have one, as an array of their own kind."""
    return np.array(y.tolist()) if y.dtype == object else y


def dense(rows: Any) -> np.ndarray:
    """Rows as an array, refused where sparse ones do not fit into memory."""
    return row_checks.dense(rows) if sparse.issparse(rows) else np.asarray(rows)
