"""The efficient-estimator test: is the slope of the log-likelihood a multiple of the estimator's error?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

PROBES = 8  # samples that the step of the derivative is tried on


@dataclass(frozen=True, eq=False)
class Efficiency:
    """The outcome of `efficiency` for every parameter value; vectors of d parameters have the shapes in brackets.

    Attributes
    ----------
    parameters : array (m,) [(m, d)]
        Values of w.
    efficiency : array (m,) [(m, d)]
        Squared correlation of slope and error: 1 if and only if one is a multiple of the other. [Squared canonical
        correlations, rising.]
    factor : array (m,) [(m, d, d)]
        lambda(w), the multiple; the Fisher information of the sample, if the estimator is efficient.
    information : array (m,) [(m, d, d)]
        E (d ln P / dw)^2 [E s s' with the gradient s], the Fisher information by simulation.
    bias : array (m,) [(m, d)]
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
    estimate: Callable[[Any], Any],
    sampler: Callable[[Any, np.random.Generator], Any],
    log_likelihood: Callable[[Any, Any], float],
    parameters: Any,
    n: int = 1000,
    *,
    tol: float = 1e-5,
    random_state: Any = None,
) -> Efficiency:
    """Test whether an estimator of one parameter, or of a vector of them, reaches the Cramer-Rao bound.

        efficient  <=>  d ln P(sample | w) / dw = lambda(w) (w^(sample) - w)  for every sample

    Cauchy and Schwarz give Var w^ >= 1 / E (d ln P / dw)^2 for an unbiased w^, with equality if and only if slope and
    error are proportional. So the squared correlation of the two over samples is the efficiency, and where the
    estimator is efficient the line through the origin fits every sample. For a vector the slope is a gradient and
    lambda a matrix: Cov w^ - lambda^-1 has no negative eigenvalue (the order of Loewner), and is zero with equality.

    Parameters
    ----------
    estimate : callable
        w^, a function of a sample.
    sampler : callable
        Function of (w, random generator): a sample.
    log_likelihood : callable
        ln P, a function of (sample, w); its derivative is taken numerically.
    parameters : float, array (m,) or array (m, d)
        Values of w to try, a number or a row each: a multiple must be found at every one.
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

    Least squares is efficient, with the matrix X'X / s^2:

    >>> X = np.vander(np.linspace(-1, 1, 9), 2)
    >>> draw = lambda w, rng: X @ w + 0.5 * rng.standard_normal(9)
    >>> log_p = lambda y, w: -((y - X @ w) ** 2).sum() / (2 * 0.5**2)
    >>> fit = lambda y: np.linalg.lstsq(X, y, rcond=None)[0]
    >>> study = efficiency(fit, draw, log_p, [[1.0, 2.0]], random_state=0)
    >>> study.efficient, study.factor[0].round(6).tolist(), (X.T @ X / 0.5**2).tolist()
    (True, [[15.0, 0.0], [0.0, 36.0]], [[15.0, 0.0], [0.0, 36.0]])

    References
    ----------
    Lecture note 000; Kay, "Fundamentals of statistical signal processing: estimation theory", 1993, chapter 3.
    """
    if n < 2:
        raise ValueError(f"n must be at least 2 samples, got {n}")
    rng = np.random.default_rng(random_state)
    points = np.atleast_1d(np.asarray(parameters, dtype=float))
    if points.ndim > 2 or not points.size or not np.isfinite(points).all():
        raise ValueError(f"parameters must be finite numbers, or rows of them, got {parameters!r}")
    if points.ndim == 2 and n <= points.shape[1]:
        raise ValueError(f"n must exceed the {points.shape[1]} parameters, got {n} samples")
    found = [at_point(estimate, sampler, log_likelihood, w, n, rng) for w in points]
    shares, factors, information, bias = (np.array(values) for values in list(zip(*found, strict=True))[:4])
    if points.ndim == 1:
        shares, factors, information, bias = (v.reshape(len(points)) for v in (shares, factors, information, bias))
    return Efficiency(points, shares, factors, information, bias, all(values[4] <= tol for values in found))


def at_point(
    estimate: Callable[[Any], Any], sampler: Any, log_likelihood: Any, w: Any, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float]:
    """(efficiency, factor, information, bias) and the relative distance from the plane through the origin."""
    w = float(w) if np.ndim(w) == 0 else w
    d = np.size(w)
    slopes, errors = np.empty((n, d)), np.empty((n, d))
    steps = np.empty(0)
    probes: list[Any] = []
    for i in range(n):
        sample = sampler(w, rng)
        errors[i] = np.reshape(np.asarray(estimate(sample), dtype=float) - w, d)
        probes.append(partial(log_likelihood, sample))
        if len(probes) == min(n, PROBES) or steps.size:
            steps = steps if steps.size else steps_of(probes, w, np.abs(errors[: i + 1]).max(axis=0))
            slopes[i + 1 - len(probes) : i + 1] = [gradient(function, w, steps) for function in probes]
            probes = []
    if not np.isfinite(slopes).all() or not np.isfinite(errors).all():
        raise ValueError(f"estimate or log_likelihood is not finite for a sample at w = {w}")
    if not np.ptp(slopes, axis=0).all():
        raise ValueError(f"log_likelihood has the same slope in every sample at w = {w}: it must depend on both")
    if not errors.any(axis=0).all():
        raise ValueError(f"the estimate is {w} in every sample: nothing is estimated")
    if np.linalg.matrix_rank(errors / np.abs(errors).max(axis=0)) < d:
        raise ValueError(f"the estimates at w = {w} lie in a plane: parameters depend on each other")
    factor = np.linalg.solve(errors.T @ errors, errors.T @ slopes).T
    distance = float((np.abs(slopes - errors @ factor.T).max(axis=0) / slopes.std(axis=0)).max())
    return canonical(slopes, errors), factor, slopes.T @ slopes / n, errors.mean(axis=0), distance


def canonical(slopes: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Squared canonical correlations, rising; of one column each, the squared correlation."""
    bases = [np.linalg.qr(values - values.mean(axis=0))[0] for values in (slopes, errors)]
    return np.sort(np.clip(np.linalg.svd(bases[0].T @ bases[1], compute_uv=False), 0.0, 1.0) ** 2)


def gradient(function: Callable[[Any], float], w: Any, steps: np.ndarray) -> np.ndarray:
    """Slopes along every parameter."""
    return np.array([slope(partial(along, function, w, j), np.ravel(w)[j], h) for j, h in enumerate(steps)])


def along(function: Callable[[Any], float], w: Any, j: int, value: float) -> float:
    """The function with parameter j changed."""
    return function(value if np.ndim(w) == 0 else np.where(np.arange(len(w)) == j, value, w))


def steps_of(functions: list[Any], w: Any, spread: np.ndarray) -> np.ndarray:
    """For every parameter the step whose slopes differ least from those of an eighth of it.

    The errors of the estimate have the scale on which ln P bends, which the size of w need not have. Where w has an end
    of its range nearby, large steps leave it and do not count.
    """
    for function in functions:
        function(w)  # an error at w itself is none of the step
    steps = []
    for j, largest in enumerate(spread):
        value = np.ravel(w)[j]
        tried = (largest or 1.0) * 0.125 ** np.arange(14)
        tried = tried[(tried > 2.0**-30 * abs(value)) | (np.arange(14) < 2)]  # smaller ones are lost in w + h
        slopes = np.array([[tried_slope(partial(along, f, w, j), value, h) for f in functions] for h in tried])
        change = np.abs(np.diff(slopes, axis=0)).sum(axis=1)
        steps.append(tried[1:][np.argmin(np.where(np.isfinite(change), change, np.inf))])
    return np.array(steps)


def tried_slope(function: Callable[[float], float], w: float, h: float) -> float:
    """`slope`, or NaN where the function has no value."""
    try:
        with np.errstate(all="ignore"):
            return slope(function, w, h)
    except (ValueError, ArithmeticError):
        return np.nan


def slope(function: Callable[[float], float], w: float, h: float) -> float:
    """Derivative at w by differences of fourth order."""
    near, far = function(w + h) - function(w - h), function(w + 2 * h) - function(w - 2 * h)
    return float((8.0 * near - far) / (12.0 * h))
