"""The efficient-estimator test: is the slope of the log-likelihood a multiple of the estimator's error?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Efficiency:
    """The outcome of `efficiency` for every parameter value.

    Attributes
    ----------
    parameters : array (m,)
        Values of w.
    efficiency : array (m,)
        Squared correlation of slope and error: 1 if and only if one is a multiple of the other.
    factor : array (m,)
        lambda(w), the multiple; the Fisher information of the sample, if the estimator is efficient.
    information : array (m,)
        E (d ln P / dw)^2, the Fisher information by simulation.
    bias : array (m,)
        E w^ - w.
    efficient : bool
        Whether d ln P / dw = lambda(w) (w^ - w) in every sample, to the precision of the derivative.
    """

    parameters: np.ndarray
    efficiency: np.ndarray
    factor: np.ndarray
    information: np.ndarray
    bias: np.ndarray
    efficient: bool


def efficiency(
    estimate: Callable[[Any], float],
    sampler: Callable[[float, np.random.Generator], Any],
    log_likelihood: Callable[[Any, float], float],
    parameters: Any,
    n: int = 1000,
    *,
    tol: float = 1e-5,
    random_state: Any = None,
) -> Efficiency:
    """Test whether an estimator of one parameter reaches the Cramer-Rao bound.

        efficient  <=>  d ln P(sample | w) / dw = lambda(w) (w^(sample) - w)  for every sample

    Cauchy and Schwarz give Var w^ >= 1 / E (d ln P / dw)^2 for an unbiased w^, with equality if and only if slope and
    error are proportional. So the squared correlation of the two over samples is the efficiency, and where the
    estimator is efficient the line through the origin fits every sample.

    Parameters
    ----------
    estimate : callable
        w^, a function of a sample.
    sampler : callable
        Function of (w, random generator): a sample.
    log_likelihood : callable
        ln P, a function of (sample, w); its derivative is taken numerically.
    parameters : float or array
        Values of w to try: a multiple must be found at each.
    n : int, default=1000
        Samples for each value.
    tol : float, default=1e-5
        Largest distance from the line, relative to the spread of the slope.
    random_state : int, Generator or None
        Source of the samples.

    Examples
    --------
    The mean of an exponential sample is efficient, its median (scaled) is not:

    >>> import numpy as np
    >>> from sumlearn.evaluation import efficiency
    >>> draw = lambda w, rng: rng.exponential(w, 20)
    >>> log_p = lambda x, w: -len(x) * np.log(w) - x.sum() / w
    >>> study = efficiency(np.mean, draw, log_p, [1.0, 2.0], random_state=0)
    >>> study.efficient, study.factor.round(2).tolist()                     # N / w^2
    (True, [20.0, 5.0])
    >>> efficiency(lambda x: np.median(x) / np.log(2), draw, log_p, 1.0, random_state=0).efficient
    False

    References
    ----------
    Lecture note 000; Kay, "Fundamentals of statistical signal processing: estimation theory", 1993, chapter 3.
    """
    if n < 2:
        raise ValueError(f"n must be at least 2 samples, got {n}")
    rng = np.random.default_rng(random_state)
    points = np.atleast_1d(np.asarray(parameters, dtype=float))
    if points.ndim != 1 or not points.size or not np.isfinite(points).all():
        raise ValueError(f"parameters must be finite numbers, got {parameters!r}")
    by_value = [at_point(estimate, sampler, log_likelihood, float(w), n, rng) for w in points]
    share, factor, information, bias = np.array([values for values, _ in by_value]).T
    return Efficiency(points, share, factor, information, bias, all(distance <= tol for _, distance in by_value))


def at_point(
    estimate: Callable[[Any], float], sampler: Any, log_likelihood: Any, w: float, n: int, rng: np.random.Generator
) -> tuple[tuple[float, float, float, float], float]:
    """(efficiency, factor, information, bias) and the relative distance from the line through the origin."""
    slopes, errors = np.empty(n), np.empty(n)
    h = 1e-4 * max(abs(w), 1e-2)
    for i in range(n):
        sample = sampler(w, rng)
        errors[i] = float(estimate(sample)) - w
        slopes[i] = slope(partial(log_likelihood, sample), w, h)
    if not np.isfinite(slopes).all() or not np.isfinite(errors).all():
        raise ValueError(f"estimate or log_likelihood is not finite for a sample at w = {w}")
    if not errors.any():
        raise ValueError(f"the estimate is {w} in every sample: nothing is estimated")
    factor = float(slopes @ errors / (errors @ errors))
    distance = float(np.abs(slopes - factor * errors).max() / slopes.std())
    spread = slopes.std() * errors.std()
    correlation = float(np.mean((slopes - slopes.mean()) * (errors - errors.mean())) / spread) if spread else 0.0
    return (correlation**2, factor, float(np.mean(slopes**2)), float(errors.mean())), distance


def slope(function: Callable[[float], float], w: float, h: float) -> float:
    """Derivative at w by differences of fourth order."""
    near, far = function(w + h) - function(w - h), function(w + 2 * h) - function(w - 2 * h)
    return float((8.0 * near - far) / (12.0 * h))
