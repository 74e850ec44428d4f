"""A single sigmoid neuron with squared error or cross-entropy."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions

from ...compiled import patterns
from ...objectives.links import sigmoid
from ..description import Description, Offer
from ..sampling import LabelSamplingMixin
from ..sequential import Sequential
from .parts.class_targets import shares_against_the_rest
from .parts.epochs import EPOCHS, GRADIENT
from .parts.neuron import Neuron
from .parts.one_against_rest import OneAgainstRest, Patterns, Rule

SHARE = 0.5  # of the largest step that over-corrects no pattern; the slope s (1 - s) takes more off
LOSSES = {
    "squared": (patterns.SIGMOID, 0.0771),  # largest second derivative of (y - sigma(p))^2 / 2 in p
    "logistic": (patterns.LOGISTIC, 0.25),  # and of the cross-entropy
}


class SigmoidNeuron(LabelSamplingMixin, Neuron, Sequential):  # type: ignore[misc]
    """One neuron of a neural network: the error of a sigmoid, by the gradient of every pattern.

        squared:    w += eta_t (y - s) s (1 - s) x,   b += eta_t (y - s) s (1 - s)      s = sigma(w'x + b)
        logistic:   w += eta_t (y - s) x,             b += eta_t (y - s)                y = 0 or 1
        eta_t = eta / (1 + annealing t)

    The factor s (1 - s) is the slope of the sigmoid. A pattern that is surely wrong (y = 1, s near 0) has a gradient
    near zero and is not corrected; cross-entropy (``loss="logistic"``, logistic regression pattern by pattern), whose
    rule lacks this factor, corrects it most of all. That is why it is the better error for a sigmoid. With a step that
    is given, the rule is this one, on the rows as they are; with the automatic step and an intercept, columns are taken
    about their mean over the first rows (rounded to a power of two), and the intercept makes good for it. Several
    classes are learnt one against the rest.

    Sequential: a fold over the rows, in their order. Can learn on (`partial_fit`), cannot merge or forget. Cost: O(n d)
    for each epoch and class.

    Parameters
    ----------
    eta : float or "auto", default="auto"
        The step. "auto": 0.5 / (c max |(x, 1)|^2) over the rows in memory or the first chunk (times their weights),
        half the largest step that over-corrects no pattern; c = 0.0771, or 1/4 with the logistic loss.
    loss : {"squared", "logistic"}, default="squared"
        The error whose gradient is followed: (y - s)^2 / 2, or -ln P(y).
    annealing : float, default=0.0
        How fast the step falls, by pattern.
    fit_intercept, max_iter, tol, n_iter_no_change, shuffle, random_state, class_weight, warm_start, n_jobs, verbose
        As in Perceptron; `tol` is a number or None, in units of the mean loss.
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else.

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_, t_, loss_curve_, mistakes_
        Weights; labels; epochs; 1 + patterns shown; mean loss and mistakes of every epoch.
    eta_ : float
        The step before annealing.
    converged_ : bool
        Whether learning stopped by `tol`.

    Examples
    --------
    A pattern of class 1, given weights that are sure of class 0: s = sigma(-20), and one epoch moves nothing.

    >>> from sumlearn import SigmoidNeuron
    >>> from sumlearn.data import load_example
    >>> wrong = SigmoidNeuron(eta=1.0, fit_intercept=False, max_iter=1)
    >>> wrong = wrong.fit([[1.0], [0.0]], [1, 0], coef_init=[[-20.0]])
    >>> print(f"{wrong.coef_[0, 0] + 20:.1e}")
    2.1e-09

    From zero it learns:

    >>> iris = load_example("iris")
    >>> model = SigmoidNeuron().fit(iris.X, iris.y)
    >>> print(round(model.score(iris.X, iris.y), 2))
    0.95

    References
    ----------
    Lecture note 004 (with targets 0 and 1: with y - sigma, -1 would never be reached); Rumelhart, Hinton & Williams,
    "Learning representations by back-propagating errors", Nature 323, 1986.
    """

    description = Description(offers=(Offer("sigmoid", "sigmoid neuron", 150, extra=True),))

    _parameter_constraints: dict[str, Any] = EPOCHS | GRADIENT | {"loss": [StrOptions(set(LOSSES))]}

    def __init__(
        self,
        *,
        eta: float | str = "auto",
        loss: str = "squared",
        annealing: float = 0.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-4,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        class_weight: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        basis: Any = None,
    ) -> None:
        self.eta = eta
        self.loss = loss
        self.annealing = annealing
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.basis = basis

    def rule(self, rows: Patterns) -> Rule:
        number, curvature = LOSSES[self.loss]
        kind, self.eta_ = self.stable_step(self.eta, rows, curvature, SHARE)
        step: dict[str, Any] = {"kind": kind, "eta": self.eta_, "annealing": self.annealing, "curvature": curvature}
        return Rule(number, low=0.0, **step, intercept=self.fit_intercept)

    def settled(self, problems: list[OneAgainstRest]) -> bool:
        return not any(problem.active for problem in problems)

    def predict_proba(self, X: Any) -> np.ndarray:
        """sigma(w'x + b); of several classes those of each against the rest, divided by their sum."""
        scores = self.decision_function(X)
        if len(self.classes_) == 1:
            return np.ones((len(scores), 1), dtype=scores.dtype)
        if scores.ndim == 1:
            return np.column_stack([sigmoid(-scores), sigmoid(scores)])
        return shares_against_the_rest(scores)
