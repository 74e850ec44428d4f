"""Automatic relevance determination from sums: a precision for each weight, infinite where the evidence wants it out.

    w_j ~ N(0, 1 / a_j),   Sigma = (diag(a) + beta G)^-1,   mu = beta Sigma g,   G = Phi'Phi,  g = Phi'y

One weight at a time the evidence has its maximum in closed form. With S and Q of a weight that is out,

    S_j = beta G_jj - beta^2 G_j Sigma G_j',   Q_j = beta g_j - beta G_j mu

(s = S, q = Q; for one that is in s = 1 / Sigma_jj - a, q = mu_j / Sigma_jj), the best a_j is s^2 / (q^2 - s) if
q^2 > s, else infinity: the weight is zero. The step that gains most is taken, until none gains; then Newton's method
in the logarithms of a and beta brings the gradient to zero. It is a local maximum: the evidence may have several.

References: MacKay, "Bayesian non-linear modeling for the prediction competition", 1994; Tipping, "Sparse Bayesian
learning and the relevance vector machine", 2001; Tipping & Faul, "Fast marginal likelihood maximisation for sparse
Bayesian models", 2003.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import lapack
from sklearn.exceptions import ConvergenceWarning

from ....statistics import Moments
from ....statistics.warnings import warn
from .evidence import Precisions
from .posterior import Posterior, Sums, assembled, scaled, sums_of

ROUNDS, STEPS = 50, 10_000
GAIN = 1e-9  # a step that gains less leaves the rest to Newton's method
STILL = 1e-12  # a gradient below this is zero
DEPENDENT = 1e-10  # share of a column that the others must leave for it to be let in
CLOSEST = 1e-13  # share of the squares of y that is always noise: beyond, correlations with the residual are rounding


@dataclass(frozen=True)
class Weights:
    """Precisions of the weights (infinite for those that are out) and of the noise, and the posterior they give."""

    gram: np.ndarray  # unit diagonal
    cross: np.ndarray
    plain: np.ndarray  # weights of least squares
    rest: float  # their squared error
    count: float
    alpha: np.ndarray
    beta: float

    def moved(self, alpha: np.ndarray, beta: float) -> Weights:
        return Weights(self.gram, self.cross, self.plain, self.rest, self.count, alpha, beta)

    @cached_property
    def inside(self) -> np.ndarray:
        return np.flatnonzero(np.isfinite(self.alpha))

    @cached_property
    def inverse_factor(self) -> np.ndarray:
        """U^-1 with diag(a) + beta G = U'U."""
        inside = self.inside
        if not len(inside):
            return np.zeros((0, 0))
        factor, _ = lapack.dpotrf(np.diag(self.alpha[inside]) + self.beta * self.gram[np.ix_(inside, inside)], clean=1)
        return lapack.dtrtri(factor)[0]

    @cached_property
    def sigma(self) -> np.ndarray:
        return self.inverse_factor @ self.inverse_factor.T

    @cached_property
    def mu(self) -> np.ndarray:
        return self.beta * self.sigma @ self.cross[self.inside]

    @cached_property
    def gamma(self) -> np.ndarray:
        """How well each weight that is in is determined by the data, from 0 to 1."""
        return 1.0 - self.alpha[self.inside] * self.sigma.diagonal()

    @cached_property
    def errors(self) -> float:
        """|y - Phi mu|^2, as that of least squares and what mu is away from it."""
        away = -self.plain
        away[self.inside] += self.mu
        return self.rest + max(float(away @ self.gram @ away), 0.0)

    @cached_property
    def log_evidence(self) -> float:
        a = self.alpha[self.inside]
        volume = np.log(a).sum() + 2.0 * np.log(self.inverse_factor.diagonal()).sum()
        noise = self.count * np.log(self.beta / (2.0 * np.pi)) - self.beta * self.errors
        return float(0.5 * (noise - a @ self.mu**2 + volume))

    def sparsity_and_quality(self) -> tuple[np.ndarray, np.ndarray]:
        """s and q of every weight, as if it were out."""
        G, inside, beta = self.gram[:, self.inside], self.inside, self.beta
        s = beta * self.gram.diagonal() - beta**2 * ((G @ self.sigma) * G).sum(axis=1)
        q = beta * (self.cross - G @ self.mu)
        s[inside] = np.maximum(1.0 / self.sigma.diagonal() - self.alpha[inside], 0.0)
        q[inside] = self.mu / self.sigma.diagonal()
        return s, q


def ascended(weights: Weights, estimate_noise: bool) -> Weights:
    """The nearest maximum of the evidence."""
    for _ in range(ROUNDS):
        weights = one_at_a_time(weights, estimate_noise)
        weights = polished(weights, estimate_noise)
        if best_step(weights)[1] <= GAIN:
            return weights
    warn("the precisions of ard=True have not settled: the evidence is flat", ConvergenceWarning)
    return weights


def one_at_a_time(weights: Weights, estimate_noise: bool) -> Weights:
    for _ in range(STEPS):
        (which, alpha), gain = best_step(weights)
        if gain > GAIN:
            changed = weights.alpha.copy()
            changed[which] = alpha
            weights = weights.moved(changed, weights.beta)
        before = weights.beta
        if estimate_noise:  # MacKay's N - gamma = beta |y - Phi mu|^2
            free = max(weights.count - weights.gamma.sum(), 1e-3 * weights.count)
            weights = weights.moved(weights.alpha, free / weights.errors)
        if gain <= GAIN and abs(np.log(weights.beta / before)) < GAIN:
            break
    return weights


def best_step(weights: Weights) -> tuple[tuple[int, float], float]:
    """The weight whose new precision gains most: (which, precision) and the gain."""
    s, q = weights.sparsity_and_quality()
    out = ~np.isfinite(weights.alpha)
    allowed = (s > DEPENDENT * weights.beta * weights.gram.diagonal()) | ~out
    theta = q**2 - s
    wanted = np.where((theta > 0) & allowed, s**2 / np.where(theta > 0, theta, 1.0), np.inf)
    gains = log_share(wanted, s, q) - log_share(weights.alpha, s, q)
    which = int(np.argmax(gains)) if len(gains) else 0
    return (which, float(wanted[which])) if len(gains) else (0, np.inf), float(gains.max(initial=0.0))


def log_share(alpha: np.ndarray, s: np.ndarray, q: np.ndarray) -> np.ndarray:
    """What a weight adds to the evidence: (ln a - ln(a + s) + q^2 / (a + s)) / 2; nothing if it is out."""
    inside = np.isfinite(alpha)
    a = np.where(inside, alpha, 1.0)
    positive = np.maximum(s, 0.0)
    return np.where(inside, 0.5 * (q**2 / (a + positive) - np.log1p(positive / a)), 0.0)


def polished(weights: Weights, estimate_noise: bool) -> Weights:
    """Newton's method in ln a and ln beta, as long as it climbs."""
    for _ in range(100):
        slope, curvature = derivatives(weights)
        if not estimate_noise:
            slope, curvature = slope[:-1], curvature[:-1, :-1]
        if np.abs(slope).max(initial=0.0) <= STILL * max(weights.count, 1.0):
            return weights
        factor, failed = lapack.dpotrf(-curvature)
        if failed:
            return weights
        step = lapack.dpotrs(factor, slope)[0]
        step *= min(1.0, 2.0 / np.abs(step).max())
        alpha = weights.alpha.copy()
        alpha[weights.inside] *= np.exp(step[: len(weights.inside)])
        further = weights.moved(alpha, weights.beta * float(np.exp(step[-1])) if estimate_noise else weights.beta)
        if further.log_evidence < weights.log_evidence - 1e-12 * abs(weights.log_evidence):
            return weights
        weights = further
    return weights


def derivatives(weights: Weights) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and Hessian of the log evidence in (ln a of the weights that are in, ln beta)."""
    a, sigma, mu = weights.alpha[weights.inside], weights.sigma, weights.mu
    pull, both = a * mu, sigma * a  # both is Sigma diag(a)
    turned = sigma @ pull  # d mu / d ln beta
    squared = (both * sigma).sum(axis=1)  # diagonal of Sigma diag(a) Sigma
    lost = a * (sigma.diagonal() - squared)
    slope = 0.5 * np.append(
        weights.gamma - a * mu**2, weights.count - weights.gamma.sum() - weights.beta * weights.errors
    )
    curvature = np.empty((len(a) + 1, len(a) + 1))
    curvature[:-1, :-1] = 0.5 * np.outer(a, a) * sigma**2 + np.outer(pull, pull) * sigma
    curvature[:-1, :-1] -= 0.5 * np.diag(a * (sigma.diagonal() + mu**2))
    curvature[-1, :-1] = curvature[:-1, -1] = 0.5 * lost - pull * turned
    curvature[-1, -1] = 0.5 * (-lost.sum() - weights.beta * weights.errors) + pull @ turned
    return slope, curvature


def relevance(moments: Moments, intercept: bool, beta: float | None) -> Posterior:
    """b_j ~ N(0, 1 / alpha_j), b0 flat; every alpha is estimated, beta too if it is None."""
    sums = sums_of(moments, intercept)
    diagonal = sums.gram.diagonal()
    varying = np.flatnonzero(diagonal > 0)
    if not np.isfinite(sums.plain[varying]).all():
        column = varying[np.argmin(np.isfinite(sums.plain[varying]))]
        raise ValueError(f"the coefficient of column {column} overflows: rescale the data")
    unit = np.sqrt(diagonal[varying])  # precisions of its own make the unit of a column immaterial
    found = ascended(start_of(sums, varying, unit, beta), beta is None)
    alpha, coef = np.full(len(diagonal), np.inf), np.zeros(len(diagonal))
    inside = varying[found.inside]
    scale = unit[found.inside]
    alpha[inside] = np.ldexp(found.alpha[found.inside] * scale**2, -2 * sums.slope_unit)
    coef[inside] = np.ldexp(found.mu / scale, sums.slope_unit)
    root = np.zeros((len(inside), len(diagonal)))
    root[:, inside] = found.inverse_factor.T / scale
    precisions = Precisions(np.inf, found.beta, np.inf)
    whole = assembled(sums, coef, root, precisions, float(found.gamma.sum()), found.log_evidence)
    return whole._replace(alpha=alpha)


def start_of(sums: Sums, varying: np.ndarray, unit: np.ndarray, beta: float | None) -> Weights:
    """All weights out; a tenth of the variance of y is noise."""
    gram = sums.gram[np.ix_(varying, varying)] / np.outer(unit, unit)
    cross = sums.cross[varying] / unit
    rest = max(sums.rest, CLOSEST * sums.squares)
    noise = 10.0 * sums.count / max(sums.squares, sums.rest) if beta is None else scaled(beta, 2 * sums.y_unit)
    return Weights(gram, cross, sums.plain[varying] * unit, rest, sums.count, np.full(len(varying), np.inf), noise)
