"""What the lasso and the elastic net share: two roads to one minimum, and what is said of it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sparse
from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning

from ....data import Chunk
from ....statistics import Moments
from ....statistics.warnings import warn
from ...fitted import Fitted, narrowed
from ...linear_map import affine
from ...one_pass import OnePass
from ...precision import AtPrecision, is_exact, moments_of
from ...whole_rows import WholeRows
from .linear_model import residual_moments
from .sparse_path import SparsePath
from .sparse_paths import MOST_COLUMNS
from .sparse_rows import RowsPath

LACKS = {"sample": "a loss is minimised, no distribution is assumed; Ridge has the one of the squared loss"}


class SparseRegression(RegressorMixin):
    """f(x) = b'x + b0 with few b that are not zero; for `Roads`. The road follows from the number of columns."""

    many_targets: ClassVar[bool] = True
    statistic_type: ClassVar[Any] = AtPrecision(Moments)
    private: ClassVar[tuple[str, ...]] = ("_plane",)
    alpha: float
    fit_intercept: bool
    positive: bool
    precompute: Any
    warm_start: bool
    max_iter: int
    tol: float
    selection: str
    l1_ratio: Any
    n_features_in_: int
    solved: Any  # of the learner
    in_blocks: Any

    coef_ = Fitted("Coefficients b, (features,) or (targets, features).")
    intercept_ = Fitted("Intercept b0, a number or (targets,).")
    dual_gap_ = Fitted("A bound of what is left to gain, in units of the objective; one number for each target.")
    n_iter_ = Fitted("Sweeps over the columns; one number for each target.")

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        if isinstance(self.alpha, bool) or not isinstance(self.alpha, int | float | np.number):
            raise TypeError(f"alpha must be a number, got {self.alpha!r}")
        check_options(self)
        check_ratio(self.l1_ratio)
        if not (np.isfinite(self.alpha) and self.alpha >= 0):
            raise ValueError(f"alpha must be finite and not negative, got {self.alpha!r}")
        if self.alpha == 0:
            warn(
                "With alpha=0, this algorithm does not converge well. You are advised to use the LinearRegression "
                "estimator: it says more of the same solution, such as standard errors",
                UserWarning,
            )

    def road(self) -> Any:
        """Sums up to so many columns, or where there are some; the rows themselves above."""
        basis = self.__dict__.get("basis_")
        inputs = self.__dict__.get("n_features_in_", 0)
        columns = inputs if basis is None else basis.size(inputs)
        options: dict[str, Any] = {
            "alpha": self.alpha,
            "l1_ratio": check_ratio(self.l1_ratio),
            "fit_intercept": self.fit_intercept,
            "positive": self.positive,
            "max_iter": self.max_iter,
            "tol": self.tol,
            "precompute": self.precompute,
            "basis": getattr(self, "basis", None),
            "precision": getattr(self, "precision", None),
        }
        summed = columns <= MOST_COLUMNS or "statistic_" in self.__dict__
        return (OnMoments if summed else OnRows)(**options)

    def summarise(self, chunk: Chunk, look: Any = None) -> Moments:
        """The statistic of some rows, where the road is a sum."""
        return moments_of(self, chunk.X, chunk.y, chunk.weight)

    def predict(self, X: Any) -> np.ndarray:
        """b'x + b0 for every row."""

        def answer(rows: Any) -> np.ndarray:
            return affine(rows, *self.plane())

        return self.in_blocks(X, answer, sparse_ok=True)

    def plane(self) -> Any:
        """Coefficients and intercept, centre and level: x -> f(x)."""
        return self.solved()["_plane"] if "statistic_" in self.__dict__ else self.__dict__["_plane"]

    def residual_moments(self, moments: Moments) -> Moments:
        """Moments of y - f(x), from the moments of (x, y) of any rows: squared errors without the rows."""
        coef, intercept, centre, level = self.plane()
        return residual_moments(
            moments, {"coef_": coef.T, "intercept_": intercept, "centre": centre, "level": np.atleast_1d(level)}
        )

    @property
    def sparse_coef_(self) -> Any:
        """The coefficients as a sparse matrix, a row for each target."""
        return sparse.csr_matrix(np.atleast_2d(self.coef_))


def check_options(learner: Any) -> None:
    """Refuse options that Lasso, ElasticNet and their cross-validated forms share, and that make no sense."""
    if learner.selection not in ("cyclic", "random"):
        raise ValueError(f"selection must be 'cyclic' or 'random', got {learner.selection!r}")
    if isinstance(learner.precompute, str) and learner.precompute != "auto":
        raise ValueError(f"precompute must be True, False, 'auto' or a Gram matrix, got {learner.precompute!r}")
    if not (isinstance(learner.max_iter, int | np.integer) and learner.max_iter >= 1):
        raise ValueError(f"max_iter must be a whole number above 0, got {learner.max_iter!r}")
    if not (isinstance(learner.tol, int | float | np.number) and learner.tol >= 0):
        raise ValueError(f"tol must not be negative, got {learner.tol!r}")


def check_ratio(l1_ratio: Any) -> float:
    """The share of the L1 penalty, as a number."""
    number = isinstance(l1_ratio, int | float | np.number) and not isinstance(l1_ratio, bool)
    if not number or not 0.0 <= l1_ratio <= 1.0:
        raise ValueError(f"l1_ratio must lie between 0 and 1, got {l1_ratio!r}")
    return float(l1_ratio)


class SparseOptions:
    """Parameters of both roads."""

    def __init__(
        self,
        alpha: float = 1.0,
        l1_ratio: float = 1.0,
        fit_intercept: bool = True,
        positive: bool = False,
        max_iter: int = 1000,
        tol: float = 1e-4,
        precompute: Any = False,
        basis: Any = None,
        precision: str | None = None,
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.max_iter = max_iter
        self.tol = tol
        self.precompute = precompute
        self.basis = basis
        self.precision = precision

    many_targets: ClassVar[bool] = True
    _single_target: bool
    float_dtype: Any

    def attributes(self, path: SparsePath | RowsPath) -> dict[str, Any]:
        """Fitted attributes of a path of one penalty."""
        single = self.__dict__.get("_single_target", len(path.beta) == 1)
        report(path, self.max_iter)
        coef, intercept = path.beta[:, :, 0], path.levels()
        shown = narrowed(coef, self.float_dtype), narrowed(intercept, self.float_dtype)
        centre, level = path.far()
        plane = (shown[0].T, shown[1], centre, level) if not single else (shown[0][0], shown[1][0], centre, level[0])
        return {
            "coef_": shown[0][0] if single else shown[0],
            "intercept_": (shown[1][0] if single else shown[1]) if self.fit_intercept else 0.0,
            "dual_gap_": float(path.gaps[0, 0]) if single else path.gaps[:, 0],
            "n_iter_": int(path.sweeps[0, 0]) if single else path.sweeps[:, 0].tolist(),
            "_plane": plane,
        }


class OnMoments(SparseOptions, OnePass):
    """The road over sums: the model adds up, and other penalties need no row."""

    statistic_type = AtPrecision(Moments)

    def summarise(self, chunk: Chunk, look: Any = None) -> Moments:
        return moments_of(self, chunk.X, chunk.y, chunk.weight)

    def solution(self, statistic: Moments) -> dict[str, Any]:
        if statistic.targets == 0:
            raise ValueError("the lasso needs moments of (x, y); these have no target")
        alphas = np.array([float(self.alpha)])
        if hasattr(self.precompute, "__array__"):
            compare(np.asarray(self.precompute, dtype=float), statistic, self.fit_intercept)
        return self.attributes(
            SparsePath.of(statistic, alphas, self.l1_ratio, self.fit_intercept, self.positive, self.max_iter, self.tol)
        )


class OnRows(SparseOptions, WholeRows):
    """The road over rows in memory, where there are so many columns that their products are too many."""

    sparse_ok = True

    def learn(self, rows: Chunk) -> dict[str, Any]:
        if is_exact(self):
            raise ValueError(f"precision='exact' belongs to sums, and there are none above {MOST_COLUMNS} columns")
        alphas = np.array([float(self.alpha)])
        return self.attributes(
            RowsPath.of(rows, alphas, self.l1_ratio, self.fit_intercept, self.positive, self.max_iter, self.tol)
        )

    def sum_of(self, source: Any, watch: Any = None) -> Any:
        """Refuse: there are no sums."""
        raise ValueError(
            f"{source.features} columns: above {MOST_COLUMNS} the rows are needed together, and there is no "
            "partial_fit; use fit"
        )


def compare(given: np.ndarray, moments: Moments, intercept: bool) -> None:
    """Hold a Gram matrix that was given against the sums, which are used: it must belong to the same rows."""
    d = moments.features
    centred = moments.scatter[:d, :d]
    raw = centred + moments.weight * np.outer(moments.mean[:d], moments.mean[:d])
    expected = centred if intercept else raw
    close = 1e-3 if np.asarray(given).dtype == np.float32 else 1e-5
    if given.shape != expected.shape:
        raise ValueError(f"precompute has the shape {given.shape}, but the products of {d} columns are {d} x {d}")
    for scale in (1.0, moments.rows / moments.weight):  # scikit-learn's weights add up to the number of rows
        if np.allclose(given, scale * expected, rtol=close, atol=close * scale * np.abs(expected).max(initial=0.0)):
            return
    if intercept and not np.allclose(centred, raw, rtol=1e-10):
        warn("Gram matrix was provided but X was centered to fit intercept: recomputing Gram matrix.", UserWarning)
        return
    raise ValueError(
        "Gram matrix passed in via 'precompute' parameter did not pass validation when a single element was checked - "
        "please check that it was computed properly."
    )


def report(path: SparsePath | RowsPath, most: int) -> None:
    """Warn where the minimum was not reached."""
    if not path.converged.all():
        warn(
            f"Objective did not converge in {most} sweeps. You might want to increase the number of iterations, check "
            f"the scale of the features or consider increasing regularisation. Duality gap: {path.gaps.max():.3e}",
            ConvergenceWarning,
        )
