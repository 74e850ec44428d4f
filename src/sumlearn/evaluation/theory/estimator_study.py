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
        bound / variance, if the bound was given, else None.
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
        Smallest variance that an unbiased estimator can have.
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
    if bound is not None and not np.all(np.asarray(bound, dtype=float) > 0):
        raise ValueError(f"bound must be positive, got {bound!r}")
    with np.errstate(divide="ignore"):
        efficiency = None if bound is None else number_or_array(np.asarray(bound, dtype=float) / variance)
    return EstimatorStudy(
        mean=number_or_array(values.mean(axis=0)),
        bias=number_or_array(values.mean(axis=0) - target),
        variance=number_or_array(variance),
        mse=number_or_array(((values - target) ** 2).mean(axis=0)),
        bias_error=number_or_array(np.sqrt(variance / n)),
        efficiency=efficiency,
        replicates=values,
    )
