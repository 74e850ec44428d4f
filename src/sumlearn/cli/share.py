"""`sumlearn share`: a model file for others, in which no level, pair or class rests on few rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .files import change_model, destination, model_path
from .options import Debug, Force, Json, Model, Quiet
from .output import Output

if TYPE_CHECKING:
    from ..product.trained import TrainedModel


def share(
    model: Model,
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="The file for others.")] = None,
    least: Annotated[int, typer.Option(help="Rows that everything in the file must rest on.")] = 5,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Write a model file for others.

    Sums are not anonymous: a level that one row has gives that row back. Rare levels are pooled, columns for which that
    is not enough are left out, hashes of rows are omitted, and what still tells of few rows is refused. The model
    remembers what was shared, as do the others of its folder, and a next version is refused until enough rows have
    changed.
    """
    from ..product.certificate import certificate_of
    from ..product.folder import MODEL, guard_of, shared_beside
    from ..product.problems import UsageProblem
    from ..saving import save
    from ..saving.locking import locked
    from ..saving.sharing import shared

    if output is None:
        raise UsageProblem("where to? sumlearn share MODEL -o FILE")
    out = Output(as_json, quiet)
    path = model_path(model)
    place = Path(output)
    destination(model, output, False, force, "shared")
    if place.exists() and place.samefile(path):
        raise UsageProblem("the file for others would replace the model itself; -o names another")
    copies: list[TrainedModel] = []

    def remembered(own: TrainedModel) -> TrainedModel:
        others = shared_beside(path.parent, own.facts["target"], path) if guard_of(path).name == MODEL else []
        copy, own._shared = shared(own, least, others)
        copies[:] = [copy]
        return own

    change_model([str(path)], path, remembered)  # first: what was shared and is not remembered would be the worse loss
    (copy,) = copies
    with locked(place):
        destination(model, output, False, force, "shared")  # still free
        save(copy, place)
        certificate = certificate_of(copy, place)
    done = copy._done["done"]
    for line in done:
        out.result("share", line)
    rows = copy.facts["rows"]
    out.result("share", f"sums of {rows} rows, none of which is alone: everything rests on {least} or more")
    out.result("wrote", str(place))
    out.note("note", "sums are not anonymous: what numbers and other versions of the model tell was not counted")
    out.document({"did": "share", "rows": rows, "least": least, "done": done, "file": str(place), **certificate})
