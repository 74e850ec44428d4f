"""A path of models in every fold: one driver for learners that choose a point of a path by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from ....data import InMemory, Source, Stream
from ....data.stream import in_memory
from ....engines import Fold, cores, fold_sums, in_threads, one_blas_thread
from ....engines.folds import merge_all
from ....statistics import Moments
from .scores import FROM_SUMS, nearly_exact


@dataclass(frozen=True)
class PathScores:
    """Mean squared errors and scores, (folds, points); the sum of all rows, where the splits cover them."""

    errors: np.ndarray
    scores: np.ndarray
    total: Moments | None


def path_scores(
    summarise: Callable[[Any], Moments],
    source: InMemory | Stream,
    splits: Sequence[tuple[np.ndarray, np.ndarray]],
    points: Any,
    path_of: Callable[[Moments], Any],
    model_of: Callable[[Moments, Any], Any],
    scoring: Any,
) -> PathScores:
    """Scores of every point of a path in every fold, each path from the sum of its training rows.

    `path_of(sums)` has `squared_errors(test sums)` and `residuals(X, y)`, with a last axis for the points; errors come
    from the sums of the rows left out, and from these rows where that would lose digits. Any other score asks
    `model_of(sums, point)` about the rows.
    """
    errors, scores = np.empty((len(splits), len(points))), np.empty((len(splits), len(points)))
    from_sums = scoring is None or scoring in FROM_SUMS
    totals: list[Moments] = []

    def fold(item: Fold) -> None:
        if item.place == 0 and item.round.covers and not totals:
            totals.append(merge_all(item.sums))
        path, test = path_of(item.train), item.test()
        squares = path.squared_errors(test)
        spread = np.maximum(test.squares[test.features :], 0.0)
        if nearly_exact(squares, spread):
            squares = held_out_squares(path, *in_memory(source, item.rows()))
        errors[item.number] = squares.mean(axis=0) / test.weight
        if from_sums:
            scores[item.number] = FROM_SUMS[scoring or "r2"](squares, spread, test.weight, test.rows)
        else:
            models = [model_of(item.train, point) for point in points]
            scores[item.number] = scores_of_rows(models, scoring, *in_memory(source, item.rows()))

    workers = 1 if isinstance(source, Stream) else cores()  # one fold of a stream in memory at a time
    with one_blas_thread():
        in_threads(fold, fold_sums(summarise, source, splits), workers)
    return PathScores(errors, scores, totals[0] if totals else None)


def held_out_squares(path: Any, source: InMemory, rows: np.ndarray) -> np.ndarray:
    """Squared errors of rows read once more: (targets, points)."""
    squares = 0.0
    for chunk in map(source.chunk, source.parts_of(rows)):
        X = chunk.X.toarray() if hasattr(chunk.X, "toarray") else chunk.X
        residuals = path.residuals(np.asarray(X, dtype=float), np.asarray(chunk.y, dtype=float))
        weight = np.ones(len(residuals)) if chunk.weight is None else chunk.weight
        squares = squares + np.einsum("i,ita,ita->ta", weight, residuals, residuals)
    return np.asarray(squares)


def scores_of_rows(models: Sequence[Any], scoring: Any, source: Source, rows: np.ndarray) -> np.ndarray:
    """Any score of fitted models on rows left out."""
    X, y, weight = source.native(rows), source.y[rows], source.weight  # type: ignore[attr-defined]
    extra = {} if weight is None else {"sample_weight": weight[rows]}
    return np.array([check_scoring(model, scoring=scoring)(model, X, y, **extra) for model in models])
