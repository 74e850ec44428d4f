"""Sparse representation: a row as few rows of one class, and sparse errors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ...data import Chunk
from ...engines import one_blas_thread
from ...features.input_ranges import is_number
from ...solvers.sparse_quadratic import sparse_minimum
from ...statistics import Moments
from ..description import SCORES_ONLY, Description
from ..whole_rows import WholeRows

TOGETHER = 32  # rows and errors that come in at once; no more than columns, since no more have weights in the end
ROUNDS, SWEEPS = 100, 10_000


class SparseRepresentationClassifier(ClassifierMixin, WholeRows):
    """A row is written as few rows that were learnt plus few errors; the class whose rows explain most of it wins.

        y = [X I] [w; e],     min |y - X w - e|^2 / 2 + alpha (|w|_1 + |e|_1),     X a column for each row learnt
        class of y = argmin_k |y - X_k w_k - e|

    Faces with scarves, digits with a part covered: e takes up what is covered, whatever was painted there, as long as
    it is a small part of the columns. All columns must be on one scale, such as pixels. Rows are scaled to unit length,
    and `alpha` counts in these units: they are directions, from zero or, with `centre`, from the mean of the rows
    learnt. Both are found together, by coordinate descent over a working set of [X I].

    Statistic: none, it keeps its rows: no merge, no forget. Cost: learning O(n d); a prediction takes some rounds
    of O((n + d) d).

    Parameters
    ----------
    alpha : float, default=0.01
        Weight of both penalties, positive.
    occlusion : bool, default=True
        Whether there are errors e; without them rows are expected to be whole.
    centre : bool, default=False
        Whether the mean of the rows learnt is taken off all rows first. Then it makes no difference where the columns
        lie; without it zero must mean something, as black does.

    Attributes
    ----------
    classes_ : array
        Labels, in order.
    centre_ : array (2, n_features)
        What is taken off, as the sum of two numbers; zeros without `centre`.
    rows_, labels_ : array
        Rows learnt, scaled to unit length, and the place of their label among the classes.

    Examples
    --------
    >>> from sumlearn import SparseRepresentationClassifier
    >>> X = np.array([[1.0, 0.0, 0.0, 1.0], [0.9, 0.1, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0], [0.1, 1.0, 0.9, 0.0]])
    >>> model = SparseRepresentationClassifier().fit(X, ["a", "a", "b", "b"])
    >>> model.predict([[1.0, 3.0, 0.0, 1.0], [0.0, 1.0, 1.0, 3.0]]).tolist()
    ['a', 'b']

    References
    ----------
    Lecture note 003; Wright, Yang, Ganesh, Sastry & Ma 2009.
    """

    description = Description(
        variants={"alpha": (0.01, 0.1), "occlusion": (True, False), "centre": (True, False)},
        lacks={"predict_proba": SCORES_ONLY, "sample": "rows are written as other rows, no distribution is assumed"},
    )

    target = "label"

    def __init__(self, alpha: float = 0.01, *, occlusion: bool = True, centre: bool = False) -> None:
        self.alpha = alpha
        self.occlusion = occlusion
        self.centre = centre

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        if not (is_number(self.alpha) and np.isfinite(self.alpha) and self.alpha > 0):
            raise ValueError(f"alpha must be finite and positive, got {self.alpha!r}")

    def learn(self, rows: Chunk) -> dict[str, Any]:
        """Keep rows of different content once: a row twice explains no more than once."""
        assert rows.y is not None
        classes, labels = np.unique(rows.y, return_inverse=True)
        centre = np.zeros((2, rows.X.shape[1]))
        if self.centre:
            centre[:] = Moments.of(rows.X, None, rows.weight, form="diagonal").centre
        unit = of_unit_length(less(rows.X, centre))
        together = np.column_stack([unit, labels])
        _, first = np.unique(together, axis=0, return_index=True)
        kept = np.sort(first)
        labels = labels[kept].astype(np.int64)
        return {"classes_": classes, "centre_": centre, "rows_": unit[kept], "labels_": labels}

    def residuals(self, X: Any) -> np.ndarray:
        """|y - X_k w_k - e| of every row (down) for every class (across), of rows scaled to unit length."""
        return self._left_over(*self._represented(X))

    def _left_over(self, rows: np.ndarray, w: np.ndarray, e: np.ndarray) -> np.ndarray:
        rest, found = rows - e, np.empty((len(rows), len(self.classes_)))
        for k in range(len(self.classes_)):
            own = self.labels_ == k
            found[:, k] = np.linalg.norm(rest - w[:, own] @ self.rows_[own], axis=1)
        return found

    def decision_function(self, X: Any) -> np.ndarray:
        """Minus the residual of every class; of two classes, the lead of the second."""
        scores = -self.residuals(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The class of the least residual."""
        rows, w, e = self._represented(X)
        alone = int((~w.any(axis=1)).sum())
        if alone and len(self.classes_) > 1:
            warnings.warn(
                f"no row learnt has a part in {alone} of {len(rows)} row(s), so that all classes leave the same "
                "residual: nothing is known of them, their label is the first class; take a smaller alpha",
                UserWarning,
                stacklevel=2,
            )
        return self.classes_[self._left_over(rows, w, e).argmin(axis=1)]

    def represent(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Weights w of the rows learnt, and errors e, for every row: (rows, rows learnt) and (rows, features)."""
        _, w, e = self._represented(X)
        return w, e

    def _represented(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows of unit length, their weights and their errors."""
        check_is_fitted(self)
        rows = of_unit_length(less(self.rows_of(X), self.centre_))
        n, d = self.rows_.shape
        A = np.vstack([self.rows_, np.eye(d)]) if self.occlusion else self.rows_
        with one_blas_thread():
            found = np.array([self._weights(A, row) for row in rows]).reshape(len(rows), len(A))
        e = found[:, n:] if self.occlusion else np.zeros_like(rows)
        return rows, found[:, :n], e

    def _weights(self, A: np.ndarray, row: np.ndarray) -> np.ndarray:
        """Of all rows and errors only those that pull on what is left of the row are brought together."""
        alpha, w, chosen = float(self.alpha), np.zeros(len(A)), np.zeros(0, np.intp)
        rest = row
        for _ in range(ROUNDS):
            pull = np.abs(A @ rest)
            pull[chosen] = 0.0
            wanted = min(TOGETHER, len(row), int((pull > alpha * (1.0 + 1e-6)).sum()))
            if not wanted:
                break
            chosen = np.append(chosen, np.sort(np.argpartition(pull, -wanted)[-wanted:]))
            B, k = A[chosen], len(chosen)
            part = sparse_minimum(B @ B.T, B @ row, np.full(k, alpha), np.zeros(k), w[chosen], most=SWEEPS).w
            w[chosen] = part
            rest = row - part @ B
        return w


def less(X: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Rows from a centre of two words, in double precision."""
    return (X.astype(np.float64) - centre[0]) - centre[1]


def of_unit_length(X: np.ndarray) -> np.ndarray:
    """Rows divided by their length; zero rows stay."""
    largest = np.abs(X).max(axis=1, initial=0.0)
    scaled = X / np.where(largest > 0, largest, 1.0)[:, None]  # squares stay in range
    length = np.linalg.norm(scaled, axis=1)
    return scaled / np.where(length > 0, length, 1.0)[:, None]
