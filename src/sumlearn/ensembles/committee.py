"""A committee: experts that learn from the same rows and decide together."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from ..data import Source
from ..features.input_ranges import whole_number
from ..learners import Description, Wrapper
from ..learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ..learners.gaussian.naive_bayes import GaussianNB
from ..learners.sampling import LabelSamplingMixin
from .parts.members import Asked, NamedMembers, checked_members, refuse_tables, takes_gaps
from .parts.rules import RULES, decided, shares
from .parts.voting import Voting, is_list, tells_probabilities, tells_scores, views_for, weights_for

NO_DRAWS = "votes are no probabilities; with rule='mean' there are some"


class Committee(NamedMembers, Voting, LabelSamplingMixin, ClassifierMixin, Wrapper):
    """A society of experts: classifiers that learn from the same rows, or one from several random starts, and vote.

        majority     u_k = sum_m w_m [k = argmax_l P_m(l | x)]
        preference   u_k = sum_m w_m (classes that m ranks below k, and half of those that it ranks equal)
        mean         u_k = sum_m w_m P_m(k | x) / sum_m w_m
        product      u_k ~ prod_m P_m(k | x)^w_m
        median       u_k ~ med_m P_m(k | x)

    The class of the highest u_k is the answer; of equally high ones the first of ``classes_``. The product is made of
    logarithms, and a probability of zero counts as the least number that there is, so that no expert forbids a class
    alone. A class that an expert has not seen has the probability zero there, and the last rank. Rule and weights are
    looked at when a decision is made: others need no other fit.

    Statistic: those of the experts; what all of them can do, the committee can: merge, forget, decay, restrict. Cost:
    that of the experts.

    Parameters
    ----------
    estimators : list of (name, classifier), classifier or None, default=None
        Experts of any library, "drop" in the place of one that is left out. One classifier is learnt from
        `n_estimators` random starts. None is LinearDiscriminantAnalysis() and GaussianNB().
    rule : {"majority", "preference", "mean", "product", "median"}, default="majority"
        "majority" needs answers alone; "preference" ranks by probabilities, or by a `decision_function`; the others
        need probabilities.
    weights : array, default=None
        How much each expert counts, not negative; as many as there are entries in `estimators`. Two are as good as
        the same expert twice.
    n_estimators : int, default=None
        How many experts are made of one classifier; None is 10.
    random_state : int, RandomState or None, default=None
        Seed from which each random start draws its own; None draws anew at every fit, a RandomState is left as it is.
        Committees merge that drew the same ones.
    n_jobs : int, default=None
        Experts that learn at the same time; None is one after the other, each with threads of its own.

    Attributes
    ----------
    classes_ : array
        Labels that any expert has seen, sorted.
    learners_ : list
        The fitted experts.
    named_estimators_ : dict
        The same by name.

    Examples
    --------
    >>> from sumlearn import Committee, GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> kinds = LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()
    >>> experts = [("lda", kinds[0]), ("qda", kinds[1]), ("nb", kinds[2])]
    >>> sites = [Committee(experts, rule="product").fit(iris.X[i::2], iris.y[i::2]) for i in (0, 1)]
    >>> print(f"{sum(sites).score(iris.X, iris.y):.3f}")
    0.980

    References
    ----------
    Lecture note 002; Kittler, Hatef, Duin & Matas, On combining classifiers, 1998.
    """

    description = Description(variants={"rule": RULES}, lacks={"sample": NO_DRAWS})
    target = "label"

    def __init__(
        self,
        estimators: Any = None,
        rule: str = "majority",
        weights: Any = None,
        n_estimators: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.rule = rule
        self.weights = weights
        self.n_estimators = n_estimators
        self.random_state = random_state
        self.n_jobs = n_jobs

    # -- the experts --------------------------------------------------------------------------------------------------

    def members(self) -> list[tuple[str, Any]]:
        """Names and experts, unfitted; of one classifier all are alike until they have their seeds."""
        if self.estimators is None:
            return [("lda", LinearDiscriminantAnalysis()), ("nb", GaussianNB())]
        if isinstance(self.estimators, type) or not hasattr(self.estimators, "fit"):
            return checked_members(self, self.estimators)
        count = 10 if self.n_estimators is None else whole_number(self.n_estimators, "n_estimators", 1)
        return [(f"start{m}", self.estimators) for m in range(count)]

    def check(self) -> None:
        members = self.members()
        self.check_rule(members)
        refuse_tables(members, "Committee")
        weights_for(self.weights, self.estimators, len(members))
        one = self.estimators is not None and not is_list(self.estimators)
        if self.n_estimators is not None and not one:
            raise ValueError("n_estimators is a number of random starts of one classifier: give it as `estimators`")
        if one and not seeds_of(self.estimators):
            raise ValueError(
                f"estimators: {type(self.estimators).__name__} has no random_state, so that all its starts would be "
                "the same; give a list of different experts"
            )

    def inside(self, look: Any) -> list[Any]:
        experts = [expert for _, expert in self.members()]
        if self.estimators is None or is_list(self.estimators):
            return experts
        seeds = own_source(self.random_state).randint(2**31 - 1, size=len(experts))
        return [started(expert, int(seed)) for expert, seed in zip(experts, seeds, strict=True)]

    def views(self, source: Source, look: Any) -> list[Source]:
        return views_for(self.members(), source)

    @property
    def takes_gaps(self) -> bool:
        """Whether NaN is left to the experts: all of them take it."""
        return takes_gaps(expert for _, expert in self.members())

    @property
    def named_estimators_(self) -> dict[str, Any]:
        """The fitted experts by name."""
        return dict(zip((name for name, _ in self.members()), self.fitted_experts(), strict=True))

    # -- their decision ---------------------------------------------------------------------------------------------

    def scores(self, X: Any) -> np.ndarray:
        """u_k of the rule, one column for each class; logarithms for the product."""
        self.check()
        asked, experts = Asked(self, X), self.fitted_experts()
        said = np.stack([self.said(asked, expert) for expert in experts])
        return decided(said, weights_for(self.weights, self.estimators, len(experts)), self.rule)

    def predict(self, X: Any) -> np.ndarray:
        """The class of the highest score; of equally high ones the first."""
        best = self.scores(X).argmax(axis=1)
        return self.classes_[best]

    @available_if(tells_scores)
    def decision_function(self, X: Any) -> np.ndarray:
        """Votes or points of each class; of two classes how much the second leads."""
        scores = self.scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    @available_if(tells_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities by the rule, which add up to one."""
        return shares(self.scores(X), self.rule).astype(self.float_dtype)


def own_source(random_state: Any) -> np.random.RandomState:
    """Draws that change nobody else's: to ask what a committee can do draws as well."""
    if random_state is None:
        return np.random.RandomState()
    return copy.deepcopy(check_random_state(random_state))


def seeds_of(estimator: Any) -> list[str]:
    """The parameters of an estimator, and of what is inside, that seed its draws."""
    return [name for name in estimator.get_params(deep=True) if name.rpartition("__")[2] == "random_state"]


def started(estimator: Any, seed: int) -> Any:
    """A copy whose draws begin with a seed of its own."""
    source = check_random_state(seed)
    drawn = {name: int(source.randint(2**31 - 1)) for name in sorted(seeds_of(estimator))}
    return clone(estimator).set_params(**drawn)
