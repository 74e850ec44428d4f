"""The evidence of a Gaussian linear model as a function of one number, and where it is largest.

    y ~ N(Phi u, I / beta),  u ~ N(0, I / alpha),   r = alpha / beta,   Phi'Phi = Q diag(l) Q',  c = Q'Phi'y

    E(r)     = |y - Phi u|^2 + r |u|^2 at its minimum = rest + sum_j c_j^2 r / (l_j (l_j + r))
    gamma(r) = sum_j l_j / (l_j + r)                       well-determined directions
    ln p(y)  = N/2 ln(beta / 2 pi) - beta E / 2 - 1/2 sum_j ln(1 + l_j / r)

Everything comes from the sums Phi'Phi, Phi'y, y'y and N. For estimated beta it is N / E(r); the slope in t = ln r,

    2 d ln p / dt = gamma - beta dE/dt            (alpha estimated: MacKay's alpha |u|^2 = gamma)
    2 d ln p / dt = gamma - N + beta (E - dE/dt)  (alpha given, beta = alpha / r: N - gamma = beta |y - Phi u|^2),

has its zero refined to the last digits, starting from the best point of a grid: there may be several maxima.

References: MacKay, "Bayesian interpolation", 1992; Bishop, "Pattern recognition and machine learning", 2006, sec. 3.5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import brentq

LOWEST, HIGHEST = -85.0, 36.0  # of ln(r / largest l): beyond, shrinking is no longer seen, or nothing else is
STEP = 0.5
EVEN = 2.0**10  # factor of their lengths below which columns are of one size
FLAT = 1e-10  # a gain below this share of the log evidence is rounding

Curve = Callable[[np.ndarray], np.ndarray]


class Precisions(NamedTuple):
    """alpha and beta, and the ratio r; alpha and r are infinite where the data ask for no slope at all."""

    alpha: float
    beta: float
    ratio: float


@dataclass(frozen=True)
class Spectrum:
    """A least-squares problem in the coordinates of its principal directions."""

    values: np.ndarray  # l, exactly zero where rounding is all there is
    vectors: np.ndarray  # Q
    projected: np.ndarray  # c, zero where l is
    rest: float  # squared error of least squares, and that of the last digit of y
    count: float  # N

    @classmethod
    def of(cls, gram: np.ndarray, cross: np.ndarray, rest: float, count: float) -> Spectrum:
        """Columns of very different size are brought to one first, where rounding hides no small direction."""
        diagonal = np.maximum(gram.diagonal(), 0.0)
        length = np.ldexp(1.0, np.frexp(np.sqrt(np.where(diagonal > 0, diagonal, diagonal.max(initial=0.0))))[1])
        even = bool(length.max() <= EVEN * length.min())
        values, vectors = np.linalg.eigh(gram if even else gram / length[:, None] / length)
        real = values > 4.0 * len(values) * np.finfo(float).eps * values.max(initial=0.0)
        if even:
            values = np.where(real, values, 0.0)
        else:
            values, vectors = graded(length[:, None] * vectors[:, real] * np.sqrt(values[real]))
        return cls(values, vectors, np.where(values > 0, vectors.T @ cross, 0.0), rest, count)

    @cached_property
    def explained(self) -> np.ndarray:
        """c^2 / l: the squared error that each direction takes away in least squares."""
        return np.divide(self.projected**2, self.values, out=np.zeros_like(self.values), where=self.values > 0)

    def errors(self, r: np.ndarray) -> np.ndarray:
        """E(r)."""
        return self.rest + (1.0 / (1.0 + np.divide.outer(self.values, r).T)) @ self.explained

    def errors_slope(self, r: np.ndarray) -> np.ndarray:
        """dE / d ln r, which is r |u|^2."""
        relative = np.divide.outer(self.values, r).T
        return (relative / (1.0 + relative) ** 2) @ self.explained

    def gamma(self, r: np.ndarray) -> np.ndarray:
        """sum l / (l + r)."""
        return (self.values / (self.values + r[:, None])).sum(axis=1)

    def log_volume(self, r: np.ndarray) -> np.ndarray:
        """1/2 sum ln(1 + l / r): how much narrower the posterior is than the prior."""
        return 0.5 * np.log1p(np.divide.outer(self.values, r)).sum(axis=0)

    def log_evidence(self, precisions: Precisions) -> float:
        """ln p(y), per unit of whatever has a flat prior."""
        beta, ratio = precisions.beta, np.array([precisions.ratio])
        noise = self.count * np.log(beta / (2.0 * np.pi)) - beta * self.errors(ratio)[0]
        return float(0.5 * noise - self.log_volume(ratio)[0])

    def coefficients(self, ratio: float) -> np.ndarray:
        """The mean of u, (Phi'Phi + r I)^-1 Phi'y."""
        return self.vectors @ (self.projected / (self.values + ratio))

    def root(self, precisions: Precisions) -> np.ndarray:
        """R with R'R = (alpha I + beta Phi'Phi)^-1; zero for infinite alpha."""
        return self.vectors.T / np.sqrt(precisions.beta * (self.values + precisions.ratio))[:, None]


def graded(factor: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues of F F' and all eigenvectors, small ones with their digits although rows of F differ in size.

    Jacobi's singular values of F do that, where an eigenvalue in double is a difference of the large ones.
    """
    d, rank = factor.shape
    values = np.zeros(d)
    if not rank:
        return values, np.eye(d)
    roots, vectors, _, work, _, info = lapack.dgejsv(factor, joba=3, jobu=1, jobv=3)
    if info:
        raise np.linalg.LinAlgError("singular values did not converge")
    values[:rank] = (roots * (work[0] / work[1])) ** 2
    return values, vectors


def best_precisions(spectrum: Spectrum, alpha: float | None, beta: float | None) -> Precisions:
    """alpha and beta of the largest evidence; those that are given stay."""
    if alpha is not None and beta is not None:
        return Precisions(alpha, beta, alpha / beta)
    if not spectrum.values.any():  # nothing is linear in anything
        found = spectrum.count / spectrum.rest if beta is None else beta
        return Precisions(np.inf if alpha is None else alpha, found, np.inf if alpha is None else alpha / found)
    return ratio_for_noise(spectrum, alpha) if alpha is not None else ratio_for_prior(spectrum, beta)


def ratio_for_prior(spectrum: Spectrum, beta: float | None) -> Precisions:
    """alpha estimated, beta with it or given."""

    def noise(r: np.ndarray) -> np.ndarray:
        return spectrum.count / spectrum.errors(r) if beta is None else np.full(len(r), beta)

    def slope(t: np.ndarray) -> np.ndarray:
        r = np.exp(t)
        return spectrum.gamma(r) - noise(r) * spectrum.errors_slope(r)

    def value(t: np.ndarray) -> np.ndarray:
        r = np.exp(t)
        fitted = noise(r)
        likelihood = spectrum.count * np.log(fitted) - fitted * spectrum.errors(r)
        return 0.5 * likelihood - spectrum.log_volume(r)

    top = np.log(spectrum.values.max())
    t = highest(value, slope, top + LOWEST, top + HIGHEST, limit=float(value(np.array([np.inf]))[0]))
    ratio = np.inf if t is None else float(np.exp(t))
    fitted = float(noise(np.array([ratio]))[0])
    return Precisions(ratio * fitted, fitted, ratio)


def ratio_for_noise(spectrum: Spectrum, alpha: float) -> Precisions:
    """beta estimated, alpha given. The slope changes its sign between two known values of beta."""

    def slope(t: np.ndarray) -> np.ndarray:
        r = np.exp(t)
        errors = spectrum.errors(r) - spectrum.errors_slope(r)
        return spectrum.gamma(r) - spectrum.count + alpha / r * errors

    def value(t: np.ndarray) -> np.ndarray:
        r = np.exp(t)
        return 0.5 * (-spectrum.count * t - alpha / r * spectrum.errors(r)) - spectrum.log_volume(r)

    whole = spectrum.errors(np.array([np.inf]))[0]
    least = spectrum.count / (spectrum.values.sum() / alpha + whole)
    low, high = np.log(alpha * spectrum.rest / spectrum.count), np.log(alpha / least)
    t = highest(value, slope, low - STEP, high + STEP)
    ratio = float(np.exp(high if t is None else t))
    return Precisions(alpha, alpha / ratio, ratio)


def highest(value: Curve, slope: Curve, low: float, high: float, limit: float = -np.inf) -> float | None:
    """The t of the largest value, its slope zero to the last digits; None if none exceeds the limit at infinity."""
    grid = np.linspace(low, high, int(np.ceil((high - low) / STEP)) + 1)
    values = value(grid)
    best = int(np.argmax(values))
    if values[best] <= limit + FLAT * max(1.0, abs(limit)) or best == len(grid) - 1:
        return None
    fine = np.linspace(grid[max(best - 1, 0)], grid[best + 1], 17)
    signs = slope(fine)
    turns = np.flatnonzero((signs[:-1] > 0) & (signs[1:] <= 0))
    if not len(turns):
        return float(grid[best])
    at = int(turns[np.argmax(value(fine[turns]))])

    def rise(t: float) -> float:
        return float(slope(np.array([t]))[0])

    if rise(fine[at]) <= 0.0 or rise(fine[at + 1]) > 0.0:  # a zero at the end, but for the rounding of longer sums
        return float(min(fine[at : at + 2], key=lambda t: abs(rise(t))))
    return float(brentq(rise, fine[at], fine[at + 1], xtol=1e-15, rtol=1e-15))
