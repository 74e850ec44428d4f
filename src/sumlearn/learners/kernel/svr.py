"""Support vector machines for numbers, by kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from ...data import Chunk
from ...features.input_ranges import is_number
from ...objectives.duals import Dual
from ..description import INVERSE_PENALTY, Description, Offer, Tuning
from ..whole_rows import WholeRows
from .parts.support_vectors import SupportVectors


class SVR(SupportVectors, RegressorMixin, WholeRows):
    """A smooth function in a tube, in the space of a kernel: residuals up to epsilon cost nothing.

        min_f  |w|^2 / 2 + C sum_n s_n max(0, |y_n - f(x_n)| - epsilon),     f(x) = sum_n b_n k(x_n, x) + c
        max_b  sum b_n y_n - epsilon sum |b_n| - 1/2 sum_nm b_n b_m k(x_n, x_m),   |b_n| <= C s_n,   sum b_n = 0

    Rows inside the tube have b_n = 0; the others are the support vectors, all that the model keeps. C = inf lets no row
    out of the tube. The search is that of `SVC`, with one number for each row: the price of |b| has a kink at zero, and
    steps end there.

    Statistic: none, all rows are in memory, with up to `cache_size` of kernel rows. No merge, no forget.
    Cost: between O(n^2 d) and O(n^3); predict O(support vectors d) a row.

    Parameters
    ----------
    kernel, degree, gamma, coef0 : default="rbf", 3, "scale", 0.0
        As for `SVC`.
    tol : float, default=1e-3
        Slope that a pair of numbers may be left with, as in libsvm: in units of y.
    C : float, default=1.0
        Cost of residuals beyond epsilon.
    epsilon : float, default=0.1
        Half the width of the tube, in units of y.
    shrinking, cache_size, verbose, max_iter : default=True, 200, False, -1
        As for `SVC`.
    solver : {"smo", "dual_qp", "interior_point"}, default="smo"
        Another road to the same minimum, for up to 4,000 numbers.
    n_jobs : int or None, default=None
        Threads; None is all. The same answer for any number.
    max_memory : float or None, default=None
        Bytes that the fit may take, refused beforehand; None is what is free.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, fit_status_, shape_fit_, n_iter_
        As in scikit-learn; `coef_` with the linear kernel.
    dual_gap_, objective_ : float
        What could still be gained at most, of |w|^2 / 2 + C sum; and its value.
    kernel_ : Kernel
        The kernel with numbers for words.

    Examples
    --------
    >>> from sumlearn import SVR
    >>> from sumlearn.data import load_example
    >>> rows = load_example("faithful").X
    >>> model = SVR(C=10.0, epsilon=5.0).fit(rows[:, :1], rows[:, 1])
    >>> model.predict([[2.0], [4.0]]).round(1).tolist(), len(model.support_)
    ([53.9, 79.1], 113)

    References
    ----------
    Lecture notes 001 and 003; Drucker et al. 1997; Smola & Schölkopf 2004; Fan, Chen & Lin 2005.
    """

    description = Description(
        offers=(
            Offer(
                "rbf_svr", "SVR with a Gaussian kernel", 59, {"gamma": "spread"},
                (Tuning("C", (1.0, 10.0), unit="deviation"), Tuning("epsilon", (0.05, 0.3), unit="deviation")),
                extra=True, most_rows=20_000, power=2.0,
            ),
        ),
        complexity=INVERSE_PENALTY,
        variants={
            "C": (0.1, 1.0, 10.0), "epsilon": (0.0, 0.1), "kernel": ("rbf", "linear"), "gamma": ("scale", "auto", 0.3),
            "shrinking": (True, False), "solver": ("smo",),
        },
        lacks={"sample": "a loss is minimised, no distribution is assumed"},
    )  # fmt: skip

    target = "number"

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: float = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: Any = False,
        max_iter: int = -1,
        solver: str = "smo",
        n_jobs: int | None = None,
        max_memory: float | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.solver = solver
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def check(self) -> None:
        self.check_search(self.C)
        if not is_number(self.epsilon) or not 0.0 <= self.epsilon < np.inf:
            raise ValueError(f"epsilon must be finite and not negative, got {self.epsilon!r}")

    def learn(self, rows: Chunk) -> dict[str, Any]:
        held = self.held(rows)
        y = held.y.astype(np.float64)
        middle = float(np.median(y))  # the sum of b is zero: targets may lie anywhere
        cost = float(self.C) * held.weight
        dual = Dual(y - middle, -cost, cost, np.zeros(len(y)), float(self.epsilon))
        found = self.minimised(held.matrix, dual)
        return self.of_one_output(held, found, found.level + middle)

    def predict(self, X: Any) -> np.ndarray:
        """f(x) for every row."""
        self.check_ready()
        return self.outputs(X, self.numbers_of_vectors())[:, 0].astype(self.float_dtype, copy=False)
