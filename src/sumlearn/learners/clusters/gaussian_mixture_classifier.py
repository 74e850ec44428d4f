"""Bayes' rule with a mixture of Gaussians for each class."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import ClassifierMixin

from ...data import Chunk, Source
from ...data.views import viewed
from ...engines import total
from ...features.input_ranges import is_number
from ...statistics import Grouped, Moments
from ...statistics.warnings import warn
from ..description import Complexity, Description, Offer, Tuning
from ..fitted import LEAST_SPREAD, check_variances
from ..gaussian.parts.gaussian_classifier import JointDensities
from ..linear_map import in_type_of
from ..wrapper import Wrapper
from .gaussian_mixture import GaussianMixture
from .parts.mixture_model import log_sum
from .parts.mixture_starts import FORMS


class ClassLook(NamedTuple):
    """Labels, what the rows of each weigh and how many there are, and the variances of the columns over all rows."""

    labels: tuple[Any, ...]
    weights: np.ndarray
    rows: np.ndarray
    variances: np.ndarray


class GaussianMixtureClassifier(JointDensities, ClassifierMixin, Wrapper):
    """The most probable class, where the rows of each class are a mixture of Gaussians of their own.

        p(c | x) ~ p(c) sum_k pi_ck N(x | m_ck, S_ck)

    With one component it is the quadratic discriminant, with ``covariance_type="diag"`` naive Bayes. More of them
    follow classes that are bent, or made of groups.

    Statistic: that of `GaussianMixture`, of the rows of each class; one pass before them for labels and variances.
    Learns from files and clusters larger than memory. Cannot merge or forget exactly. Cost of a step: O(n k d^2).

    Parameters
    ----------
    n_components : int, default=2
        Gaussians for each class; a class of fewer rows has as many as it has rows.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        As in GaussianMixture, within a class.
    priors : array, dict or None, default=None
        Probabilities of the classes, in the order of ``classes_`` or by label. None takes their shares of the weights.
        No row is needed for them: set after the fit, they count from then on, as those of the discriminants do.
    var_smoothing : float, default=1e-3
        Added to all variances, as a share of that of the column over all rows; so that components of few rows, and
        columns of few values, stay within reason.
    tol, max_iter, n_init, init_params, random_state, n_jobs
        As in GaussianMixture.

    Attributes
    ----------
    classes_, priors_ : array
    learners_ : list of GaussianMixture
        That of each class.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import GaussianMixtureClassifier
    >>> from sumlearn.data import make_xor
    >>> X, y = make_xor(400, spread=0.4)
    >>> for k in (1, 2):
    ...     model = GaussianMixtureClassifier(k).fit(X, y)
    ...     print(k, f"{model.score(X, y):.3f} {-model.predict_log_proba(X)[np.arange(400), y].mean():.3f}")
    1 0.990 0.065
    2 0.990 0.043

    References
    ----------
    Hastie & Tibshirani, Discriminant analysis by Gaussian mixtures, 1996; lecture note 000.
    """

    description = Description(
        offers=(
            Offer("mixture", "mixtures of Gaussians by class", 35, {"covariance_type": "full"},
                  Tuning("n_components", (2, 4)), most_features=50, extra=True),
        ),
        complexity=Complexity(
            "n_components", "Gaussians for each class", (1.0, 2.0, 3.0, 4.0, 6.0, 8.0), log=False, freer="right"
        ),
        parts=(ClassLook,),
        variants={
            "n_components": (1, 2),
            "covariance_type": tuple(FORMS),
            "priors": (None, [0.2, 0.3, 0.5], {"low": 0.2, "top": 0.5, "middle": 0.3}),
        },
    )  # fmt: skip

    target, needs_look = "label", True

    def __init__(
        self,
        n_components: int = 2,
        *,
        covariance_type: str = "full",
        priors: Any = None,
        var_smoothing: float = 1e-3,
        tol: float = 1e-3,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: str = "kmeans",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.random_state = random_state
        self.n_jobs = n_jobs

    def check(self) -> None:
        if not is_number(self.var_smoothing) or not 0.0 <= self.var_smoothing < np.inf:
            raise ValueError(f"var_smoothing must be finite and not negative, got {self.var_smoothing!r}")
        self.inside(None)[0].check()

    def look(self, source: Source) -> ClassLook:
        """Labels and variances."""
        groups = total(by_class, source, factor=self.chunk_factor, workers=self.n_jobs)
        deviation = groups.moments().deviation
        check_variances(deviation, least=LEAST_SPREAD)
        parts = [groups[label] for label in groups.labels]
        weights, rows = (np.array([getattr(part, name) for part in parts], dtype=float) for name in ("weight", "rows"))
        return ClassLook(tuple(groups.labels), weights, rows, deviation**2)

    def inside(self, look: ClassLook | None) -> list[GaussianMixture]:
        if look is None:
            return [self.mixture(self.n_components, self.var_smoothing)]
        self.priors_of(look.weights, np.array(look.labels))
        varying = np.where(look.variances > 0, look.variances, 1.0)
        most = np.maximum(look.rows, np.floor(look.weights))  # floats: weights may be beyond all integers
        few = [label for label, rows in zip(look.labels, most, strict=True) if rows < self.n_components]
        if few:
            warn(
                f"class {few[0]!r} has fewer rows than n_components={self.n_components}: it gets one Gaussian for each"
            )
        return [self.mixture(min(self.n_components, int(rows)), self.var_smoothing * varying) for rows in most]

    def mixture(self, size: int, ridge: Any) -> GaussianMixture:
        return GaussianMixture(
            size, covariance_type=self.covariance_type, reg_covar=ridge, tol=self.tol, max_iter=self.max_iter,
            n_init=self.n_init, init_params=self.init_params, random_state=self.random_state, n_jobs=self.n_jobs,
        )  # fmt: skip

    def views(self, source: Source, look: ClassLook) -> list[Source]:
        return [viewed(source, partial(only, label)) for label in look.labels]

    @property
    def classes_(self) -> np.ndarray:
        return np.array(self.class_look().labels)

    @property
    def priors_(self) -> np.ndarray:
        look = self.class_look()
        return self.priors_of(look.weights, np.array(look.labels))

    def class_look(self) -> ClassLook:
        if "learners_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no classes yet: call fit")
        return self.look_data()

    def joint(self, X: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            joint = np.stack([log_sum(model.log_joint(X)) for model in self.learners_], axis=1) + np.log(self.priors_)
        return in_type_of(X, joint - joint.max(axis=1, keepdims=True, initial=-1e300))

    @property
    def n_iter_(self) -> int:
        """Most steps of any class."""
        if "learners_" not in self.__dict__:
            raise AttributeError("n_iter_")
        return max(model.n_iter_ for model in self.learners_)


def by_class(chunk: Chunk) -> Grouped[Moments]:
    return Grouped.of(chunk.X, chunk.y, chunk.weight, form="diagonal")


def only(label: Any, chunk: Chunk) -> Chunk:
    """The rows of one class: all others weigh nothing."""
    own = (chunk.y == label).astype(np.float64)
    return chunk._replace(weight=own if chunk.weight is None else own * chunk.weight)
