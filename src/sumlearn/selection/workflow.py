"""From raw columns to a tested model: the nine steps of feature design, learnt together."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..data import split_target
from ..engines.summing import NO_WEIGHT
from ..learners.validation import prediction_rows
from .nested_scores import NestedScore
from .workflow_steps.contest import contested
from .workflow_steps.feature_design import designed
from .workflow_steps.nested_workflow import nested
from .workflow_steps.repeats import repeated
from .workflow_steps.step import Step, text_of
from .workflow_steps.workflow_rows import opened


def gives_probabilities(workflow: Any) -> bool:
    winner = getattr(workflow, "estimator_", None)
    return workflow.task != "regression" if winner is None else hasattr(winner, "predict_proba")


class Workflow(TransformerMixin, BaseEstimator):
    """The nine steps of feature design of note 002 as one estimator; all that is learnt is learnt in `fit`.

        1 features      the columns that were thought of
        2 normalise     mean 0, deviation 1
        3 products      all products of up to `products` columns are added
        4 combinations  principal components (or discriminant directions) are added
        5 ranking       features in the order of what each says about the target; the best `keep` go on
        6 outliers      training rows too far from their class in the top-ranked columns are set aside
        7 subset        the features that do best together, for each learner and by several techniques
        8 contest       learners, each on its own subsets: the one with the largest honest score wins
        9 bootstrap     steps 2 to 8 again on samples of the rows: score of rows left out, stability of the choice

    A step that is None or False is skipped. Because `fit` holds them all, `cross_validate` of a workflow repeats every
    step without the rows that are scored; `nested` does so and gives an interval.

    Outliers are judged in the top-ranked of the table's own columns: products of good values have long tails by
    nature, and a row that is strange in a product is strange in a factor. For a numeric target the target is one more
    coordinate. Rows to be predicted are never set aside.

    Parameters
    ----------
    task : {"classification", "regression"}, default=None
        What y is. None: text, booleans and a few whole numbers are labels. scikit-learn's splitters stratify by labels
        only if the task is given.
    normalise : bool or transformer, default=True
    products : int or None, default=2
        Products of up to so many columns, powers among them.
    combinations : {"pca", "lda"}, a list of these, or None, default="pca"
        Directions "lda" are made from the labels, which flatters them in steps 5 to 8.
    n_combinations : int, default=2
        How many of each kind, at most.
    ranking : str, Ranker or None, default="f"
        A score of `Ranker`.
    keep : int or None, default=30
        How many features the search sees; None is all.
    outliers : float or None, default=0.01
        Chance that a row of Gaussian classes is taken for an outlier, over all rows.
    n_top : int, default=3
        In how many columns outliers are looked for.
    search : str, SubsetSearch, FCBF, another selector, a list or dict of these, or None, default="auto"
        Who chooses: methods of `SubsetSearch`, "fcbf", "own" (the table's own columns, all of them), None (all features
        that go on). "auto" is ["sffs", "fcbf", "own"]. A learner whose subsets are judged from sums has its own.
    k : int, "best" or "parsimonious", default="best"
        Of searches by name: how many features. "parsimonious" is the smallest number within one standard error of the
        best, and the first entrant within one standard error then wins the contest.
    contest : "auto", dict {name: estimator}, list of estimators, or None, default="auto"
        Which learners compete. None: a linear model.
    bootstrap : int or None, default=10
        Number of samples.
    cv : "auto", int or splitter, default="auto"
        Folds of search and contest. "auto" is five, of rows in any order, so that the order of a table has no part in
        the choice; a number is so many in the order of the rows, as in scikit-learn.
    random_state : int, RandomState or None, default=0
        Of the bootstrap; a number is that of the folds too.

    Attributes
    ----------
    report_ : list of (step, what, numbers)
        What was done; ``print(workflow)`` shows it.
    features_ : list of str
        Names of the chosen features.
    subset_, all_features_ : array, list of str
        Numbers of the chosen features among all that were made, and the names of those.
    outliers_ : array
        Numbers of the training rows that were set aside.
    estimator_ : estimator
        The winner, fitted on the chosen features of the other rows.
    winner_ : str
        Its name.
    technique_ : str
        Who chose its features.
    score_ : float
        Cross-validated accuracy or R^2 of the winner. Where there was a contest, features were chosen without the rows
        that score them; it is still the largest of some, and so a little too kind. Alone it is that on features which
        the same rows have chosen, which is more so.
    ranker_, search_, comparison_, bootstrap_
        Of steps 5, 7, 8 and 9, or None.
    task_ : str
    classes_ : array
        With labels.

    Examples
    --------
    >>> from sumlearn.data import load_example
    >>> from sumlearn.selection import Workflow
    >>> pima = load_example("pima")
    >>> workflow = Workflow(contest=None, bootstrap=None).fit(pima.X, pima.y)
    >>> print(workflow)
    1 features      8 columns, 768 rows
    2 normalise     mean 0, deviation 1
    3 products      36 of up to 2 columns added
    4 combinations  added pca1, pca2
    5 ranking       by f: x1 213, pca1 130, x5 71.8; 30 of 46 features go on
    6 outliers      rows 9, 177, 684, 706; judged by x1, x5, x7
    7 subset        all 8 columns of the table that vary
    8 contest       linear discriminant on own; linear discriminant on sffs 0.753, ...
    9 bootstrap     skipped
    >>> print(workflow.nested(pima.X, pima.y))
    honest score 0.7709, 95% interval 0.7247 to 0.8171; the search itself says 0.7708
    stability of the subsets: 0.733

    References
    ----------
    Lecture note 002; Guyon & Elisseeff, "An introduction to variable and feature selection", 2003; Rousseeuw & Van
    Driessen, "A fast algorithm for the minimum covariance determinant estimator", 1999.
    """

    def __init__(
        self,
        task: str | None = None,
        *,
        normalise: Any = True,
        products: int | None = 2,
        combinations: Any = "pca",
        n_combinations: int = 2,
        ranking: Any = "f",
        keep: int | None = 30,
        outliers: float | None = 0.01,
        n_top: int = 3,
        search: Any = "auto",
        k: Any = "best",
        contest: Any = "auto",
        bootstrap: int | None = 10,
        cv: Any = "auto",
        random_state: Any = 0,
    ) -> None:
        self.task = task
        self.normalise = normalise
        self.products = products
        self.combinations = combinations
        self.n_combinations = n_combinations
        self.ranking = ranking
        self.keep = keep
        self.outliers = outliers
        self.n_top = n_top
        self.search = search
        self.k = k
        self.contest = contest
        self.bootstrap = bootstrap
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Carry out the steps. X: numbers in memory; y may name a column of a data frame."""
        given = opened(self, X, y, sample_weight)
        present = np.arange(len(given.y)) if given.weight is None else np.flatnonzero(given.weight)
        if not len(present):
            raise ValueError(NO_WEIGHT)
        rows, names = given.take(present), self._column_names()
        design = designed(self, rows, names)
        contest = contested(self, rows, design, names)
        made, subset = design.expansion.names, contest.choice.subset
        repeats, repeating = repeated(self, rows, made)
        first = Step("features", f"{len(names)} columns, {len(present)} rows", {"rows": len(present), "columns": names})
        self.task_, self.expansion_, self.all_features_ = rows.task, design.expansion, made
        self.ranker_, self.outliers_, self.search_ = design.ranker, present[design.aside], contest.choice.search
        self.subset_, self.features_ = subset, [made[j] for j in subset]
        self.winner_, self.technique_ = contest.winner, contest.technique
        self.estimator_, self.score_ = contest.estimator, contest.score
        self.comparison_, self.bootstrap_ = contest.comparison, repeats
        self.__dict__.pop("classes_", None)
        if rows.task == "classification":
            self.classes_ = contest.estimator.classes_
        self.report_ = [first, *design.steps, contest.choice.step, contest.step, repeating]
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Answers of the winner."""
        chosen = self._chosen(X)
        return self.estimator_.predict(chosen)

    @available_if(gives_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, where the winner has them."""
        chosen = self._chosen(X)
        return self.estimator_.predict_proba(chosen)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy, or R^2."""
        X, y = split_target(X, y)
        measure = accuracy_score if self._is("classification") else r2_score
        return float(measure(np.asarray(y), self.predict(X), sample_weight=sample_weight))

    def transform(self, X: Any) -> np.ndarray:
        """The chosen features of some rows."""
        return self._chosen(X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the chosen features."""
        check_is_fitted(self)
        return np.array(self.features_, dtype=object)

    def nested(self, X: Any, y: Any, *, cv: Any = 5, scoring: Any = None, sample_weight: Any = None) -> NestedScore:
        """The honest score: steps 2 to 8 inside every outer fold, on rows that had no part in them."""
        probe = clone(self)
        rows = opened(probe, X, y, sample_weight)
        return nested(probe.set_params(task=rows.task, bootstrap=None), rows, cv, scoring)

    def __str__(self) -> str:
        return text_of(self.report_) if hasattr(self, "report_") else super().__repr__()

    def _column_names(self) -> list[str]:
        known = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if known is None else [str(name) for name in known]

    def _chosen(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        rows = np.asarray(prediction_rows(self, X, sparse_ok=False), dtype=float)
        return self.expansion_.transform(rows)[:, self.subset_]

    # -- for scikit-learn ---------------------------------------------------------------------------------------------

    def _is(self, task: str) -> bool:
        return getattr(self, "task_", self.task) == task

    def __sklearn_is_fitted__(self) -> bool:
        return "report_" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True  # products are dense all the same
        if self._is("classification"):
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        elif self._is("regression"):
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        return tags
