"""Choosing model and hyperparameters, and an honest score of the whole procedure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import ParameterGrid
from sklearn.utils import _safe_indexing

from .outer_loop import ScoredFold, expected_score, outer_loop, outer_splits, rows_to_split, weights_of_rows
from .resampling.cross_validation import cross_validate
from .resampling.scoring import score_limits, score_name
from .resampling.splits import splits_of


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
        Of that mean, by the corrected resampled t-test; it ends at the limit of the score, where that is known.
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
    sample_weight: Any = None,
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
    sample_weight : array, default=None
        Weights of the rows, in choosing, fitting and scoring.

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
    X, y, groups = rows_to_split("honest_choice", X, y, groups)
    field = flat(candidates)
    first = field[0][2]
    outer = outer_splits(first, X, y, groups, cv)
    weights = partial(weights_of_rows, sample_weight)
    everyone = weights(np.arange(len(y)))
    # first, so that errors name rows by their numbers
    estimator, choice = chosen(field, X, y, groups, inner, scoring, everyone)
    final = clone(estimator).fit(X, y, **everyone)

    def choose(train: np.ndarray) -> tuple[Any, Choice]:
        rows = part_of(X, train), y[train], part_of(groups, train)
        return chosen(field, *rows, inner, scoring, weights(train))

    def score(best: tuple[Any, Choice], train: np.ndarray, test: np.ndarray) -> ScoredFold[Choice]:
        model = clone(best[0]).fit(part_of(X, train), y[train], **weights(train))
        scorer = check_scoring(model, scoring)
        return ScoredFold(best[1], float(scorer(model, part_of(X, test), y[test], **weights(test))))

    folds = outer_loop(outer, choose, score)
    expected = expected_score(folds, outer)
    return HonestChoice(
        final,
        choice,
        np.array([fold.score for fold in folds]),
        [fold.choice for fold in folds],
        expected.mean,
        expected.interval(confidence, score_limits(scoring, first)),
        confidence,
        score_name(scoring, first),
    )


def flat(candidates: Mapping[str, Any]) -> list[tuple[str, dict[str, Any], Any]]:
    """(name, hyperparameters, estimator with them) for every point of every grid."""
    if not isinstance(candidates, Mapping):
        raise TypeError(f"candidates must be a dictionary of names and estimators, got {type(candidates).__name__}")
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
    field: list[tuple[str, dict[str, Any], Any]],
    X: Any,
    y: np.ndarray,
    groups: Any,
    inner: Any,
    scoring: Any,
    weights: dict[str, Any],
) -> tuple[Any, Choice]:
    """The candidate with the best mean score over the same inner splits (the first of equals)."""
    splits = splits_of(field[0][2], X, y, groups, inner)
    means = []
    for name, params, estimator in field:
        try:
            scored = cross_validate(estimator, X, y, cv=splits, scoring=scoring, error_score="raise", **weights)
        except ValueError as error:
            raise ValueError(f"candidate {name!r} with {params} failed: {error}") from error
        scores = scored["test_score"]
        if not np.isfinite(scores).all():
            raise ValueError(
                f"candidate {name!r} with {params} has no score in an inner fold: one class, or too few rows"
            )
        means.append(float(scores.mean()))
    best = int(np.argmax(means))
    name, params, estimator = field[best]
    return estimator, Choice(name, params, means[best])


def part_of(values: Any, rows: np.ndarray) -> Any:
    return None if values is None else _safe_indexing(values, rows)
