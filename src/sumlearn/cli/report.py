"""`sumlearn report`: a finished model on fresh labelled rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .files import later_reading, load_model, model_path
from .options import Data, Debug, Encoding, Force, Json, Model, Quiet
from .output import Output


def report(
    model: Model,
    data: Data,
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="The page to write.")] = None,
    encoding: Encoding = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Write a new report on fresh labelled rows.

    Nothing is fitted: the model answers, and the answers are held against the target column.
    """
    from ..product.problems import UsageProblem
    from ..product.tables import read_table
    from ..report import report_on

    out = Output(as_json, quiet)
    path = model_path(model)
    trained = load_model(path)
    table = read_table(data, later_reading(trained, encoding, labelled=True))
    place = Path(output or f"{table.name}-report.html")
    if place.exists() and not force:
        raise UsageProblem(f"the file {str(place)!r} exists; --force overwrites it, -o names another")
    if not place.absolute().parent.is_dir():
        raise UsageProblem(f"there is no folder {str(place.parent)!r}; -o names another")
    page = report_on(trained, table, f"sumlearn report {path.name} {table.name}")
    metrics, metric = page.metrics, page.evidence.metric
    low, high = metrics["interval"]
    before = metrics["training"].get(metric.name)
    earlier = "" if before is None else f"   ({before:.3f} at its training, on rows left out)"
    out.result("fresh", f"{metric.title} {metrics['score']:.3f} [{low:.3f}, {high:.3f}] on {table.rows} rows{earlier}")
    for check in metrics["checks"]:
        out.note("check", f"{check['code']}: {check['text']}")
    page.save(place)
    out.result("wrote", str(place))
    out.document({**metrics, "file": str(place)})
