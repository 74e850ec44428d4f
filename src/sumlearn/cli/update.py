"""`sumlearn update`: more rows for a model, exactly."""

from __future__ import annotations

from typing import Annotated

import typer

from .files import destination, load_model, model_path, tell_change
from .options import Data, Debug, Force, InPlace, Json, Model, Quiet
from .output import Output


def update(
    model: Model,
    data: Data,
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="OUT", help="The new file.")] = None,
    new_classes: Annotated[
        bool, typer.Option("--new-classes", help="Learn labels that the model has not met.")
    ] = False,
    in_place: InPlace = False,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Learn more rows, exactly.

    The new model is the one that would have been trained on all rows with the same choices.
    """
    from ..product.metrics import METRICS
    from ..product.tables import open_table

    out = Output(as_json, quiet)
    path = model_path(model)
    place = destination(path, output, in_place, force, "updated")
    old = load_model(path)
    table = open_table(data, reading=old.reading(labelled=True))
    if old.note:
        out.note("note", old.note)
    new = old.update(table, table.name, new_classes)
    tell_change(out, "update", f"{new.changed} rows learnt", new, place)
    asked = new.facts["history"][-1]
    if "score" in asked:
        title = METRICS[asked["metric"]].title
        out.note("asked", f"{title} {asked['score']:.3f} on these rows, before they were learnt")
    out.note("note", "choice, hyperparameters and threshold are those of the training; its score was not measured anew")
