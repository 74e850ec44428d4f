"""What the clusters are like, in the units of the table; and how they lie against a target."""

from __future__ import annotations

from typing import Any

from ...product.clusters.clustering import Clustering
from ..blocks import Bar, Block, Section, grid_of
from ..numbers import quoted, shown

MOST_COLUMNS = 40
MOST_CLUSTERS = 12


def profiles(found: Clustering) -> Section:
    k = min(found.metrics["k"], MOST_CLUSTERS)
    headers = ["column", "tells apart", "", "all rows", *(f"cluster {c + 1}" for c in range(k))]
    rows = [
        [
            one.column,
            f"{one.apart:.0%}",
            Bar(0.0, 0.0, min(max(one.apart, 0.0), 1.0)),
            cell(one.all),
            *map(cell, one.clusters[:k]),
        ]
        for one in found.profiles
    ]
    caption = "Mean ± deviation of numbers, the most frequent level and its share, the mean of dates; gaps are left out"
    lead = (
        "Columns that tell the clusters apart come first: the share of their variance between the clusters, of "
        "categories the share of wrong guesses that knowing the cluster saves."
    )
    return Section("profiles", "What the clusters are like", lead, [grid_of(headers, rows, caption, MOST_COLUMNS)])


def cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{shown(value[0])} ± {shown(value[1])}" if isinstance(value, tuple) else str(value)


def against(found: Clustering) -> Section | None:
    """Rows by label and cluster."""
    if found.against is None:
        return None
    k = min(found.metrics["k"], MOST_CLUSTERS)
    labels = list(found.against)
    headers = [str(found.metrics["target"]), *(f"cluster {c + 1}" for c in range(k))]
    rows: list[list[Any]] = [[label or "(missing)", *found.against[label][:k]] for label in labels]
    blocks: list[Block] = [grid_of(headers, rows, f"Rows by {quoted(found.metrics['target'])} and cluster")]
    name = quoted(found.metrics["target"])
    lead = f"{name} was not clustered by; a label that stands in one cluster alone was found again."
    return Section("against", "The clusters against a target", lead, blocks)
