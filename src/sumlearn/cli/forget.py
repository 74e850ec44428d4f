"""`sumlearn forget`: a model without some rows, exactly, with a certificate."""

from __future__ import annotations

from typing import Annotated

import typer

from .files import change_model, destination, later_reading, load_model, model_path, tell_change
from .options import Data, Debug, Encoding, Force, InPlace, Json, Model, Quiet
from .output import Output


def forget(
    model: Model,
    data: Data,
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="OUT", help="The new file.")] = None,
    in_place: InPlace = False,
    encoding: Encoding = None,
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
    place = destination(model, output, in_place, force, "forgotten")
    path = model_path(model)
    table = open_table(data, reading=later_reading(load_model(path), encoding, labelled=True))
    changed = change_model([model], place, lambda model: model.forget(table, table.name), force)
    (old,), new, *_ = changed
    if old.note:
        out.note("note", old.note)
    if old.ledger is None:
        out.note("note", "the model keeps no hashes of its rows: it was not checked that it learnt these")
    tell_change(out, "forget", f"{new.changed} rows forgotten", changed)
    if not in_place:
        whole = "and older models beside it still know" if output is None else "still knows"
        out.note("note", f"{path} {whole} the rows: delete what knows them, also predictions and copies made before")
