"""`sumlearn cluster`: which rows of a table belong together, and what tells the groups apart."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Data, Dates, Debug, Decimal, Encoding, Force, Json, MaxLevels, Missing, Quiet, names
from .output import Output
from .unlabelled import command_of, write_files

Text = str | None


def cluster(
    data: Data,
    k: Annotated[str, typer.Option("-k", "--clusters", help="How many: 3, 2..10 or 2,4,8.")] = "2..10",
    method: Annotated[str, typer.Option(help="kmeans, lbg or gmm.")] = "kmeans",
    target: Annotated[
        Text, typer.Option("--target", "-t", help="A column that is not clustered by, but shown against the clusters.")
    ] = None,
    drop: Annotated[Text, typer.Option(help="Columns that are not clustered by.")] = None,
    ids: Annotated[
        Text, typer.Option(help="Columns that name rows: not clustered by, kept beside the clusters.")
    ] = None,
    weights: Annotated[Text, typer.Option(help="A column of weights.")] = None,
    seed: Annotated[int, typer.Option(help="Of starts and samples.")] = 0,
    folder: Annotated[Text, typer.Option("-o", "--output", metavar="DIR", help="Folder to write.")] = None,
    encoding: Encoding = None,
    dates: Dates = None,
    decimal: Decimal = None,
    missing: Missing = None,
    max_levels: MaxLevels = None,
    as_json: Json = False,
    force: Force = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Find clusters in a table: how many there are, and what tells them apart.

    Numbers are standardised, gaps filled, categories coded. Of several numbers of clusters that of the largest mean
    silhouette is taken, of mixtures that of the least BIC. The model is saved: `sumlearn predict` says which cluster
    new rows belong to.
    """
    from ..product.clusters.cluster_question import ClusterQuestion
    from ..product.clusters.clustering import cluster as run
    from ..product.folder import check_folder
    from ..product.options import dialect_of
    from ..product.tables import read_table
    from ..report.clusters.cluster_page import cluster_report

    asked: dict[str, Any] = {
        "k": k,
        "method": method,
        "drop": names(drop),
        "ids": names(ids),
        "weights": weights,
        "seed": seed,
    }
    asked |= {"max_levels": max_levels} | ({} if target is None else {"target": target})
    ClusterQuestion(**asked).check()
    out, start = Output(as_json, quiet), time.perf_counter()
    written = {"encoding": encoding, "dates": dates, "decimal": decimal}
    table = read_table(data, dialect=dialect_of(written | {"missing": names(missing) if missing else []}))
    place = Path(folder or f"{table.name}-clusters")
    check_folder(place, force)
    out.note("reading", f"{table.name}  {table.rows} rows x {len(table.columns)} columns")
    out.reading_notes(table)
    found = run(table, progress=out.progress, tell=out.note, **asked)
    tell_results(out, found, time.perf_counter() - start)
    page = cluster_report(found, command_of("cluster", data, asked | written | {"missing": names(missing)}))
    files = write_files(found, {"prediction": found.labels.tolist()}, place, "clusters", page, force)
    out.result("wrote", f"{place}/  " + "  ".join(file.name for file in files))
    out.document({**found.metrics, "files": [str(file) for file in files]})


def tell_results(out: Output, found: Any, seconds: float) -> None:
    from ..report.numbers import shown, three

    metrics = found.metrics
    if metrics["target"] is not None:
        out.note("target", f"{metrics['target']!r} is not clustered by, but shown against the clusters")
    for note in metrics["columns_left_out"]:
        out.note("column", f"{note['column']!r} {note['what']}: {note['why']}")
    tried = ", ".join(str(line["k"]) for line in metrics["tried"])
    out.note("tried", f"{tried} clusters by {metrics['title']}  ({seconds:.2f} s)")
    score = f"   BIC {shown(metrics['bic'])}" if metrics["bic"] is not None else ""
    out.result(
        "clusters", f"{metrics['k']}   {metrics['chosen_by']}   silhouette {three(metrics['silhouette'])}{score}"
    )
    k = range(min(metrics["k"], 12))
    for c in k:
        told = [f"{p.column} {brief(p.clusters[c])}" for p in found.profiles[:3]]
        out.result("" if c else "sizes", f"{c + 1}: {shown(metrics['sizes'][c])} rows   {', '.join(told)}")


def brief(value: Any) -> str:
    from ..report.numbers import shown

    return "–" if value is None else shown(value[0]) if isinstance(value, tuple) else str(value)
