"""`sumlearn update`: more rows for a model, exactly."""

from __future__ import annotations

from typing import Annotated

import typer

from .files import change_model, destination, later_reading, load_model, model_path, tell_change
from .options import Again, Data, Debug, Encoding, Force, InPlace, Json, Model, Quiet
from .output import Output


def update(
    model: Model,
    data: Data,
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="OUT", help="The new file.")] = None,
    new_classes: Annotated[
        bool, typer.Option("--new-classes", help="Learn labels that the model has not met.")
    ] = False,
    again: Again = False,
    encoding: Encoding = None,
    in_place: InPlace = False,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Learn more rows, exactly.

    The new model is the one that would have been trained on all rows with the same choices. That of a folder is its
    newest from now on.
    """
    from ..product.metrics import METRICS
    from ..product.tables import open_table

    out = Output(as_json, quiet)
    place = destination(model, output, in_place, force, "updated")
    table = open_table(data, reading=later_reading(load_model(model_path(model)), encoding, labelled=True))
    changed = change_model([model], place, lambda model: model.update(table, table.name, again, new_classes), force)
    (old,), new, *_ = changed
    if old.note:
        out.note("note", old.note)
    tell_change(out, "update", f"{new.changed} rows learnt", changed)
    asked = new.facts["history"][-1]
    held = asked.get("held", 0)
    if held is None:
        out.note("note", "the model keeps no hashes of its rows: these could not be compared with them")
    elif held:
        out.note("note", f"{held} of these rows were in the model already")
    if "score" in asked:
        title = METRICS[asked["metric"]].title
        which = "these rows, before they were learnt" if held == 0 else "those rows that were not, before they were"
        which = "these rows; it may have learnt some of them before" if held is None else which
        out.note("asked", f"{title} {asked['score']:.3f} on {which}")
    out.note("note", "choice, hyperparameters and threshold are those of the training; its score was not measured anew")
