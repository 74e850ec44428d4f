"""Clusterings of coded rows into several numbers of clusters, and how good each is."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...learners.clusters.gaussian_mixture import GaussianMixture
from ...learners.clusters.kmeans import KMeans
from ...learners.clusters.lbg import LBG
from ...learners.clusters.parts.frame import Coordinates
from ...statistics import Moments

STARTS = {"kmeans": 10, "gmm": 3}
SAMPLE = 2000  # rows of which silhouettes are taken
AWAY = 1e8  # the variance that flags of gaps are given, so that nobody is near or far by what is not known
NARROW, NARROW_FILLED = 1e-2, 1e-1  # added to the variances of a component, of all variance; where there are fills
FORMS = ("full", "diag")
MOST_FULL = 30  # columns up to which components have full covariances


@dataclass(frozen=True, eq=False)
class ClusterTrial:
    """A clustering into k clusters.

    `inertia` is the sum of the squared distances to the centres, `error` the mean distance (E_VQ), `silhouette` the
    mean over a sample of rows, `bic` of mixtures alone.
    """

    k: int
    learner: Any
    labels: np.ndarray
    inertia: float
    error: float
    silhouette: float | None
    silhouettes: np.ndarray  # of the sample
    bic: float | None = None


class ClusterSpace:
    """Coded rows, and how far they are from each other.

    Numbers count in deviations. Flags of the levels of one column count together, so that any two levels are as far
    apart as one deviation: d^2 = (|a - b|^2 + (sum a - sum b)^2) / 2 over the flags of all levels but the first. So are
    the two values of a column of numbers that has no more. Flags of gaps do not count.
    """

    def __init__(self, design: Any, X: np.ndarray, weight: np.ndarray | None, seed: int) -> None:
        self.X, self.weight = X, weight
        self.kinds = np.array([feature.kind for feature in design.features])
        self.filled = np.array([fill_of(design, feature) for feature in design.features])
        ranges = two_values(X, self.filled)
        self.kinds[(self.kinds == "value") & (ranges > 0)] = "level"
        self.covariance = covariance_of(design, ranges)
        self.moments = Moments.of(X, weight=weight)
        self.frame = Coordinates.of(self.moments, self.covariance)
        there = np.arange(len(X)) if weight is None else np.flatnonzero(weight)
        self.sample = np.sort(np.random.default_rng(seed).permutation(there)[:SAMPLE])
        self.near = self.frame.coordinates(X[self.sample]) * 2.0**self.frame.exponent

    @property
    def metric(self) -> dict[str, Any]:
        """What a learner wants to know of it."""
        if self.covariance is None:
            return {}
        return {"metric": "mahalanobis", "covariance": self.covariance}

    def trial(self, k: int, learner: Any, labels: np.ndarray, bic: float | None = None) -> ClusterTrial:
        """How good the clusters are."""
        away = self.frame.coordinates(self.X) - self.frame.coordinates(self.means(labels, k))[labels]
        squares, mass = (away**2).sum(axis=1) * self.frame.unit, self.mass
        found = self.silhouettes(labels)
        mean = float(np.average(found, weights=mass[self.sample])) if len(found) else None
        inertia, error = float(mass @ squares), float(mass @ np.sqrt(squares) / mass.sum())
        return ClusterTrial(k, learner, labels, inertia, error, mean, found, bic)

    @property
    def mass(self) -> np.ndarray:
        return np.ones(len(self.X)) if self.weight is None else self.weight

    def means(self, labels: np.ndarray, k: int) -> np.ndarray:
        """The mean row of every cluster."""
        mass = self.mass
        sums = np.zeros((k, self.X.shape[1]))
        np.add.at(sums, labels, mass[:, None] * self.X)
        weighs = np.bincount(labels, mass, k)
        return np.where(weighs[:, None] > 0, sums / np.maximum(weighs, 1e-300)[:, None], self.moments.mean)

    def silhouettes(self, labels: np.ndarray) -> np.ndarray:
        """Of the rows of the sample: how much nearer the own cluster is than the next, from -1 to 1."""
        from sklearn.metrics import silhouette_samples

        mine = labels[self.sample]
        different = len(np.unique(mine))
        if not 2 <= different < len(mine):
            return np.zeros(0)
        return silhouette_samples(self.near, mine)


def fill_of(design: Any, feature: Any) -> bool:
    """Whether some values of a feature are its mean, in the place of gaps."""
    return feature.kind == "value" and design.share(feature.column, "missing") > 0


def two_values(X: np.ndarray, fills: np.ndarray) -> np.ndarray:
    """How far the two values of a column are apart, zero where there are more; where it has fills, zero is one."""
    found = np.zeros(X.shape[1])
    for j, filled in enumerate(fills):
        values = np.unique(X[:, j])
        values = values[values != 0] if filled and len(values) == 3 else values
        if len(values) == 2:
            found[j] = values[1] - values[0]
    return found


def covariance_of(design: Any, ranges: np.ndarray) -> np.ndarray | None:
    """Sigma of the distances of `ClusterSpace`, where columns of two values have `ranges`; None: those of Euclid."""
    levels: dict[str, list[int]] = {}
    for number, feature in enumerate(design.features):
        if feature.kind == "level":
            levels.setdefault(feature.column, []).append(number)
    gaps = [feature.kind == "missing" for feature in design.features]
    covariance = np.diag(np.where(gaps, AWAY, np.where(ranges > 0, ranges**2, 1.0)))
    for flags in levels.values():  # the inverse of (1 + 11') / 2
        k = len(flags)
        covariance[np.ix_(flags, flags)] = 2.0 * (np.eye(k) - 1.0 / (k + 1))
    return None if (covariance == np.eye(len(covariance))).all() else covariance


def trials_of(
    method: str, sizes: list[int], space: ClusterSpace, seed: int, beat: Callable[[int, int], None]
) -> list[ClusterTrial]:
    """A trial for every number of clusters."""
    if method == "lbg":
        return grown(sizes, space, seed, beat)
    found = []
    for number, k in enumerate(sizes):
        found.append(of_means(k, space, seed) if method == "kmeans" else of_mixture(k, space, seed))
        beat(number + 1, len(sizes))
    return found


def of_means(k: int, space: ClusterSpace, seed: int) -> ClusterTrial:
    learner = KMeans(k, n_init=STARTS["kmeans"], random_state=seed, **space.metric)
    return space.trial(k, learner, learner.fit(space.X, sample_weight=space.weight).labels_)


def grown(sizes: list[int], space: ClusterSpace, seed: int, beat: Callable[[int, int], None]) -> list[ClusterTrial]:
    """All sizes of one codebook, the worst centre of which is split each time."""
    learner = LBG(sizes[-1], split=1, random_state=seed, **space.metric).fit(space.X, sample_weight=space.weight)
    found = []
    for number, split in enumerate(split for split in learner.splits_ if split.size in sizes):
        own = LBG(split.size, split=1, random_state=seed, **space.metric)
        own.__dict__.update({"cluster_centers_": split.centres, "n_features_in_": space.X.shape[1]})
        if space.covariance is not None:
            own.covariance_ = space.covariance
        labels = own.predict(space.X)
        plain = LBG(split.size, split=1, random_state=seed, **space.metric)
        found.append(space.trial(split.size, plain, labels))
        beat(number + 1, len(sizes))
    return found


def of_mixture(k: int, space: ClusterSpace, seed: int) -> ClusterTrial:
    """The mixture of least BIC, of full covariances or of diagonal ones.

    No component is narrower in the flag of a level than all rows are together: where all its rows have the level, the
    likelihood would have no bound. Nor is one much narrower than a tenth of a deviation in a number, or a value that
    comes up often, such as the fill of gaps, would be a component. Flags of gaps do not count, nor do their parameters.
    """
    own = np.maximum(np.diag(space.moments.covariance()), 1e-12)
    numbers = np.where(space.filled, NARROW_FILLED, NARROW)
    ridge = np.where(space.kinds == "missing", AWAY, np.where(space.kinds == "level", own, numbers))
    features = int((space.kinds != "missing").sum())
    best: tuple[float, Any, Any] | None = None
    for form in FORMS if features <= MOST_FULL else FORMS[1:]:
        learner = GaussianMixture(
            k, covariance_type=form, reg_covar=ridge, n_init=STARTS["gmm"], random_state=seed, max_iter=300
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of components that the ridge keeps wide: on purpose, and said above
            fitted = learner.fit(space.X, sample_weight=space.weight)
        every, counted = (parameters(k, d, form) for d in (len(ridge), features))
        bic = fitted.bic(space.X, space.weight) - (every - counted) * np.log(space.mass.sum())
        if best is None or bic < best[0]:
            best = float(bic), learner, fitted.predict(space.X)
    assert best is not None
    return space.trial(k, best[1], best[2], best[0])


def parameters(k: int, d: int, form: str) -> int:
    """Free parameters of a mixture."""
    return k * (d * (d + 1) // 2 if form == "full" else d) + k * d + k - 1


def best_of(trials: list[ClusterTrial], method: str) -> tuple[ClusterTrial, str]:
    """The number of clusters that is taken, and by which rule."""
    if len(trials) == 1:
        return trials[0], "as asked for"
    if method == "gmm":
        return min(trials, key=lambda trial: (trial.bic, trial.k)), "the least BIC"
    judged = [trial for trial in trials if trial.silhouette is not None]
    if not judged:
        return trials[0], "the smallest, since no other has a silhouette"
    return max(judged, key=lambda trial: (trial.silhouette, -trial.k)), "the largest mean silhouette"
