"""EM with unlabelled rows: the sums of the labelled ones, and the expected sums of the others."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, clone

from ..data import Chunk, Source
from ..data.target import PARTLY_LABELLED, is_labelled
from ..features.input_ranges import is_number, whole_number
from ..learners.description import Description
from ..learners.fitted import check_variances
from ..learners.gaussian.naive_bayes import GaussianNB
from ..learners.passes import Passes
from ..learners.sampling import LabelSamplingMixin
from ..learners.stepwise import Stepwise
from .parts.class_densities import ClassDensities, Collapsed, EmFrame, Family, of_spheres
from .parts.expected_sums import Completed, expected, known_sums
from .parts.families import family_of
from .parts.few_labels import (
    NO_LABEL,
    WorthOfUnlabelled,
    check_folds,
    fitted,
    in_memory,
    labelled_folds,
    losses_of,
    taken,
)

TRIED = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)  # weights among which "cv" chooses
FOLDS = 5


class SemiSupervisedEM(LabelSamplingMixin, ClassifierMixin, Stepwise):
    """A classifier by Bayes' rule that learns from rows without a label too: these count for all classes, by shares.

        Q = sum_l w_n ln p(x_n, y_n | t) + lambda sum_u w_n ln sum_k p(x_n, k | t) + ln p(t)
        E  r_nk = p(k | x_n, t)        M  t = solve( sum_l w_n s(x_n, y_n) + lambda sum_u sum_k w_n r_nk s(x_n, k) )

    with s the sums of the classifier. No step lowers Q (`trace_`). ln p(t) is what the smoothing stands for: alpha ln t
    for every share of counts, alpha [ln p + ln (1 - p)] for truth values; with GaussianNB every row has a term
    - 1/2 sum_j e / v_kj, e its smoothing, in p(x, k), with mixtures - 1/2 tr(S_k^-1 R), R theirs; for the discriminants
    there is nothing. The end is a local maximum, that which the labelled rows lead to.

    Unlabelled rows help where rows of a class are as the classifier says, and do harm where they are not: then classes
    move to where the rows are many. So lambda can be chosen by labelled rows that are left out.

    Statistic: that of the classifier, with fractional weights, a pass for each step. Learns from files and clusters
    larger than memory. Cannot merge or forget exactly. Cost of a step: K times that of its sums, O(n K d) for naive
    Bayes, O(n K d^2) for discriminants.

    Parameters
    ----------
    estimator : classifier, default=None
        GaussianNB (also None), LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, GaussianMixtureClassifier,
        MultinomialNB or BernoulliNB. Of mixtures every row is shared among the Gaussians, that with a label among those
        of its class. Shrinkage and `reg_param` are refused: what they give is the maximum of no likelihood.
    weight_of_unlabelled : float or "cv", default=1.0
        lambda: what an unlabelled row counts, beside one for a labelled one; zero leaves them out. "cv" takes that of
        0, 0.01, 0.03, 0.1, 0.3 and 1 with the least loss on labelled rows that are left out; it needs rows in memory.
    tol : float, default=1e-6
        A step that raises Q by less than this a row is the last.
    max_iter : int, default=500
        Most steps.
    compare : int or None, default=None
        Folds of the labelled rows for "cv", five there if None, and for `helped_`: each is left out once, with the
        unlabelled rows and without them. With "cv", lambda is chosen for each fold by the other folds.
    n_jobs : int or None, default=None
        Threads; None takes all processors.

    Attributes
    ----------
    estimator_ : classifier
        Of the last sums; its priors, means and shares are those of all rows.
    classes_ : array
    weight_of_unlabelled_ : float
        lambda.
    trace_ : array
        Q before every step, over the weight of all rows.
    converged_, n_iter_
    transduction_ : array
        The most probable label of every row; the label that was given, where there is one.
    comparison_, helped_ : WorthOfUnlabelled, bool or None
        With `compare` or "cv": whether the unlabelled rows helped, None where nobody can tell.
    losses_ : dict or None
        Mean loss on rows left out for each lambda that was tried.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import GaussianNB, SemiSupervisedEM
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> y = iris.y.astype(object)
    >>> y[np.arange(150) % 25 > 0] = None              # 2 labels of each kind are left
    >>> model = SemiSupervisedEM(GaussianNB()).fit(iris.X, y)
    >>> print(f"{model.score(iris.X, iris.y):.3f}")
    0.907

    References
    ----------
    Lecture note 002 (transduction); Dempster, Laird & Rubin, Maximum likelihood from incomplete data via the EM
    algorithm, 1977; Nigam, McCallum, Thrun & Mitchell, Text classification from labeled and unlabeled documents using
    EM, 2000.
    """

    description = Description(parts=(WorthOfUnlabelled,), variants={"weight_of_unlabelled": (0.0, 0.3, 1.0)})
    target = PARTLY_LABELLED
    sparse_ok = True
    unsaved = ("transduction_",)
    trace_: np.ndarray
    unfinished = "{most} steps were not enough: increase {limit}, or tol; the objective was still rising"

    def __init__(
        self,
        estimator: Any = None,
        *,
        weight_of_unlabelled: Any = 1.0,
        tol: float = 1e-6,
        max_iter: int = 500,
        compare: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.weight_of_unlabelled = weight_of_unlabelled
        self.tol = tol
        self.max_iter = max_iter
        self.compare = compare
        self.n_jobs = n_jobs

    @property
    def classifier(self) -> Any:
        """The classifier, unfitted."""
        return GaussianNB() if self.estimator is None else clone(self.estimator)

    def check(self) -> None:
        family_of(self.classifier)
        part = self.weight_of_unlabelled
        if part != "cv" and not (is_number(part) and 0.0 <= part < np.inf):
            raise ValueError(f"weight_of_unlabelled must be a number that is not negative, or 'cv', got {part!r}")
        if not is_number(self.tol) or not 0.0 <= self.tol < np.inf:
            raise ValueError(f"tol must be finite and not negative, got {self.tol!r}")
        whole_number(self.max_iter, "max_iter", 1)
        check_folds(self.compare)

    # -- learning ---------------------------------------------------------------------------------------------------

    def learn_from(self, source: Source, watch: Any) -> None:
        self.weight_of_unlabelled_, self.comparison_, self.losses_ = self.chosen(source)
        self.helped_ = None if self.comparison_ is None else self.comparison_.helped
        super().learn_from(source, watch)

    def chosen(self, source: Source) -> tuple[float, WorthOfUnlabelled | None, dict[float, float] | None]:
        """lambda, what it is worth on labelled rows that were left out, and the losses of all that were tried."""
        by_folds = self.weight_of_unlabelled == "cv"
        if not by_folds and self.compare is None:
            return float(self.weight_of_unlabelled), None, None
        tried = TRIED if by_folds else tuple(sorted({0.0, float(self.weight_of_unlabelled)}))
        rows = in_memory(source, "weight_of_unlabelled='cv'" if by_folds else "compare")
        assert rows.y is not None
        weight = np.ones(rows.rows) if rows.weight is None else rows.weight
        folds = labelled_folds(rows.y, weight > 0, FOLDS if self.compare is None else self.compare)
        found = []
        for test in folds:
            left, truth = weight > 0, np.array(rows.y[test].tolist())
            left[test] = False
            models = [clone(self).set_params(weight_of_unlabelled=part, compare=None) for part in tried]
            answers = [losses_of(fitted(one, rows, np.flatnonzero(left)), taken(rows, test), truth) for one in models]
            found.append(np.stack([np.column_stack(values) for values in zip(*answers, strict=True)]))
        losses, right = np.concatenate(found, axis=1)
        own, fold = weight[np.concatenate(folds)], np.repeat(np.arange(len(folds)), list(map(len, folds)))
        best = np.array([np.argmin(np.average(losses[fold != f], axis=0, weights=own[fold != f])) for f in fold])
        pair = [np.column_stack([table[np.arange(len(own)), best], table[:, 0]]) for table in (losses, right)]
        if not by_folds:
            pair = [table[:, [-1, 0]] for table in (losses, right)]
        mean = np.average(losses, axis=0, weights=own)
        part = tried[int(np.argmin(mean))] if by_folds else float(self.weight_of_unlabelled)
        return part, WorthOfUnlabelled.of(pair[0], pair[1], own), dict(zip(tried, mean.tolist(), strict=True))

    def start(self, rows: Passes, look: Any) -> Completed:
        """From the labelled rows; where they are too few for variances of their own, from those of all rows."""
        estimator = self.classifier
        family = family_of(estimator)
        known = rows.total(partial(known_sums, family, estimator))
        if not known.sums.weight:
            raise ValueError(NO_LABEL)
        if not family.gaussian:
            frame = EmFrame([])
            return Completed(family.densities(estimator, known.sums, frame), known.sums, frame)
        overall = weighted = known.sums.moments()
        if known.unlabelled.weight and self.weight_of_unlabelled_:
            others, part = known.unlabelled.moments(), float(self.weight_of_unlabelled_)
            weighted = overall.decay(min(1.0 / part, 1.0)).merge(others.decay(min(part, 1.0)))
            overall = overall.merge(others)
        check_variances(weighted.deviation)
        ridge = None if family.ridge is None else family.ridge(estimator, weighted)
        frame = EmFrame(known.sums.labels, weighted.deviation**2, ridge)
        if family.start is not None:
            return Completed(family.start(self, rows.source, known.sums, overall, frame), known.sums, frame)
        return Completed(self.first(family, known, overall, frame), known.sums, frame)

    def first(self, family: Family, known: Any, overall: Any, frame: EmFrame) -> ClassDensities:
        """Of the labelled rows, or with the variances of all rows."""
        groups, estimator = getattr(known.sums, "groups", {}), self.classifier
        parts = groups.contents() if hasattr(groups, "contents") else list(groups.values())
        alone = not (known.unlabelled.weight and self.weight_of_unlabelled_)
        if alone or not any((part.deviation[overall.deviation > 0] == 0).any() for part in parts):
            try:
                return family.densities(estimator, known.sums, frame)
            except Collapsed:
                if alone:
                    raise
        return of_spheres(estimator, known.sums, overall, frame)

    def step(self, state: Completed, rows: Passes) -> Completed:
        estimator, part = self.classifier, float(self.weight_of_unlabelled_)
        family = family_of(estimator)
        found = rows.total(partial(expected, family, estimator, state.densities, part))
        value = (found.value + state.densities.prior) / found.sums.weight
        return Completed(family.densities(estimator, found.sums, state.frame), found.sums, state.frame, value)

    def done(self, before: Completed, after: Completed) -> bool:
        return bool(after.value == before.value or abs(after.value - before.value) <= self.tol)

    def trace(self, state: Completed) -> float:
        return state.value

    def attributes(self, state: Completed) -> dict[str, Any]:
        estimator = self.classifier
        model = family_of(estimator).model(estimator, state.sums, state.frame)
        if "feature_names_in_" in vars(self):
            model.feature_names_in_ = self.feature_names_in_
        return {"estimator_": model, "classes_": model.classes_}

    def afterwards(self, rows: Passes) -> dict[str, Any]:
        values = self.trace_
        rested = len(values) > 1 and abs(values[-1] - values[-2]) <= self.tol
        return {"transduction_": rows.each(self.labels_of_chunk), "converged_": bool(rested)}

    def labels_of_chunk(self, chunk: Chunk) -> np.ndarray:
        """The labels of some rows: those that were given, and the most probable ones."""
        return completed(self.estimator_.without_names(), chunk)

    # -- using ------------------------------------------------------------------------------------------------------

    def asked(self, X: Any, what: str) -> np.ndarray:
        """What the classifier answers for rows, which are checked here."""
        sparse_ok = family_of(self.classifier).sparse_ok
        rows = self.rows_of(X, sparse_ok=sparse_ok)
        return getattr(self.estimator_.without_names(), what)(rows)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable label of every row."""
        return self.asked(X, "predict")

    def predict_proba(self, X: Any) -> np.ndarray:
        """p(k | x), one column per class."""
        return self.asked(X, "predict_proba")

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """ln p(k | x), one column per class."""
        return self.asked(X, "predict_log_proba")

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), self.classifier.__sklearn_tags__()
        tags.input_tags.positive_only = inner.input_tags.positive_only
        tags.classifier_tags.poor_score = inner.classifier_tags.poor_score
        return tags


def completed(model: Any, chunk: Chunk) -> np.ndarray:
    """The labels of some rows: those that were given, and the most probable ones."""
    assert chunk.y is not None
    given = is_labelled(chunk.y)
    labels = np.empty(len(given), dtype=np.asarray(model.classes_).dtype)
    there = ~given if chunk.weight is None else ~given & (chunk.weight > 0)
    if len(labels):
        labels[:] = model.classes_[0]
    if there.any():
        labels[there] = model.predict(chunk.X[there])
    labels[given] = chunk.y[given]
    return labels
