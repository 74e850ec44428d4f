"""Mixtures that become one: a model and what some more rows say, or the models of two sites."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ....data import Chunk
from ....features.input_ranges import whole_number
from .expectation import Rules, mixture_of
from .gaussians import Gaussians
from .soft_sums import SoftSums, soft_sums
from .whitening import Whitening


def moved_towards(
    mixture: Gaussians, where: Whitening, rows: Any, gain: float, rules: Rules
) -> tuple[float, Gaussians]:
    """The mean log-likelihood of some rows, and the mixture after a step of that length towards their sums."""
    new = rows.total(partial(own_sums, mixture, where))
    old = (1.0 - gain) * mixture.weights
    raw = covariances_of(mixture) - where.ridge(rules.reg_covar)
    held = raw if mixture.form == "tied" else raw * old.reshape(-1, *[1] * (raw.ndim - 1))
    held = (1.0 - gain) * held if mixture.form == "tied" else held
    share = gain / new.total
    changed = mixture_of(
        mixture, old + share * new.shares[0], share * new.first[0], held + share * new.second[0], True, rules, where
    )
    return float(new.values[0] / new.total) + where.log_volume, changed


def own_sums(mixture: Gaussians, where: Whitening, chunk: Chunk) -> SoftSums:
    return soft_sums([mixture], True, where, chunk.X, chunk.weight)


def covariances_of(mixture: Gaussians) -> np.ndarray:
    """S_k in the form of the mixture."""
    if mixture.form == "diag":
        return 1.0 / mixture.factors**2
    lower = np.linalg.inv(mixture.factors).swapaxes(-1, -2)
    return lower @ lower.swapaxes(-1, -2)


def combined(one: Any, other: Any, size: Any) -> Any:
    """The mixture of two models' rows with so many components."""
    for model in (one, other):
        check_is_fitted(model)
    if one.covariance_type != other.covariance_type:
        raise ValueError(f"covariance_type differs: {one.covariance_type!r} and {other.covariance_type!r}")
    names = [[str(name) for name in vars(model).get("feature_names_in_", ())] for model in (one, other)]
    if one.n_features_in_ != other.n_features_in_ or (all(names) and names[0] != names[1]):
        raise ValueError("the models were fitted on different columns")
    most = len(one.weights_) + len(other.weights_)
    size = whole_number(size, "n_components", 1)
    if size > most:
        raise ValueError(f"n_components must be at most {most}, the components of both, got {size}")
    where, mine = one.in_use()
    theirs = placed_in(where, other)
    both = one.n_samples_ + other.n_samples_
    shares = [mine.weights * (one.n_samples_ / both), theirs.weights * (other.n_samples_ / both)]
    parts = [
        (share, mixture.means, matrices_of(mixture)) for share, mixture in zip(shares, (mine, theirs), strict=True)
    ]
    weights, means, matrices = (np.concatenate(part) for part in zip(*parts, strict=True))
    weights, means, matrices = reduced(weights, means, matrices, size)
    work = clone(one).set_params(n_components=size)
    work.__dict__.update(
        {name: vars(one)[name] for name in ("n_features_in_", "feature_names_in_") if name in vars(one)}
    )
    work._dtype = np.promote_types(one.float_dtype, other.float_dtype)
    attributes = work.described(in_form(mine.form, one.covariance_type, weights, means, matrices), where)
    bound = (one.n_samples_ * one.lower_bound_ + other.n_samples_ * other.lower_bound_) / both
    work.__dict__.update(attributes)
    work.__dict__.update(
        converged_=bool(one.converged_ and other.converged_),
        n_iter_=max(one.n_iter_, other.n_iter_),
        lower_bound_=bound,
        lower_bounds_=[bound],
        n_samples_=both,
    )
    return work


def placed_in(where: Whitening, model: Any) -> Gaussians:
    """A model's mixture in the coordinates of another."""
    own, mixture = model.in_use()
    means = where.turned(((own.origin - where.origin) + own.away(mixture.means)) * where.scale)
    return mixture._replace(means=means, factors=where.factor(own.natural_factor(mixture.factors)))


def matrices_of(mixture: Gaussians) -> np.ndarray:
    """A covariance matrix for each component."""
    found = covariances_of(mixture)
    if mixture.form == "diag":
        return np.stack([np.diag(variances) for variances in found])
    return np.repeat(found[None], mixture.size, axis=0) if mixture.form == "tied" else found


def in_form(form: str, covariance_type: str, weights: np.ndarray, means: np.ndarray, matrices: np.ndarray) -> Gaussians:
    if form == "tied":
        return Gaussians.with_covariances(form, weights, means, np.einsum("k,kij->ij", weights, matrices))
    if form == "diag":
        variances = np.diagonal(matrices, axis1=1, axis2=2)
        if covariance_type == "spherical":
            variances = np.broadcast_to(variances.mean(axis=1, keepdims=True), variances.shape)
        return Gaussians.with_covariances(form, weights, means, variances)
    return Gaussians.with_covariances(form, weights, means, matrices)


def reduced(
    weights: np.ndarray, means: np.ndarray, matrices: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Join pairs, the cheapest first, until so many components are left: Runnalls 2007, eq. 16."""
    weights, means, matrices = weights.copy(), means.copy(), matrices.copy()
    logs = np.linalg.slogdet(matrices)[1]
    cost = np.full((len(weights), len(weights)), np.inf)
    alive = list(range(len(weights)))
    for j in alive:
        for i in alive[:j]:
            cost[i, j] = joint_cost(weights, means, matrices, logs, i, j)
    while len(alive) > size:
        i, j = (int(place) for place in np.unravel_index(np.argmin(cost), cost.shape))
        weights[i], means[i], matrices[i] = joined(weights, means, matrices, i, j)
        logs[i] = np.linalg.slogdet(matrices[i])[1]
        alive.remove(j)
        cost[j], cost[:, j] = np.inf, np.inf
        for other in alive:
            if other != i:
                low, high = min(i, other), max(i, other)
                cost[low, high] = joint_cost(weights, means, matrices, logs, low, high)
    return weights[alive], means[alive], matrices[alive]


def joined(
    weights: np.ndarray, means: np.ndarray, matrices: np.ndarray, i: int, j: int
) -> tuple[float, np.ndarray, np.ndarray]:
    """One Gaussian with the weight, mean and covariance of two."""
    weight = weights[i] + weights[j]
    a, b = (weights[i] / weight, weights[j] / weight) if weight > 0 else (1.0, 0.0)
    away = means[j] - means[i]
    return weight, means[i] + b * away, a * matrices[i] + b * matrices[j] + a * b * np.outer(away, away)


def joint_cost(weights: np.ndarray, means: np.ndarray, matrices: np.ndarray, logs: np.ndarray, i: int, j: int) -> float:
    """A bound on how far, in Kullback and Leibler's sense, the mixture moves when two components are joined."""
    weight, _, matrix = joined(weights, means, matrices, i, j)
    log = np.linalg.slogdet(matrix)[1]
    return float(0.5 * (weight * log - weights[i] * logs[i] - weights[j] * logs[j]))
