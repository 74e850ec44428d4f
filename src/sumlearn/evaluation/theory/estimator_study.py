"""How good an estimator is: bias, variance, mean squared error and efficiency, by simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..row_values import number_or_array


@dataclass(frozen=True, eq=False)
class EstimatorStudy:
    """The outcome of `estimator_study`; numbers, or arrays for an estimator of several parameters.

    Attributes
    ----------
    mean, bias, variance, mse
        E w^, E w^ - w, Var w^, E (w^ - w)^2, over the samples; mse = bias^2 + variance up to (n - 1) / n.
    bias_error
        Standard error of `bias`: a bias of two such errors may be chance.
    efficiency
        bound / variance, if the bound was given, else None. For a matrix B as the bound of a vector, L' C^-1 L with
        B = L L' and C the covariance: the unit matrix where the bound is reached.
    covariance : array (d, d) or None
        Cov w^ of a vector, over the samples; None of numbers and other arrays.
    replicates : array (n, ...)
        All estimates.
    """

    mean: Any
    bias: Any
    variance: Any
    mse: Any
    bias_error: Any
    efficiency: Any
    replicates: np.ndarray
    covariance: np.ndarray | None = None

    @property
    def efficiencies(self) -> np.ndarray:
        """Eigenvalues of the matrix efficiency, rising: those of the worst and of the best linear function a'w^."""
        if np.ndim(self.efficiency) != 2 or self.covariance is None:
            raise ValueError("efficiencies are those of a vector: give its bound as a matrix")
        return np.linalg.eigvalsh(self.efficiency)

    @property
    def respects_bound(self) -> bool:
        """Whether Cov w^ >= bound in the order of Loewner (a'Cov a >= a'bound a for all a), up to chance."""
        largest = self.efficiencies[-1]
        n, d = self.replicates.shape
        chance = 1.0 / max(1.0 - (d / n) ** 0.5 - 3.0 * (2.0 / n) ** 0.5, 1e-3) ** 2
        return bool(largest <= chance)

    @property
    def unbiased(self) -> bool:
        """Whether no bias was found: all of them within three standard errors."""
        return bool(np.all(np.abs(self.bias) <= 3.0 * self.bias_error))


def estimator_study(
    estimate: Callable[[Any], Any],
    sampler: Callable[[np.random.Generator], Any],
    true: Any,
    n: int = 1000,
    *,
    bound: Any = None,
    random_state: Any = None,
) -> EstimatorStudy:
    """Bias, variance and mean squared error of an estimator, and its efficiency against the Cramer-Rao bound.

        bias = E w^ - w,  E (w^ - w)^2 = bias^2 + Var w^,  efficiency = bound / Var w^,  bound = 1 / (N I(w))

    Of a vector, Cov w^ - bound has no negative eigenvalue (the order of Loewner), bound = (N I(w))^-1, a matrix.

    An unbiased estimator has efficiency at most 1. A biased one may lie below the bound: maximum likelihood is not
    always unbiased, its variance of a normal sample is too small by (N - 1) / N.

    Parameters
    ----------
    estimate : callable
        Function of a sample: a number or an array.
    sampler : callable
        Function of a NumPy random generator: a sample.
    true : float or array
        What is estimated.
    n : int, default=1000
        Number of samples.
    bound : float or array, default=None
        Smallest variance that an unbiased estimator can have; for a vector also the matrix of the smallest covariance.
    random_state : int, Generator or None
        Source of the samples.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn.evaluation import estimator_study
    >>> draw = lambda rng: rng.standard_normal(101)
    >>> for estimate in (np.mean, np.median):
    ...     study = estimator_study(estimate, draw, 0.0, 20_000, bound=1 / 101, random_state=0)
    ...     print(study.unbiased, round(study.efficiency, 2))
    True 1.0
    True 0.64

    Least squares reaches its bound, the matrix (X'X)^-1 s^2, and half of the rows does not:

    >>> X, w = np.vander(np.linspace(-1, 1, 40), 3), np.array([1.0, 0.0, 2.0])
    >>> draw = lambda rng: X @ w + 0.5 * rng.standard_normal(40)
    >>> for rows in (slice(None), slice(None, None, 2)):
    ...     fit = lambda y: np.linalg.lstsq(X[rows], y[rows], rcond=None)[0]
    ...     study = estimator_study(fit, draw, w, 5000, bound=0.25 * np.linalg.inv(X.T @ X), random_state=0)
    ...     print(study.unbiased, study.respects_bound, study.efficiencies.round(2))
    True True [0.96 0.99 1.03]
    True True [0.43 0.49 0.55]

    References
    ----------
    Lecture note 000; Rao, "Information and the accuracy attainable in the estimation of statistical parameters", 1945.
    """
    if n < 2:
        raise ValueError(f"n must be at least 2 samples, got {n}")
    rng = np.random.default_rng(random_state)
    values = np.array([np.asarray(estimate(sampler(rng)), dtype=float) for _ in range(n)])
    target = np.asarray(true, dtype=float)
    if target.shape != values.shape[1:]:
        raise ValueError(f"true has shape {target.shape} and an estimate {values.shape[1:]}")
    for row in np.flatnonzero(~np.isfinite(values.reshape(n, -1)).all(axis=1))[:1]:
        raise ValueError(f"the estimate of sample {row} is not finite")
    variance = values.var(axis=0, ddof=1)
    covariance = np.atleast_2d(np.cov(values.T)) if target.ndim == 1 else None
    return EstimatorStudy(
        mean=number_or_array(values.mean(axis=0)),
        bias=number_or_array(values.mean(axis=0) - target),
        variance=number_or_array(variance),
        mse=number_or_array(((values - target) ** 2).mean(axis=0)),
        bias_error=number_or_array(np.sqrt(variance / n)),
        efficiency=None if bound is None else efficiency_of(np.asarray(bound, dtype=float), variance, covariance),
        replicates=values,
        covariance=covariance,
    )


def efficiency_of(bound: np.ndarray, variance: np.ndarray, covariance: np.ndarray | None) -> Any:
    """bound / variance, or L' C^-1 L for the bound L L' of a vector with covariance C."""
    if bound.ndim < 2 or covariance is None:
        if not np.all(bound > 0):
            raise ValueError(f"bound must be positive, got {bound.tolist()!r}")
        with np.errstate(divide="ignore"):
            return number_or_array(bound / variance)
    if bound.shape != covariance.shape:
        raise ValueError(f"bound has shape {bound.shape}, the covariance of an estimate {covariance.shape}")
    if not np.allclose(bound, bound.T, rtol=1e-9, atol=0.0) or np.linalg.eigvalsh(bound)[0] <= 0:
        raise ValueError("bound must be a symmetric matrix, positive definite")
    unit = np.sqrt(np.diag(covariance))
    if not unit.all() or np.linalg.matrix_rank(covariance / np.outer(unit, unit), hermitian=True) < len(unit):
        raise ValueError("the estimates lie in a plane: their covariance is singular, and has no matrix efficiency")
    L = np.linalg.cholesky(bound)
    scaled = L / unit[:, None]
    return scaled.T @ np.linalg.solve(covariance / np.outer(unit, unit), scaled)
