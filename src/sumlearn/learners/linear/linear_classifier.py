"""A linear classifier: any loss, any penalty, any solver."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.linear_model._base import SparseCoefMixin
from sklearn.utils.metaestimators import available_if

from ...objectives import Loss
from ...objectives.links import softmax
from ...objectives.named_losses import loss_of
from ...objectives.penalties import Penalty, penalty_of
from ..description import PENALTY, Description, Offer, Tuning
from ..passes import Passes
from ..sampling import LabelSamplingMixin
from ..stepwise import Stepwise
from .parts.class_targets import best_class, shares_against_the_rest
from .parts.class_weight import class_factors
from .parts.linear_scores import linear_scores
from .parts.minimiser import Descent, RiskMixin, descent, solver_of
from .parts.survey import Labels, by_label, frame_for


def has_probabilities(model: Any) -> bool:
    """Whether the loss is that of a likelihood."""
    return loss_of(model.loss, "label").name in ("logistic", "softmax")


class LinearClassifier(RiskMixin, LabelSamplingMixin, SparseCoefMixin, ClassifierMixin, Stepwise):
    """Regularised risk minimisation for labels: a loss, a penalty, and a way to minimise.

        F(w) = sum_n s_n l(y_n, f(x_n)) + alpha Omega(w),     f(x) = w'x + w0,  the sign of f decides

    The famous names are combinations: logistic + L2 is logistic regression, hinge + L2 the support vector machine with
    C = 1 / alpha, squared hinge + L2 LinearSVC, logistic + L1 sparse logistic regression. More than two classes: one
    against the rest, or all at once with the softmax loss. The intercept w0 is not penalised. `predict_proba` and
    `sample` are there with the logistic and the softmax loss, which are those of a likelihood.

    Statistic: Expansion (value, gradient, Hessian) at each step. Several passes, each a sum: out of core and on Dask;
    no merge, no forget. Cost: O(n d^2) a step with a Hessian, O(n d) without.

    Parameters
    ----------
    loss : {"logistic", "softmax", "hinge", "squared_hinge", "perceptron"} or Loss, default="logistic"
        What a wrong score costs.
    penalty : {"l2", "l1", "elasticnet", "l0", "none"}, None or Penalty, default="l2"
        What large coefficients cost. Every loss goes with every penalty; of L0, which is not convex, a minimum among
        its neighbours is found.
    alpha : float, default=1.0
        Weight of the penalty.
    solver : "auto", a name of `sumlearn.solvers.SOLVERS` or Solver, default="auto"
        How to minimise. "auto" is "newton" for smooth penalties, "coordinate" where the penalty alone has kinks,
        "smoothing" where the loss has them too, and "proximal" for L0.
    fit_intercept : bool, default=True
        Whether there is a w0.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else.
    tol : float, default=1e-13
        Ends when a step promises less than this share of the objective.
    max_iter : int, default=None
        Most steps; None leaves it to the solver.
    random_state : int, default=0
        Order of the rows for "sgd".
    warm_start : bool, default=False
        Whether to start from the coefficients of the fit before.
    n_jobs : int, default=None
        Threads; None is all.

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_
        As in scikit-learn.
    solutions_ : list of Solution
        For each minimisation: objective, gradient norm, iterations, passes, trace.

    Examples
    --------
    >>> from sumlearn import LinearClassifier
    >>> from sumlearn.data import load_example
    >>> pima = load_example("pima")
    >>> model = LinearClassifier(loss="hinge", alpha=1.0).fit(pima.X, pima.y)
    >>> round(float(model.score(pima.X, pima.y)), 3), bool(model.solutions_[0].converged)
    (0.773, True)

    References
    ----------
    Lecture notes 001, 003, 004; Hastie, Tibshirani & Friedman 2009, ch. 4 and 12.
    """

    description = Description(
        offers=(
            Offer(
                "svm",
                "linear support vectors",
                70,
                {"loss": "squared_hinge"},
                Tuning("alpha", (1.0, 10.0, 100.0, 1000.0)),
            ),
        ),
        complexity=PENALTY,
        onnx="linear",
    )

    target = "label"

    def __init__(
        self,
        loss: Any = "logistic",
        penalty: Any = "l2",
        *,
        alpha: float = 1.0,
        solver: Any = "auto",
        fit_intercept: bool = True,
        class_weight: Any = None,
        basis: Any = None,
        tol: float = 1e-13,
        max_iter: int | None = None,
        random_state: Any = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.basis = basis
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    def start(self, rows: Passes, look: Any) -> Descent:
        loss, penalty = loss_of(self.loss, "label"), penalty_of(self.penalty)
        solver = solver_of(self.solver, loss, penalty, self.tol, self.max_iter, self.random_state)
        return descent_on_labels(self, rows, (loss, loss), penalty, self.alpha, solver)

    def attributes(self, state: Descent) -> dict[str, Any]:
        found = of_labels(self, state)
        if state.objectives:
            warn_of_nothing_learnt(loss_of(self.loss, "label"), found["coef_"])
        return found

    def decision_function(self, X: Any) -> np.ndarray:
        """w'x + w0: one number for two classes, else one for each class."""
        scores = linear_scores(self, self.rows_of(X, sparse_ok=True))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The label of the best score."""
        scores = linear_scores(self, self.rows_of(X, sparse_ok=True))
        return best_class(scores, self.classes_)

    @available_if(has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """P(k | x), one column per class: sigma(f), softmax(f), or sigma(f_k) of each against the rest over their sum.

        The logistic and the softmax loss are those of a likelihood; no other loss has probabilities.
        """
        scores = linear_scores(self, self.rows_of(X, sparse_ok=True))
        softmax = loss_of(self.loss, "label").coding == "class" or scores.shape[1] == 1
        return probabilities(scores, len(self.classes_)) if softmax else shares_against_the_rest(scores)


def descent_on_labels(
    learner: Any, rows: Passes, losses: tuple[Loss, Loss], penalty: Penalty, alpha: float, solver: Any,
    scaling: float | None = None, survey: Any = None,
) -> Descent:  # fmt: skip
    """A survey, then one minimisation, or one for each class against the rest; of one class none.

    `losses` are those for two and for more classes; with a `scaling` the intercept is penalised. The
    `survey`, moments by label, is taken where it is not given.
    """
    groups = rows.total(by_label) if survey is None else survey
    classes = np.array(groups.labels)
    weight = np.array([groups[label].weight for label in groups.labels])
    labels = Labels(classes, weight, class_factors(learner.class_weight, classes, weight))
    frame = frame_for(rows, groups.moments(), learner.fit_intercept, scaling is not None)
    if len(classes) == 1:
        return Descent(solver, (), (), rows.source, classes)
    loss = losses[len(classes) > 2]
    if loss.coding == "class":
        positives: list[int | None] = [None]
        outputs = len(classes)
    else:
        positives = [1] if len(classes) == 2 else list(range(len(classes)))
        outputs = 1
    starts = [first_point(learner, frame, labels, positive, outputs) for positive in positives]
    codings: list[Any] = [labels.coding(positive) for positive in positives]
    return descent(
        solver, loss, penalty, alpha, rows.source, frame, outputs, codings, starts, learner.n_jobs, classes, scaling
    )


def warn_of_nothing_learnt(loss: Loss, coef: np.ndarray) -> None:
    """Of a loss without a margin, no score is no loss: zero is its minimum, under any penalty."""
    zero = ~coef.any(axis=1)
    if zero.any() and loss.coding == "sign" and not loss.value(np.array([-1.0, 1.0]), np.zeros(2)).any():
        whose = "" if len(coef) == 1 else f" of {zero.sum()} of {len(coef)} classes"
        warnings.warn(
            f"all coefficients{whose} are zero, where the {loss.name} loss has its minimum: every row gets the same "
            "score. Use Perceptron for the algorithm, or the hinge loss",
            UserWarning,
            stacklevel=2,
        )


def of_labels(learner: Any, state: Descent) -> dict[str, Any]:
    """Fitted attributes of a classifier, from where its descent ended."""
    assert state.classes is not None
    if not state.objectives:
        return constant_model(state.classes, state.source.features, state.source.dtype)
    return {"classes_": state.classes} | state.minimum(learner).attributes(state.source.dtype)


def first_point(learner: Any, frame: Any, labels: Labels, positive: int | None, outputs: int) -> np.ndarray:
    """Zero; with `warm_start` the last fit."""
    last = learner.previous
    if "coef_" in last and last["coef_"].shape[1] == frame.features:
        rows = slice(None) if positive is None or len(labels.classes) == 2 else slice(positive, positive + 1)
        coef = last["coef_"][rows]
        if len(coef) == outputs:
            return frame.point(coef.astype(float), np.atleast_1d(last["intercept_"])[rows].astype(float))
    return np.zeros((outputs, frame.size))


def constant_model(classes: np.ndarray, features: int, dtype: Any) -> dict[str, Any]:
    """One class only: it is predicted."""
    return {
        "classes_": classes,
        "coef_": np.zeros((1, features), dtype),
        "intercept_": np.zeros(1, dtype),
        "n_iter_": np.zeros(1, np.int32),
        "solutions_": [],
        "_centre": None,
        "_level": np.zeros(1),
    }


def probabilities(scores: np.ndarray, classes: int) -> np.ndarray:
    """P(k | x) from scores: the logistic function for one, softmax for several."""
    if classes == 1:
        return np.ones((len(scores), 1), scores.dtype)
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros_like(scores[:, 0]), scores[:, 0]])
    return softmax(scores)
