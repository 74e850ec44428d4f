"""The perceptron: weights change where, and only where, a pattern is on the wrong side."""

from __future__ import annotations

from numbers import Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

from ...compiled import patterns
from ..description import SCORES_ONLY, Description, Offer
from ..linear_map import FAR
from ..sequential import Sequential
from .parts.epochs import EPOCHS
from .parts.neuron import Neuron
from .parts.one_against_rest import OneAgainstRest, Patterns, Rule


class Perceptron(Neuron, Sequential):  # type: ignore[misc]
    """A plane between two classes, moved by the patterns that lie on its wrong side.

        online:  for every pattern with y (w'x + b) <= 0:   w += eta0 y x,   b += eta0 y          (y = -1 or 1)
        batch:   w += eta0 sum of y x over all patterns with y (w'x + b) <= 0, until there is none

    With ``<=`` and not ``<``: from w = 0 the strict rule would never move. If some plane separates the classes with
    margin gamma and all |(x, 1)| <= R, the online rule makes at most (R / gamma)^2 mistakes (Novikoff); if none does,
    it never comes to rest. Learning ends with an epoch that changes nothing; where `max_iter` of them do not lead
    there, a `ConvergenceWarning` says how many mistakes are left. Several classes are learnt one against the rest.

    Sequential: a fold over the rows, in their order. Can learn on (`partial_fit`), cannot merge or forget. Cost: O(n d)
    for each epoch and class.

    Parameters
    ----------
    mode : {"online", "batch"}, default="online"
        Correct after every pattern, or after every epoch. Batch takes no penalty and no early stopping, does not
        depend on the order of rows, and does not use `tol` and `n_iter_no_change`.
    penalty : {None, "l2", "l1", "elasticnet"}, default=None
        Shrinks the weights at every pattern by alpha (1 - l1_ratio) w, and by alpha l1_ratio towards zero.
    alpha, l1_ratio : float, default=0.0001, 0.15
        Size of the penalty, and the share of L1 in "elasticnet".
    fit_intercept : bool, default=True
    max_iter : int, default=1000
        Most epochs of a fit.
    tol : "auto", float or None, default="auto"
        "auto": until an epoch changes nothing; with a penalty or early stopping, which do not come to rest, 1e-3. A
        number: stop when the mean loss (or the score of the rows held back) does not improve by that much,
        `n_iter_no_change` times in a row, whatever mistakes are left (1e-3 is what scikit-learn does by default). None:
        always `max_iter` epochs.
    shuffle : bool, default=True
    eta0 : float, default=1.0
        The step. Without a penalty it only sets the scale of the weights.
    n_jobs : int, default=None
        Threads over the classes; -1 takes all processors.
    random_state : int, RandomState or None, default=0
    early_stopping : bool, default=False
        Judge by a share of the rows (`validation_fraction`) that is held back.
    validation_fraction, n_iter_no_change : default=0.1, 5
    class_weight : dict, "balanced" or None, default=None
        Factors of the step by class.
    warm_start : bool, default=False
        Begin with the weights of the last fit.
    verbose : int, default=0
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else.

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_, t_, loss_curve_
        Weights; labels; epochs; 1 + patterns shown; mean loss of every epoch.
    mistakes_ : list of int
        Mistakes in every epoch, over all classes.
    converged_ : bool
        Whether the last epoch made no mistake: the classes are separated.

    Examples
    --------
    The three points of lecture note 001, by hand: w = 0 corrects 1 and 3, then 3 again, then nothing.

    >>> from sumlearn import Perceptron
    >>> X, y = [[0.9, 3.0], [3.0, 4.1], [1.2, 0.3]], [1, 1, -1]
    >>> model = Perceptron(shuffle=False).fit(X, y)
    >>> model.coef_.round(6).tolist(), model.intercept_.tolist(), model.mistakes_
    ([[-1.5, 2.4]], [-1.0], [2, 1, 0])
    >>> batch = Perceptron(mode="batch").fit(X, y)
    >>> batch.coef_.round(6).tolist(), batch.intercept_.tolist(), batch.mistakes_
    ([[-0.9, 5.9]], [-2.0], [3, 1, 1, 1, 0])

    References
    ----------
    Lecture notes 001 and 004 (the gradient form of 001, with a strict sign, never moves from zero); Rosenblatt, "The
    perceptron", Psychological Review 65, 1958; Novikoff, "On convergence proofs for perceptrons", 1962.
    """

    description = Description(
        offers=(Offer("perceptron", "perceptron", 130, fixed={"tol": 1e-3}, extra=True),), lacks={"sample": SCORES_ONLY}
    )

    far = FAR

    _parameter_constraints: dict[str, Any] = EPOCHS | {
        "mode": [StrOptions({"online", "batch"})],
        "penalty": [StrOptions({"l2", "l1", "elasticnet"}), None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "tol": [StrOptions({"auto"}), *EPOCHS["tol"]],
        "eta0": [Interval(Real, 0, None, closed="neither")],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        *,
        mode: str = "online",
        penalty: str | None = None,
        alpha: float = 0.0001,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | str | None = "auto",
        shuffle: bool = True,
        verbose: int = 0,
        eta0: float = 1.0,
        n_jobs: int | None = None,
        random_state: Any = 0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        warm_start: bool = False,
        basis: Any = None,
    ) -> None:
        self.mode = mode
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.basis = basis

    def rule(self, rows: Patterns) -> Rule:
        batch = self.mode == "batch"
        if batch and (self.penalty is not None or self.early_stopping):
            name = "penalty" if self.penalty is not None else "early_stopping"
            raise ValueError(f"{name}={getattr(self, name)!r} needs mode='online'; mode='batch' has no such thing")
        share = {None: 0.0, "l2": 0.0, "l1": 1.0, "elasticnet": self.l1_ratio}[self.penalty]
        alpha = 0.0 if self.penalty is None else self.alpha
        return Rule(
            patterns.PERCEPTRON,
            low=-1.0,
            eta=self.eta0,
            ridge=alpha * (1.0 - share),
            lasso=alpha * share,
            intercept=self.fit_intercept,
            batch=batch,
            rests=batch or (self.tol == "auto" and self.penalty is None and not self.early_stopping),
        )

    def settled(self, problems: list[OneAgainstRest]) -> bool:
        return all(problem.mistakes == 0 for problem in problems)
