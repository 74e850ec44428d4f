"""Losses for ordered classes: a latent value lies between the two cuts of its class, with a known distribution F.

    l(a, b) = -log(F(b) - F(a)),     a = cut below - score,  b = cut above - score,  -inf <= a < b <= inf

It is convex in (a, b) because log F' is concave (Pratt 1981, Burridge 1981). What proves it also gives a Hessian that
is positive term by term, t_a, t_b, q >= 0:

    d2l = t_a da^2 + t_b db^2 + q (db - da)^2
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import erfcx, ndtr, ndtri

from .links import sigmoid


class OrdinalTerms(NamedTuple):
    """l, its slopes dl/da and dl/db, and the three parts of its Hessian, for every row."""

    value: np.ndarray
    slope_a: np.ndarray
    slope_b: np.ndarray
    t_a: np.ndarray
    t_b: np.ndarray
    q: np.ndarray


class OrdinalLoss(ABC):
    """l(a, b) with derivatives; `gap` = b - a is given, since the difference of large numbers would lose it."""

    name: ClassVar[str]
    target: ClassVar[str] = "ordered"
    coding: ClassVar[str] = "rank"

    @abstractmethod
    def terms(self, a: np.ndarray, b: np.ndarray, gap: np.ndarray) -> OrdinalTerms: ...

    @abstractmethod
    def quantile(self, below: np.ndarray, above: np.ndarray) -> np.ndarray:
        """F^-1(below), where above = 1 - below is given too: it keeps the digits of the upper tail."""


class OrderedLogit(OrdinalLoss):
    """F = sigma, the logistic function: proportional odds.

        F(b) - F(a) = sigma(b) sigma(-a) (1 - exp(a - b))

    so that l = log(1 + e^-b) + log(1 + e^a) - log(1 - e^-gap), without a difference of probabilities.

    >>> middle = OrderedLogit().terms(np.array([-1.0]), np.array([1.0]), np.array([2.0])).value
    >>> round(float(np.exp(-middle)[0]), 6)  # sigma(1) - sigma(-1)
    0.462117
    """

    name = "logit"

    def terms(self, a: np.ndarray, b: np.ndarray, gap: np.ndarray) -> OrdinalTerms:
        value = np.logaddexp(0.0, -b) + np.logaddexp(0.0, a) - np.log(-np.expm1(-gap))
        push = np.exp(-gap) / -np.expm1(-gap)  # 1 / (e^gap - 1)
        s_a, s_b = sigmoid(a), sigmoid(-b)
        return OrdinalTerms(value, s_a + push, -s_b - push, s_a * (1.0 - s_a), s_b * (1.0 - s_b), push * (1.0 + push))

    def quantile(self, below: np.ndarray, above: np.ndarray) -> np.ndarray:
        return np.log(below / above)


class OrderedProbit(OrdinalLoss):
    """F = Phi, the normal distribution.

    With r_a = phi(a) / (Phi(b) - Phi(a)), r_b likewise and m = r_a - r_b, the mean of a normal value between a and b:

        dl/da = r_a,  dl/db = -r_b,   t_a = r_a (m - a),  t_b = r_b (b - m),  q = r_a r_b

    Upper tails are turned into lower ones, and there the common factor exp(-b^2 / 2) is taken out (erfcx).

    >>> middle = OrderedProbit().terms(np.array([-1.0]), np.array([1.0]), np.array([2.0])).value
    >>> round(float(np.exp(-middle)[0]), 6)  # Phi(1) - Phi(-1)
    0.682689
    """

    name = "probit"

    def terms(self, a: np.ndarray, b: np.ndarray, gap: np.ndarray) -> OrdinalTerms:
        turned = a + b > 0
        low, high = np.where(turned, -b, a), np.where(turned, -a, b)  # now low + high <= 0
        tail, rest = np.minimum(high, 0.0), np.maximum(high, 0.0)
        fall = np.where(high > 0, -0.5 * low**2, 0.5 * gap * (low + high))  # log of phi(low) / phi(tail)
        scaled = erfcx(-np.sqrt(0.5) * tail) - np.exp(fall) * erfcx(-np.sqrt(0.5) * low)
        outside = np.where(high > 0, ndtr(-high) + ndtr(low), 0.0)
        share = np.where(high > 0, 2.0 - 2.0 * outside, scaled)  # 2 P / exp(-tail^2 / 2)
        value = np.where(high > 0, -np.log1p(-outside), 0.5 * tail**2 - np.log(0.5 * share))
        r_low = np.sqrt(2.0 / np.pi) * np.exp(fall) / share
        r_high = np.sqrt(2.0 / np.pi) * np.exp(-0.5 * rest**2) / share
        mean = r_low - r_high
        t_low = r_low * np.maximum(mean - np.where(np.isfinite(low), low, mean), 0.0)
        t_high = r_high * np.maximum(high - mean, 0.0)
        r_a, r_b = np.where(turned, r_high, r_low), np.where(turned, r_low, r_high)
        t_a, t_b = np.where(turned, t_high, t_low), np.where(turned, t_low, t_high)
        return OrdinalTerms(value, r_a, -r_b, t_a, t_b, r_a * r_b)

    def quantile(self, below: np.ndarray, above: np.ndarray) -> np.ndarray:
        return np.where(below < above, ndtri(below), -ndtri(above))


ORDINAL_LOSSES: dict[str, type[OrdinalLoss]] = {kind.name: kind for kind in (OrderedLogit, OrderedProbit)}
