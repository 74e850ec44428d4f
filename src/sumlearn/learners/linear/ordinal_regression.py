"""Ordinal regression: cuts on a latent scale."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ...data import Source
from ...objectives import Frame
from ...objectives.ordinal_losses import ORDINAL_LOSSES, OrdinalLoss
from ...objectives.ordinal_objective import OrdinalObjective, RankCoding
from ...solvers import Newton, Solution
from ..description import PENALTY, Description
from ..fitted import narrowed
from ..linear_map import affine
from ..passes import Passes
from ..sampling import LabelSamplingMixin
from ..stepwise import Stepwise
from .parts.class_weight import class_factors
from .parts.minimiser import Descent, RiskMixin, penalty_weight, report
from .parts.survey import Labels, by_label, frame_for

SMALLEST = 1e-13  # share of the weight that a class must hold


class OrdinalRegression(RiskMixin, LabelSamplingMixin, ClassifierMixin, Stepwise):
    """Classes with an order: P(y <= k | x) from one linear score and K - 1 cuts.

        P(y <= k | x) = F(theta_k - w'x),     theta_1 < ... < theta_{K-1},     F = sigma (logit) or Phi (probit)
        minimise  -sum_n s_n log( F(theta_k - w'x_n) - F(theta_{k-1} - w'x_n) ) + alpha |w|^2 / 2,   k = class of n

    All classes share one direction w, so there are d + K - 1 numbers where softmax has K (d + 1). With F = sigma the
    odds of y <= k change by the same factor exp(-w'delta) for every k: proportional odds. With two classes it is
    logistic regression, C = 1 / alpha and intercept -theta_1. The objective is convex; Newton's method reaches its
    minimum to rounding, and a step that would put the cuts out of order is halved.

    Statistic: Expansion (value, gradient, Hessian) at each step. Several passes, each a sum: out of core and on Dask;
    no merge, no forget. Cost: O(n d) a pass, O(n d (d + K)) where it takes a Hessian; with many rows that is a sample.

    Parameters
    ----------
    alpha : float, default=1.0
        Weight of the penalty on w; 0 is maximum likelihood. The cuts are not penalised.
    link : {"logit", "probit"}, default="logit"
        The distribution F.
    order : sequence of labels, default=None
        The labels from lowest to highest. None takes the order that y declares: an ordered category of pandas, Dask or
        Arrow (in Parquet too), or an Enum of polars; other labels are sorted. Labels that do not occur in y are passed
        over.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    tol : float, default=1e-16
        Ends when a step promises less than this share of the objective; the step is then still taken.
    max_iter : int, default=100
        Most steps.
    n_jobs : int, default=None
        Threads; None is all.
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        w: a larger score means a higher class.
    thresholds_ : array of shape (n_classes - 1,)
        The cuts theta.
    classes_ : array of shape (n_classes,)
        Labels from lowest to highest; the columns of `predict_proba`.
    n_iter_ : array of shape (1,)
        Steps.
    solutions_ : list of Solution
        Objective, gradient norm, iterations, passes, trace; empty where there is one class only.

    Examples
    --------
    Old Faithful: how long the next eruption lets us wait, in three steps, from the length of the last one.

    >>> from sumlearn import OrdinalRegression
    >>> from sumlearn.data import load_example
    >>> X = load_example("faithful").X
    >>> wait = np.array(["short", "middle", "long"])[np.digitize(X[:, 1], [60, 80])]
    >>> model = OrdinalRegression(alpha=0, order=["short", "middle", "long"]).fit(X[:, :1], wait)
    >>> model.predict([[2.0], [3.5], [4.5]]).tolist()
    ['short', 'middle', 'long']
    >>> print(model.coef_.round(3), model.thresholds_.round(3))
    [2.468] [ 6.25  10.537]

    References
    ----------
    Lecture note 001 (ordinal regression); McCullagh 1980; Agresti, Analysis of Ordinal Categorical Data, 2010, ch. 3
    and 5; Pratt 1981, Burridge 1981 (convexity).
    """

    description = Description(complexity=PENALTY)

    target = "ordered"

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        link: str = "logit",
        order: Any = None,
        class_weight: Any = None,
        tol: float = 1e-16,
        max_iter: int = 100,
        n_jobs: int | None = None,
        basis: Any = None,
    ) -> None:
        self.alpha = alpha
        self.link = link
        self.order = order
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.basis = basis

    def start(self, rows: Passes, look: Any) -> Descent:
        loss, solver, source = self._loss(), self._solver(), rows.source
        alpha = penalty_weight(self.alpha, OrdinalObjective.penalty)
        groups = rows.total(by_label)
        seen = np.array(groups.labels)  # sorted
        place = places(declared(self.order, source), groups.labels, source)
        classes = seen[np.argsort(place)]
        if len(classes) == 1:
            return Descent(solver, (), (), source, classes)
        weight = np.array([groups[label].weight for label in groups.labels])
        labels = Labels(seen, weight, class_factors(self.class_weight, seen, weight))
        frame = frame_for(rows, groups.moments(), True)
        objective = OrdinalObjective.over(
            source, RankCoding(labels.coding(None), place), loss=loss, alpha=alpha, frame=frame,
            share=shares(labels)[np.argsort(place)], workers=self.n_jobs,
        )  # fmt: skip
        return Descent(solver, (objective,), (objective.start,), source, classes)

    def attributes(self, state: Descent) -> dict[str, Any]:
        source, classes = state.source, state.classes
        assert classes is not None
        if not state.objectives:
            return constant_model(classes, source.features, source.dtype)
        report(state.solutions)
        return {"classes_": classes} | attributes(state.solutions[0], state.objectives[0].frame, source.dtype)

    def latent_score(self, X: Any) -> np.ndarray:
        """w'x, the place of every row on the scale that the thresholds cut."""
        rows = self.rows_of(X, sparse_ok=True)
        return affine(rows, self.coef_, 0.0, self._centre, self._score_at_centre())

    def decision_function(self, X: Any) -> np.ndarray:
        """Two classes: w'x - theta_1, positive for the higher one. More: ln P(k | x), whose largest decides."""
        check_is_fitted(self)
        return -self._limits(X)[:, 0] if len(self.classes_) == 2 else self.predict_log_proba(X)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable label of every row."""
        best = self.predict_log_proba(X).argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(k | x), one column per class."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """ln P(k | x), one column per class; not from a difference of probabilities, so that both tails are right."""
        limits = self._limits(X)
        if len(self.classes_) == 1:
            return np.zeros((len(limits), 1), limits.dtype)
        edge = np.full((len(limits), 1), np.inf)
        below, above = np.hstack([-edge, limits]), np.hstack([limits, edge])
        gaps = np.diff(self._cuts, prepend=-np.inf, append=np.inf)
        with np.errstate(over="ignore"):  # far away a probability is zero
            terms = self._loss().terms(below, above, np.broadcast_to(gaps, below.shape))
        return -terms.value.astype(limits.dtype)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on the three blobs of scikit-learn's check, which have no order
        return tags

    def _limits(self, X: Any) -> np.ndarray:
        """theta_k - w'x for every row and cut."""
        rows = self.rows_of(X, sparse_ok=True)
        f = affine(rows, self.coef_, -self._score_at_centre(), self._centre, 0.0)
        return (self._cuts - f[:, None]).astype(np.result_type(rows, self.coef_))

    def _score_at_centre(self) -> float:
        return 0.0 if self._centre is None else float(self._centre @ self.coef_)

    def _loss(self) -> OrdinalLoss:
        if self.link not in ORDINAL_LOSSES:
            raise ValueError(f"link must be one of {', '.join(map(repr, ORDINAL_LOSSES))}, got {self.link!r}")
        return ORDINAL_LOSSES[self.link]()

    def _solver(self) -> Newton:
        for name in ("tol", "max_iter"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)!r}")
        return Newton(self.tol, self.max_iter)


def declared(order: Any, source: Source) -> Any:
    """The order that was given, or else the one that the target declares; None where there is neither."""
    if order is None and source.target.levels == ():
        raise ValueError(
            "y is an ordered category whose levels Dask does not know: give order, or y with y.cat.as_known()"
        )
    return source.target.levels if order is None else order


def places(order: Any, seen: list[Any], source: Source) -> np.ndarray:
    """For each of the sorted labels its place on the scale, counted over the labels that occur."""
    if order is None:
        return np.arange(len(seen))
    if isinstance(order, str) or not np.iterable(order):
        raise ValueError(f"order must be a sequence of labels, from lowest to highest, got {order!r}")
    scale = list(order)
    twice = [label for i, label in enumerate(scale) if label in scale[:i]]
    if twice:
        raise ValueError(f"order names a label twice: {twice[0]!r}")
    unknown = [label for label in seen if label not in scale]
    if unknown:
        row = row_of(unknown[0], source)
        raise ValueError(f"y holds a label that is not in order: {unknown[0]!r}, first at row {row}")
    return np.argsort(np.argsort([scale.index(label) for label in seen]))


def row_of(label: Any, source: Source) -> Any:
    """The first row that bears a label; read again, for an error."""
    for part in source.parts():
        hits = np.flatnonzero(source.chunk(part).y == label)
        if len(hits):
            return part.name(int(hits[0]))
    return None


def shares(labels: Labels) -> np.ndarray:
    """Shares of the weight; a class of so little that its two cuts would be one floating-point number is refused."""
    weight = labels.weight if labels.factor is None else labels.weight * labels.factor
    share = weight / weight.sum()
    if share.min() < SMALLEST:
        label = labels.classes.tolist()[share.argmin()]
        raise ValueError(f"class {label!r} holds {share.min():.0e} of the weight, too little for cuts of its own")
    return share


def attributes(solution: Solution, frame: Frame, dtype: Any) -> dict[str, Any]:
    """Fitted attributes; `_centre` and `_cuts`, seen from there, place rows that are far from zero."""
    coef, cuts = solution.point[: frame.features] / frame.unit, solution.point[frame.features :]
    thresholds = cuts + coef @ frame.centre
    return {
        "coef_": narrowed(coef, dtype),
        "thresholds_": narrowed(thresholds, dtype),
        "n_iter_": np.array([solution.iterations], np.int32),
        "solutions_": [solution],
        "_centre": frame.centre if frame.standardised else None,
        "_cuts": cuts if frame.standardised else thresholds,
    }


def constant_model(classes: np.ndarray, features: int, dtype: Any) -> dict[str, Any]:
    """One class only: it is predicted."""
    none = np.zeros(0)
    names = ("classes_", "coef_", "thresholds_", "n_iter_", "solutions_", "_centre", "_cuts")
    values: tuple[Any, ...] = (
        classes, np.zeros(features, dtype), none.astype(dtype), np.zeros(1, np.int32), [], None, none,
    )  # fmt: skip
    return dict(zip(names, values, strict=True))
