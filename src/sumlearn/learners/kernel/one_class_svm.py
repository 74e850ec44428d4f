"""Where rows come from, as a set: the support of a distribution, by kernels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import OutlierMixin

from ...data import Chunk
from ...features.input_ranges import is_number
from ...objectives.duals import Dual
from ..description import BY_FEATURES, Description
from ..whole_rows import WholeRows
from .parts.support_vectors import SupportVectors

BORDER = 1e-9  # of rho: scores that are zero but for rounding


class OneClassSVM(SupportVectors, OutlierMixin, WholeRows):
    """The half-space far from the origin that holds most rows, in the space of a kernel; the others are outliers.

        min_w,r  |w|^2 / 2 - r + 1 / (nu W) sum_n s_n max(0, r - w'phi(x_n)),     f(x) = sum_n a_n k(x_n, x) - rho
        min_a    1/2 sum_nm a_n a_m k(x_n, x_m),   0 <= a_n <= s_n,   sum a_n = nu W,   W = sum s_n

    At most a share nu of the weight lies outside, and at least that share are support vectors. (The numbers a are
    those of libsvm, nu W times those of the first line.) The search is that of `SVC`.

    Statistic: none, all rows are in memory, with up to `cache_size` of kernel rows. No merge, no forget.
    Cost: between O(n^2 d) and O(n^3); predict O(support vectors d) a row.

    Parameters
    ----------
    kernel, degree, gamma, coef0 : default="rbf", 3, "scale", 0.0
        As for `SVC`.
    tol : float, default=1e-3
        Slope that a pair of numbers may be left with, as in libsvm.
    nu : float, default=0.5
        Share of the weight that may lie outside, above 0 and at most 1.
    shrinking, cache_size, verbose, max_iter : default=True, 200, False, -1
        As for `SVC`.
    solver : {"smo", "dual_qp"}, default="smo"
        Another road to the same minimum, for up to 4,000 rows.
    n_jobs : int or None, default=None
        Threads; None is all. The same answer for any number.
    max_memory : float or None, default=None
        Bytes that the fit may take, refused beforehand; None is what is free.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, offset_, fit_status_, shape_fit_, n_iter_
        As in scikit-learn; `coef_` with the linear kernel.
    dual_gap_, objective_ : float
        What could still be gained at most, of the first line times (nu W)^2; and its value.
    kernel_ : Kernel
        The kernel with numbers for words.

    Examples
    --------
    >>> from sumlearn import OneClassSVM
    >>> from sumlearn.data import load_example
    >>> rows = load_example("faithful").X
    >>> model = OneClassSVM(nu=0.1).fit(rows)
    >>> model.predict([[2.0, 55.0], [3.0, 95.0]]).tolist(), round(float((model.predict(rows) < 0).mean()), 3)
    ([1, -1], 0.096)

    References
    ----------
    Schölkopf et al., "Estimating the support of a high-dimensional distribution", 2001; Fan, Chen & Lin 2005.
    """

    description = Description(
        complexity=BY_FEATURES,
        variants={
            "nu": (0.1, 0.5), "kernel": ("rbf", "linear"), "gamma": ("scale", "auto", 0.3), "shrinking": (True, False),
        },
        lacks={"sample": "a set is learnt, no distribution"},
    )  # fmt: skip

    target = None

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: float = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
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
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.solver = solver
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def check(self) -> None:
        self.check_search()
        if not is_number(self.nu) or not 0.0 < self.nu <= 1.0:
            raise ValueError(f"nu must be above 0 and at most 1, got {self.nu!r}")
        if self.solver == "interior_point":
            raise ValueError("solver='interior_point' is for losses of single rows: use 'smo' or 'dual_qp'")

    def learn(self, rows: Chunk) -> dict[str, Any]:
        held = self.held(rows, centred=False)
        n, unit = len(held.weight), unit_of(held.weight)
        weight = held.weight / unit  # the border is that of all weights times a number, so tol must be, too
        before = np.concatenate([[0.0], np.cumsum(weight)[:-1]])
        start = np.clip(float(self.nu) * float(weight.sum()) - before, 0.0, weight)  # the first rows hold all of it
        found = self.minimised(held.matrix, Dual(np.zeros(n), np.zeros(n), weight, np.zeros(n)), start)
        found = replace(
            found, beta=found.beta * unit, level=found.level * unit,
            gap=found.gap * unit * unit, objective=found.objective * unit * unit,
        )  # fmt: skip
        values = self.of_one_output(held, found, found.level)
        return values | {"offset_": -values["intercept_"]}

    def decision_function(self, X: Any) -> np.ndarray:
        """f(x): positive inside, zero on the border, where the vectors at no bound lie, negative for outliers."""
        self.check_ready()
        scores = self.outputs(X, self.numbers_of_vectors())[:, 0]
        scores = np.where(np.abs(scores) <= BORDER * np.abs(self.offset_), 0.0, scores)
        return scores.astype(self.float_dtype, copy=False)

    def move_threshold(self, offset: float) -> Self:
        """Accept rows from another score on, such as one that rows left out have told."""
        self.check_ready()
        level = np.array([-float(offset)])
        self.__dict__.update(_level=level, intercept_=level.copy(), offset_=-level)
        return self

    def score_samples(self, X: Any) -> np.ndarray:
        """f(x) + rho: larger where rows are dense."""
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """1 inside and on the border, -1 for outliers."""
        return np.where(self.decision_function(X) >= 0, 1, -1).astype(np.intp)


def unit_of(weight: np.ndarray) -> float:
    """The power of two next to the mean weight, one for weights of about one."""
    most = float(weight.max())
    return float(np.ldexp(1.0, round(np.log2(most) + np.log2(np.mean(weight / most)))))
