"""Mixtures of Gaussians for each class, as EM completes them: a row without a label belongs to a component of a class.

The parts whose shares EM expects are components here, numbered class by class: the c-th class has the numbers from
c * STRIDE on. A row with a label is shared among the components of its class.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.base import clone

from ...data import Chunk, Source
from ...data.target import Target, is_labelled
from ...data.views import viewed
from ...engines import one_blas_thread
from ...learners.clusters.gaussian_mixture_classifier import ClassLook, GaussianMixtureClassifier
from ...learners.clusters.parts.mixture_attributes import warn_of_components
from ...learners.gaussian.parts.covariance_forms import SMALLEST
from ...learners.look import Look
from ...learners.teaching import teach
from ...statistics import Grouped, Moments
from .class_densities import HALF_LOG_TWO_PI, ClassDensities, Collapsed, EmFrame
from .few_labels import labels_of

STRIDE = 2**32  # more components than a class ever has
MATRICES = ("full", "tied")


def sums_of_components(estimator: Any, chunk: Chunk) -> Grouped[Moments]:
    """Moments by the labels of a chunk, which may be numbers of components."""
    form = "full" if estimator.covariance_type in MATRICES else "diagonal"
    return Grouped.of(chunk.X, chunk.y, chunk.weight, form=form)


def ridge_of(estimator: Any, rows: Moments) -> np.ndarray:
    """What is added to the variances of the columns."""
    variances = rows.deviation**2
    return estimator.var_smoothing * np.where(variances > 0, variances, 1.0)


def densities_of(estimator: Any, sums: Any, frame: EmFrame) -> ClassDensities:
    """ln p(c) + ln pi_ck + ln N(x | m_ck, S_ck) - 1/2 tr(S_ck^-1 R), R the smoothing: the maximum is at S / W + R."""
    return densities_in(classifier_of(estimator, sums, frame), numbers_in(sums), frame)


def densities_in(model: Any, numbers: list[int], frame: EmFrame) -> ClassDensities:
    """Those of a fitted classifier, whose components have these numbers."""
    owners = [frame.labels[number // STRIDE] for number in numbers]
    places = [model.class_look().labels.index(label) for label in dict.fromkeys(owners)]
    learners, priors = [model.learners_[place] for place in places], model.priors_[places]
    with np.errstate(divide="ignore"):
        levels = [np.log(prior) - 0.5 * smoothed(one, frame.ridge) for one, prior in zip(learners, priors, strict=True)]

    def joint(X: Any) -> np.ndarray:
        return np.hstack([one.log_joint(X) + level for one, level in zip(learners, levels, strict=True)])

    return ClassDensities(numbers, joint, owners=owners)


def smoothed(mixture: Any, ridge: Any) -> np.ndarray:
    """tr(S_k^-1 R) of every component."""
    P = np.asarray(mixture.precisions_, dtype=np.float64)
    kind, size = mixture.covariance_type, len(mixture.weights_)
    if kind == "spherical":
        return P * np.sum(ridge)
    squares = np.diagonal(P, axis1=-2, axis2=-1) if kind in MATRICES else P
    return np.broadcast_to(squares @ ridge, size)


# -- the classifier of some sums ---------------------------------------------------------------------------------------


def numbers_in(sums: Any) -> list[int]:
    """The components that have rows."""
    return [number for number, part in sums.items() if part.weight > 0]


def classifier_of(estimator: Any, sums: Any, frame: EmFrame) -> GaussianMixtureClassifier:
    """The classifier whose components have these moments."""
    parts: dict[int, list[Moments]] = {}
    for number in numbers_in(sums):
        parts.setdefault(number // STRIDE, []).append(sums[number])
    labels, model = [frame.labels[c] for c in parts], clone(estimator)
    with one_blas_thread():  # its threads spin at the barriers of small matrices
        model.learners_ = [mixture_of(model, own, frame.ridge) for own in parts.values()]
    weights = np.array([sum(part.weight for part in own) for own in parts.values()])
    look = ClassLook(tuple(labels), weights, weights, np.asarray(frame.variances))
    model._look, model.n_features_in_ = Look(None, look, sums.features), sums.features
    return model


def completed_mixtures(estimator: Any, sums: Any, frame: EmFrame) -> GaussianMixtureClassifier:
    """The same in the end; components that the smoothing keeps from collapsing are told."""
    model = classifier_of(estimator, sums, frame)
    for one in model.learners_:
        warn_of_components(one.weights_, one.covariances_, one.covariance_type, one.ridge)
    return model


def mixture_of(estimator: Any, parts: list[Moments], ridge: Any) -> Any:
    """The mixture of one class."""
    kind, weights = estimator.covariance_type, np.array([part.weight for part in parts])
    means = np.array([part.mean for part in parts])
    model = estimator.mixture(len(parts), ridge)
    if kind in MATRICES:
        scatters = np.array([part.scatter for part in parts])
        tied = scatters.sum(axis=0) / weights.sum()
        C = np.array([scatter / weight for scatter, weight in zip(scatters, weights, strict=True)])
        C = (tied if kind == "tied" else C) + np.diag(ridge)
        U = factor_of(C) if kind == "tied" else np.array([factor_of(one) for one in C])
        P = U @ U.swapaxes(-1, -2)
    else:
        C = np.array([part.deviation for part in parts]) ** 2 + ridge
        C = C.mean(axis=1) if kind == "spherical" else C
        if not (C > 0).all():
            raise Collapsed("a component does not vary in some column: set var_smoothing above zero")
        P, U = 1.0 / C, 1.0 / np.sqrt(C)
    model.__dict__.update(
        weights_=weights / weights.sum(), means_=means, _rest=np.array([part.mean_rest for part in parts]),
        covariances_=C, precisions_=P, precisions_cholesky_=U, n_samples_=float(weights.sum()), converged_=True,
        n_iter_=0, lower_bound_=-np.inf, lower_bounds_=[], n_features_in_=means.shape[1],
    )  # fmt: skip
    return model


def factor_of(C: np.ndarray) -> np.ndarray:
    """U with U U' = C^-1, upper triangular."""
    scale = np.sqrt(np.where(C.diagonal() > 0, C.diagonal(), 1.0))
    try:
        L = np.linalg.cholesky(C / scale / scale[:, None])
    except np.linalg.LinAlgError:
        L = np.zeros_like(C)
    if (L.diagonal() ** 2 < SMALLEST).any():
        raise Collapsed("a component does not vary in some direction: set var_smoothing above zero, or take fewer")
    return solve_triangular(L, np.eye(len(C)), lower=True).T / scale[:, None]


# -- where EM starts ---------------------------------------------------------------------------------------------------


def started(em: Any, source: Source, known: Grouped[Moments], rows: Moments, frame: EmFrame) -> ClassDensities:
    """From labelled rows; where they are few, from the labels that one Gaussian for each class finds for all rows.

    Few are less than a component's mean and covariance take, in some class. One Gaussian for each class starts with the
    means of the labelled rows then, and the variances of all.
    """
    estimator, width = em.classifier, rows.features
    least = estimator.n_components * (width + 1 if estimator.covariance_type in MATRICES else 2)
    if min(part.weight for part in known.groups.values()) >= least:
        change = labelled_alone
    elif estimator.n_components == 1:
        return of_wide_classes(estimator, known, rows, frame)
    else:
        single = clone(em).set_params(estimator=clone(estimator).set_params(n_components=1), compare=None)
        single.set_params(weight_of_unlabelled=em.weight_of_unlabelled_)
        change = partial(labelled_by, single.fitted_on(source), em.weight_of_unlabelled_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of few rows, which is not the end
        model = teach(clone(estimator), with_labels(source, change))
    places = [frame.labels.index(label) for label in model.class_look().labels]
    numbers = [c * STRIDE + k for c, one in zip(places, model.learners_, strict=True) for k in range(len(one.weights_))]
    return densities_in(model, numbers, frame)


def with_labels(source: Source, change: Any) -> Source:
    """The source with other labels, which every row has."""
    view = viewed(source, change)
    view.target = Target("label").of(getattr(view, "y", None))
    return view


def of_wide_classes(estimator: Any, known: Grouped[Moments], rows: Moments, frame: EmFrame) -> ClassDensities:
    """Means of the labelled rows of each class, and the variances of all rows."""
    scale = np.where(rows.deviation > 0, rows.deviation, 1.0)
    wide = {}
    for c, label in enumerate(frame.labels):
        own = known[label]
        weights = estimator.priors_of(np.array([part.weight for part in known.groups.values()]), np.array(frame.labels))
        wide[c * STRIDE] = float(weights[c]), own
    level = np.log(scale).sum() + len(scale) * HALF_LOG_TWO_PI + 0.5 * float(np.sum(frame.ridge / scale**2))

    def joint(X: Any) -> np.ndarray:
        columns = []
        for prior, own in wide.values():
            away = ((np.asarray(X, dtype=np.float64) - own.mean) - own.mean_rest) / scale
            columns.append(np.log(max(prior, 1e-300)) - 0.5 * (away**2).sum(axis=1) - level)
        return np.stack(columns, axis=1)

    return ClassDensities(list(wide), joint, owners=list(frame.labels))


def labelled_alone(chunk: Chunk) -> Chunk:
    """The labelled rows: all others weigh nothing."""
    assert chunk.y is not None
    given = is_labelled(chunk.y)
    weight = np.where(given, 1.0 if chunk.weight is None else chunk.weight, 0.0)
    if not given.any():
        return chunk._replace(y=np.zeros(len(given), dtype=np.int64), weight=weight)
    found = labels_of(chunk.y[given])
    labels = np.full(len(given), found[0], dtype=found.dtype)
    labels[given] = found
    return chunk._replace(y=labels, weight=weight)


def labelled_by(single: Any, share: float, chunk: Chunk) -> Chunk:
    """All rows, with the labels that another model gives to those that have none; these weigh a share."""
    assert chunk.y is not None
    given = is_labelled(chunk.y)
    labels = single.transduction_ if chunk.X is None else single.labels_of_chunk(chunk)
    return chunk._replace(
        y=labels, weight=np.where(given, 1.0, share) * (1.0 if chunk.weight is None else chunk.weight)
    )
