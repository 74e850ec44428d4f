"""Label propagation: labels move along the edges of a graph of rows, those that were given stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from ..learners.description import Description
from ..learners.whole_rows import WholeRows
from .parts.few_labels import WorthOfUnlabelled
from .parts.label_graph import LabelGraph, reached, solved


class LabelPropagation(LabelGraph, WholeRows):
    """Rows take the labels of their neighbours, step by step; labels that were given stay as they are.

        P_ij = K_ij s_j / sum_l K_il s_l,     F <- P F with rows scaled to sum 1,   F_i = y_i where it is given
        in the end  F_u = (I - P_uu)^-1 P_ul Y_l:  every row has the mean of its neighbours (a harmonic function)

    F_ic is the chance that a walk from row i along the graph meets class c first. It helps where classes are bodies of
    rows with gaps between them, and does harm where they overlap.

    Statistic: none, all rows are in memory, with the kernel between them or, for "knn", a sparse graph. No merge, no
    forget. Cost: O(n^2 d), a step O(n_u^2 K), "exact" O(n_u^3); "knn" about O(n log n), a step O(n k K).

    Parameters
    ----------
    kernel : {"rbf", "knn"} or callable, default="rbf"
        exp(-gamma |x - x'|^2); one for the nearest rows, a row itself among them; or a function of two matrices of rows
        that gives the matrix between them. Distances are right at any offset.
    gamma : float, default=20
    n_neighbors : int, default=7
    max_iter : int, default=1000
        Most steps.
    tol : float, default=1e-3
        A step that changes all shares together by less is the last. Rows far from any label change little in each step
        and may still be far from the end: see `solver`.
    n_jobs : int or None, default=None
        Threads of the search for neighbours.
    solver : {"steps", "exact"}, default="steps"
        "steps" is what scikit-learn does. "exact" solves the equations of the end.
    compare : int or None, default=None
        Folds of the labelled rows for `helped_`; it costs two fits a fold.

    Attributes
    ----------
    X_, classes_, label_distributions_, transduction_, n_iter_
        As in scikit-learn: rows and shares are those that weigh something; no steps with "exact".
    comparison_, helped_ : WorthOfUnlabelled, bool or None
        With `compare`: whether the unlabelled rows helped, None where nobody can tell.

    A weight is a number of rows, with "rbf" and functions; neighbours are counted, so all must weigh the same.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import LabelPropagation
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> y = iris.y.astype(object)
    >>> y[np.arange(150) % 10 > 0] = None              # 5 labels of each kind are left
    >>> model = LabelPropagation(gamma=5, solver="exact").fit(iris.X, y)
    >>> print(f"{(model.transduction_ == iris.y).mean():.3f}")
    0.907

    References
    ----------
    Lecture note 002 (transduction); Zhu & Ghahramani, Learning from labeled and unlabeled data with label propagation,
    2002; Zhu, Ghahramani & Lafferty, Semi-supervised learning using Gaussian fields and harmonic functions, 2003.
    """

    description = Description(
        parts=(WorthOfUnlabelled,),
        variants={"kernel": ("rbf", "knn"), "gamma": (0.5, 20.0), "solver": ("steps", "exact"), "max_iter": (1000,)},
    )

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: float = 20,
        n_neighbors: int = 7,
        max_iter: int = 1000,
        tol: float = 1e-3,
        n_jobs: int | None = None,
        solver: str = "steps",
        compare: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.solver = solver
        self.compare = compare

    def check_weights(self, weight: np.ndarray) -> None:
        """Any weight is a number of rows."""

    def graph_of(self, kernel: Any, weight: np.ndarray) -> Any:
        if sparse.issparse(kernel):
            kernel = sparse.csr_matrix(kernel) @ sparse.diags(weight)
            total = np.asarray(kernel.sum(axis=1)).ravel()
            return sparse.csr_matrix(sparse.diags(1.0 / np.where(total == 0, 1.0, total)) @ kernel)
        kernel = np.asarray(kernel, dtype=np.float64) * weight
        total = kernel.sum(axis=1, keepdims=True)
        return kernel / np.where(total == 0, 1.0, total)

    def flow(self, graph: Any, truth: np.ndarray, given: np.ndarray) -> tuple[np.ndarray, int, bool]:
        """Only rows without a label move: what the others send them is the same in every step."""
        shares, free = truth.copy(), np.flatnonzero(~given)
        among = graph[free][:, free]
        sent = np.asarray(graph[free][:, np.flatnonzero(given)] @ truth[given])
        moving, change, steps = shares[free], float(truth.sum()), 0
        while steps < self.max_iter and change >= self.tol:
            step = np.asarray(among @ moving) + sent
            total = step.sum(axis=1, keepdims=True)
            step /= np.where(total == 0, 1.0, total)
            change, moving, steps = float(np.abs(step - moving).sum()), step, steps + 1
        shares[free] = moving
        return shares, steps, change < self.tol

    def limit(self, graph: Any, truth: np.ndarray, given: np.ndarray) -> np.ndarray:
        """(I - P_uu) F = P_ul Y_l without the edge of a row to itself, which only delays; scaled so that nothing
        cancels."""
        joined = reached(graph, given)
        shares, free, known = truth.copy(), np.flatnonzero(joined & ~given), np.flatnonzero(given)
        if not len(free):
            return shares
        rows = graph[free][:, np.append(free, known)]  # what nothing is known of has no say
        m = len(free)
        if sparse.issparse(rows):
            rows = rows.tolil()
            rows.setdiag(0.0)
            rows = rows.tocsr()
            rows = sparse.csr_matrix(sparse.diags(1.0 / np.asarray(rows.sum(axis=1)).ravel()) @ rows)
            matrix: Any = sparse.identity(m) - rows[:, :m]
        else:
            np.fill_diagonal(rows, 0.0)
            rows /= rows.sum(axis=1, keepdims=True)
            matrix = np.eye(m) - rows[:, :m]
        shares[free] = np.maximum(solved(matrix, np.asarray(rows[:, m:] @ truth[known])), 0.0)
        return shares
