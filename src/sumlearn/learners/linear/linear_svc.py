"""Linear support vector machines for classes."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.linear_model._base import SparseCoefMixin

from ...objectives import ClassHinge, Hinge, Loss, SquaredHinge
from ...statistics.weights import refuse_heavy
from ..description import INVERSE_PENALTY, SCORES_ONLY, Description, Offer, Tuning
from ..passes import Passes
from ..stepwise import Stepwise
from .linear_classifier import descent_on_labels, of_labels
from .parts.class_targets import best_class
from .parts.duality import gap_of
from .parts.linear_scores import linear_scores
from .parts.margins import (
    check_combination,
    check_margins,
    check_number,
    hardened,
    made,
    margin_of,
    penalty_of_margins,
    road,
    scaling_of,
    support_of,
    warn_of_offsets,
)
from .parts.minimiser import Descent, RiskMixin
from .parts.survey import by_label

DUALS = {("l2", "hinge"): {True}, ("l2", "squared_hinge"): {True, False}, ("l1", "squared_hinge"): {False}}


class LinearSVC(RiskMixin, SparseCoefMixin, ClassifierMixin, Stepwise):
    """The hyperplane with the widest margin between two classes; rows inside of it cost something.

        min_w  |w|^2 / 2 + C sum_n s_n l(y_n f(x_n)),     f(x) = w'x + b
        l(m) = max(0, 1 - m)^2  (squared hinge)   or   max(0, 1 - m)  (hinge);   the margin is 2 / |w| wide

    C = inf allows no row inside: the hard margin, refused where the classes cannot be separated. As in liblinear the
    intercept is b = `intercept_scaling` times the weight of a column of ones, and penalised like the others; with
    intercept_scaling="free" it is not penalised, and columns may lie anywhere. The road follows from parameters and
    columns: Newton's method (squared hinge) or an interior point (hinge) on sums over the rows, dual coordinate descent
    for sparse and very wide rows; all reach the same minimum, and `dual_gap_` bounds how far it is. More than two
    classes: one against the rest, or all at once (Crammer & Singer).

    Statistic: Expansion (value, gradient, Hessian) at each step; rows in memory for hinge and sparse rows. No merge, no
    forget. Cost: O(n d^2) a step and few steps, or O(nnz) an epoch.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        |w|^2 / 2, or the sum of |w_j| (with the squared hinge).
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        What a row inside of the margin costs.
    dual : "auto" or bool, default="auto"
        As in scikit-learn, where it chooses the algorithm. Combinations that it refuses are refused.
    tol : float, default=1e-4
        Ends when the duality gap is below tol^2 of the objective, or a Newton step promises less than tol^4.
    C : float, default=1.0
        Cost of the rows inside the margin, the inverse of a penalty's weight. Infinity is the hard margin.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        One class against the rest, or the hinge of all classes at once, for which loss, penalty and dual do not count.
    fit_intercept : bool, default=True
        Whether there is a b.
    intercept_scaling : float or "free", default=1
        The column of b; "free" leaves it out of the penalty.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    verbose, random_state
        `random_state` is the order of the rows for coordinate descent; `verbose` is accepted for compatibility.
    max_iter : int, default=1000
        Most steps, or epochs.
    solver : str or Solver, default="auto"
        One of `sumlearn.solvers` that can do it: another road to the same minimum.
    n_jobs : int, default=None
        Threads; None is all.
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else.

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_
        As in scikit-learn.
    margin_ : float or array
        2 / |w|, of each class where there are more than two.
    support_ : array, or list of arrays
        Numbers of the rows on the margin or inside of it, of each class where there are more than two.
    dual_gap_ : float
        What could still be gained, in units of sum l + |w|^2 / (2 C), at most; the largest of the classes.
    solutions_ : list of Solution
        Objective, iterations, passes, gap, trace.

    Examples
    --------
    >>> from sumlearn import LinearSVC
    >>> from sumlearn.data import load_example
    >>> pima = load_example("pima")
    >>> model = LinearSVC(C=0.01, loss="hinge", intercept_scaling="free").fit(pima.X, pima.y)
    >>> round(float(model.score(pima.X, pima.y)), 3), len(model.support_)
    (0.771, 406)
    >>> hard = LinearSVC(C=np.inf, intercept_scaling="free").fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> hard.coef_.round(6).tolist(), round(hard.margin_, 6), hard.support_.tolist()
    ([[1.0]], 2.0, [1, 2])

    References
    ----------
    Lecture notes 001 and 003; Cortes & Vapnik 1995; Chapelle 2007; Hsieh et al. 2008; Crammer & Singer 2001.
    """

    description = Description(
        offers=(
            Offer(  # the squared hinge is there as a LinearClassifier
                "linear_svm", "linear SVM", 72, {"loss": "hinge", "intercept_scaling": "free"},
                Tuning("C", (0.001, 0.01, 0.1, 1.0)), extra=True,
            ),
        ),
        complexity=INVERSE_PENALTY,
        onnx="linear",
        variants={
            "loss": ("squared_hinge", "hinge"), "penalty": ("l2",), "dual": ("auto",), "C": (0.1, 1.0),
            "intercept_scaling": (1, 3.0, "free"), "multi_class": ("ovr", "crammer_singer"), "max_iter": (1000,),
        },
        lacks={"sample": SCORES_ONLY, "predict_proba": SCORES_ONLY},
    )  # fmt: skip

    target = "label"

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: Any = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: Any = 1,
        class_weight: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        solver: Any = "auto",
        n_jobs: int | None = None,
        basis: Any = None,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.solver = solver
        self.n_jobs = n_jobs
        self.basis = basis

    def check(self) -> None:
        check_margins(self)
        check_number("C", self.C, finite=False)
        for name, options in (
            ("penalty", ("l1", "l2")), ("loss", ("hinge", "squared_hinge")), ("multi_class", ("ovr", "crammer_singer")),
        ):  # fmt: skip
            if getattr(self, name) not in options:
                raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {getattr(self, name)!r}")
        if self.multi_class == "ovr":
            check_combination(self, self.penalty, DUALS)
        if np.isinf(self.C) and (self.penalty == "l1" or self.multi_class == "crammer_singer"):
            raise ValueError("C=inf, the hard margin, is there for penalty='l2' and multi_class='ovr'")

    def start(self, rows: Passes, look: Any) -> Descent:
        loss, penalty, alpha = self._loss(), *penalty_of_margins(self._penalty, self.C)
        name = "interior_point" if np.isinf(self.C) else road(self, rows.source, loss.name, penalty)
        solver = made(name, self.tol, self.max_iter, self.random_state, penalty, loss)
        survey = rows.total(by_label)
        moments = survey.moments()
        refuse_heavy(moments.weight)
        warn_of_offsets(self, moments)
        descent = descent_on_labels(self, rows, (loss, loss), penalty, alpha, solver, scaling_of(self), survey)
        return hardened(descent) if np.isinf(self.C) else descent

    def attributes(self, state: Descent) -> dict[str, Any]:
        values = of_labels(self, state)
        if not state.objectives:
            return values | {"n_iter_": 0, "margin_": np.inf, "support_": np.zeros(0, np.intp), "dual_gap_": 0.0}
        gap = max(gap_of(*pair) for pair in zip(state.objectives, state.states, strict=True))
        if len(values["classes_"]) == 2 and len(values["coef_"]) == 2:
            values |= {name: values[name][1:] - values[name][:1] for name in ("coef_", "intercept_", "_level")}
        iterations = int(values["n_iter_"].max())
        told = SimpleNamespace(**(values | {"n_jobs": self.n_jobs}))
        support = support_of(told, state.source, partial(lacking, classes=values["classes_"], joint=self._joint))
        return values | {
            "n_iter_": iterations, "margin_": margin_of(values["coef_"]), "dual_gap_": gap,
            "support_": support[0] if len(support) == 1 else support,
        }  # fmt: skip

    def decision_function(self, X: Any) -> np.ndarray:
        """w'x + b: one number for two classes, else one for each class."""
        scores = linear_scores(self, self.rows_of(X, sparse_ok=True))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The label of the side, or of the best score."""
        return best_class(linear_scores(self, self.rows_of(X, sparse_ok=True)), self.classes_)

    @property
    def _joint(self) -> bool:
        return self.multi_class == "crammer_singer"

    @property
    def _penalty(self) -> str:
        return "l2" if self._joint else self.penalty

    def _loss(self) -> Loss:
        if self._joint:
            return ClassHinge()
        return Hinge() if self.loss == "hinge" or np.isinf(self.C) else SquaredHinge()


def lacking(y: np.ndarray, scores: np.ndarray, classes: np.ndarray, joint: bool) -> np.ndarray:
    """1 - y f for every output: how much is missing to the margin; jointly, 1 + the best other score - the own one."""
    if scores.shape[1] == 1:
        return 1.0 - np.where(y == classes[-1], 1.0, -1.0)[:, None] * scores
    own = np.asarray(y)[:, None] == classes
    if not joint:
        return 1.0 - np.where(own, scores, -scores)
    lead = np.where(own, scores, -np.inf).max(axis=1) - np.where(own, -np.inf, scores).max(axis=1)
    return (1.0 - lead)[:, None]
