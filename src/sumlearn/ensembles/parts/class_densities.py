"""p(x, k) of the classifiers that EM can fit: of the family, from its sums, with what the smoothing adds to it.

EM climbs an objective only if the classifier maximises it, given the classes. So what is here is the density whose
maximum the sums of the classifier have, smoothing included: `joint` is ln p(k) + ln p(x | k), and `prior` the logarithm
of a prior of the parameters, where the smoothing is one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ...learners.gaussian.parts.covariance_forms import correlations, factored
from ...learners.linear_map import away_from
from ...statistics import Moments, Pooled

HALF_LOG_TWO_PI = 0.5 * np.log(2.0 * np.pi)


def summed(estimator: Any, chunk: Any) -> Any:
    """The sums of the classifier."""
    return estimator.summarise(chunk)


def completed_model(estimator: Any, sums: Any, frame: Any) -> Any:
    """The classifier of some sums."""
    return clone(estimator).solve(sums)


class Collapsed(ValueError):
    """A class has shrunk to a point, a line or a plane: the likelihood has no bound there."""


class ClassDensities(NamedTuple):
    """ln p(x, k) of rows, one column per class, and the logarithm of the prior of the parameters.

    A class may have several columns, whose labels are then those of its parts: `owners` are the classes of the columns.
    """

    labels: list[Any]
    joint: Callable[[Any], np.ndarray]
    prior: float = 0.0
    owners: list[Any] | None = None


class EmFrame(NamedTuple):
    """What is the same in every step: the classes, and of normal ones the variances of all rows and the smoothing."""

    labels: list[Any]
    variances: Any = None
    ridge: Any = None


@dataclass(frozen=True)
class Family:
    """A classifier by Bayes' rule whose sums EM can complete: `densities(model, sums, frame)`, and how it starts."""

    densities: Callable[[Any, Any, EmFrame], ClassDensities]
    sparse_ok: bool = False
    gaussian: bool = True
    ridge: Callable[[Any, Moments], Any] | None = None
    sums: Callable[[Any, Any], Any] = summed
    model: Callable[[Any, Any, EmFrame], Any] = completed_model
    start: Callable[..., ClassDensities] | None = None


def solved(estimator: Any, sums: Any) -> Any:
    """The classifier of some sums; what it warns of is said in other words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return clone(estimator).solve(sums)


# -- normal classes ----------------------------------------------------------------------------------------------------


def of_shared_covariance(estimator: Any, sums: Pooled, frame: EmFrame) -> ClassDensities:
    """ln p(k) - 1/2 |A'(x - m_k)|^2 - 1/2 ln |C| - d/2 ln 2 pi,  A'C A = 1."""
    labels, groups = sums.labels, [sums.groups[label] for label in sums.labels]
    priors = priors_of(estimator, groups, labels)
    form = factored(*correlations(sums.squared().within))
    refuse_flat(form.flat, "the covariance within the classes", sums.squared().within)
    centre, rest = groups[0].mean, groups[0].mean_rest
    places = np.array([(part.mean - centre) + (part.mean_rest - rest) for part in groups]) @ form.whiten
    level = np.log(priors) - 0.5 * form.log_determinant - sums.features * HALF_LOG_TWO_PI

    def joint(X: Any) -> np.ndarray:
        z = away_from(X, centre, rest) @ form.whiten
        return np.stack([level[k] - 0.5 * ((z - place) ** 2).sum(axis=1) for k, place in enumerate(places)], axis=1)

    return ClassDensities(labels, joint)


def of_own_covariances(estimator: Any, sums: Any, frame: EmFrame) -> ClassDensities:
    """ln p(k) - 1/2 |A_k'(x - m_k)|^2 - 1/2 ln |C_k| - d/2 ln 2 pi."""
    labels, groups = sums.labels, sums.contents()
    priors, forms = priors_of(estimator, groups, labels), [factored(*correlations(part.squared())) for part in groups]
    for label, part, form in zip(labels, groups, forms, strict=True):
        refuse_flat(form.flat, f"class {label!r}", part)

    def joint(X: Any) -> np.ndarray:
        columns = []
        for prior, part, form in zip(priors, groups, forms, strict=True):
            z = away_from(X, part.mean, part.mean_rest) @ form.whiten
            columns.append(np.log(prior) - 0.5 * ((z**2).sum(axis=1) + form.log_determinant))
        return np.stack(columns, axis=1) - sums.features * HALF_LOG_TWO_PI

    return ClassDensities(labels, joint)


def of_independent_columns(estimator: Any, sums: Any, frame: EmFrame) -> ClassDensities:
    """ln p(k) + ln N(x | m_k, v_k) - 1/2 sum_j e / v_kj: the maximum is at v = S / W + e, e the smoothing."""
    most, whole = sums.moments().deviation.max(initial=0.0), np.sqrt(np.max(frame.variances, initial=0.0))
    if most > 0:  # the smoothing is that of all rows, also where these are the labelled ones alone
        estimator = clone(estimator).set_params(var_smoothing=estimator.var_smoothing * float(whole / most) ** 2)
    model = solved(estimator, sums)
    variances = np.asarray(model.var_, dtype=np.float64)
    if not (variances > 0).all():
        raise Collapsed("a class does not vary in some column: set var_smoothing of GaussianNB above zero")
    smoothing = -0.5 * (frame.ridge / variances).sum(axis=1)
    return ClassDensities(model.classes_.tolist(), lambda X: model.joint(X) + smoothing)


def smoothing_of_all(estimator: Any, rows: Moments) -> np.ndarray:
    """The variance that GaussianNB adds to all."""
    return np.full(rows.features, estimator.var_smoothing * rows.deviation.max(initial=0.0) ** 2)


def of_spheres(estimator: Any, known: Any, rows: Moments, frame: EmFrame) -> ClassDensities:
    """Where labelled rows are too few for covariances: means of the classes, and the variances of all rows."""
    groups = known.groups if isinstance(known, Pooled) else known
    labels, parts = groups.labels, groups.contents()
    priors, deviation = priors_of(estimator, parts, labels), rows.deviation
    scale = np.where(deviation > 0, deviation, 1.0)

    def joint(X: Any) -> np.ndarray:
        columns = [(away_from(X, part.mean, part.mean_rest) / scale) ** 2 for part in parts]
        level = np.log(scale).sum() + len(scale) * HALF_LOG_TWO_PI
        level += 0.0 if frame.ridge is None else 0.5 * float(np.sum(frame.ridge / scale**2))
        return np.log(priors) - 0.5 * np.stack([c.sum(axis=1) for c in columns], axis=1) - level

    return ClassDensities(labels, joint)


def priors_of(estimator: Any, groups: Any, labels: list[Any]) -> np.ndarray:
    weights = np.array([part.weight for part in groups])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return np.maximum(estimator.priors_of(weights, np.array(labels)), 1e-300)


def refuse_flat(flat: int, what: str, part: Moments) -> None:
    if flat:
        still = np.flatnonzero(part.deviation == 0)
        where = f"; column {int(still[0])} is constant there" if len(still) else ""
        raise Collapsed(
            f"{what} does not vary in {flat} direction(s){where}: the likelihood has no bound, so take fewer columns, "
            "or GaussianNB, whose var_smoothing bounds it"
        )


# -- counts ------------------------------------------------------------------------------------------------------------


def of_counts(estimator: Any, sums: Any, frame: EmFrame) -> ClassDensities:
    """ln p(k) + sum_j x_j ln t_kj, and the prior sum_kj alpha_j ln t_kj of the shares."""
    model = solved(estimator, sums)
    logs = model.feature_log_prob_
    alpha = np.broadcast_to(model.smoothing(logs.shape[1]), logs.shape)
    return ClassDensities(model.classes_.tolist(), model.joint, float(alpha[alpha > 0] @ logs[alpha > 0]))


def of_truth_values(estimator: Any, sums: Any, frame: EmFrame) -> ClassDensities:
    """ln p(k) + sum_j [x_j ln p_kj + (1 - x_j) ln (1 - p_kj)], and the prior alpha (ln p + ln (1 - p))."""
    model = solved(estimator, sums)
    logs = model.feature_log_prob_
    alpha = np.broadcast_to(model.smoothing(logs.shape[1]), logs.shape)
    there = alpha > 0
    prior = float(alpha[there] @ (logs[there] + model.solved()["absent"][there]))
    return ClassDensities(model.classes_.tolist(), model.joint, prior)
