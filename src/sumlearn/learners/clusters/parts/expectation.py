"""E and M: several mixtures side by side, each a step better with every pass over the rows."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ....data import Chunk
from ....solvers import Turn, next_turn
from .gaussians import Gaussians, Ill, factors_of
from .soft_sums import SoftSums, soft_sums
from .whitening import Whitening

EMPTY = 10.0 * np.finfo(float).eps  # share of the weight below which a component has no rows


class Ascent(NamedTuple):
    """One mixture on its way: mean log-likelihoods, each before a step, and whether they have come to rest."""

    mixture: Gaussians
    values: tuple[float, ...] = ()
    last: float = -np.inf  # that of the fit before, which is gone on with
    ended: bool = False

    @property
    def value(self) -> float:
        return self.values[-1] if self.values else self.last


class Ascents(NamedTuple):
    """All of them, and in what coordinates."""

    runs: tuple[Ascent, ...]
    where: Whitening

    @property
    def active(self) -> list[int]:
        return [number for number, run in enumerate(self.runs) if not run.ended]

    @property
    def best(self) -> Ascent:
        """The first of the largest log-likelihood."""
        return self.runs[int(np.argmax([-np.inf if np.isnan(run.value) else run.value for run in self.runs]))]


class Rules(NamedTuple):
    """What decides about a step beside the rows."""

    covariance_type: str
    reg_covar: Any  # a number, or one for each column
    tol: float


def em_step(before: Turn, rules: Rules, total: Any) -> Turn:
    """E and M for every mixture that has not come to rest, in one pass.

    Sums of products serve while the components are wide; where one turns out narrow, or flat, the step is taken again
    with sums about the means.
    """
    runs: Ascents = before.second
    if all(runs.runs[number].mixture.are_wide for number in runs.active):
        try:
            after = one_step(before, rules, total, about_means=False)
            if all(run.mixture.are_wide for run in after.second.runs if not run.ended):
                return after
        except Ill:
            pass
    return one_step(before, rules, total, about_means=True)


def one_step(before: Turn, rules: Rules, total: Any, about_means: bool) -> Turn:
    second = partial(maximised, before.second, rules, about_means)
    return next_turn(before, partial(expected, about_means), second, values_of, total)


def expected(about_means: bool, runs: Ascents, chunk: Chunk) -> SoftSums:
    """E: sums of some rows by their shares."""
    mixtures = [runs.runs[number].mixture for number in runs.active]
    return soft_sums(mixtures, about_means, runs.where, chunk.X, chunk.weight)


def maximised(runs: Ascents, rules: Rules, about_means: bool, sums: SoftSums) -> Ascents:
    """M: the mixtures that these sums ask for."""
    changed = list(runs.runs)
    values = sums.values / sums.total + runs.where.log_volume
    for place, number in enumerate(runs.active):
        run, value = runs.runs[number], float(values[place])
        if not np.isfinite(value):
            raise ValueError("rows are so far from all components that their densities are no numbers: rescale X")
        shares, first, second = sums.shares[place], sums.first[place], sums.second[place]
        mixture = mixture_of(run.mixture, shares, first, second, about_means, rules, runs.where)
        ended = value == run.value or abs(value - run.value) < rules.tol
        changed[number] = Ascent(mixture, (*run.values, value), run.last, ended)
    return runs._replace(runs=tuple(changed))


def values_of(_: SoftSums, runs: Ascents) -> np.ndarray:
    return np.array([run.value for run in runs.runs])


def mixture_of(
    old: Gaussians,
    shares: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    about_means: bool,
    rules: Rules,
    where: Whitening,
) -> Gaussians:
    """N_k, m_k = sum r z / N_k, S_k = sum r (z - m_k)(z - m_k)' / N_k + reg_covar I, pi_k = N_k / N.

    A component without rows stays where it is, with weight zero.
    """
    held = shares > EMPTY * shares.sum()
    N = np.where(held, shares, 1.0)
    shift = np.where(held[:, None], first / N[:, None], 0.0)
    means = np.where(held[:, None], shift + (old.means if about_means else 0.0), old.means)
    weights = np.where(held, shares, 0.0)
    weights /= weights.sum()
    ridge = where.ridge(rules.reg_covar)
    if rules.covariance_type == "spherical":
        ridge = np.full_like(ridge, ridge.mean())
    if old.form == "tied":
        weighted = shift * np.sqrt(np.where(held, shares, 0.0))[:, None]
        raw = (second - weighted.T @ weighted) / shares.sum()
        return Gaussians.with_covariances("tied", weights, means, symmetric(raw) + ridge)
    factors = old.factors.copy()
    if old.form == "diag":
        raw = np.maximum(second / N[:, None] - shift * shift, 0.0)
        if rules.covariance_type == "spherical":
            raw = np.broadcast_to(raw.mean(axis=1, keepdims=True), raw.shape)
        chosen = raw + ridge
    else:
        raw = second / N[:, None, None] - shift[:, :, None] * shift[:, None, :]
        chosen = symmetric(raw) + ridge
    try:
        factors[held] = factors_of(old.form, chosen[held])
    except Ill as error:
        raise Ill([int(np.flatnonzero(held)[k]) for k in error.components]) from None
    return Gaussians(old.form, weights, means, factors)


def symmetric(matrix: np.ndarray) -> np.ndarray:
    return 0.5 * (matrix + matrix.swapaxes(-1, -2))
