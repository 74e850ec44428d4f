"""Posteriors of linear models with Gaussian noise, from moments: means, covariances and evidence in natural units.

Inputs and targets are counted in powers of two about as large as they are, so that a change of units changes no digit;
and inputs from their mean, where the value c = b0 + b'm and the slopes b are independent under a flat prior of b0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from ....solvers.normal_equations import least_squares
from ....statistics import Moments
from .evidence import Precisions, Spectrum, best_precisions
from .linear_model import residual_moments, squared_errors

LAST_DIGIT = 2.0**-52  # of y: no residual is known to be smaller
NO_ERROR = 1e-100  # in units of y, where it is zero
SMALLEST, LARGEST = 1e-290, 1e290
NOTHING = -(2**20)  # the exponent of zero
REACH = 510  # exponents of two within which squares and their reciprocals are numbers


@dataclass(frozen=True)
class Sums:
    """Sums of squares and products in units of 2**x_unit and 2**y_unit, about the mean or about zero."""

    gram: np.ndarray
    cross: np.ndarray
    squares: float
    plain: np.ndarray  # slopes of least squares
    rest: float  # their squared error, and that of the last digit of y
    count: float  # N: rows less what a flat prior of b0 takes
    weight: float
    intercept: bool
    mean: np.ndarray  # of the inputs; zero without an intercept
    level: float  # mean of y; zero without an intercept
    x_unit: int
    y_unit: int

    @property
    def slope_unit(self) -> int:
        return self.y_unit - self.x_unit


class Posterior(NamedTuple):
    """f(x) = level + coef'(x - mean), with a root of the covariance of (level, coef) and the precisions behind it.

    Sums of squares of the root keep the digits of small variances beside large ones, which the covariance loses.
    """

    mean: np.ndarray
    level: float
    coef: np.ndarray
    root: np.ndarray  # R, with a column for the level and for each slope; R'R is the covariance
    alpha: float | np.ndarray
    beta: float
    gamma: float
    log_evidence: float

    @property
    def covariance(self) -> np.ndarray:
        """Of the slopes."""
        return self.root[:, 1:].T @ self.root[:, 1:]

    def variance(self, X: np.ndarray) -> np.ndarray:
        """Variance of f(x), for every row."""
        return ((self.root[:, 0] + (X - self.mean) @ self.root[:, 1:].T) ** 2).sum(axis=1)

    def as_prior(self, intercept: bool) -> tuple[np.ndarray, np.ndarray]:
        """Mean and precision of the slopes, or of (b0, slopes)."""
        if not (np.isfinite(self.alpha).all() and self.root[:, 1:].any(axis=0).all()):
            raise ValueError("alpha_ is infinite: a weight that is certainly zero is no prior that data could change")
        if not intercept:
            return self.coef, precision_of(self.root[:, 1:])
        shift = np.eye(len(self.coef) + 1)
        shift[0, 1:] = self.mean  # level = b0 + b'm
        mean = np.append(self.level - self.coef @ self.mean, self.coef)
        return mean, shift.T @ precision_of(self.root) @ shift


def precision_of(root: np.ndarray) -> np.ndarray:
    """(R'R)^-1."""
    inverse = np.linalg.inv(root)
    return inverse @ inverse.T


def sums_of(moments: Moments, intercept: bool) -> Sums:
    """What the posterior needs, in units that suit it."""
    d, e, W = moments.features, moments.exponent, moments.weight
    S, m = moments.spread.hi, moments.centre.hi
    if not intercept:
        S = S + W * np.outer(m, m)
    x_unit, y_unit = units_of(S.diagonal(), e, LAST_DIGIT * np.sqrt(W) * abs(m[d]))
    units = e - np.append(np.full(d, x_unit), y_unit)
    plain, rest = least_squared(moments, intercept)
    with np.errstate(under="ignore", over="ignore"):
        S = np.ldexp(S, units[:, None] + units)
        plain, rest = np.ldexp(plain, x_unit - y_unit), np.ldexp(rest, -2 * y_unit)
    count = max(W - 1.0, 0.5 * W) if intercept else W  # a weight below two rows still says something
    digit = LAST_DIGIT**2 * (S[d, d] / W + (np.ldexp(m[d], units[d]) ** 2 if intercept else 0.0)) * count
    return Sums(
        gram=S[:d, :d],
        cross=S[:d, d],
        squares=float(S[d, d]),
        plain=plain,
        rest=max(float(rest + digit), NO_ERROR),
        count=count,
        weight=W,
        intercept=intercept,
        mean=moments.mean[:d] if intercept else np.zeros(d),
        level=float(moments.mean[d]) if intercept else 0.0,
        x_unit=x_unit,
        y_unit=y_unit,
    )


def units_of(diagonal: np.ndarray, exponent: np.ndarray, y_digit: float) -> tuple[int, int]:
    """Powers of two about as large as the longest column of X, and as y or the last digit of its mean."""
    size = np.sqrt(np.maximum(diagonal, 0.0))
    size[-1] = max(size[-1], y_digit)
    units = np.where(size > 0, np.frexp(size)[1] + exponent, NOTHING)
    column, y_unit = int(np.argmax(units[:-1])), int(units[-1])
    x_unit = int(units[column])
    x_unit, y_unit = (0 if unit == NOTHING else unit for unit in (x_unit, y_unit))
    for unit, what in (
        (x_unit, f"the variance of column {column} leaves"),
        (y_unit, "the variance of y leaves"),
        (y_unit - x_unit, f"the variance of y and that of column {column} are so different that their ratio leaves"),
    ):
        if abs(unit) > REACH:
            raise ValueError(f"{what} the range of numbers: rescale the data")
    return x_unit, y_unit


def least_squared(moments: Moments, intercept: bool) -> tuple[np.ndarray, float]:
    """Slopes of least squares and their squared error, to the digits of the sums: a difference of squares has fewer."""
    d = moments.features
    coef = least_squares(moments, intercept=intercept).coef
    line = {"coef_": coef, "centre": None, "intercept_": 0.0}
    if intercept:
        line |= {"centre": moments.mean[:d], "level": moments.mean[d:]}
    return coef[0], float(squared_errors(residual_moments(moments, line))[0])


def isotropic(moments: Moments, intercept: bool, alpha: float | None, beta: float | None) -> Posterior:
    """b ~ N(0, I / alpha), b0 flat; None is estimated by the evidence."""
    sums = sums_of(moments, intercept)
    spectrum = Spectrum.of(sums.gram, sums.cross, sums.rest, sums.count)
    precisions = best_precisions(
        spectrum,
        None if alpha is None else scaled(alpha, 2 * sums.slope_unit),
        None if beta is None else scaled(beta, 2 * sums.y_unit),
    )
    if np.isfinite(precisions.ratio):  # as precise as the sums, which eigenvectors are not
        ratio = float(np.ldexp(precisions.ratio, 2 * sums.x_unit))
        coef = least_squares(moments, ratio, intercept=intercept).coef[0]
    else:
        coef = np.zeros(moments.features)
    gamma = float(spectrum.gamma(np.array([precisions.ratio]))[0])
    return assembled(sums, coef, spectrum.root(precisions), precisions, gamma, spectrum.log_evidence(precisions))


def assembled(
    sums: Sums, coef: np.ndarray, root: np.ndarray, precisions: Precisions, gamma: float, log_evidence: float
) -> Posterior:
    """Natural units, with b0 flat: the level is independent of the slopes, and known as well as a mean is."""
    beta = float(np.ldexp(precisions.beta, -2 * sums.y_unit))
    return Posterior(
        mean=sums.mean,
        level=sums.level,
        coef=coef,
        root=with_level(np.ldexp(root, sums.slope_unit), sums, beta),
        alpha=float(np.ldexp(precisions.alpha, -2 * sums.slope_unit)),
        beta=beta,
        gamma=gamma,
        log_evidence=log_evidence + in_natural_units(sums, sums.count, flat=sums.intercept),
    )


def with_level(root: np.ndarray, sums: Sums, beta: float) -> np.ndarray:
    """The root for (level, slopes), of which the first is a mean of W rows, or nothing at all."""
    whole = np.zeros((len(root) + 1, root.shape[1] + 1))
    whole[0, 0] = (beta * sums.weight) ** -0.5 if sums.intercept else 0.0
    whole[1:, 1:] = root
    return whole if sums.intercept else whole[1:]


def in_natural_units(sums: Sums, count: float, flat: bool) -> float:
    """What a density of y gains by the change of units, and by the integral over a flat b0 of unit density."""
    return float(-count * sums.y_unit * np.log(2.0) - (0.5 * np.log(sums.weight) if flat else 0.0))


def with_prior(
    moments: Moments, intercept: bool, alpha: float | None, beta: float | None, mean: np.ndarray, precision: np.ndarray
) -> Posterior:
    """Weights ~ N(mean, (alpha P)^-1); they begin with b0 if P has a row more than there are slopes."""
    sums = sums_of(moments, intercept)
    d, covers = moments.features, len(mean) > moments.features
    gram, cross, count = sums.gram, sums.cross, sums.count
    if covers:  # in place of b0 its value amid the rows, c = b0 + b'm
        shift = np.eye(d + 1)
        shift[0, 1:] = -sums.mean
        precision = shift.T @ precision @ shift
        mean = np.append(mean[0] + sums.mean @ mean[1:], mean[1:])
        gram, count = np.zeros((d + 1, d + 1)), sums.weight
        gram[0, 0], gram[1:, 1:] = sums.weight, sums.gram
        cross = np.append(sums.weight * np.ldexp(sums.level, -sums.y_unit), sums.cross)
    units = np.full(len(mean), sums.slope_unit)
    units[: int(covers)] = sums.y_unit
    root = np.linalg.cholesky(np.ldexp(precision, units[:, None] + units)).T  # P = R'R, u = R (w - mean)
    back = solve_triangular(root, np.eye(len(mean)))
    start = np.ldexp(mean, -units)
    spectrum = Spectrum.of(back.T @ gram @ back, back.T @ (cross - gram @ start), sums.rest, count)
    precisions = best_precisions(spectrum, alpha, None if beta is None else scaled(beta, 2 * sums.y_unit))
    weights = np.ldexp(start + back @ spectrum.coefficients(precisions.ratio), units)
    root = np.ldexp(spectrum.root(precisions) @ back.T, units)
    beta = float(np.ldexp(precisions.beta, -2 * sums.y_unit))
    return Posterior(
        mean=sums.mean,
        level=float(weights[0]) if covers else sums.level,
        coef=weights[int(covers) :],
        root=root if covers else with_level(root, sums, beta),
        alpha=precisions.alpha,
        beta=beta,
        gamma=float(spectrum.gamma(np.array([precisions.ratio]))[0]),
        log_evidence=spectrum.log_evidence(precisions) + in_natural_units(sums, count, flat=intercept and not covers),
    )


def scaled(value: float, exponent: int) -> float:
    """value * 2**exponent, inside the range of numbers."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.clip(np.ldexp(value, exponent), SMALLEST, LARGEST))
