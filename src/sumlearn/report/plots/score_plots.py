"""Plots of scores and decisions: boxes by class, calibration, confusions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...evaluation.row_values import check_finite, normal_quantile, weights_of, wilson
from ...evaluation.two_classes.confusion import Confusion
from ...evaluation.two_classes.labels_and_scores import labels_of, scores_of, split_classes
from ...statistics.row_checks import encode
from .figure import Bars, Box, Figure, HeatMap, Line, Panel, Points

MOST_BEYOND = 100  # dots drawn beyond each end of a box


def score_box(y_true: Any, score: Any, sample_weight: Any = None) -> Figure:
    """Box plot of the scores of each class: quartiles, median, whiskers to the last value within 1.5 box heights.

    Weights that are whole numbers are numbers of rows; with others a quartile is the first score that has its share of
    the weight at or below it.

    >>> figure = score_box(["no", "no", "no", "yes", "yes"], [0.1, 0.2, 0.6, 0.5, 0.9])
    >>> [(box.median, box.quartiles) for box in figure.panels[0].items]
    [(0.2, (0.15, 0.4)), (0.7, (0.6, 0.8))]
    """
    labels = labels_of(y_true)
    values = scores_of(score, len(labels)).astype(float)
    weight = weights_of(sample_weight, len(labels))
    if weight is not None:
        labels, values, weight = (array[weight > 0] for array in (labels, values, weight))
    check_finite(values, "score")
    names, codes = encode(labels)
    if not names:
        raise ValueError("y_true has no rows" if weight is None else "no row has a weight above zero")
    own = [codes == k for k in range(len(names))]
    boxes = tuple(box_of(values[rows], k, None if weight is None else weight[rows]) for k, rows in enumerate(own))
    ticks = tuple((float(k), str(name)) for k, name in enumerate(names))
    panel = Panel(boxes, "Class", "Score", x_range=(-0.6, len(names) - 0.4), x_ticks=ticks)
    return Figure((panel,), "Scores by class", size=(max(3.6, 1.4 + 1.2 * len(names)), 4.4))


def box_of(values: np.ndarray, at: int, weight: np.ndarray | None = None) -> Box:
    low, median, high = (float(q) for q in quartiles(values, weight))
    reach = 1.5 * (high - low)
    inside = values[(values >= low - reach) & (values <= high + reach)]
    beyond = np.sort(values[(values < low - reach) | (values > high + reach)])
    if len(beyond) > 2 * MOST_BEYOND:
        beyond = np.append(beyond[:MOST_BEYOND], beyond[-MOST_BEYOND:])
    return Box(float(at), (float(inside.min()), float(inside.max())), (low, high), median, beyond, at)


def quartiles(values: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Quartiles between neighbours; a row of weight two is two rows.

    >>> quartiles(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 1.0])).tolist()
    [1.75, 2.0, 2.5]
    """
    shares = np.array([0.25, 0.5, 0.75])
    if weight is None:
        return np.quantile(values, shares)
    if (weight != np.floor(weight)).any():
        return np.quantile(values, shares, weights=weight, method="inverted_cdf")
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(weight[order])
    place = shares * (ends[-1] - 1.0)
    below, above = (values[order][np.searchsorted(ends, at, side="right")] for at in (np.floor(place), np.ceil(place)))
    return below + (place - np.floor(place)) * (above - below)


def reliability(
    y_true: Any,
    probability: Any,
    bins: int = 10,
    positive: Any = None,
    confidence: float = 0.95,
    sample_weight: Any = None,
) -> Figure:
    """Calibration: the share of positive rows over the probability that was said, by bins of equal width.

    Bars at the points are Wilson's limits of the share. Below, how many rows fall in each bin. A weight is a number of
    rows.

    >>> figure = reliability([0, 0, 1, 1, 1, 0], [0.1, 0.2, 0.8, 0.9, 0.7, 0.6], bins=2)
    >>> points = figure.panels[0].items[1]
    >>> points.x.tolist(), points.y.tolist()
    ([0.15, 0.75], [0.0, 0.75])
    """
    accepted, positive = split_classes(y_true, positive)
    values = scores_of(probability, len(accepted), "probability").astype(float)
    check_finite(values, "probability")
    outside = (values < 0) | (values > 1)
    if outside.any():
        row = int(np.argmax(outside))
        raise ValueError(f"probability must be between 0 and 1, got {values[row]:g} at row {row}")
    if bins < 1:
        raise ValueError(f"bins must be at least 1, got {bins!r}")
    weight = weights_of(sample_weight, len(values))
    weight = np.ones(len(values)) if weight is None else weight
    if not weight.any():
        raise ValueError("no row has a weight above zero")
    cell = np.minimum((values * bins).astype(int), bins - 1)
    count = np.bincount(cell, weight, bins)
    used = count > 0
    n = count[used]
    said = np.bincount(cell, weight * values, bins)[used] / n
    share = np.bincount(cell, weight * accepted, bins)[used] / n
    low, high = wilson(share, n, normal_quantile(confidence))
    middles = (np.arange(bins) + 0.5) / bins
    upper = Panel(
        (
            Line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "as said", "quiet", "dash", 1.2),
            Points(said, share, f"observed, {100 * confidence:g} % limits", 0, low, high),
        ),
        "",
        f"Share of {positive!r}",
        x_range=(-0.01, 1.01),
        y_range=(-0.03, 1.03),
        legend="upper left",
        share=3.0,
    )
    lower = Panel(
        (Bars(middles, count, 0.9 / bins, 5),), "Predicted probability", "Rows", x_range=(-0.01, 1.01)
    )
    return Figure((upper, lower), "Reliability", stacked=True, size=(5.4, 5.6))


def confusion(table: Confusion) -> Figure:
    """The confusion table, tinted by the share of each true class.

    >>> figure = confusion(Confusion.of(["a", "a", "b"], ["a", "b", "b"]))
    >>> figure.panels[0].items[0].values.tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    """
    if not len(table.labels):
        raise ValueError("the confusion table has no classes")
    totals = table.table.sum(axis=1, keepdims=True)
    shares = np.divide(table.table, totals, out=np.zeros_like(table.table), where=totals > 0)
    names = tuple(map(str, table.labels))
    texts = tuple(
        tuple(f"{weight:.6g}\n{share:.0%}" if total > 0 else "0" for weight, share in zip(*row, strict=True))
        for *row, total in zip(table.table, shares, totals[:, 0], strict=True)
    )
    heat = HeatMap(shares, texts, names, names)
    side = max(3.6, 1.4 + 0.75 * len(names))
    panel = Panel((heat,), "Predicted class", "True class", square=True)
    return Figure(
        (panel,), f"Confusion, accuracy {table.accuracy:.3f}" if table.weight else "Confusion", size=(side, side)
    )
