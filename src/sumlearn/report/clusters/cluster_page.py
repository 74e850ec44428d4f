"""The report of a clustering."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ...product.clusters.clustering import Clustering
from ..blocks import Bar, Grid, Section
from ..numbers import shown, three
from ..page import rendered
from .cluster_choice import how_many, splits, steps
from .cluster_ending import data, limits, provenance, use
from .cluster_pictures import plane, silhouettes
from .cluster_profiles import against, profiles

OPEN = 5  # sections that are not folded
MEANINGS = {
    "kmeans": "Every row belongs to the nearest of k centres, and each centre is the mean of its rows.",
    "lbg": "A codebook grows from the mean of all rows: the centre of largest error is split, and all are refined.",
    "gmm": "Every cluster is a bell with a shape of its own; a row belongs to the bell that most likely made it.",
}
STRENGTHS = (
    (0.7, "The clusters lie far apart."),
    (0.5, "The clusters can be told apart, with rows in between."),
    (0.25, "The clusters overlap: many rows lie between two of them."),
    (-1.0, "There is hardly a gap between the clusters: they cut one cloud into parts."),
)


def cluster_report(found: Clustering, command: str = "", now: datetime | None = None) -> str:
    """The page of a clustering; `command` is what repeats it.

    >>> from sumlearn.product import cluster
    >>> page = cluster_report(cluster("faithful", k="1..4"))
    >>> "<title>Clusters of faithful" in page, "Old Faithful" in page
    (True, False)
    """
    asked = (how_many, plane, profiles, against, silhouettes, splits, steps, data, use)
    sections: list[Section | None] = [section(found) for section in asked]
    sections += [provenance(found, command), limits(found)]
    return rendered("clusters", card(found), [section for section in sections if section is not None], OPEN, now)


def card(found: Clustering) -> dict[str, Any]:
    metrics = found.metrics
    data, k = metrics["data"], metrics["k"]
    more = [
        f"{shown(metrics['features'])} features of {shown(len(metrics['columns']))} columns; gaps filled with means"
    ]
    if metrics["bic"] is not None:
        more.insert(0, f"BIC {shown(metrics['bic'])}")
    return {
        "title": f"Clusters of {data['name']}",
        "data": f"{data['name']}, {shown(data['rows'])} rows × {shown(data['columns'])} columns",
        "k": shown(k),
        "why": f"{metrics['chosen_by']}" + ("" if len(metrics["tried"]) == 1 else f" of {tried_words(metrics)}"),
        "silhouette": three(metrics["silhouette"]),
        "more": more,
        "verdict": verdict(metrics),
        "model": metrics["title"],
        "meaning": MEANINGS[metrics["method"]],
        "sizes": sizes(found),
    }


def tried_words(metrics: dict[str, Any]) -> str:
    sizes = [line["k"] for line in metrics["tried"]]
    whole = sizes == list(range(sizes[0], sizes[-1] + 1))
    return f"{sizes[0]} to {sizes[-1]} clusters" if whole else f"{', '.join(map(str, sizes))} clusters"


def verdict(metrics: dict[str, Any]) -> str:
    silhouette = metrics["silhouette"]
    if silhouette is None:
        return "One cluster: there is nothing to be told apart."
    return next(text for least, text in STRENGTHS if silhouette >= least)


def sizes(found: Clustering) -> Grid:
    """How large the clusters are, and by what they are known."""
    metrics = found.metrics
    total = sum(metrics["sizes"])
    rows = []
    for number, (size, silhouette) in enumerate(zip(metrics["sizes"], metrics["silhouettes"], strict=True)):
        share = size / total
        rows.append([str(number + 1), size, f"{share:.1%}", Bar(0.0, 0.0, share), three(silhouette)])
    what = "weight" if found.model.facts["weights"] else "rows"
    return Grid(["cluster", what, "share", "", "silhouette"], rows)
