"""Scores with their threshold, real negatives and phantoms, the most and the least typical rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...evaluation.two_classes.roc_curve import RocCurve
from ...product.acceptance.learning import OneClass
from ..blocks import Block, Chart, Grid, Section, grid_of
from ..numbers import three
from ..plots.curves import UNIT
from ..plots.figure import Bars, Figure, Item, Line, Mark, Panel, thinned

BINS = 40
POINTS = 250  # of a curve
FAR = 0.01  # the share of rows at either end that the picture leaves to its last bar
MOST_COLUMNS = 8


def scores(found: OneClass) -> Section:
    """A histogram of the class, of real negatives where there are some, and the threshold."""
    groups = [("rows of the class, left out", found.scores[found.inside], found.weight[found.inside])]
    if found.curve is not None:
        others = ~found.inside
        groups.append(("real negatives", found.scores[others], found.weight[others]))
    groups = [(label, values[weight > 0], weight[weight > 0]) for label, values, weight in groups]
    own = groups[0][1]
    low, high = np.quantile(own, [FAR, 1.0 - FAR])
    reach = max(float(high - low), 1e-12)
    edges = np.linspace(min(low - reach, 0.0), max(high, 0.0) + 0.1 * reach, BINS + 1)
    middles, width = (edges[1:] + edges[:-1]) / 2, float(edges[1] - edges[0])
    panels = []
    for number, (label, values, weight) in enumerate(groups):
        heights = np.histogram(np.clip(values, edges[0], edges[-1]), edges, weights=weight)[0].astype(float)
        top = float(heights.max()) * 1.08
        items: tuple[Item, ...] = (
            Bars(middles, heights, 0.92 * width, number, label),
            Line(np.zeros(2), np.array([0.0, top]), "" if number else "threshold", "ink", "dash", 1.6),
        )
        panels.append(Panel(items, "score less the threshold", "rows", y_range=(0.0, top), legend="upper left"))
    caption = "Right of the threshold rows are accepted. What is beyond the picture stands in its first and last bar."
    chart = Chart("scores", Figure(tuple(panels), stacked=True, size=(7.2, 3.2 * len(panels))), caption)
    lead = "Every row of the class is scored by a model that has not learnt it; so these scores are those of new rows."
    return Section("scores", "The scores and the threshold", lead, [chart])


def negatives(found: OneClass) -> Section | None:
    """The curve against real negatives."""
    told = found.metrics["negatives"]
    if found.curve is None or told is None:
        return None
    point = found.curve.at(0.0)
    rows = [["true positive rate", point.tpr], ["false positive rate", point.fpr], ["equal error rate", told["eer"]]]
    blocks: list[Block] = [
        Chart("roc", curve_of(found.curve, point, "threshold"), "Marked: the threshold of the model."),
        Grid(["on rows that were not learnt", "rate"], [[name, three(value)] for name, value in rows]),
    ]
    lead = f"{told['rows']:,} rows are known to be of another kind. They were scored, and never learnt from."
    return Section("negatives", "Against real negatives", lead, blocks)


def phantoms(found: OneClass) -> Section | None:
    """The curve against phantoms."""
    if found.phantom_curve is None:
        return None
    curve = found.phantom_curve
    chart = Chart("phantoms", curve_of(curve, curve.at(found.model.model.learner_.offset_), "threshold"))
    lead = (
        "Rows and phantoms that were left out. An area near 1/2 says that the rows fill the space of the phantoms: "
        "nothing can be told from it. Real negatives may be nearer to the rows than phantoms are."
    )
    return Section("phantoms", "Against phantoms", lead, [chart])


def curve_of(curve: RocCurve, point: Any, text: str) -> Figure:
    x, y = thinned(curve.fpr, curve.tpr, most=POINTS)
    items: tuple[Item, ...] = (
        Line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), color="quiet", style="dash", width=1.0),
        Line(x, y, f"AUC {curve.auc():.3f}", 0, width=2.4),
        Mark(point.fpr, point.tpr, text, "ink", "below"),
    )
    labels = "False positive rate", "True positive rate"
    return Figure(
        (Panel(items, *labels, x_range=UNIT, y_range=UNIT, square=True, legend="lower right"),), size=(5.4, 5.2)
    )


def typical(found: OneClass) -> Section:
    """The rows of the class at either end of the scores, as they stand in the table."""
    metrics = found.metrics
    beside = [name for name in (*found.model.facts["ids"], *metrics["columns"]) if name in found.table.columns]
    blocks = [
        part(found, "The least typical rows", metrics["least_typical"], beside),
        part(found, "The most typical rows", metrics["most_typical"], beside),
    ]
    lead = "Rows of the class in the order of their scores, by models that have not learnt them."
    return Section("typical", "The least and the most typical rows", lead, blocks)


def part(found: OneClass, caption: str, rows: list[int], columns: list[str]) -> Grid:
    headers = ["row", "score", "accepted", *columns[:MOST_COLUMNS]]
    cells = [found.table.frame.column(name).take(rows).to_pylist() for name in columns[:MOST_COLUMNS]]
    lines = []
    for number, row in enumerate(rows):
        score = float(found.scores[row])
        values = [value if value is None or isinstance(value, int | float) else str(value) for value in
                  (column[number] for column in cells)]  # fmt: skip
        lines.append([str(row), score, "yes" if score >= 0 else "no", *values])
    more = f"; {len(columns) - MOST_COLUMNS} more columns" if len(columns) > MOST_COLUMNS else ""
    return grid_of(headers, lines, caption + more)
