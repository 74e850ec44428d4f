"""The two roads to a truncated singular value decomposition: products of all columns, or passes over the rows."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ....data import Chunk
from ....engines import one_blas_thread
from ....features.input_ranges import whole_number
from ....statistics import Moments
from ....statistics.warnings import warn
from ...fitted import check_variances, narrowed
from ...one_pass import OnePass
from ...passes import Passes
from ...stepwise import Stepwise
from .axes import axes_of, sharpened, upright
from .krylov import Krylov, first_block, grown, image
from .sums import SeveralSums, floating_rows, times

MOST_SUMMED = 512  # columns up to which their products are added up
MOST_PASSES = 300
BLOCKS = 12  # of directions that are kept, where passes go on until they stand still
ALGORITHMS = ("randomized", "arpack", "sums")
NORMALIZERS = ("auto", "QR", "LU", "none")


class SingularOptions:
    """Parameters of both roads, and what they say of a decomposition."""

    target: ClassVar[str | None] = None
    float_dtype: Any  # of the learner

    def __init__(
        self,
        n_components: int = 2,
        *,
        algorithm: str = "randomized",
        n_iter: int = 5,
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: Any = None,
        tol: float = 0.0,
    ) -> None:
        self.n_components = n_components
        self.algorithm = algorithm
        self.n_iter = n_iter
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.tol = tol

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        whole_number(self.n_components, "n_components", 1)
        whole_number(self.n_iter, "n_iter", 0)
        whole_number(self.n_oversamples, "n_oversamples", 1)
        for name, choices in (("algorithm", ALGORITHMS), ("power_iteration_normalizer", NORMALIZERS)):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, got {getattr(self, name)!r}")
        if not (isinstance(self.tol, int | float | np.number) and self.tol >= 0):
            raise ValueError(f"tol must not be negative, got {self.tol!r}")

    def decomposition(self, moments: Moments, columns: Moments, basis: np.ndarray | None = None) -> dict[str, Any]:
        """Fitted attributes from moments of the rows, or of their coordinates in a basis; `columns` are of all."""
        axes = axes_of(moments, centred=False)
        check_variances(columns.deviation)
        k, rows = self.n_components, axes.rows(moments, centred=False)
        features = columns.columns
        if k > min(rows, features):
            raise ValueError(
                f"n_components({k}) must be <= min(n_samples, n_features)={min(rows, features)}: n_features({features})"
                + f"; it needs at least {k} rows" * (rows < k)
            )
        axes = sharpened(axes, moments, min(k + 1, rows), centred=False)
        turn = axes.directions(k)
        variance = variance_along(moments, turn)
        whole, along = float((columns.deviation**2).sum()), axes.over(moments.weight)
        left = along[k:].sum() if basis is None else whole + (columns.mean**2).sum() - along[:k].sum()
        components = turn if basis is None else upright(turn @ basis.T)
        dtype = self.float_dtype
        return {
            "components_": components.astype(dtype),
            "singular_values_": narrowed(axes.singular_values[:k], dtype),
            "explained_variance_": narrowed(variance, dtype),
            "explained_variance_ratio_": (variance / whole if whole > 0 else 0.0 * variance).astype(dtype),
            "left_out_": max(float(left), 0.0),
        }


def variance_along(moments: Moments, axes: np.ndarray) -> np.ndarray:
    """Variance along some axes about the mean, divisor W."""
    held = moments.factor()
    if held is not None:
        return np.asarray(((held @ axes.T) ** 2).sum(axis=0) / moments.weight)
    return np.asarray(np.einsum("ij,jk,ik->i", axes, moments.scatter, axes) / moments.weight)


class SingularBySums(SingularOptions, OnePass):
    """The road over products of all columns: exact, and it adds up."""

    statistic_type = Moments

    def summarise(self, chunk: Chunk, look: Any = None) -> Moments:
        return Moments.of(chunk.X, weight=chunk.weight)

    def solution(self, statistic: Moments) -> dict[str, Any]:
        self.check()
        return self.decomposition(statistic, statistic)


class Stand(NamedTuple):
    """Where the passes stand; in the end, with moments of the coordinates of the rows along the directions found."""

    krylov: Krylov
    fine: float  # share of the largest eigenvalue that is rounding
    moments: Moments | None = None


class SingularByPasses(SingularOptions, Stepwise):
    """The road of passes over the rows, where there are too many columns for their products."""

    limit = None

    @property
    def size(self) -> int:
        """Directions in a block."""
        return self.n_components + self.n_oversamples

    def start(self, rows: Passes, look: Any) -> Stand:
        features = rows.source.features
        if self.n_components > features:
            raise ValueError(f"n_components({self.n_components}) must be <= n_features({features}).")
        rounding = 50.0 * float(np.finfo(rows.source.dtype).eps)
        return Stand(first_block(features, self.size, check_random_state(self.random_state)), rounding)

    def step(self, state: Stand, rows: Passes) -> Stand:
        before = state.krylov
        sums = rows.total_numbered(partial(image, before.directions[:, before.sent :], before.passes == 0))
        blocks = self.n_iter + 2 if self.algorithm == "randomized" else BLOCKS
        with one_blas_thread():  # its threads spin between products of a few columns
            after = grown(before, sums, blocks * self.size, state.fine)
        if not self.found(after, state.fine):
            return Stand(after, state.fine)
        return Stand(after, state.fine, rows.total_numbered(partial(coordinates, after.axes(self.size))).parts[0])

    def found(self, krylov: Krylov, fine: float) -> bool:
        """Whether the directions are good enough, or nothing new is to be had."""
        if krylov.sent == krylov.directions.shape[1]:
            return True
        if self.algorithm == "randomized":
            return krylov.passes > self.n_iter
        good = krylov.misfit[: self.n_components] <= max(self.tol, fine) * krylov.values[0]
        if krylov.passes == MOST_PASSES and not good.all():
            warn(
                f"{MOST_PASSES} passes were not enough for tol={self.tol!r}: increase tol or n_oversamples",
                ConvergenceWarning,
            )
        return bool(good.all()) or krylov.passes == MOST_PASSES

    def done(self, before: Stand, after: Stand) -> bool:
        return after.moments is not None

    def attributes(self, state: Stand) -> dict[str, Any]:
        assert state.moments is not None
        return self.decomposition(state.moments, state.krylov.columns, state.krylov.axes(self.size))

    def sum_of(self, source: Any, watch: Any = None) -> Any:
        """Refuse: there are no sums."""
        raise ValueError(
            f"{source.features} columns: above {MOST_SUMMED} their products are not added up, and there is no "
            "partial_fit; use fit, or algorithm='sums'"
        )


def coordinates(axes: np.ndarray, chunk: Chunk, span: slice) -> SeveralSums:
    """Moments of the coordinates of some rows along some axes."""
    X, _, weight, _ = floating_rows(chunk)
    assert weight is not None
    with np.errstate(over="ignore", invalid="ignore"):
        return SeveralSums.of(weight, Moments.of(times(X, axes.astype(X.dtype)), weight=weight))
