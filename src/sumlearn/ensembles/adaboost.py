"""AdaBoost: members that are learnt one after the other, each with more weight on the rows that were told wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..data import Source
from ..features.input_ranges import is_number, one_of, whole_number
from ..learners import Description, Roads
from ..learners.description import Complexity, Offer, Tuning
from ..learners.sampling import LabelSamplingMixin
from ..learners.trees.decision_tree_classifier import DecisionTreeClassifier
from ..learners.trees.parts.binning import MOST_BINS, BinEdges
from .parts.boosted_bins import BoostedBins
from .parts.boosted_rows import BoostedRows
from .parts.seeded import seeded
from .parts.stumps import Stumps
from .parts.voted_answers import VotedAnswers

ALGORITHMS = ("m1", "samme")
WEIGHTINGS = ("native", "resample", "copies")


class AdaBoostClassifier(VotedAnswers, LabelSamplingMixin, ClassifierMixin, Roads):
    """Weak classifiers that vote: each learns from rows that weigh more the worse they were told before.

        e_m = sum of b_t over the rows that member m tells wrongly,   b_t the weights, of sum one
        b_t <- b_t * beta_m  where it is right,   beta_m = e_m / (1 - e_m),   then b over its sum
        vote  v_m = -log beta_m            (SAMME: + log(K - 1), and rows that are wrong weigh exp(v_m) times as much)
        u_k(x) = sum_m v_m [member m says k],   answer  argmax_k u_k(x)

    It ends at e >= 1/2 (SAMME: 1 - 1/K), where a member is no better than a guess, and that member has no vote; and at
    e = 0, where it has a finite one: log(1 + 2 W), that of half an error among the W rows; by SAMME 1, as in
    scikit-learn. For two classes both algorithms are one. Members are stumps unless an estimator is given: columns are
    sorted once, a round is a scan of them, and every cut is tried. Of equally good cuts the first column's first one
    counts.

    Kind: all rows in memory. With `max_bins` a sum for each round, over chunks, files and Dask. No merge, no forget.
    Cost: O(n d log n) to sort, O(n d) for each round.

    Parameters
    ----------
    estimator : classifier, default=None
        Of any library; None is a stump, DecisionTreeClassifier(max_depth=1).
    n_estimators : int, default=50
        Rounds, at most.
    learning_rate : float, default=1.0
        Factor of the votes, and so a power of beta.
    random_state : int, RandomState or None, default=None
        Seeds of the members, and what is drawn by "resample". Stumps draw nothing.
    algorithm : {"samme", "m1"}, default="samme"
        "samme" has scikit-learn's answers; "m1" is the note's, which asks of members more than half of the weight.
    weighting : {"native", "resample", "copies"}, default="native"
        How a member learns from weights: as `sample_weight`; from as many rows as there are, drawn with these
        probabilities; from round(C T b_t) copies of row t. The error always counts the weights themselves.
    copies : float, default=10.0
        C, how often the rows are there in all, for "copies".
    max_bins : int or None, default=None
        With a number, 2 to 255, stumps cut between so many bins of a column, of about equal weight, and rows are read
        chunk by chunk, n_estimators + 2 times at most. A cut misses its best place by the weight of a bin at most,
        W / max_bins; a column of fewer values loses nothing. None tries every cut.
    n_jobs : int or None, default=None
        Threads of the scans; None takes all processors.

    Attributes
    ----------
    estimators_ : list
        The members; stumps as trees, made when asked for.
    estimator_weights_, estimator_errors_ : arrays (n_estimators,)
        v_m and e_m; of rounds that were not needed zeros and ones.
    classes_, n_classes_ : array, int
    feature_importances_ : array (n_features,)
        Mean of those of the members, by their votes.
    trace_ : array (rounds,)
        Error of all members so far on the rows learnt, round by round.
    error_bound_ : array (rounds,)
        prod_m 2 sqrt(e_m (1 - e_m)), which that error does not exceed for two classes and a learning rate of one.
    stumps_ : Stumps
        Where there are stumps: their columns, thresholds and weights, as arrays.

    Examples
    --------
    >>> from sumlearn import AdaBoostClassifier
    >>> from sumlearn.data import load_example
    >>> pima = load_example("pima")
    >>> model = AdaBoostClassifier(n_estimators=30).fit(pima.X, pima.y)
    >>> print(model.estimator_errors_[:3].round(3), model.trace_[[0, 9, 29]].round(3))
    [0.264 0.386 0.373] [0.264 0.234 0.212]
    >>> print(model.margins(pima.X, pima.y).min().round(3))
    -0.386

    References
    ----------
    Lecture note 002; Freund & Schapire, "A decision-theoretic generalization of on-line learning and an application to
    boosting", 1997; Zhu, Zou, Rosset & Hastie, "Multi-class AdaBoost", 2009; Schapire, Freund, Bartlett & Lee,
    "Boosting the margin", 1998.
    """

    description = Description(
        offers=(Offer("adaboost", "boosted stumps", 66, tuning=Tuning("n_estimators", (50, 200)), extra=True),),
        complexity=Complexity("n_estimators", "rounds", (1, 2, 5, 10, 20, 50, 100, 200), freer="right"),
        parts=(Stumps, BinEdges),
        variants={"n_estimators": (5,), "algorithm": ALGORITHMS, "learning_rate": (1.0, 0.5), "max_bins": (None, 20)},
    )

    target = "label"

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        random_state: Any = None,
        algorithm: str = "samme",
        weighting: str = "native",
        copies: float = 10.0,
        max_bins: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.algorithm = algorithm
        self.weighting = weighting
        self.copies = copies
        self.max_bins = max_bins
        self.n_jobs = n_jobs

    # -- learning -----------------------------------------------------------------------------------------------------

    def check(self) -> None:
        one_of(self.algorithm, "algorithm", ALGORITHMS)
        one_of(self.weighting, "weighting", WEIGHTINGS)
        whole_number(self.n_estimators, "n_estimators", 1)
        for name in ("learning_rate", "copies"):
            value = getattr(self, name)
            if not is_number(value) or not 0.0 < value < np.inf:
                raise ValueError(f"{name} must be positive and finite, got {value!r}")
        check_random_state(self.random_state)
        if not (self.estimator is None or (hasattr(self.estimator, "fit") and hasattr(self.estimator, "predict"))):
            raise ValueError(f"estimator must be a classifier or None, got {self.estimator!r}")
        if isinstance(self.estimator, type):
            raise TypeError(f"estimator must be a classifier: {self.estimator.__name__}() was meant?")
        if self.max_bins is not None:
            if whole_number(self.max_bins, "max_bins", 2) > MOST_BINS:
                raise ValueError(f"max_bins must be at most {MOST_BINS}, got {self.max_bins!r}")
            if self.estimator is not None or self.weighting != "native":
                raise ValueError("max_bins is for stumps, with estimator=None and weighting='native'")

    def road(self) -> Any:
        """Rows in memory and every cut, or a sum for every round."""
        return BoostedRows(self) if self.max_bins is None else BoostedBins(self)

    @property
    def needs_look(self) -> bool:
        return self.max_bins is not None

    def look(self, source: Source) -> Any:
        """Edges of the bins, where there are bins."""
        return self.along().look(source) if self.needs_look else None

    # -- what was learnt ----------------------------------------------------------------------------------------------

    @property
    def estimator_(self) -> Any:
        """What members are copies of."""
        return DecisionTreeClassifier(max_depth=1) if self.estimator is None else self.estimator

    @property
    def rounds(self) -> int:
        """How many members there are."""
        check_is_fitted(self)
        state = vars(self)
        return len(state["stumps_"] if "stumps_" in state else state["learners_"])

    @property
    def estimators_(self) -> list[Any]:
        """The members."""
        state = vars(self)
        if "stumps_" in state:
            trees, given = [self.stumps_.tree(m, self.classes_) for m in range(len(self.stumps_))], self.random_state
            if given is None or isinstance(given, Integral):  # of no use, and those of scikit-learn's stumps
                random = check_random_state(0 if given is None else given)
                trees = [seeded(tree, random) for tree in trees]
            return trees
        if "learners_" not in state:
            raise NotFittedError(f"this {type(self).__name__} has no estimators_ yet: call fit")
        return self.learners_

    @property
    def feature_importances_(self) -> np.ndarray:
        """The mean of the members' importances, by their votes."""
        if "classes_" not in vars(self):
            raise NotFittedError(f"Estimator not fitted, call `fit` before `feature_importances_` of {self!r}.")
        votes = self.estimator_weights_[: self.rounds]
        if "stumps_" in vars(self):
            return votes @ self.stumps_.importances() / votes.sum()
        if not all(hasattr(member, "feature_importances_") for member in self.learners_):
            raise AttributeError(
                "Unable to compute feature importances since estimator does not have a feature_importances_ attribute"
            )
        return votes @ np.array([member.feature_importances_ for member in self.learners_]) / votes.sum()

    @property
    def error_bound_(self) -> np.ndarray:
        """prod 2 sqrt(e (1 - e)), round by round (Freund & Schapire 1997)."""
        errors = self.estimator_errors_[: self.rounds]
        return np.cumprod(2.0 * np.sqrt(errors * (1.0 - errors)))

    def __len__(self) -> int:
        """How many members there are."""
        return self.rounds

    def __getitem__(self, number: int) -> Any:
        return self.estimators_[number]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)
