"""Labels that spread along the edges of a graph of rows: the graph, the spreading, and answers for new rows."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sparse
from scipy.spatial.distance import cdist
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from ...data import Chunk, Source
from ...data.target import PARTLY_LABELLED, is_labelled
from ...features.input_ranges import is_number, one_of, whole_number
from ...features.kernels import GaussianKernel
from ...learners.lazy.k_neighbors_classifier import KNeighborsClassifier
from ...learners.sampling import LabelSamplingMixin
from ...statistics.warnings import warn
from .few_labels import NO_LABEL, check_folds, compared, dense, labels_of

SMALLEST = 1e-290  # sums of a kernel below it have lost digits


class LabelGraph(LabelSamplingMixin, ClassifierMixin):
    """A mixin of learners that keep their rows as nodes; `flow` says how labels move, `limit` where that ends."""

    kernel: Any
    gamma: float
    n_neighbors: int
    max_iter: int
    tol: float
    n_jobs: int | None
    solver: str
    compare: int | None

    target: ClassVar[Any] = PARTLY_LABELLED
    sparse_ok = True
    private: ClassVar[tuple[str, ...]] = ("_weight",)
    unsaved: ClassVar[tuple[str, ...]] = ("transduction_",)

    X_: Any
    classes_: np.ndarray
    label_distributions_: np.ndarray
    _weight: np.ndarray
    neighbours_: KNeighborsClassifier
    rows_of: Any  # of the learner
    float_dtype: Any

    # -- what a method writes ---------------------------------------------------------------------------------------

    @abstractmethod
    def graph_of(self, kernel: Any, weight: np.ndarray) -> Any:
        """The matrix along which shares of classes move in a step."""

    @abstractmethod
    def flow(self, graph: Any, truth: np.ndarray, given: np.ndarray) -> tuple[np.ndarray, int, bool]:
        """Shares of classes after enough steps, how many there were, and whether they came to rest."""

    @abstractmethod
    def limit(self, graph: Any, truth: np.ndarray, given: np.ndarray) -> np.ndarray:
        """Where the steps would end, from linear equations."""

    @abstractmethod
    def check_weights(self, weight: np.ndarray) -> None:
        """Refuse weights that make no sense."""

    # -- learning ---------------------------------------------------------------------------------------------------

    def check(self) -> None:
        if not callable(self.kernel):
            one_of(self.kernel, "kernel", ("rbf", "knn"))
        for name in ("gamma", "tol"):
            value = getattr(self, name)
            if not is_number(value) or not 0.0 <= value < np.inf:
                raise ValueError(f"{name} must be finite and not negative, got {value!r}")
        whole_number(self.n_neighbors, "n_neighbors", 1)
        whole_number(self.max_iter, "max_iter", 1)
        one_of(self.solver, "solver", ("steps", "exact"))
        alpha = getattr(self, "alpha", 0.5)
        if not is_number(alpha) or not 0.0 < alpha < 1.0:
            raise ValueError(f"alpha must be between 0 and 1, got {alpha!r}")
        check_folds(self.compare)

    def memory_needed(self, rows: int, features: int) -> int:
        """The rows, and the matrices between them."""
        between = 16 * rows * self.n_neighbors if self.kernel == "knn" else 8 * rows * rows
        return 16 * rows * (features + 2) + 3 * between

    def learn_from(self, source: Source, watch: Any) -> None:
        super().learn_from(source, watch)
        self.comparison_ = None if self.compare is None else compared(self, source, self.compare)
        self.helped_ = None if self.comparison_ is None else self.comparison_.helped

    def learn(self, rows: Chunk) -> dict[str, Any]:
        assert rows.y is not None and rows.weight is not None
        given, weight = is_labelled(rows.y), rows.weight
        if not given.any():
            raise ValueError(NO_LABEL)
        if self.kernel == "knn" and (weight != weight[0]).any():
            raise ValueError("kernel='knn' counts neighbours, so rows weigh alike: leave sample_weight out")
        self.check_weights(weight)
        classes, code = np.unique(labels_of(rows.y[given]), return_inverse=True)
        truth = np.zeros((len(given), len(classes)))
        truth[np.flatnonzero(given), code.reshape(-1)] = 1.0
        held = {"X_": rows.X, "_weight": weight, "classes_": classes}
        if self.kernel == "knn":
            held["neighbours_"] = self.neighbours_of(rows.X)
        self.__dict__.update(held)
        graph = self.graph()
        if self.solver == "exact":
            shares, steps, rest = self.limit(graph, truth, given), 0, True
        else:
            shares, steps, rest = self.flow(graph, truth, given)
        if not rest:
            warn(
                f"max_iter={self.max_iter} was reached without convergence. Increase it, or take solver='exact'",
                ConvergenceWarning,
            )
        total = shares.sum(axis=1, keepdims=True)
        lonely = int((total == 0).sum())
        if lonely:
            warn(
                f"{lonely} row(s) are joined to no labelled row: nothing is known of them, their label is the first "
                "class; take a wider kernel or more neighbours",
                UserWarning,
            )
        shares = shares / np.where(total == 0, 1.0, total)
        return held | {
            "label_distributions_": shares,
            "transduction_": classes[shares.argmax(axis=1)],
            "n_iter_": steps,
        }

    def graph(self) -> Any:
        """The matrix along which labels move, of the rows of the fit: dense, or sparse with neighbours."""
        return self.graph_of(self.kernel_matrix(), self._weight)

    def neighbours_of(self, X: Any) -> KNeighborsClassifier:
        if self.n_neighbors > X.shape[0]:
            raise ValueError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {self.n_neighbors}, n_samples_fit = "
                f"{X.shape[0]}"
            )
        return KNeighborsClassifier(self.n_neighbors, n_jobs=self.n_jobs).fit(dense(X), np.zeros(X.shape[0]))

    def kernel_matrix(self) -> Any:
        """The kernel between all rows; of neighbours a sparse matrix of ones, a row is the nearest to itself."""
        if self.kernel == "knn":
            return self.neighbours_.kneighbors_graph(dense(self.X_))
        if callable(self.kernel):
            return self.kernel(self.X_, self.X_)
        return GaussianKernel(float(self.gamma)).at(precise(self.X_)).own()

    # -- using ------------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> np.ndarray:
        """The class of the largest share at every row, which is taken as new: see `transduction_` for those learnt."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Means of the shares of the rows learnt, weighted by the kernel; one column per class."""
        rows = self.rows_of(X, sparse_ok=True)
        shares = self.label_distributions_
        if self.kernel == "knn":
            found = shares[self.neighbours_.kneighbors(dense(rows), return_distance=False)].sum(axis=1)
        elif callable(self.kernel):
            found = np.asarray(self.kernel(self.X_, rows).T @ (self._weight[:, None] * shares))
        else:
            found = self.means_at(precise(rows), shares)
        total = found.sum(axis=1, keepdims=True)
        found = np.where(total > 0, found / np.where(total > 0, total, 1.0), 1.0 / len(self.classes_))
        return found.astype(self.float_dtype, copy=False)

    def means_at(self, rows: Any, shares: np.ndarray) -> np.ndarray:
        """Sums of shares by the Gaussian; where it is zero in floating point everywhere, in units of its largest."""
        weighted = self._weight[:, None] * shares
        found = GaussianKernel(float(self.gamma)).at(precise(self.X_)).times(rows, np.ascontiguousarray(weighted))
        far = np.flatnonzero(found.sum(axis=1) < SMALLEST)
        if len(far):
            known = np.flatnonzero(weighted.any(axis=1))  # a row of which nothing is known has no say
            exponent = -float(self.gamma) * cdist(dense(rows[far]), dense(self.X_[known]), "sqeuclidean")
            found[far] = np.exp(exponent - exponent.max(axis=1, keepdims=True)) @ weighted[known]
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def precise(rows: Any) -> Any:
    """Rows in double precision."""
    return rows.astype(np.float64) if sparse.issparse(rows) else np.ascontiguousarray(rows, dtype=np.float64)


def reached(graph: Any, given: np.ndarray) -> np.ndarray:
    """Which nodes lead to a labelled one."""
    edges = sparse.csr_matrix(graph != 0).T.tocsr()
    found, front = given.copy(), np.flatnonzero(given)
    while len(front):
        front = np.unique(edges[front].indices)
        front = front[~found[front]]
        found[front] = True
    return found


def solved(matrix: Any, right: np.ndarray) -> np.ndarray:
    """The solution of a system, dense or sparse."""
    if sparse.issparse(matrix):
        from scipy.sparse.linalg import splu

        return splu(sparse.csc_matrix(matrix)).solve(np.ascontiguousarray(right))
    return np.linalg.solve(matrix, right)
