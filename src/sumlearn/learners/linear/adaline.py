"""Adaline: the least-mean-squares rule."""

from __future__ import annotations

from typing import Any

from ...compiled import patterns
from ..description import SCORES_ONLY, Description, Offer
from ..sequential import Sequential
from .parts.epochs import EPOCHS, GRADIENT
from .parts.neuron import Neuron
from .parts.one_against_rest import OneAgainstRest, Patterns, Rule

SHARE = 0.1  # of a pattern's error that the automatic step corrects
DIVERGED = 1e6  # mean loss of an epoch; with zero weights it is 1/2


class Adaline(Neuron, Sequential):  # type: ignore[misc]
    """A linear unit that follows the gradient of the squared error, pattern by pattern (LMS, Widrow and Hoff).

        e = y - (w'x + b),   w += eta_t e x,   b += eta_t e,   y = -1 or 1,   eta_t = eta / (1 + annealing t)

    With a step that falls (``annealing > 0``) the weights approach the least-squares solution; with a constant one
    they wander about it, the less the smaller the step. On average the rule is stable for eta < 2 / lambda_max, the
    largest eigenvalue of the mean of (x, 1)(x, 1)'; no single pattern is over-corrected for eta <= 1 / |(x, 1)|^2.
    The automatic step is a tenth of that. With a given step the rule is this one, on the rows as they are; with the
    automatic step and an intercept, columns are taken about their mean over the first rows (rounded to a power of
    two), and the intercept makes good for it. Several classes are learnt one against the rest.

    Sequential: a fold over the rows, in their order. Can learn on (`partial_fit`), cannot merge or forget. Cost: O(n d)
    for each epoch and class. (LinearRegression and LeastSquaresClassifier find the minimum itself, from sums.)

    Parameters
    ----------
    eta : float or "auto", default="auto"
        The step. "auto": 0.1 / max |(x, 1)|^2 over the rows in memory or the first chunk (times their weights), and
        at most 1 / |(x, 1)|^2 for a later pattern that is longer: it cannot diverge. With a number that is too large
        the error explodes, and the fit is refused.
    normalized : bool, default=False
        Divide the step by |(x, 1)|^2 of every pattern (NLMS): stable for 0 < eta < 2; "auto" is then 1.
    annealing : float, default=0.0
        How fast the step falls, by pattern.
    fit_intercept, max_iter, tol, n_iter_no_change, shuffle, random_state, class_weight, warm_start, n_jobs, verbose
        As in Perceptron; `tol` is a number or None, in units of the mean loss e^2 / 2.
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else.

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_, t_, loss_curve_, mistakes_
        Weights; labels; epochs; 1 + patterns shown; mean loss e^2 / 2 and mistakes of every epoch.
    eta_ : float
        The step before annealing.
    converged_ : bool
        Whether learning stopped by `tol`.

    Examples
    --------
    >>> from sumlearn import Adaline
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> X, y = iris.X[50:], iris.y[50:]
    >>> model = Adaline(annealing=1e-4, max_iter=2000, tol=None).fit(X, y)
    >>> print(model.coef_.round(2), round(model.score(X, y), 2))
    [[-0.39 -0.61  0.77  1.37]] 0.97

    Least squares itself gives -0.39, -0.62, 0.77, 1.37.

    References
    ----------
    Lecture note 004; Widrow & Hoff, "Adaptive switching circuits", 1960; Haykin, "Adaptive filter theory", 2002, ch. 5.
    """

    description = Description(offers=(Offer("adaline", "Adaline", 140, extra=True),), lacks={"sample": SCORES_ONLY})

    _parameter_constraints: dict[str, Any] = EPOCHS | GRADIENT | {"normalized": ["boolean"]}

    def __init__(
        self,
        *,
        eta: float | str = "auto",
        normalized: bool = False,
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
        self.normalized = normalized
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
        if self.normalized:
            kind, self.eta_ = patterns.NORMALISED, 1.0 if self.eta == "auto" else float(self.eta)
        else:
            kind, self.eta_ = self.stable_step(self.eta, rows, curvature=1.0, share=SHARE)
        step: dict[str, Any] = {"kind": kind, "eta": self.eta_, "annealing": self.annealing}
        return Rule(patterns.ADALINE, low=-1.0, **step, intercept=self.fit_intercept, most=DIVERGED)

    def settled(self, problems: list[OneAgainstRest]) -> bool:
        return not any(problem.active for problem in problems)
