"""Ridge regression in the dual."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from ...data import Chunk
from ...features.input_ranges import finite_numbers
from ..description import Complexity, Description
from ..sampling import with_noise
from ..whole_rows import WholeRows
from .parts.dual_squares import DualAxes, DualSquares
from .parts.kernel_model import KernelModel, dual_predictions, own_matrix, precise


class KernelRidge(KernelModel, RegressorMixin, WholeRows):
    """Ridge regression in the space of a kernel's features, with one coefficient for each row.

        f(x) = b0 + sum_i b_i k(x, x_i),   (G + alpha W^-1) b = y,   G_ij = k(x_i, x_j),   b0 = 0

    That is the least squares of sum_i w_i (y_i - f(x_i))^2 + alpha |f|^2, solved in G: the note's G^2 b = G y would
    square its condition. Without a penalty the solution is that of least norm. `KernelRidgeCV` chooses alpha and the
    kernel. What adds up is a ridge regression on landmarks or random features of the kernel,
    ``Ridge(basis=Nystroem(...))`` and ``Ridge(basis=RandomFourierBasis(...))``: those merge, forget, and read files
    larger than memory.

    Statistic: none, all rows are in memory, and the n x n matrix of their kernel. No merge, no forget. Cost: O(n^2 d +
    n^3 / 3), 8 n^2 bytes, predict O(n d) a row.

    Parameters
    ----------
    alpha : float or array (targets,), default=1
        The penalty, for all targets or for each.
    kernel : str, Kernel or callable, default="linear"
        One of `sumlearn.features.kernels`, scikit-learn's name of one, or a function of two rows. "precomputed": X is
        G, and for predictions the kernel of new rows (in rows) with those of the fit.
    gamma : float, "spread", "scale", "auto" or None, default=None
        Of a kernel that is given by name, as for `GaussianKernel`; None is 1 / n_features.
    degree, coef0 : float, default=3, 1
        Of "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        More arguments of a function.
    fit_intercept : bool, default=False
        Whether there is a constant b0 that is not penalised; scikit-learn has none.
    max_memory : float or None, default=None
        Bytes that the fit may take, refused beforehand; None is what is free.

    Attributes
    ----------
    dual_coef_ : array (rows,) or (rows, targets)
        b.
    intercept_ : float or array (targets,)
        b0, zero unless it is fitted.
    X_fit_ : array or sparse matrix
        Rows of positive weight; of a precomputed kernel the matrix, whose other rows have coefficients of zero.
    kernel_ : Kernel
        The kernel with numbers for words.
    noise_variance_ : float or array (targets,)
        Mean squared leave-one-out error, weighted. Computed when it is asked for; `sample` draws with it.

    Examples
    --------
    >>> from sumlearn import KernelRidge
    >>> from sumlearn.data import load_example
    >>> rows = load_example("faithful").X
    >>> model = KernelRidge(0.1, kernel="rbf", gamma=1.0, fit_intercept=True).fit(rows[:, :1], rows[:, 1])
    >>> print(model.predict([[2.0], [4.0]]).round(1), round(model.noise_variance_**0.5, 2))
    [53.8 79.1] 5.73

    References
    ----------
    Lecture note 002 (dual least squares); Saunders, Gammerman & Vovk, "Ridge regression learning algorithm in dual
    variables", 1998; Bishop, "Pattern recognition and machine learning", 2006, section 6.1.
    """

    description = Description(
        complexity=Complexity("alpha", "penalty λ"),
        variants={"alpha": (0.1, 2.0), "kernel": ("linear", "rbf", "laplacian"), "gamma": (None, "spread", 0.3)},
    )

    target = "number"
    many_targets = True

    def __init__(
        self,
        alpha: Any = 1,
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        fit_intercept: bool = False,
        max_memory: float | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.max_memory = max_memory

    def check(self) -> None:
        alpha = finite_numbers(self.alpha, "alpha")
        if alpha.ndim > 1 or (alpha < 0).any():
            raise ValueError(f"alpha must be a number of at least zero, or one for each target, got {self.alpha!r}")
        self.named(self.kernel)

    def absent_too(self) -> bool:
        """A matrix that is given has a column for every row that it was made of."""
        return self.is_given

    def memory_needed(self, rows: int, features: int) -> int:
        return 8 * rows * (rows + features + 4)

    def learn(self, rows: Chunk) -> dict[str, Any]:
        assert rows.y is not None and rows.weight is not None
        targets = rows.y.reshape(len(rows.y), -1)
        if np.ndim(self.alpha) and np.size(self.alpha) not in (1, targets.shape[1]):
            raise ValueError(
                f"alpha must be one number or one for each of {targets.shape[1]} targets, got {np.size(self.alpha)}: "
                "KernelRidgeCV(alphas=...) chooses among penalties"
            )
        kernel = self.named(self.kernel).resolved(precise(rows.X), rows.weight)
        there = rows.weight > 0
        problem = DualSquares.of(own_matrix(kernel, rows), targets[there], rows.weight[there], self.fit_intercept)
        coefficients = np.zeros(targets.shape)
        coefficients[there], level = problem.coefficients(problem.solved(self.alpha))
        return {
            "dual_coef_": coefficients[:, 0] if rows.y.ndim == 1 else coefficients,
            "intercept_": float(level[0]) if rows.y.ndim == 1 else np.array(level),
            "X_fit_": rows.X,
            "kernel_": kernel,
            "_weight": rows.weight,
            "_penalty": (self.alpha, self.fit_intercept),  # of the fit, whatever is set afterwards
        }

    def predict(self, X: Any) -> np.ndarray:
        """f(x) for every row."""
        return dual_predictions(self, X)

    def sample(self, X: Any, random_state: Any = None, *, n: int | None = None) -> np.ndarray:
        """Draw a target for every row from N(f(x), noise_variance_); with `n`, so many times, along the first axis."""
        return with_noise(self.predict(X), self.noise_variance_, random_state, n)

    @property
    def noise_variance_(self) -> Any:
        """Mean squared leave-one-out error of each target; one eigendecomposition."""
        errors, weight = self.left_out()
        squares = weight @ errors**2 / weight.sum()
        return float(squares) if errors.ndim == 1 else squares

    def left_out(self) -> tuple[np.ndarray, np.ndarray]:
        """Errors of the rows that weigh something, each predicted without it (or one copy of it), and their weights.

        >>> KernelRidge(1.0).fit([[1.0], [1.0]], [2.0, 4.0]).left_out()[0].tolist()
        [0.0, 3.0]
        """
        self.check_ready()
        there = self._weight > 0
        weight, b = self._weight[there], self.dual_coef_.reshape(len(self._weight), -1)[there]
        alpha, intercept = self._penalty
        alphas = np.broadcast_to(np.asarray(alpha, dtype=float), b.shape[1])
        if not (alphas > 0).all():
            raise ValueError("rows are left out in closed form with a penalty: alpha must be positive")
        G = own_matrix(self.kernel_, Chunk(self.X_fit_, None, self._weight, None))
        y = G @ b + alphas * b / weight[:, None]  # the equation of the fit
        problem = DualSquares.of(G, y, weight, intercept)
        errors = DualAxes.of(problem.B, problem.free).left_out(problem.y, alphas, weight)
        errors = errors[:, np.arange(b.shape[1]), np.arange(b.shape[1])]
        return (errors[:, 0] if self.dual_coef_.ndim == 1 else errors), weight
