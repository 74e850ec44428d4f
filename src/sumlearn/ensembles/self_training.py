"""Self-training: a classifier that labels the rows it is sure of, and learns from these too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if

from ..data import Source, open_source
from ..data.target import PARTLY_LABELLED, Target, is_labelled
from ..decision.parts.many_classes import allows_gaps
from ..engines.summing import NO_WEIGHT, summary_of_part
from ..features.input_ranges import is_number, one_of, whole_number
from ..learners import Learner, OnePass
from ..learners.ability import Abilities, sums_by_row
from ..learners.description import Description
from ..learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ..learners.sampling import LabelSamplingMixin
from ..learners.validation import usable_rows
from ..learners.wrapper import Wrapper
from ..statistics.warnings import warn
from .parts.few_labels import NO_LABEL, WorthOfUnlabelled, check_folds, compared, in_memory, labels_of, taken


def if_estimator_has(name: str) -> Callable[[Any], Any]:
    """A method that is there where the classifier has it, the fitted one if there is one."""

    def has(model: Any) -> bool:
        getattr(model.estimator_ if "estimator_" in vars(model) else model.inside(None)[0], name)
        return True

    return available_if(has)


class SelfTrainingClassifier(LabelSamplingMixin, ClassifierMixin, Wrapper):
    """A classifier that labels the rows it is sure of, and learns from these too, until nothing changes.

        L_0 = labelled rows
        round t: f_t learns L_(t-1);  L_t = L_(t-1) + {(x, argmax_k p_t(k | x)) : max_k p_t(k | x) > threshold}

    A label that was given once is never taken back, so errors of the first rounds are learnt as if they were true:
    the unlabelled rows can do harm. `compare` measures it on labelled rows that are left out.

    Statistic: that of the classifier. Where it is a sum over rows, a round adds the rows that have got a label to the
    sums, and nothing is learnt twice: equal to learning anew, up to rounding. Any other classifier learns anew in every
    round. No merge, no forget: who got which label depends on all rows. Cost: of a sum, O(n d^2) for all rounds
    together, and the probabilities of the rows that are left in each.

    Parameters
    ----------
    estimator : classifier, default=None
        With `predict_proba`; None is LinearDiscriminantAnalysis(). Probabilities that are far off give wrong labels.
    threshold : float, default=0.75
        Rows whose largest probability is above it are labelled.
    criterion : {"threshold", "k_best"}, default="threshold"
        "k_best" labels the `k_best` rows of largest probability, the first of equals; rows are counted, whatever they
        weigh.
    k_best : int, default=10
        How many rows a round labels by that criterion.
    max_iter : int or None, default=10
        Most rounds; None is as many as it takes.
    verbose : bool, default=False
        Print how many rows each round has labelled.
    compare : int or None, default=None
        Folds of the labelled rows for `helped_`: each is left out once, with the unlabelled rows and without them. It
        costs two fits a fold.

    Attributes
    ----------
    estimator_ : classifier
        The last one.
    classes_ : array
    transduction_ : array
        Labels of the last round, for every row: given, found, or -1 (None among text) where none was found.
    labeled_iter_ : array
        Round in which a row was labelled: 0 where the label was given, -1 where none was found.
    n_iter_ : int
        Rounds.
    termination_condition_ : {"max_iter", "no_change", "all_labeled"}
    comparison_, helped_ : WorthOfUnlabelled, bool or None
        With `compare`: gain and its standard error; whether the unlabelled rows helped, None where nobody can tell.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import GaussianNB, SelfTraining
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> y = iris.y.astype(object)
    >>> y[np.arange(150) % 10 > 0] = None              # 5 labels of each kind are left
    >>> model = SelfTraining(GaussianNB(), threshold=0.9).fit(iris.X, y)
    >>> print(model.n_iter_, (model.labeled_iter_ > 0).sum(), round(model.score(iris.X, iris.y), 3))
    2 130 0.907

    References
    ----------
    Lecture note 002 (transduction); Yarowsky, Unsupervised word sense disambiguation rivaling supervised methods, 1995.
    """

    description = Description(
        parts=(WorthOfUnlabelled,),
        variants={"threshold": (0.6, 0.9), "criterion": ("threshold", "k_best"), "max_iter": (2,)},
    )
    target = PARTLY_LABELLED
    survive = frozenset()
    unsaved = ("transduction_", "labeled_iter_")

    def __init__(
        self,
        estimator: Any = None,
        threshold: float = 0.75,
        criterion: str = "threshold",
        k_best: int = 10,
        max_iter: int | None = 10,
        verbose: bool = False,
        compare: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.criterion = criterion
        self.k_best = k_best
        self.max_iter = max_iter
        self.verbose = verbose
        self.compare = compare

    def check(self) -> None:
        if isinstance(self.estimator, type) or not (self.estimator is None or hasattr(self.estimator, "fit")):
            raise TypeError(f"estimator must be a classifier or None, got {self.estimator!r}")
        if not is_number(self.threshold) or not 0.0 <= self.threshold < 1.0:
            raise ValueError(f"threshold must be from 0 to below 1, got {self.threshold!r}")
        one_of(self.criterion, "criterion", ("threshold", "k_best"))
        whole_number(self.k_best, "k_best", 1)
        if self.max_iter is not None:
            whole_number(self.max_iter, "max_iter", 0)
        check_folds(self.compare)

    @property
    def takes_gaps(self) -> bool:
        """Whether NaN is left to the classifier: one of another library that takes it, or mends it."""
        return allows_gaps(self.estimator)

    def inside(self, look: Any) -> list[Any]:
        return [LinearDiscriminantAnalysis() if self.estimator is None else self.estimator]

    # -- learning ---------------------------------------------------------------------------------------------------

    def learn_from(self, source: Source, watch: Any) -> None:
        rows = in_memory(source, type(self).__name__)
        assert rows.y is not None
        for part in rows.parts():  # a bad value is named by its row among all
            summary_of_part(partial(usable_rows, gaps=self.takes_gaps), rows, part)
        there = np.ones(rows.rows, dtype=bool) if rows.weight is None else rows.weight != 0
        given = is_labelled(rows.y)
        labels, has = rows.y.copy(), given & there
        if not has.any():
            raise ValueError(NO_LABEL if there.any() else NO_WEIGHT)
        round_of = np.where(given, 0, -1)
        if given[there].all():
            warn("y contains no unlabeled samples", UserWarning)
        if self.criterion == "k_best" and self.k_best > (there & ~has).sum():
            warn(
                "k_best is larger than the amount of unlabeled samples. All unlabeled samples will be labeled in the "
                "first iteration",
                UserWarning,
            )
        ending, rounds, new = "max_iter", 0, np.flatnonzero(has)
        model = clone(self.inside(None)[0])
        model = self.learnt(model, rows, labels, new, has)
        while (there & ~has).any() and (self.max_iter is None or rounds < self.max_iter):
            rounds += 1
            left = np.flatnonzero(there & ~has)
            best, sure = answers(model, rows, left)
            chosen = self.chosen(sure)
            new = left[chosen]
            labels[new] = best[chosen]
            round_of[new] = rounds
            has[new] = True
            if not len(new):
                ending = "no_change"
                break
            if self.verbose:
                print(f"End of iteration {rounds}, added {len(new)} new labels.")
            model = self.learnt(model, rows, labels, new, has)
        self.estimator_, self.classes_ = model, model.classes_
        self.learners_ = [model]
        self.n_iter_, self.transduction_, self.labeled_iter_ = rounds, labels, round_of
        ending = "max_iter" if rounds == self.max_iter else ending  # as scikit-learn has it, also of a last idle round
        self.termination_condition_ = "all_labeled" if has[there].all() else ending
        self.comparison_ = None if self.compare is None else compared(self, rows, self.compare)
        self.helped_ = None if self.comparison_ is None else self.comparison_.helped

    def chosen(self, sure: np.ndarray) -> np.ndarray:
        """Places of the rows that get a label, by the largest probability of each."""
        if self.criterion == "threshold":
            return np.flatnonzero(sure > self.threshold)
        return np.argsort(-sure, kind="stable")[: self.k_best]

    def learnt(self, model: Any, rows: Any, labels: np.ndarray, new: np.ndarray, has: np.ndarray) -> Any:
        """The classifier of all rows that have a label: the new ones are added to its sums, if it has some."""
        adds_up = isinstance(model, OnePass) and model.reads == "numbers" and sums_by_row(model)
        known = adds_up and "statistic_" in vars(model)
        numbers = new if known else np.flatnonzero(has)
        weight = None if rows.weight is None else rows.weight[numbers]
        if not isinstance(model, Learner):
            weights = {} if weight is None else {"sample_weight": weight}
            return model.fit(taken(rows, numbers), labels_of(labels[numbers]), **weights)
        part = open_source(rows.read(numbers), labels_of(labels[numbers]), weight).known_as(Target("label"))
        return model.changed(model.through_look(part), "merge") if known else self.taught(model, part)

    def own_abilities(self) -> Abilities:
        return Abilities()

    # -- using ------------------------------------------------------------------------------------------------------

    def asked(self, X: Any, what: str) -> np.ndarray:
        """What the classifier answers for rows, which are checked here, not there."""
        rows, model = self.rows_of(X, sparse_ok=True), self.estimator_
        if hasattr(model, "without_names"):
            return getattr(model.without_names(), what)(rows)
        return getattr(model, what)(X if hasattr(model, "feature_names_in_") else rows)

    @if_estimator_has("predict")
    def predict(self, X: Any) -> np.ndarray:
        """The label of every row."""
        return self.asked(X, "predict")

    @if_estimator_has("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """p(k | x), one column per class."""
        return self.asked(X, "predict_proba")

    @if_estimator_has("predict_log_proba")
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """ln p(k | x), one column per class."""
        return self.asked(X, "predict_log_proba")

    @if_estimator_has("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the classifier."""
        return self.asked(X, "decision_function")


SelfTraining = SelfTrainingClassifier  # the method; the class has the name that scikit-learn gives it


def answers(model: Any, rows: Any, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The most probable label of some rows, and its probability."""
    if isinstance(model, Learner):
        p = model.without_names().predict_proba(rows.read(numbers))
    else:
        p = model.predict_proba(taken(rows, numbers))
    return np.asarray(model.classes_)[np.argmax(p, axis=1)], np.max(p, axis=1)
