"""Inference on least squares and ridge regression, from the sums alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....statistics import Moments, in_words
from ...inference import Inference, WaldTest, parameter_names, plain, with_gaps
from ...validation import term_name
from .geometry import Geometry

WEIGHTS = ("frequency", "precision")
LARGEST = 1e75  # products of variances of two columns stay in range
PENALISED = (
    "The penalty biases the estimates towards zero: standard errors and intervals say how they scatter about their "
    "own mean, not about the true coefficients, and there are no valid t or F tests. alpha=0 has them."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearInference(Inference):
    """Inference on f(x) = b'x + b0 with normal noise of equal variance.

    V = s2 (X'X)^-1     s2 = RSS / (N - p)     Fisher information X'X / s2
    with a penalty: V = s2 A^-1 X'X A^-1,   A = X'X + alpha I,   p = tr(A^-1 X'X)
    """

    noise_variance: Any  # s2
    residual_squares: Any  # RSS
    total_squares: Any  # of y about its mean, or about zero without an intercept
    rank: int  # independent columns, without the intercept
    variance_inflation: np.ndarray  # 1 / (1 - R_j^2); infinite for dependent columns
    geometries: tuple[Geometry, ...]  # one for each target
    robust: bool = False

    @property
    def r2(self) -> Any:
        """1 - RSS / TSS; a constant target is explained fully or not at all."""
        RSS, TSS = np.asarray(self.residual_squares), np.asarray(self.total_squares)
        share = 1.0 - RSS / np.where(TSS > 0, TSS, 1.0)
        return plain(np.where(TSS > 0, share, np.where(RSS == 0, 1.0, 0.0)))

    @property
    def adjusted_r2(self) -> Any:
        """1 - (1 - R2) (N - 1) / (N - p), N - 1 being N without an intercept."""
        return plain(1.0 - (1.0 - np.asarray(self.r2)) * (self.weight - self.has_intercept) / self.degrees)

    @property
    def f_test(self) -> WaldTest:
        """All coefficients but the intercept are zero: F = (TSS - RSS) / (r s2)."""
        from scipy.stats import f

        self.refuse_if_biased()
        if not self.rank:
            raise ValueError("no column varies: there is nothing to test")
        if self.robust:
            tested = ~np.isnan(self.standard_errors).reshape(-1, len(self.names)).any(axis=0)
            tested[: int(self.has_intercept)] = False
            return self.wald_test(np.eye(len(self.names))[tested])
        with np.errstate(divide="ignore"):
            F = np.divide(self.total_squares - self.residual_squares, self.rank * self.noise_variance)
        return WaldTest(plain(F), self.rank, self.degrees, plain(f.sf(F, self.rank, self.degrees)))

    @property
    def has_intercept(self) -> bool:
        return self.geometries[0].intercept

    def facts(self) -> tuple[tuple[str, Any], ...]:
        if self.groups:
            return (("rows", self.weight),)
        facts = [("rows", self.weight), ("degrees of freedom", self.degrees), ("noise s", self.noise_variance**0.5)]
        facts += [("R2", self.r2), ("adjusted R2", self.adjusted_r2)]
        if not self.biased and self.rank:
            test = self.f_test
            facts.append(("F", f"{test.statistic:.5g} ({test.degrees}, {self.degrees:.5g}), p = {test.p_value:.3g}"))
        if self.likelihood is not None:
            facts += [("log-likelihood", self.likelihood), ("AIC", self.aic), ("BIC", self.bic)]
        return tuple(facts)


def linear_inference(model: Any, weights: str = "frequency", covariance: Any = None) -> LinearInference:
    """The inference of a linear model; `covariance` takes the place of its own, for all else that follows."""
    if weights not in WEIGHTS:
        raise ValueError(f"weights must be 'frequency' or 'precision', got {weights!r}")
    if getattr(model, "positive", False):
        raise ValueError("coefficients that are held at b >= 0 have no normal distribution: positive=True")
    solution, moments = model.solved(), in_words(model.statistic_)
    check_sizes(model, moments)
    alpha = np.broadcast_to(solution["alpha"], (moments.targets,))
    cache: dict[float, Geometry] = {float(a): Geometry.of(moments, float(a), model.fit_intercept) for a in set(alpha)}
    geometries = tuple(cache[float(a)] for a in alpha)
    if weights == "precision" and vars(model).get("_removed") and not moments.holds_rows:
        raise ValueError(
            "rows were forgotten by weight, so that a sum cannot tell how many are left, with a part of their weight: "
            "fit the rows that stay anew, or take weights='frequency'"
        )
    N = moments.weight if weights == "frequency" else float(moments.rows)
    RSS, TSS = sums_of_squares(moments, solution["parameters"], model.fit_intercept)
    effective = np.array([np.trace(geometry.shrinkage) for geometry in geometries])
    if (N - effective).min() <= 1e-9 * N:
        raise ValueError(f"{N:g} rows and {effective.max():g} parameters leave no degrees of freedom for the noise")
    s2 = RSS / (N - effective)
    V = np.array([s * geometry.covariance for s, geometry in zip(s2, geometries, strict=True)])
    bound = Geometry.of(moments, 0.0, model.fit_intercept) if alpha.any() else geometries[0]
    information = second_moments(moments, model.fit_intercept)
    single = solution["coef_"].ndim == 1
    one = first if single else np.asarray
    with np.errstate(divide="ignore"):
        information = information / s2[:, None, None]
    return LinearInference(
        model=type(model).__name__,
        names=parameter_names([term_name(model, j) for j in range(moments.features)], model.fit_intercept),
        groups=() if single else tuple(f"target {i}" for i in range(moments.targets)),
        estimates=one(solution["parameters"]),
        spread=one(V) if covariance is None else given(covariance, one(V).shape),
        blind=one(np.array([geometry.undetermined for geometry in geometries])),
        fisher_information=one(information),
        cramer_rao=one(with_gaps(s2[:, None, None] * bound.covariance, bound.undetermined)),
        degrees=one(N - effective),
        weight=N,
        parameters=one(effective),
        likelihood=one(log_likelihood(N, RSS)) if weights == "frequency" or moments.weight == N else None,
        null=min(geometries, key=lambda geometry: geometry.alpha).directions,
        biased=PENALISED if alpha.any() else "",
        noise_variance=one(s2),
        residual_squares=one(RSS),
        total_squares=one(TSS),
        rank=bound.root.shape[1],
        variance_inflation=inflation(bound, moments),
        geometries=geometries,
        robust=covariance is not None,
    )


def check_sizes(model: Any, moments: Moments) -> None:
    """Refuse columns whose squares are no floating-point numbers."""
    size = np.maximum(moments.deviation, np.abs(moments.mean))
    bad = (size > LARGEST) | ((size < 1.0 / LARGEST) & (size > 0))
    for j in np.flatnonzero(bad)[:1]:
        name = f"column {term_name(model, int(j))!r}" if j < moments.features else "y"
        raise ValueError(f"the squares of {name}, of size {size[j]:.0e}, are out of range: rescale it")


def sums_of_squares(moments: Moments, parameters: np.ndarray, intercept: bool) -> tuple[np.ndarray, np.ndarray]:
    """RSS and TSS of every target; RSS as the moments of y - b'x in two words, which cancel no digits that matter."""
    coef = parameters[:, int(intercept) :]
    residuals = moments.project(np.vstack([-coef.T, np.eye(moments.targets)]))
    RSS, TSS = residuals.squares, moments.squares[moments.features :]
    if not intercept:  # with one, residuals have the mean zero
        RSS = RSS + moments.weight * residuals.mean**2
        TSS = TSS + moments.weight * moments.mean[moments.features :] ** 2
    return np.maximum(RSS, 0.0), TSS


def second_moments(moments: Moments, intercept: bool) -> np.ndarray:
    """X'X, with a column of ones first if there is an intercept."""
    d, W = moments.features, moments.weight
    m = moments.mean[:d]
    G = moments.scatter[:d, :d] + W * np.outer(m, m)
    return np.block([[np.array([[W]]), W * m[None]], [W * m[:, None], G]]) if intercept else G


def log_likelihood(N: float, RSS: np.ndarray) -> np.ndarray:
    """-N/2 (ln 2 pi + ln RSS/N + 1)."""
    with np.errstate(divide="ignore"):
        return -0.5 * N * (np.log(2.0 * np.pi) + np.log(RSS / N) + 1.0)


def inflation(geometry: Geometry, moments: Moments) -> np.ndarray:
    """Diagonal of the inverse of the correlation matrix."""
    d = moments.features
    squares = moments.squares[:d]
    if not geometry.intercept:
        squares = squares + moments.weight * moments.mean[:d] ** 2
    return np.where(geometry.blind, np.inf, (geometry.root**2).sum(axis=1) * squares)


def first(values: np.ndarray) -> Any:
    return plain(values[0])


def given(covariance: Any, shape: tuple[int, ...]) -> np.ndarray:
    covariance = np.asarray(covariance, dtype=float)
    if covariance.shape != shape:
        raise ValueError(f"covariance must have shape {shape}, one row for each parameter, got {covariance.shape}")
    return covariance
