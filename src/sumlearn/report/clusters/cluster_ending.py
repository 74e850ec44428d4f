"""The table, how to use the model, where the numbers come from, and what they do not say."""

from __future__ import annotations

from typing import Any

from ...product.clusters.clustering import Clustering
from ...version import __version__
from ..blocks import Block, Code, Grid, Prose, Section
from ..numbers import shown
from ..sections.data import columns, notes_of


def data(found: Clustering) -> Section:
    blocks: list[Block] = [notes_of(found.model.model.report_), columns(found)]  # type: ignore[arg-type]
    lead = (
        "Numbers count in deviations from the mean, so that no unit decides; levels of a category are as far apart as "
        "one deviation; gaps are filled with the mean."
    )
    return Section("data", "The table", lead, blocks)


def use(found: Clustering) -> Section:
    code = "\n".join(
        [
            "import sumlearn as sl",
            "",
            'model = sl.load("model.skops")      # runs no code from the file',
            "clusters = model.predict(table)     # a pandas, polars or pyarrow table with the same columns",
        ]
    )
    shell = "sumlearn predict model.skops new.csv -o clusters.csv"
    lead = "The model lies beside this report, in a file that needs no pickle. It tells the cluster of new rows."
    return Section("use", "How to use the model", lead, [Code(code), Code(shell)])


def provenance(found: Clustering, command: str) -> Section:
    metrics = found.metrics
    rows: list[list[Any]] = [
        ["data", f"{metrics['data']['name']}, SHA-256 {metrics['data']['sha256'] or 'of no file: a table in memory'}"],
        ["method", metrics["title"]],
        ["seed", str(metrics["seed"])],
        ["sumlearn", __version__],
    ]
    blocks: list[Block] = [Code(command)] if command else []
    lead = "The same command on the same data with the same versions gives the same clusters."
    return Section("provenance", "Where the numbers come from", lead, [*blocks, Grid(["", ""], rows)])


def limits(found: Clustering) -> Section:
    """What this report cannot tell."""
    points = [
        "Whether there are clusters: every method finds as many as it is asked for, in one cloud too.",
        "Whether these columns are the right ones: other columns, or other units, have other clusters.",
        f"Whether rows of tomorrow fall into the same clusters as these {shown(found.table.rows)}.",
        "Whether a cluster means anything: that is for who knows the data, by the profiles.",
    ]
    if found.metrics["method"] == "gmm":
        points.append("Whether bells fit: a bent or long cluster becomes several components, and flags are no bells.")
    else:
        points.append("Whether clusters have other shapes: a centre for each prefers round ones of like size.")
    return Section("limits", "What this report cannot tell you", "", [Prose(point) for point in points])
