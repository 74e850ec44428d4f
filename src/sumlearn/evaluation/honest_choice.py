"""Choosing model and hyperparameters, and an honest score of the whole procedure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import ParameterGrid
from sklearn.utils import _safe_indexing

from ..data import vector
from ..data.collections import is_dask
from ..data.files import is_path
from .comparison.corrected_test import corrected_t_test
from .resampling.cross_validation import cross_validate
from .resampling.scoring import score_name
from .resampling.splits import columns_apart, splits_of


class Choice(NamedTuple):
    """A candidate, its hyperparameters, and its mean score in the inner cross-validation that chose it."""

    name: str
    params: dict[str, Any]
    inner_score: float

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{k}={v!r}' for k, v in self.params.items())})"


@dataclass(frozen=True, eq=False)
class HonestChoice:
    """The outcome of `honest_choice`.

    Attributes
    ----------
    estimator : estimator
        The choice made on all rows, fitted to all rows.
    choice : Choice
        Which it is: ``name``, ``params``, ``inner_score``. The inner score is too kind: it was maximised.
    scores : array (k,)
        Outer scores: what was chosen and fitted without a fold, scored on that fold.
    choices : list of Choice
        What was chosen in every outer fold.
    score : float
        Mean outer score: what to expect of the procedure on new rows.
    interval : (float, float)
        Of that mean, by the corrected resampled t-test, cut to nothing: it may leave the range of the score.
    confidence : float
    score_name : str
    """

    estimator: Any
    choice: Choice
    scores: np.ndarray
    choices: list[Choice]
    score: float
    interval: tuple[float, float]
    confidence: float
    score_name: str

    def __str__(self) -> str:
        low, high = self.interval
        lines = [
            f"chosen on all rows: {self.choice}",
            f"honest {self.score_name}: {self.score:.4f}, {self.confidence:.0%} interval {low:.4f} to {high:.4f}",
            f"score that chose it: {self.choice.inner_score:.4f} (too kind)",
            "outer fold   score   chosen",
        ]
        lines += [
            f"{k:>10}{score:>8.4f}   {choice}"
            for k, (score, choice) in enumerate(zip(self.scores, self.choices, strict=True))
        ]
        return "\n".join(lines)


def honest_choice(
    candidates: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    inner: Any = 5,
    scoring: Any = None,
    groups: Any = None,
    confidence: float = 0.95,
) -> HonestChoice:
    """Choose a model and its hyperparameters by cross-validation, and score the choosing by another one around it.

        outer fold: choose among all candidates by inner folds of the training rows, refit, score the rows left out
        at last: choose once more with all rows, refit on all rows

    The best of many scores is too good even where nothing can be learnt. The outer scores are not: no row that they are
    taken on had a part in choosing. One-pass learners are cross-validated from one read for every set of
    hyperparameters.

    Parameters
    ----------
    candidates : dict {name: estimator or (estimator, grid)}
        A grid is a dict of lists (or a list of dicts), as in scikit-learn's ParameterGrid.
    X, y : tables in memory; y may name a column of X
    cv, inner : int or splitter, default=5
        Outer and inner folds; `inner` must be able to split training sets of different sizes.
    scoring : str, callable or None
        One score, larger is better; None is the first candidate's own.
    groups : array or name of a column, default=None
        For splitters that keep groups together, outside and inside.
    confidence : float, default=0.95
        Of the interval (Nadeau & Bengio 2003).

    Returns
    -------
    HonestChoice
        ``estimator`` (final), ``choice``, ``scores``, ``choices``, ``score``, ``interval``; prints as a report.

    Examples
    --------
    >>> from sumlearn import GaussianNB, QuadraticDiscriminantAnalysis
    >>> from sumlearn.data import load_example
    >>> from sumlearn.evaluation import honest_choice
    >>> pima = load_example("pima")
    >>> candidates = {
    ...     "naive Bayes": GaussianNB(),
    ...     "quadratic": (QuadraticDiscriminantAnalysis(), {"reg_param": [0.0, 0.1, 0.5]}),
    ... }
    >>> outcome = honest_choice(candidates, pima.X, pima.y, scoring="roc_auc")
    >>> print(outcome.choice, round(outcome.score, 3))
    naive Bayes() 0.817

    References
    ----------
    Cawley & Talbot, "On over-fitting in model selection and subsequent selection bias in performance evaluation",
    2010; Nadeau & Bengio, "Inference for the generalization error", 2003.
    """
    if is_path(X) or is_dask(X):
        raise ValueError("honest_choice splits rows within splits: load the table into memory first")
    field = flat(candidates)
    X, y, groups = columns_apart(X, y, groups)
    y, groups = vector(y), None if groups is None else vector(groups, "groups")
    first = field[0][2]
    outer = splits_of(first, X, y, groups, cv)
    if len(outer) < 2:
        raise ValueError(f"cv makes {len(outer)} split: an interval needs at least two")
    final, choice = chosen(field, X, y, groups, inner, scoring)  # first, so that errors name rows by their numbers
    scores, choices = [], []
    for train, test in outer:
        inside = part_of(X, train), y[train], part_of(groups, train)
        model, inside_choice = chosen(field, *inside, inner, scoring)
        choices.append(inside_choice)
        scores.append(float(check_scoring(model, scoring)(model, _safe_indexing(X, test), y[test])))
    sizes = np.array([(len(train), len(test)) for train, test in outer]).T
    outcome = corrected_t_test(scores, *sizes)
    return HonestChoice(
        final,
        choice,
        np.array(scores),
        choices,
        outcome.mean,
        outcome.interval(confidence),
        confidence,
        score_name(scoring, first),
    )


def flat(candidates: Mapping[str, Any]) -> list[tuple[str, dict[str, Any], Any]]:
    """(name, hyperparameters, estimator with them) for every point of every grid."""
    field = []
    for name, candidate in candidates.items():
        estimator, grid = candidate if isinstance(candidate, tuple) else (candidate, {})
        if not hasattr(estimator, "fit") or not hasattr(estimator, "set_params"):
            raise TypeError(f"candidate {name!r} must be an estimator or a pair (estimator, grid), got {candidate!r}")
        field += [(name, dict(params), clone(estimator).set_params(**params)) for params in ParameterGrid(grid)]
    if not field:
        raise ValueError("candidates is empty")
    return field


def chosen(
    field: list[tuple[str, dict[str, Any], Any]], X: Any, y: np.ndarray, groups: Any, inner: Any, scoring: Any
) -> tuple[Any, Choice]:
    """The candidate with the best mean score over the same inner splits (the first of equals), fitted to these rows."""
    splits = splits_of(field[0][2], X, y, groups, inner)
    means = []
    for name, params, estimator in field:
        try:
            found = cross_validate(estimator, X, y, cv=splits, scoring=scoring, error_score="raise")["test_score"]
        except ValueError as error:
            raise ValueError(f"candidate {name!r} with {params} failed: {error}") from error
        if not np.isfinite(found).all():
            raise ValueError(
                f"candidate {name!r} with {params} has no score in an inner fold: one class, or too few rows"
            )
        means.append(float(found.mean()))
    best = int(np.argmax(means))
    name, params, estimator = field[best]
    return clone(estimator).fit(X, y), Choice(name, params, means[best])


def part_of(values: Any, rows: np.ndarray) -> Any:
    return None if values is None else _safe_indexing(values, rows)
