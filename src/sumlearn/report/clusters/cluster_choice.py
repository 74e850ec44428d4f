"""How many clusters: the elbow, silhouettes and BIC over k, splits of a codebook, steps of the chosen fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...product.clusters.clustering import Clustering
from ..blocks import Block, Chart, Grid, Prose, Section
from ..plots.figure import Figure, Item, Line, Mark, Panel, Points

RULES = {
    "the largest mean silhouette": "Taken is the number of clusters of the largest mean silhouette: how much nearer "
    "the rows are to their own cluster than to the next one.",
    "the least BIC": "Taken is the mixture of the least BIC: what a component more gains in likelihood, less what its "
    "parameters cost.",
    "as asked for": "The number of clusters was given.",
}


def how_many(found: Clustering) -> Section:
    metrics = found.metrics
    tried = metrics["tried"]
    blocks: list[Block] = []
    if len(tried) > 1:
        blocks.append(
            Chart("elbow", Figure((elbow(tried, metrics["k"]), rule(metrics)), size=(8.6, 3.6)), caption(metrics))
        )
    headers = ["clusters", "mean distance to the centre", "sum of squares", "mean silhouette"]
    rows = [[line["k"], line["error"], line["inertia"], line["silhouette"]] for line in tried]
    if metrics["method"] == "gmm":
        headers, rows = [*headers, "BIC"], [[*row, line["bic"]] for row, line in zip(rows, tried, strict=True)]
    blocks.append(Grid(headers, rows))
    lead = RULES.get(metrics["chosen_by"], f"Taken: {metrics['chosen_by']}.")
    return Section("how-many", "How many clusters", lead, blocks)


def caption(metrics: dict[str, Any]) -> str:
    return (
        "The sum of squares always falls; where the line has an elbow, more clusters gain little. Silhouettes are of "
        f"{metrics['silhouette_rows']:,} rows."
    )


def elbow(tried: list[dict[str, Any]], k: int) -> Panel:
    x, y = np.array([line["k"] for line in tried], float), np.array([line["inertia"] for line in tried])
    return Panel((*dotted(x, y), *marked(x, y, k)), "clusters", "sum of squares", x_ticks=ticks(x))


def rule(metrics: dict[str, Any]) -> Panel:
    """What decides, over k."""
    name, title = ("bic", "BIC") if metrics["method"] == "gmm" else ("silhouette", "mean silhouette")
    tried = [line for line in metrics["tried"] if line[name] is not None]
    x, y = np.array([line["k"] for line in tried], float), np.array([line[name] for line in tried], float)
    return Panel((*dotted(x, y), *marked(x, y, metrics["k"])), "clusters", title, x_ticks=ticks(x))


def dotted(x: np.ndarray, y: np.ndarray) -> tuple[Item, ...]:
    return Line(x, y, "", 0), Points(x, y, "", 0)


def marked(x: np.ndarray, y: np.ndarray, k: int) -> tuple[Item, ...]:
    at = np.flatnonzero(x == k)
    return tuple(Mark(float(x[i]), float(y[i]), f"{k}", 1, "above") for i in at)


def ticks(x: np.ndarray) -> tuple[tuple[float, str], ...]:
    step = max(1, len(x) // 10)
    return tuple((float(value), f"{value:.0f}") for value in x[::step])


def splits(found: Clustering) -> Section | None:
    """What every split of a codebook has gained."""
    learner = found.model.model.learner_
    grown = getattr(learner, "splits_", None)
    if not grown or len(grown) < 2:
        return None
    size, error = np.array([s.size for s in grown], float), np.array([s.error for s in grown])
    figure = Figure(
        (Panel(dotted(size, error), "size of the codebook", "E_VQ, mean distance", x_ticks=ticks(size)),),
        size=(6.4, 3.6),
    )
    rows = [[split.size, split.error, split.inertia, split.steps] for split in grown]
    blocks: list[Block] = [Chart("splits", figure), Grid(["size", "E_VQ", "sum of squares", "steps of k-means"], rows)]
    lead = "The codebook starts as the mean of all rows; the centre of largest error is split, then all are refined."
    return Section("splits", "How the codebook grew", lead, blocks)


def steps(found: Clustering) -> Section | None:
    """How the chosen fit came to its end."""
    learner = found.model.model.learner_
    if found.metrics["method"] == "kmeans":
        values, name = np.asarray(getattr(learner, "trace_", [])), "sum of squares, best start so far"
    elif found.metrics["method"] == "gmm":
        values, name = np.asarray(learner.lower_bounds_), "mean log-likelihood"
    else:
        return None
    if len(values) < 2:
        return None
    figure = Figure((Panel(dotted(np.arange(1.0, len(values) + 1), values), "step", name),), size=(6.4, 3.4))
    blocks: list[Block] = [Chart("steps", figure)]
    lead = "Every step improves what is minimised, or ends the fit."
    if found.metrics["method"] == "gmm":
        lead = (
            "Every step raises the likelihood, but for what the floor under the spread of a component takes from it: "
            "without it a component could shrink to a single value. The last step changes hardly anything."
        )
    if found.metrics["method"] == "kmeans":
        blocks.append(Prose(f"The best of {learner.n_init} starts took {learner.n_iter_} steps."))
    return Section("steps", "How the fit came to its end", lead, blocks)
