"""Label spreading: labels move along the edges of a graph of rows, and those that were given may change."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from ..learners.description import Description
from ..learners.whole_rows import WholeRows
from .parts.few_labels import WorthOfUnlabelled
from .parts.label_graph import LabelGraph, solved


class LabelSpreading(LabelGraph, WholeRows):
    """Rows take the labels of their neighbours, and given labels count for a share: wrong ones can be outvoted.

        S = D^-1/2 K D^-1/2 without its diagonal, D_jj = sum_(i != j) K_ij,     F <- alpha S F + (1 - alpha) Y
        in the end  F = (1 - alpha) (I - alpha S)^-1 Y

    Statistic: none, all rows are in memory, with the kernel between them or, for "knn", a sparse graph. No merge, no
    forget. Cost: O(n^2 d), a step O(n^2 K), "exact" O(n^3); "knn" about O(n log n), a step O(n k K).

    Parameters
    ----------
    kernel : {"rbf", "knn"} or callable, default="rbf"
        As in LabelPropagation.
    gamma : float, default=20
    n_neighbors : int, default=7
    alpha : float, default=0.2
        Between 0 and 1: how much a row takes from its neighbours, and how little from its own label.
    max_iter : int, default=30
        Most steps.
    tol : float, default=1e-3
        A step that changes all shares together by less is the last; what is left to the end is below alpha / (1 -
        alpha) times that, but for the scale of the rows.
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

    A weight is a number of rows, with "rbf" and functions; a part of a row has no neighbours of its own, so weights are
    zero, one or more. Neighbours are counted, so with "knn" all must weigh the same.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import LabelSpreading
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> y = iris.y.astype(object)
    >>> y[np.arange(150) % 10 > 0] = None              # 5 labels of each kind are left
    >>> model = LabelSpreading(kernel="knn", alpha=0.9, solver="exact").fit(iris.X, y)
    >>> print(f"{(model.transduction_ == iris.y).mean():.3f}")
    0.900

    References
    ----------
    Lecture note 002 (transduction); Zhou, Bousquet, Lal, Weston & Schölkopf, Learning with local and global
    consistency, 2004.
    """

    description = Description(
        parts=(WorthOfUnlabelled,),
        variants={"kernel": ("rbf", "knn"), "gamma": (0.5, 20.0), "solver": ("steps", "exact"), "alpha": (0.2, 0.8)},
    )

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: float = 20,
        n_neighbors: int = 7,
        alpha: float = 0.2,
        max_iter: int = 30,
        tol: float = 1e-3,
        n_jobs: int | None = None,
        solver: str = "steps",
        compare: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.solver = solver
        self.compare = compare

    def check_weights(self, weight: np.ndarray) -> None:
        for row in np.flatnonzero(weight < 1.0)[:1]:
            raise ValueError(
                f"sample_weight is a number of rows here, and a row has no part of a neighbour: a weight is "
                f"{weight[row]:g}, give 0, 1 or more"
            )

    def graph_of(self, kernel: Any, weight: np.ndarray) -> Any:
        """S of rows that each stand for `weight` alike: those are neighbours of each other, too."""
        if sparse.issparse(kernel):
            own, kernel = kernel.diagonal(), sparse.csr_matrix(kernel, dtype=np.float64).tolil()
            kernel.setdiag(0.0)
            kernel = kernel.tocsr()
            kernel.eliminate_zeros()
        else:
            own, kernel = kernel.diagonal().copy(), np.array(kernel, dtype=np.float64)
            np.fill_diagonal(kernel, 0.0)
        alike = own * (weight - 1.0)
        degree = np.asarray(weight @ kernel).ravel() + alike
        root = 1.0 / np.sqrt(np.where(degree == 0, 1.0, degree))
        if sparse.issparse(kernel):
            kernel = sparse.diags(root) @ kernel @ sparse.diags(root * weight)
            return sparse.csr_matrix(kernel + sparse.diags(alike * root * root))
        kernel *= root[:, None]
        kernel *= root * weight
        kernel[np.diag_indices_from(kernel)] = alike * root * root
        return kernel

    def flow(self, graph: Any, truth: np.ndarray, given: np.ndarray) -> tuple[np.ndarray, int, bool]:
        alpha = float(self.alpha)
        shares, change, steps = truth, float(truth.sum()), 0
        while steps < self.max_iter and change >= self.tol:
            step = np.asarray(graph @ shares)
            step *= alpha
            step += (1.0 - alpha) * truth
            change, shares, steps = float(np.abs(step - shares).sum()), step, steps + 1
        return shares, steps, change < self.tol

    def limit(self, graph: Any, truth: np.ndarray, given: np.ndarray) -> np.ndarray:
        alpha, n = float(self.alpha), len(truth)
        matrix = sparse.identity(n) - alpha * graph if sparse.issparse(graph) else np.eye(n) - alpha * graph
        return np.maximum(solved(matrix, (1.0 - alpha) * truth), 0.0)
