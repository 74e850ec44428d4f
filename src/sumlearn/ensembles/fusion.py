"""Fusion: sensors that see different columns, and repeated measurements of one object, answer together."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if

from ..data import Source, vector
from ..data.source import split_target
from ..learners import Description, Wrapper
from ..learners.ability import NEEDS
from ..learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ..learners.sampling import LabelSamplingMixin
from ..learners.sum_algebra import place_of
from .parts.class_shares import ClassShares
from .parts.members import Asked, NamedMembers, checked_members, refuse_tables, takes_gaps
from .parts.objects import Objects
from .parts.picked_rows import with_columns
from .parts.rules import RULES, TINY, decided, shares
from .parts.voting import Voting, tells_probabilities, tells_scores, views_for, weights_for

LEARNT = "learnt"
NONE = np.zeros(0, dtype=np.intp)  # no columns


class Fusion(NamedMembers, Voting, LabelSamplingMixin, ClassifierMixin, Wrapper):
    """Sensors, each a classifier on columns of its own, and repeated measurements of one object: one decision.

        product      u_k ~ P(k)^(1 - R) prod_r P(k | x_r),    r = 1 ... R: every sensor at every measurement
        mean         u_k = 1/R sum_r P(k | x_r)
        median       u_k ~ med_r P(k | x_r)
        majority, preference   as in Committee

    The product is Bayes' rule where measurements are independent within every class (Kittler et al. 1998, equation 7):
    each of the R probabilities has the prior in it, which may count only once. With ``priors=None`` it is the bare
    product, where the prior counts R times. Weights are exponents: R is then their sum. Rule, weights and priors are
    looked at when a decision is made: others need no other fit.

    With `groups`, rows of one group are measurements of one object. `predict` and its kin give the decision about the
    object to each of its rows, so that they fit scikit-learn's scorers and splitters; `predict_objects` gives every
    object once. Training takes each row for itself.

    Statistic: those of the sensors, and weights of the classes; what all sensors can do, the fusion can: merge, forget,
    decay. It cannot restrict: sensors have columns of their own. Cost: that of the sensors.

    Parameters
    ----------
    estimators : list of (name, classifier, columns) or None, default=None
        Sensors of any library; columns are names, numbers or a mask of truth values, one name or number, or None for
        all columns. None is LinearDiscriminantAnalysis() on all columns.
    rule : {"product", "mean", "median", "majority", "preference"}, default="product"
    weights : array, default=None
        How much each sensor counts.
    priors : "learnt", array, dict or None, default="learnt"
        P(k), which the product counts once: shares of the weights of the classes, or probabilities in the order of
        ``classes_`` or by label, as they were given to the sensors. None does not correct.
    n_jobs : int, default=None
        Sensors that learn at the same time.

    Attributes
    ----------
    classes_ : array
    class_weights_ : array
        What the rows of each class weigh.
    named_estimators_ : dict
        The fitted sensors by name.

    Examples
    --------
    >>> from sumlearn import Fusion, GaussianNB
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> sensors = [("sepals", GaussianNB(), [0, 1]), ("petals", GaussianNB(), [2, 3])]
    >>> model = Fusion(sensors).fit(iris.X, iris.y)
    >>> together = GaussianNB().fit(iris.X, iris.y)  # naive Bayes is such a product
    >>> print(f"{abs(model.predict_proba(iris.X) - together.predict_proba(iris.X)).max():.6f}")
    0.000000
    >>> flowers = [i // 5 for i in range(150)]  # five measurements of each
    >>> print(f"{model.score(iris.X, iris.y):.3f}", f"{model.score(iris.X, iris.y, groups=flowers):.3f}")
    0.960 1.000

    References
    ----------
    Lecture note 002; Kittler, Hatef, Duin & Matas, On combining classifiers, 1998.
    """

    description = Description(variants={"rule": RULES}, parts=(ClassShares,))
    target = "label"
    survive = frozenset(NEEDS) - {"restrict"}
    private = ("_columns",)

    def __init__(
        self,
        estimators: Any = None,
        rule: str = "product",
        *,
        weights: Any = None,
        priors: Any = LEARNT,
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.rule = rule
        self.weights = weights
        self.priors = priors
        self.n_jobs = n_jobs

    # -- the sensors --------------------------------------------------------------------------------------------------

    def members(self) -> list[tuple[Any, ...]]:
        """Name, classifier and columns of every sensor."""
        if self.estimators is None:
            return [("all", LinearDiscriminantAnalysis(), None)]
        return checked_members(self, self.estimators, size=3)

    def check(self) -> None:
        members = self.members()
        self.check_rule(members)
        refuse_tables(members, "Fusion")
        weights_for(self.weights, self.estimators, len(members))
        if isinstance(self.priors, str) and self.priors != LEARNT:
            raise ValueError(f"priors must be 'learnt', probabilities or None, got {self.priors!r}")

    def inside(self, look: Any) -> list[Any]:
        return [*(sensor for _, sensor, _ in self.members()), ClassShares()]

    def views(self, source: Source, look: Any) -> list[Source]:
        views = views_for(self.members(), source)
        if "_columns" not in vars(self):
            self._columns = [self.numbers_of(name, columns) for name, _, columns in self.members()]
        cuts = zip(views, self._columns, strict=True)
        return [*(with_columns(view, columns) for view, columns in cuts), with_columns(source, NONE)]

    def numbers_of(self, name: str, columns: Any) -> np.ndarray:
        """Numbers of the columns of a sensor."""
        features = self.n_features_in_
        if columns is None:
            return np.arange(features)
        asked = np.atleast_1d(np.asarray(columns))
        try:
            if asked.dtype.kind not in "UO":
                found = place_of(asked, features)
            else:
                names = [str(n) for n in vars(self).get("feature_names_in_", ())]
                unknown = [c for c in asked.tolist() if c not in names]
                if unknown:
                    raise ValueError(f"no column {unknown[0]!r}; the columns are {names or 'unnamed'}")
                found = np.array([names.index(c) for c in asked.tolist()])
        except ValueError as error:
            raise ValueError(f"estimators: the columns of {name!r}: {error}") from None
        if not len(found) or len(set(found.tolist())) < len(found):
            raise ValueError(f"estimators: the columns of {name!r} must be one or more, each of them once")
        return found

    @property
    def takes_gaps(self) -> bool:
        """Whether NaN is left to the sensors: all of them take it."""
        return takes_gaps(sensor for _, sensor, _ in self.members())

    @property
    def named_estimators_(self) -> dict[str, Any]:
        """The fitted sensors by name."""
        return dict(zip((name for name, *_ in self.members()), self.fitted_experts(), strict=True))

    @property
    def class_weights_(self) -> np.ndarray:
        """What the rows of each class weigh, in the order of ``classes_``."""
        self.fitted_experts()
        known = self.learners_[-1]
        weights = dict(zip(known.classes_.tolist(), known.weights_.tolist(), strict=True))
        return np.array([weights.get(label, 0.0) for label in self.classes_.tolist()])

    # -- their decision ---------------------------------------------------------------------------------------------

    def log_priors(self) -> np.ndarray | None:
        """ln P(k), which the product counts once; None where it is not corrected."""
        if self.priors is None:
            return None
        classes = self.classes_.tolist()
        if isinstance(self.priors, str):
            weights = self.class_weights_
        elif isinstance(self.priors, dict):
            if set(self.priors) != set(classes):
                raise ValueError(f"priors must name the classes {classes}, got {sorted(self.priors, key=str)}")
            weights = np.array([self.priors[label] for label in classes], dtype=np.float64)
        else:
            weights = np.asarray(self.priors, dtype=np.float64)
        if weights.shape != (len(classes),) or not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise ValueError(
                f"priors must be a probability for each of the {len(classes)} classes, got {self.priors!r}"
            )
        return np.log(np.maximum(weights / weights.sum(), TINY))

    def scores(self, X: Any, objects: Objects | None = None) -> np.ndarray:
        """u_k of the rule for every row, or for every object; logarithms for the product."""
        self.check()
        asked, sensors = Asked(self, X), self.fitted_experts()
        said = np.stack([self.said(asked, *pair) for pair in zip(sensors, self._columns, strict=True)])
        weights = weights_for(self.weights, self.estimators, len(sensors))
        log_priors = self.log_priors() if self.rule == "product" else None
        if objects is None:
            return decided(said, weights, self.rule, log_priors)
        objects.refuse_other(said.shape[1])
        found = np.empty((len(objects.names), said.shape[2]))
        for size, members, rows in objects.by_size():  # measurements of an object are sensors, as many times
            every = said[:, rows].swapaxes(1, 2).reshape(len(sensors) * size, len(members), -1)
            found[members] = decided(every, np.repeat(weights, size), self.rule, log_priors)
        return found

    def row_scores(self, X: Any, groups: Any) -> np.ndarray:
        """The same for every row, where rows of one object have what is decided about it."""
        if groups is None:
            return self.scores(X)
        X, objects = objects_in(X, groups)
        return self.scores(X, objects)[objects.codes]

    def predict(self, X: Any, groups: Any = None) -> np.ndarray:
        """The class of every row; with `groups`, that of its object."""
        best = self.row_scores(X, groups).argmax(axis=1)
        return self.classes_[best]

    def predict_objects(self, X: Any, groups: Any) -> tuple[np.ndarray, np.ndarray]:
        """The objects in the order in which they first occur, and the class of each."""
        X, objects = objects_in(X, groups)
        best = self.scores(X, objects).argmax(axis=1)
        return objects.names, self.classes_[best]

    @available_if(tells_scores)
    def decision_function(self, X: Any, groups: Any = None) -> np.ndarray:
        """Votes or points of each class; of two classes how much the second leads."""
        scores = self.row_scores(X, groups)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    @available_if(tells_probabilities)
    def predict_proba(self, X: Any, groups: Any = None) -> np.ndarray:
        """Probabilities by the rule, which add up to one, for every row; with `groups`, those of its object."""
        return shares(self.row_scores(X, groups), self.rule).astype(self.float_dtype)

    def score(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> float:
        """The share of right decisions: of rows, or with `groups` of objects.

        An object counts once, or as the mean of the weights of its rows; all its rows have one label.
        """
        if groups is None:
            return float(accuracy_score(vector(y), self.predict(X), sample_weight=sample_weight))
        X, objects = objects_in(X, groups)
        truth = objects.labels(vector(y))
        said = self.classes_[self.scores(X, objects).argmax(axis=1)]
        weight = None if sample_weight is None else objects.means(vector(sample_weight, "sample_weight"))
        return float(accuracy_score(truth, said, sample_weight=weight))


def objects_in(X: Any, groups: Any) -> tuple[Any, Objects]:
    """The rows, and which object each of them measures; `groups` may name a column of the table."""
    X, groups = split_target(X, groups, "groups")
    return X, Objects(groups)
