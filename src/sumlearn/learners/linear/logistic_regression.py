"""Logistic regression."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.linear_model._base import SparseCoefMixin
from sklearn.utils.validation import check_is_fitted

from ...data import Source
from ...objectives import L1, L2, ElasticNet, Free, Logistic, Penalty, Softmax
from ...objectives.links import log_softmax
from ...statistics import Total
from ..description import INVERSE_PENALTY, Description, Offer, Tuning
from ..inferred import InferenceMixin, Inferred
from ..passes import Passes
from ..sampling import LabelSamplingMixin
from ..stepwise import Stepwise
from .linear_classifier import descent_on_labels, of_labels, probabilities
from .parts.class_targets import best_class
from .parts.information import FEW, Scores, information
from .parts.linear_scores import linear_scores
from .parts.logistic_inference import LogisticInference, logistic_inference
from .parts.minimiser import Descent, RiskMixin, solver_of

FOREIGN = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")  # scikit-learn's names: one answer


class LogisticRegression(
    RiskMixin, LabelSamplingMixin, InferenceMixin, SparseCoefMixin, ClassifierMixin, Stepwise
):
    """P(k | x) from linear scores, by maximum likelihood with a penalty.

        two classes:   P(1 | x) = sigma(w'x + w0),      F = sum_n s_n log(1 + exp(-y_n f(x_n))) + 1/C Omega(w)
        K classes:     P(k | x) = softmax_k(w_k'x + w0_k),  F = -sum_n s_n log P(y_n | x_n) + 1/C Omega(W)
        Omega(w) = l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2

    There is no closed form; Newton's method (iteratively reweighted least squares) reaches the minimum to rounding in a
    few passes. `solver` chooses the road, never the answer: scikit-learn's names are accepted, and the intercept is
    not penalised whatever they are. Classes that are separated without a penalty, wholly or in part, are named
    by a warning.

    Statistic: Expansion (value, gradient, Hessian) at each step. Several passes, each a sum: out of core and on Dask;
    no merge, no forget. Cost: O(n d) a pass, O(n K^2 d^2) where it takes a Hessian; with many rows that is a sample.

    Parameters
    ----------
    penalty : {"l1", "l2", "elasticnet", None}, default="deprecated"
        As in scikit-learn, where it gives way to `C` and `l1_ratio`.
    C : float, default=1.0
        Inverse weight of the penalty; infinity is none.
    l1_ratio : float between 0 and 1, default=0.0
        Share of the L1 penalty.
    dual, intercept_scaling, verbose
        Accepted for compatibility: they choose scikit-learn's algorithm.
    tol : float, default=1e-4
        Ends when a step promises less than tol^4 of the objective, 1e-16 by default.
    fit_intercept : bool, default=True
        Whether there is a w0.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    random_state : int, default=None
        Order of the rows for "sgd".
    solver : str, default="lbfgs"
        One of ours (`sumlearn.solvers.SOLVERS`), or one of scikit-learn's, which mean "newton" (L1: "coordinate").
    max_iter : int, default=100
        Most steps.
    warm_start : bool, default=False
        Whether to start from the coefficients of the fit before.
    n_jobs : int, default=None
        Threads; None is all.
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else.

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_
        As in scikit-learn.
    solutions_ : list of Solution
        Objective, gradient norm, iterations, passes, trace.
    covariance_, standard_errors_, t_values_, p_values_, fisher_information_, cramer_rao_, log_likelihood_, aic_, bic_
        Inference on the log-odds, the intercept first, of each class against the first where there are more than two;
        and `pseudo_r2_`. They exist after a fit without a penalty, without class weights and on not too many rows;
        `inference(X, y)` has them for many rows, and for an L2 penalty.

    Examples
    --------
    >>> from sumlearn import LogisticRegression
    >>> from sumlearn.data import load_example
    >>> pima = load_example("pima")
    >>> model = LogisticRegression(C=np.inf).fit(pima.X, pima.y)
    >>> round(model.solutions_[0].objective, 4), int(model.n_iter_[0])
    (361.7227, 6)
    >>> model.standard_errors_[:2].round(4), round(model.pseudo_r2_, 4)
    (array([0.7166, 0.0321]), 0.2718)

    References
    ----------
    Lecture notes 000, 004 (its pattern-based rule needs y in {0, 1}); Hastie, Tibshirani & Friedman 2009, sec. 4.4.
    """

    description = Description(
        offers=(
            Offer("logistic", "logistic ridge", 50, tuning=Tuning("C", (0.003, 0.03, 0.3, 3.0))),
            Offer("logistic_l1", "logistic lasso", 60, {"l1_ratio": 1.0}, Tuning("C", (0.01, 0.1, 1.0, 10.0))),
        ),
        complexity=INVERSE_PENALTY,
        onnx="linear",
    )

    target = "label"

    log_likelihood_ = Inferred("Log-likelihood of the training rows.")
    pseudo_r2_ = Inferred("McFadden's 1 - ln L / ln L0, L0 that of the shares of the classes alone.")

    def __init__(
        self,
        penalty: Any = "deprecated",
        *,
        C: float = 1.0,
        l1_ratio: float | None = 0.0,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        random_state: Any = None,
        solver: Any = "lbfgs",
        max_iter: int = 100,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
        basis: Any = None,
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.basis = basis

    def start(self, rows: Passes, look: Any) -> Descent:
        penalty, alpha = self._penalty()
        if not self.tol > 0:
            raise ValueError(f"tol must be positive, got {self.tol!r}")
        loss = Softmax()
        name = "auto" if self.solver in FOREIGN else self.solver
        tolerance = max(self.tol**4, 1e-18)
        if name not in ("auto", "newton") or not penalty.smooth:
            tolerance = max(self.tol**3.25, 1e-20)  # what steps along the gradient can reach
        most = None if name == "auto" and not penalty.smooth else self.max_iter
        solver = solver_of(name, loss, penalty, tolerance, most, self.random_state)
        return descent_on_labels(self, rows, (Logistic(), loss), penalty, alpha, solver)

    def attributes(self, state: Descent) -> dict[str, Any]:
        values = of_labels(self, state)
        return values | {"_information": None if self._penalty()[1] else self._cheap_information(state.source, values)}

    def decision_function(self, X: Any) -> np.ndarray:
        """Log-odds of the second of two classes, else the scores of all."""
        scores = linear_scores(self, self.rows_of(X, sparse_ok=True))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The most probable label of every row."""
        scores = linear_scores(self, self.rows_of(X, sparse_ok=True))
        return best_class(scores, self.classes_)

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(k | x), one column per class."""
        scores = linear_scores(self, self.rows_of(X, sparse_ok=True))
        return probabilities(scores, len(self.classes_))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """ln P(k | x), one column per class."""
        scores = linear_scores(self, self.rows_of(X, sparse_ok=True))
        if scores.shape[1] == 1:
            if len(self.classes_) == 1:
                return np.zeros_like(scores)
            scores = np.column_stack([np.zeros_like(scores[:, 0]), scores[:, 0]])
        return log_softmax(scores)

    def inference(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> LogisticInference:
        """Standard errors, intervals and tests of the log-odds; of several classes, of each against the first.

        A fit without a penalty on not too many rows has kept what is needed. Otherwise give its rows again: they are
        read once, files and Dask collections chunk by chunk. With an L2 penalty the result is the normal approximation
        of the posterior.
        """
        check_is_fitted(self)
        penalty, alpha = self._penalty()
        if alpha and penalty.name != "l2":
            raise ValueError("coefficients with an L1 penalty have no normal distribution: use C=inf or l1_ratio=0")
        if self.class_weight is not None:
            raise ValueError("class_weight changes the likelihood: there is no inference with it")
        if len(self.classes_) == 1:
            raise ValueError(f"all rows are of class {self.classes_[0]!r}: there is nothing to infer")
        if not alpha and any(solution.separated for solution in self.solutions_):
            raise ValueError("the classes are separated, wholly or in part: there is no maximum; use a penalty")
        scores, total = Scores.of(vars(self), self.fit_intercept), vars(self).get("_information")
        if X is not None:
            source = copy.copy(self).open(X, y, sample_weight, reset=False)
            total = information(scores, source, self.n_jobs)
        if total is None:
            raise ValueError(
                "the fit has kept no curvature, because of its penalty or its many rows: call inference(X, y) with the "
                "rows of the fit"
            )
        return logistic_inference(self, scores, total, alpha)

    def _cheap_information(self, source: Source, values: dict[str, Any]) -> Total | None:
        """The curvature at the solution, where there is a maximum and one more pass is cheap."""
        size = values["coef_"].size + len(values["coef_"])
        cheap = source.rows is not None and source.rows * size**2 <= FEW
        separated = any(solution.separated for solution in values["solutions_"])
        if not values["solutions_"] or separated or not cheap or self.class_weight is not None:
            return None
        return information(Scores.of(values, self.fit_intercept), source, self.n_jobs)

    def _penalty(self) -> tuple[Penalty, float]:
        if not (isinstance(self.C, int | float | np.number) and self.C > 0):
            raise ValueError(f"C must be positive, got {self.C!r}")
        ratio = {"l1": 1.0, "l2": 0.0}.get(self.penalty, 0.0 if self.l1_ratio is None else self.l1_ratio)
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ValueError("penalty='elasticnet' needs l1_ratio, a number between 0 and 1")
        if self.penalty not in ("deprecated", "l1", "l2", "elasticnet", None):
            raise ValueError(f"penalty must be 'l1', 'l2', 'elasticnet' or None, got {self.penalty!r}")
        if not 0.0 <= ratio <= 1.0:
            raise ValueError(f"l1_ratio must lie between 0 and 1, got {self.l1_ratio!r}")
        if self.penalty is None or np.isinf(self.C):
            return Free(), 0.0
        kind: Penalty = L2() if ratio == 0.0 else L1() if ratio == 1.0 else ElasticNet(ratio)
        return kind, 1.0 / float(self.C)
