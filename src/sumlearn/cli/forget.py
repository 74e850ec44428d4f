"""`sumlearn forget`: a model without some rows, exactly, with a certificate."""

from __future__ import annotations

from typing import Annotated

import typer

from .files import change_model, destination, load_model, model_path, tell_change
from .options import Data, Debug, Force, InPlace, Json, Model, Quiet
from .output import Output


def forget(
    model: Model,
    data: Data,
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="OUT", help="The new file.")] = None,
    in_place: InPlace = False,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Unlearn rows, exactly.

    The new model is the one that was never trained on them. Rows that it has not learnt are refused by their numbers.
    """
    from ..product.tables import open_table

    out = Output(as_json, quiet)
    path = model_path(model)
    place = destination(path, output, in_place, force, "forgotten")
    table = open_table(data, reading=load_model(path).reading(labelled=True))
    changed = change_model([path], place, lambda model: model.forget(table, table.name), force)
    (old,), new, _ = changed
    if old.note:
        out.note("note", old.note)
    if old.ledger is None:
        out.note("note", "the model keeps no hashes of its rows: it was not checked that it learnt these")
    tell_change(out, "forget", f"{new.changed} rows forgotten", changed, place)
    if not in_place:
        out.note("note", f"{path} still knows the rows: delete it, and predictions and copies made before")
