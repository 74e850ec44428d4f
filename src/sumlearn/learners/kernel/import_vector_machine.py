"""Sparse kernel logistic regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from ...data import Chunk
from ...features.input_ranges import is_number, positive_numbers, whole_number
from ...features.kernels import Kernel, PrecomputedKernel
from ...objectives.links import sigmoid, softmax
from ...statistics.weights import refuse_heavy
from ..description import INVERSE_PENALTY, Description, Offer, Tuning
from ..linear.parts.class_targets import best_class
from ..linear.parts.class_weight import class_factors
from ..sampling import LabelSamplingMixin
from ..whole_rows import WholeRows
from .parts.import_steps import Import, imported
from .parts.kernel_model import KernelModel, own_matrix, precise, sums_at


class ImportVectorMachine(KernelModel, LabelSamplingMixin, ClassifierMixin, WholeRows):
    """P(k | x) by kernel logistic regression on few rows, which are imported one after the other.

        min_f |f|^2 / 2 + C sum_i w_i l(y_i, f(x_i)),   f(x) = b0 + sum_{s in S} a_s k(x, x_s)
        l = log(1 + exp(-y f)) for two classes, -log softmax_y(f) for more, with a function for each

    A row is imported where that takes most from the gap between the objective and that of all rows, which is known
    without solving the latter: g'(K - K_S K_SS^-1 K_S')g / 2 with g = C w (p - y). So when it stops, the objective is
    within `tol` of kernel logistic regression with every row, and says so in `gap_`. With ``tol=0`` all rows that are
    no combination of others are imported: that is the full one. Where support vectors are the rows near the border and
    grow with the table, import points are few and lie anywhere, and the probabilities need no calibration.

    Statistic: none, all rows are in memory, and the n x n matrix of their kernel. No merge, no forget. Cost: O(n^2 d +
    n^2 rounds + n |S|^2 rounds), 16 n^2 bytes, predict O(|S| d) a row. For more rows, and where models are to add up,
    take ``LogisticRegression(basis=Nystroem(...))``.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the rows against the penalty, 1 / lambda.
    kernel : str, Kernel or callable, default="rbf"
        Positive semidefinite: one of `sumlearn.features.kernels`, scikit-learn's name of one, or a function of two
        rows; "precomputed": X is its matrix.
    gamma : float, "spread", "scale", "auto" or None, default="spread"
        Of a kernel that is given by name, as for `GaussianKernel`.
    degree, coef0, kernel_params
        As for `KernelRidge`.
    tol : float, default=0.005
        Most that more rows could still gain, as a share of the objective.
    max_points : int or None, default=None
        Most rows to import; a warning tells the gap that is left.
    class_weight : dict, "balanced" or None, default=None
        Factors on the weights of the rows of each class.
    max_memory : float or None, default=None
        Bytes that the fit may take, refused beforehand; None is what is free.

    Attributes
    ----------
    classes_ : array
        Labels, sorted.
    support_ : array (points,)
        Rows that were imported, in that order, counted among those of positive weight.
    support_vectors_ : array or sparse matrix (points, columns)
        The rows themselves.
    dual_coef_ : array (points, functions)
        a; one function for two classes, else one for each.
    intercept_ : array (functions,)
    kernel_ : Kernel
        The kernel with numbers for words.
    objective_, gap_ : float
        The objective, and what it is above that of all rows at most.
    trace_ : array (rounds, 3)
        Rows imported, objective and gap, round by round.

    Examples
    --------
    >>> from sumlearn import ImportVectorMachine
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> model = ImportVectorMachine(C=10.0).fit(iris.X, iris.y)
    >>> print(len(model.support_), round(model.score(iris.X, iris.y), 3), bool(model.gap_ < 0.005 * model.objective_))
    12 0.98 True

    References
    ----------
    Zhu & Hastie, "Kernel logistic regression and the import vector machine", 2005; lecture note 002, which names it.
    """

    description = Description(
        offers=(
            Offer(
                "import_vectors",
                "import vector machine",
                125,
                tuning=Tuning("C", (0.1, 1.0, 10.0, 100.0)),
                extra=True,
                power=2.0,
                most_rows=8000,
            ),
        ),
        complexity=INVERSE_PENALTY,
        variants={"gamma": ("spread", "auto", 0.3), "tol": (0.005, 0.02), "C": (1.0, 5.0)},
    )

    target = "label"

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: Any = "rbf",
        gamma: Any = "spread",
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        tol: float = 0.005,
        max_points: int | None = None,
        class_weight: Any = None,
        max_memory: float | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.tol = tol
        self.max_points = max_points
        self.class_weight = class_weight
        self.max_memory = max_memory

    def check(self) -> None:
        if not is_number(self.C):
            raise ValueError(f"C must be a positive number, got {self.C!r}")
        positive_numbers(self.C, "C")
        if not is_number(self.tol) or not 0.0 <= self.tol < 1.0:
            raise ValueError(f"tol must be a number from 0 to below 1, got {self.tol!r}")
        if self.max_points is not None:
            whole_number(self.max_points, "max_points", 1)
        kernel = self.named(self.kernel)
        if not kernel.definite:
            raise ValueError(
                f"{kernel} is not positive semidefinite: the penalty of kernel logistic regression is none"
            )

    def absent_too(self) -> bool:
        """A matrix that is given has a column for every row that it was made of."""
        return self.is_given

    def memory_needed(self, rows: int, features: int) -> int:
        return 8 * rows * (2 * rows + features + 4)

    def learn(self, rows: Chunk) -> dict[str, Any]:
        assert rows.y is not None and rows.weight is not None
        kernel = self.named(self.kernel).resolved(precise(rows.X), rows.weight)
        there = np.flatnonzero(rows.weight > 0)
        classes, codes = np.unique(rows.y[there], return_inverse=True)
        weight = rows.weight[there]
        factors = class_factors(self.class_weight, classes, np.bincount(codes, weight))
        weight = weight if factors is None else weight * factors[codes]
        refuse_heavy(float(weight.sum()))
        if len(classes) == 1:
            return self.sure_of(classes, kernel, rows)
        state = Import(own_matrix(kernel, rows), codes, weight, float(self.C))
        solution, trace = imported(state, self.tol, self.max_points)
        support = there[state.points]
        return {
            "classes_": classes,
            "support_": support,
            "support_vectors_": rows.X[support],
            "dual_coef_": state.coefficients(solution.v),
            "intercept_": solution.level,
            "kernel_": kernel,
            "objective_": solution.value,
            "gap_": solution.gap,
            "trace_": np.array(trace),
        }

    def sure_of(self, classes: np.ndarray, kernel: Kernel, rows: Chunk) -> dict[str, Any]:
        """Of a single class nothing is to be learnt."""
        return {
            "classes_": classes,
            "support_": np.empty(0, dtype=np.intp),
            "support_vectors_": rows.X[:0],
            "dual_coef_": np.empty((0, 1)),
            "intercept_": np.zeros(1),
            "kernel_": kernel,
            "objective_": 0.0,
            "gap_": 0.0,
            "trace_": np.zeros((1, 3)),
        }

    def scores(self, X: Any) -> np.ndarray:
        """f(x) of every row, (rows, functions)."""
        rows = self.rows_of(X, sparse_ok=True)
        if not len(self.support_):
            return np.tile(self.intercept_, (rows.shape[0], 1))
        if isinstance(self.kernel_, PrecomputedKernel):
            return rows[:, self.support_] @ self.dual_coef_ + self.intercept_
        return sums_at(self.kernel_, self.support_vectors_, rows, self.dual_coef_) + self.intercept_

    def decision_function(self, X: Any) -> np.ndarray:
        """f(x) of every row: the log-odds of the second of two classes, or one score for each of more."""
        scores = self.scores(X).astype(self.float_dtype)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(k | x) of every row, in the order of `classes_`."""
        scores = self.scores(X)
        if len(self.classes_) == 1:
            shares = np.ones_like(scores)
        elif scores.shape[1] == 1:
            shares = np.column_stack([sigmoid(-scores[:, 0]), sigmoid(scores[:, 0])])
        else:
            shares = softmax(scores)
        return shares.astype(self.float_dtype)

    def predict(self, X: Any) -> np.ndarray:
        """The label of the largest probability."""
        return best_class(self.scores(X), self.classes_)
