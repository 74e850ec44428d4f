"""A path of models in every fold: one driver for learners that choose a point of a path by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from ....data import InMemory, Rows, Source, Stream
from ....data.stream import in_memory
from ....engines import Fold, cores, fold_sums, in_threads, one_blas_thread, total
from ....engines.folds import merge_all, row_numbers
from ....statistics import Moments
from ...fitted import LEAST_SPREAD, check_target, check_variances
from ...validation import usable_rows
from .scores import FROM_SUMS, nearly_exact


@dataclass(frozen=True)
class PathScores:
    """Mean squared errors and scores, (folds, points); the sum of all rows, where the splits cover them."""

    errors: np.ndarray
    scores: np.ndarray
    total: Moments | None
    points: Any


def path_scores(
    summarise: Callable[[Any], Moments],
    source: InMemory | Stream,
    splits: Sequence[tuple[np.ndarray, np.ndarray]],
    points: Any,
    path_of: Callable[[Moments, Any], Any],
    model_of: Callable[[Moments, Any], Any],
    scoring: Any,
    workers: int | None = None,
) -> PathScores:
    """Scores of every point of a path in every fold, each path from the sum of its training rows.

    `points` are the points, or a function that finds them from the sum of all rows. `path_of(sums, points)` has
    `squared_errors(test sums)` and `residuals(X, y)`, with a last axis for the points; errors come from the sums of the
    rows left out, and from these rows where that would lose digits. Any other score asks `model_of(sums, point)` about
    the rows.
    """
    folds = list(fold_sums(summarise, source, splits))
    whole = next((merge_all(item.sums) for item in folds if item.place == 0 and item.round.covers), None)
    if callable(points):
        whole = total(summarise, source) if whole is None else whole
        points = points(whole)
    errors, scores = np.empty((len(splits), len(points))), np.empty((len(splits), len(points)))
    from_sums = scoring is None or scoring in FROM_SUMS

    def fold(item: Fold) -> None:
        test = item.test()
        check_weights(item.number, item.train.weight, test.weight)
        check_variances(item.train.deviation, item.train.features, LEAST_SPREAD)
        path = path_of(item.train, points)
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

    workers = 1 if isinstance(source, Stream) else workers or cores()  # one fold of a stream in memory at a time
    with one_blas_thread():
        in_threads(fold, folds, workers)
    return PathScores(errors, scores, whole, points)


def row_path_scores(
    source: InMemory,
    splits: Sequence[tuple[np.ndarray, np.ndarray]],
    points: Any,
    path_of: Callable[[Any, Any], Any],
) -> PathScores:
    """Mean squared errors of a path that needs the rows themselves: `path_of(chunk of training rows, points)`."""
    errors = np.empty((len(splits), len(points)))
    for number, (train, test) in enumerate(splits):
        weights = [weight_of(source, row_numbers(part)) for part in (train, test)]
        check_weights(number, *weights)
        rows = usable_rows(source.chunk(Rows(row_numbers(train))))
        targets = np.asarray(rows.y, dtype=float)
        check_target(np.ptp(targets.reshape(len(targets), -1), axis=0))
        path = path_of(rows, points)
        squares = held_out_squares(path, source, row_numbers(test), dense=False)
        errors[number] = squares.mean(axis=0) / weights[1]
    return PathScores(errors, -errors, None, points)


def weight_of(source: InMemory, rows: np.ndarray) -> float:
    """What some rows weigh."""
    return float(len(rows)) if source.weight is None else float(source.weight[rows].sum())


def check_weights(number: int, train: float, test: float) -> None:
    """Refuse a split that has nothing to learn from, or nothing that tells how good it is."""
    for weight, purpose in ((train, "train"), (test, "test")):
        if not weight > 0:
            raise ValueError(f"split {number} has no row of positive weight to {purpose} on")


def held_out_squares(path: Any, source: InMemory, rows: np.ndarray, dense: bool = True) -> np.ndarray:
    """Squared errors of rows read once more: (targets, points)."""
    squares = 0.0
    for chunk in map(source.chunk, source.parts_of(rows)):
        X = chunk.X
        if dense:
            X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)
        residuals = path.residuals(X, np.asarray(chunk.y, dtype=float))
        weight = np.ones(len(residuals)) if chunk.weight is None else chunk.weight
        squares = squares + np.einsum("i,ita,ita->ta", weight, residuals, residuals)
    return np.asarray(squares)


def scores_of_rows(models: Sequence[Any], scoring: Any, source: Source, rows: np.ndarray) -> np.ndarray:
    """Any score of fitted models on rows left out."""
    X, y, weight = source.native(rows), source.y[rows], source.weight  # type: ignore[attr-defined]
    extra = {} if weight is None else {"sample_weight": weight[rows]}
    return np.array([check_scoring(model, scoring=scoring)(model, X, y, **extra) for model in models])
