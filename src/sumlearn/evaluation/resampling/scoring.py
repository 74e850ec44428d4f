"""Scores of a fitted model on some rows: from their sums where that is exact, else from the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.metrics import check_scoring, get_scorer

from ...data import InMemory
from ...data.mapped import inputs_of
from ...engines import merge_all
from ...learners.regression.parts.linear_model import LinearModel, squared_errors
from ...learners.regression.parts.scores import FROM_SUMS, nearly_exact, share_explained
from ...statistics import Moments, in_words

SCORES_FROM_SUMS = (*FROM_SUMS, "explained_variance")


def scorers_of(estimator: Any, scoring: Any) -> dict[str, Any]:
    """{name: score known by its name, or a scorer}."""
    if scoring is None:
        return {"score": "r2" if isinstance(estimator, LinearModel) else check_scoring(estimator)}
    if isinstance(scoring, str) or callable(scoring):
        return {"score": known_or_scorer(estimator, scoring)}
    if isinstance(scoring, dict):
        return {name: known_or_scorer(estimator, value) for name, value in scoring.items()}
    return {name: known_or_scorer(estimator, name) for name in scoring}


def score_name(scoring: Any, estimator: Any) -> str:
    """What a single score is called."""
    if scoring is None:
        return "accuracy" if is_classifier(estimator) else "r2" if is_regressor(estimator) else "score"
    return scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")


SHARES = ("accuracy", "balanced_", "roc_auc", "average_precision", "f1", "precision", "recall", "jaccard", "top_")


def score_limits(scoring: Any, estimator: Any) -> tuple[float, float]:
    """Least and largest value of a score that scikit-learn knows by its name, or that is the estimator's own.

    >>> score_limits("roc_auc", None), score_limits("neg_log_loss", None), score_limits("r2", None)
    ((0.0, 1.0), (-inf, 0.0), (-inf, 1.0))
    """
    name = score_name(scoring, estimator) if scoring is None or isinstance(scoring, str) else ""
    if name.startswith(SHARES):
        return 0.0, 1.0
    if name == "matthews_corrcoef":
        return -1.0, 1.0
    one = name in ("r2", "explained_variance") or name.startswith("d2_")
    return -np.inf, 1.0 if one else 0.0 if name.startswith("neg_") else np.inf


def known_or_scorer(estimator: Any, scoring: Any) -> Any:
    if isinstance(estimator, LinearModel) and isinstance(scoring, str) and scoring in SCORES_FROM_SUMS:
        return scoring
    return get_scorer(scoring) if isinstance(scoring, str) else scoring


def score_all(
    scorers: dict[str, Any], model: Any, held: Any, rows: Callable[[], tuple[InMemory, np.ndarray]]
) -> dict[str, float]:
    """Scores of a model on some rows: from their sums where that is exact, else from the rows."""
    scores: dict[str, float] = {}
    named = {name: scorer for name, scorer in scorers.items() if isinstance(scorer, str)}
    if named:
        held = in_words(held)
        residuals = model.residual_moments(held)
        spread = held.squares[held.features :]
        if nearly_exact(squared_errors(residuals), spread):
            residuals = residuals_of_rows(model, *rows())
        scores = {name: score_from_sums(scorer, residuals, spread) for name, scorer in named.items()}
    others = {name: scorer for name, scorer in scorers.items() if not isinstance(scorer, str)}
    if others:
        source, index = rows()
        X, y = source.native(index), None if source.y is None else source.y[index]
        extra = {} if source.weight is None else {"sample_weight": source.weight[index]}
        for name, scorer in others.items():
            value = scorer(model, X, y, **extra)
            scores |= dict(value) if isinstance(value, dict) else {name: float(value)}
    return scores


def score_from_sums(name: str, residuals: Moments, spread: np.ndarray) -> float:
    if name == "explained_variance":  # R^2 with the mean error forgiven
        return float(share_explained(residuals.squares, spread))
    return float(FROM_SUMS[name](squared_errors(residuals), spread, residuals.weight, residuals.rows))


def residuals_of_rows(model: Any, source: InMemory, rows: np.ndarray) -> Moments:
    """Moments of y - f(x), from the rows."""
    parts = []
    inputs: Any = inputs_of(source)
    for chunk in map(inputs.chunk, inputs.parts_of(rows)):
        assert chunk.y is not None
        residual = np.asarray(chunk.y, dtype=float) - model.without_names().predict(chunk.X)
        parts.append(Moments.of(residual.reshape(len(residual), -1), weight=chunk.weight))
    return merge_all(parts)
