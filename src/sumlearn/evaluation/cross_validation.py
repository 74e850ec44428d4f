"""Cross-validation from one read of the data."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring, get_scorer
from sklearn.model_selection import check_cv
from sklearn.model_selection import cross_validate as plain_cross_validate

from ..data import InMemory
from ..engines import cores, engine_for, merge_all, one_blas_thread, pattern_sums, rounds, training_sums
from ..learners.learner import OnePass
from ..learners.regression.linear_model import LinearModel, squared_errors
from ..learners.regression.scores import FROM_SUMS, nearly_exact
from ..learners.validation import rows_by_number, training_source
from ..statistics import Moments

SCORES_FROM_SUMS = (*FROM_SUMS, "explained_variance")


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = None,
    sample_weight: Any = None,
    return_train_score: bool = False,
    return_estimator: bool = False,
    return_indices: bool = False,
) -> dict[str, Any]:
    """Scores of an estimator over the splits of any scikit-learn splitter, as scikit-learn's function returns them.

    A one-pass learner is summed once per group of rows that share their role in all splits; each training set is a sum
    of those sums, so every model is the one that a fit on its training rows would give. Squared-error scores of linear
    regressions (R^2, mean and root mean squared error, explained variance) come from the sums of the rows left out;
    every other score reads those rows a second time. Anything else than a one-pass learner is handed to scikit-learn.

    Parameters
    ----------
    estimator : estimator
        Any; fast and exact for one-pass learners.
    X, y, groups
        As in `fit`; y may name a column of X.
    scoring : str, callable, list, tuple, dict or None
        As in scikit-learn.
    cv : int, splitter, iterable or None, default=None
        None is five folds.
    sample_weight : array, default=None
        Weights of the rows, in training and in scoring.
    return_train_score, return_estimator, return_indices : bool, default=False
        What else to return.

    Returns
    -------
    dict
        ``test_score`` (or ``test_NAME`` for several scores), ``fit_time``, ``score_time`` and what was asked for.

    Examples
    --------
    >>> from sumlearn import LinearDiscriminantAnalysis, cross_validate
    >>> from sumlearn.data import load_example
    >>> pima = load_example("pima")
    >>> scores = cross_validate(LinearDiscriminantAnalysis(), pima.X, pima.y, cv=10, scoring="roc_auc")
    >>> round(float(scores["test_score"].mean()), 3)
    0.83
    """
    if not isinstance(estimator, OnePass):
        return plain_cross_validate(
            estimator,
            X,
            y,
            groups=groups,
            scoring=scoring,
            cv=cv,
            params=None if sample_weight is None else {"sample_weight": sample_weight},
            return_train_score=return_train_score,
            return_estimator=return_estimator,
            return_indices=return_indices,
        )
    probe = clone(estimator)
    source = rows_by_number(training_source(probe, X, y, sample_weight, target=estimator.target, reset=True))
    splitter = check_cv(cv, source.y, classifier=is_classifier(estimator))
    splits = list(splitter.split(np.zeros(source.rows), source.y, groups))
    scorers = scorers_of(estimator, scoring)
    results: list[dict[str, Any]] = [{} for _ in splits]
    for part in rounds(splits, source.rows):
        start = time.perf_counter()
        sums = pattern_sums(
            lambda rows: probe.summary_of(source, rows), source, engine_for(source), part, estimator.chunk_factor
        )
        shared = (time.perf_counter() - start) / len(part.splits)

        def one(item: tuple[int, Any], part: Any = part, sums: Any = sums, shared: float = shared) -> None:
            s, statistic = item
            start = time.perf_counter()
            model = clone(estimator).solve(statistic, like=source)
            middle = time.perf_counter()
            found: dict[str, Any] = {"fit_time": shared + middle - start}
            sets = {"test": part.test[s]} | ({"train": part.train[s]} if return_train_score else {})
            for side, patterns in sets.items():
                held = statistic if side == "train" else merge_all([sums[p] for p in patterns])
                scores = score_all(scorers, model, held, source, partial(part.rows, patterns))
                found.update({f"{side}_{name}": value for name, value in scores.items()})
            found["score_time"] = time.perf_counter() - middle
            if return_estimator:
                found["estimator"] = model
            results[part.splits[s]] = found

        with one_blas_thread(), ThreadPoolExecutor(cores()) as pool:
            list(pool.map(one, enumerate(training_sums(sums, part))))
    out: dict[str, Any] = {key: [found[key] for found in results] for key in results[0]}
    out = {key: values if key == "estimator" else np.array(values) for key, values in out.items()}
    if return_indices:
        out["indices"] = {"train": [train for train, _ in splits], "test": [test for _, test in splits]}
    return out


def scorers_of(estimator: Any, scoring: Any) -> dict[str, Any]:
    """{name: score known by its name, or a scorer}."""
    if scoring is None:
        return {"score": "r2" if isinstance(estimator, LinearModel) else check_scoring(estimator)}
    if isinstance(scoring, str) or callable(scoring):
        return {"score": known_or_scorer(estimator, scoring)}
    if isinstance(scoring, dict):
        return {name: known_or_scorer(estimator, value) for name, value in scoring.items()}
    return {name: known_or_scorer(estimator, name) for name in scoring}


def known_or_scorer(estimator: Any, scoring: Any) -> Any:
    if isinstance(estimator, LinearModel) and isinstance(scoring, str) and scoring in SCORES_FROM_SUMS:
        return scoring
    return get_scorer(scoring) if isinstance(scoring, str) else scoring


def score_all(
    scorers: dict[str, Any], model: Any, held: Any, source: InMemory, rows: Callable[[], np.ndarray]
) -> dict[str, float]:
    """Scores of a model on some rows: from their sums where that is exact, else from the rows."""
    scores: dict[str, float] = {}
    named = {name: scorer for name, scorer in scorers.items() if isinstance(scorer, str)}
    if named:
        residuals = model.residual_moments(held)
        spread = held.scatter.diagonal()[held.features :]
        if nearly_exact(squared_errors(residuals), spread):
            residuals = residuals_of_rows(model, source, rows())
        scores = {name: score_from_sums(scorer, residuals, spread) for name, scorer in named.items()}
    others = {name: scorer for name, scorer in scorers.items() if not isinstance(scorer, str)}
    if others:
        index = rows()
        X, y = source.native(index), None if source.y is None else source.y[index]
        extra = {} if source.weight is None else {"sample_weight": source.weight[index]}
        for name, scorer in others.items():
            scores[name] = float(scorer(model, X, y, **extra))
    return scores


def score_from_sums(name: str, residuals: Moments, spread: np.ndarray) -> float:
    if name == "explained_variance":  # R^2 with the mean error forgiven
        return float(FROM_SUMS["r2"](residuals.scatter.diagonal(), spread, residuals.weight))
    return float(FROM_SUMS[name](squared_errors(residuals), spread, residuals.weight))


def residuals_of_rows(model: Any, source: InMemory, rows: np.ndarray) -> Moments:
    """Moments of y - f(x), from the rows."""
    parts = []
    for chunk in map(source.chunk, source.parts_of(rows)):
        assert chunk.y is not None
        residual = np.asarray(chunk.y, dtype=float) - model.without_names().predict(chunk.X)
        parts.append(Moments.of(residual.reshape(len(residual), -1), weight=chunk.weight))
    return merge_all(parts)
