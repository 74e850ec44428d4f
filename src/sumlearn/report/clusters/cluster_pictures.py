"""The clusters on the plane of the principal components, with ellipses; and their silhouettes."""

from __future__ import annotations

import numpy as np

from ...product.clusters.clustering import Clustering
from ..blocks import Block, Chart, Section
from ..numbers import three
from ..plots.figure import Bars, Figure, Item, Line, Mark, Panel, Points

MOST_POINTS = 2000
MOST_CLUSTERS = 12
WIDE = 2.0  # deviations that an ellipse spans to either side
ROUND = np.linspace(0.0, 2.0 * np.pi, 73)


def plane(found: Clustering) -> Section | None:
    from ... import PCA

    space = found.space
    Z = space.frame.coordinates(space.X) * 2.0**space.frame.exponent
    if Z.shape[1] < 1 or len(Z) < 3:
        return None
    if Z.shape[1] == 1:
        return line_of(found, Z[:, 0])
    pca = PCA(2).fit(Z) if space.weight is None else PCA(2).fit(Z, sample_weight=space.weight)
    places = pca.transform(Z)
    some = np.sort(np.random.default_rng(0).permutation(len(Z))[:MOST_POINTS])
    items: list[Item] = []
    for c in range(min(found.metrics["k"], MOST_CLUSTERS)):
        mine = some[found.labels[some] == c + 1]
        if len(mine):
            items.append(Points(places[mine, 0], places[mine, 1], f"cluster {c + 1}", c))
    for c in range(min(found.metrics["k"], MOST_CLUSTERS)):
        inside = found.labels == c + 1
        mass = space.mass[inside]
        if inside.sum() > 2 and mass.sum() > 0:
            x, y, middle = ellipse(places[inside], mass)
            items += [Line(x, y, "", c, width=2.4), Mark(*middle, str(c + 1), "ink", "above")]
    shares = 100 * pca.explained_variance_ratio_
    names = [f"{'first' if j == 0 else 'second'} component ({shares[j]:.0f} % of the variance)" for j in (0, 1)]
    rows = f"{len(some):,} of {len(Z):,} rows, drawn by lot" if len(some) < len(Z) else "all rows"
    caption = f"Ellipses span two deviations of the rows of a cluster. Shown are {rows}."
    if found.metrics["k"] > MOST_CLUSTERS:
        caption += f" The {MOST_CLUSTERS} largest clusters."
    blocks: list[Block] = [
        Chart("plane", Figure((Panel(tuple(items), names[0], names[1], legend="above"),), size=(6.8, 5.4)), caption)
    ]
    lead = "Each dot is a row, placed by the two combinations of the features in which the rows vary most."
    return Section("plane", "The clusters in two dimensions", lead, blocks)


def line_of(found: Clustering, values: np.ndarray) -> Section:
    """The clusters along a single feature."""
    items: list[Item] = []
    edges = np.linspace(values.min(), values.max(), 41)
    middle, width = (edges[1:] + edges[:-1]) / 2, edges[1] - edges[0]
    for c in range(min(found.metrics["k"], MOST_CLUSTERS)):
        heights = np.histogram(values[found.labels == c + 1], edges)[0].astype(float)
        items.append(Bars(middle, heights, float(width), c, f"cluster {c + 1}"))
    panel = Panel(tuple(items), "the feature, scaled", "rows", legend="above")
    chart = Chart("plane", Figure((panel,), size=(6.4, 3.8)))
    return Section("plane", "The clusters along the feature", "Only one feature is left to cluster by.", [chart])


def ellipse(places: np.ndarray, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray, tuple[float, float]]:
    """Mean plus WIDE roots of the covariance, all around."""
    middle = np.average(places, axis=0, weights=mass)
    away = places - middle
    covariance = (away * mass[:, None]).T @ away / mass.sum()
    values, vectors = np.linalg.eigh(covariance)
    circle = np.stack([np.cos(ROUND), np.sin(ROUND)])
    x, y = middle[:, None] + WIDE * (vectors * np.sqrt(np.maximum(values, 0.0))) @ circle
    return x, y, (float(middle[0]), float(middle[1]))


def silhouettes(found: Clustering) -> Section | None:
    """How the rows of each cluster lie between it and the next."""
    own, metrics = found.chosen.silhouettes, found.metrics
    if not len(own):
        return None
    mine = found.labels[found.space.sample]
    items: list[Item] = []
    start, marks = 0, []
    for c in range(min(metrics["k"], MOST_CLUSTERS)):
        values = np.sort(own[mine == c + 1])[::-1]
        if len(values):
            x = np.arange(start, start + len(values), dtype=float)
            items.append(Line(x, values, f"cluster {c + 1}", c))
            marks.append((start + len(values) / 2, f"{c + 1}"))
            start += len(values) + max(1, len(mine) // 100)
    ends = np.array([0.0, float(start)])
    items.append(Line(ends, np.full(2, metrics["silhouette"]), "mean", "quiet", "dash", 1.4))
    panel = Panel(tuple(items), "rows by cluster, best first", "silhouette", x_ticks=tuple(marks), legend="above")
    below = float((own < 0).mean())
    caption = (
        f"{below:.1%} of {len(own):,} rows are nearer to another cluster; the mean is {three(metrics['silhouette'])}."
    )
    lead = "Of each row how much nearer its own cluster is than the next: 1 is well inside, below 0 another is nearer."
    return Section(
        "silhouettes",
        "How far apart they are",
        lead,
        [Chart("silhouettes", Figure((panel,), size=(7.6, 3.8)), caption)],
    )
