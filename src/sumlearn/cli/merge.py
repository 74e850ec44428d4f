"""`sumlearn merge`: one model of several, from their sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .files import change_model, destination, model_path, tell_change
from .options import Again, Debug, Force, Json, Quiet
from .output import Output

if TYPE_CHECKING:
    from ..product.trained import TrainedModel


def merge(
    models: Annotated[list[str], typer.Argument(metavar="A B ...", help="Model files, or folders that `train` wrote.")],
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="C", help="The new file.")] = None,
    new_classes: Annotated[
        bool, typer.Option("--new-classes", help="Also models that have classes which the others lack.")
    ] = False,
    again: Again = False,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Add models of several sites, exactly.

    The new model has learnt the rows of all of them; their sums are enough. Rows that several hold are refused.
    """
    from ..product.problems import UsageProblem

    if len(models) < 2:
        raise UsageProblem("merge takes two or more models: sumlearn merge A B -o C")
    if output is None:
        raise UsageProblem("where to? sumlearn merge A B -o C")
    out = Output(as_json, quiet)
    paths = [model_path(model) for model in models]
    place = destination(models[0], output, False, force, "merged")

    def added(first: TrainedModel, *others: TrainedModel) -> TrainedModel:
        for path, other in zip(paths[1:], others, strict=True):
            first = first.merge(other, str(path), again, new_classes)
        return first

    changed = change_model(models, place, added, force)
    for path, model in zip(paths, changed.read, strict=True):
        if model.note:
            out.note("note", model.note)
        if model.facts["model"]["params"] != changed.read[0].facts["model"]["params"]:
            out.note("note", f"hyperparameters are those of {paths[0]}, not those of {path}: the sums are the same")
    held = [line.get("held") for line in changed.written.facts["history"][-len(paths) + 1 :]]
    if None in held:
        out.note(
            "note", "rows of different trainings could not be compared: their hashes have other salts, or are none"
        )
    if sum(filter(None, held)):
        out.note("note", f"{sum(filter(None, held))} rows were in more than one of the models")
    tell_change(out, "merge", f"{len(models)} models added", changed)
