"""`sumlearn forget`: a model without some rows, exactly, with a certificate."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .files import change_model, destination, later_reading, load_model, model_path, tell_change
from .options import Data, Debug, Encoding, Force, InPlace, Json, Model, Quiet
from .output import Output


def forget(
    model: Model,
    data: Data,
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="OUT", help="The new file.")] = None,
    in_place: InPlace = False,
    remaining: Annotated[
        str | None, typer.Option(metavar="REST", help="The rows that remain: prove that the model holds exactly those.")
    ] = None,
    encoding: Encoding = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Unlearn rows, exactly.

    The new model is the one that was never trained on them. Rows that it has not learnt are refused by their numbers.
    With --remaining the model that never saw them is fitted as well, and both hashes are printed; rows that are not
    those that the model holds are refused. At the end all files are named that still know the rows.
    """
    from ..product.knowing import files_that_know
    from ..product.tables import open_table

    out = Output(as_json, quiet)
    place = destination(model, output, in_place, force, "forgotten")
    path = model_path(model)
    reading = later_reading(load_model(path), encoding, labelled=True)
    table = open_table(data, reading=reading)
    rest = None if remaining is None else open_table(remaining, reading=reading)
    proofs = []

    def without_rows(model: Any) -> Any:
        new = model.forget(table, table.name)
        if rest is not None:
            from ..product.unlearning import unlearnt

            proofs.append(unlearnt(new, rest, repr(remaining)))
        return new

    changed = change_model([model], place, without_rows, force)
    (old,), new, *_ = changed
    if old.note:
        out.note("note", old.note)
    if old.ledger is None:
        out.note("note", "the model keeps no hashes of its rows: it was not checked that it learnt these")
    knowing = files_that_know(old, path, changed.path, table)
    more: dict[str, Any] = {"destroy": [{"file": one.path and str(one.path), "why": one.why} for one in knowing]}
    if proofs:
        more["unlearnt"] = proofs[-1]._asdict() | {"equal": proofs[-1].equal}
    tell_change(out, "forget", f"{new.changed} rows forgotten", changed, more)
    if proofs:
        tell_proof(out, proofs[-1], remaining)
    for one in knowing:
        out.result("destroy", f"{one.path}   {one.why}" if one.path else one.why)
    out.note("note", "copies elsewhere, backups and what was printed know the rows too: no file can tell of them")


def tell_proof(out: Output, proof: Any, remaining: str | None) -> None:
    """Two hashes, and what they say."""
    how = (
        "compared one by one by their hashes" if proof.compared else "by their sums; the model keeps no hashes of rows"
    )
    out.result("rows", f"the model holds exactly the {proof.rows} rows of {remaining}: {how}")
    out.result("forgotten", f"sha256 {proof.forgotten}   the model after forgetting")
    out.result("never saw", f"sha256 {proof.never}   the model of the rows that remain, by the same parameters")
    if proof.equal:
        out.result("equal", "the two models are the same to the bit")
    else:
        coefficients = "" if proof.coefficients is None else f", {proof.coefficients:.1e} of coefficients"
        text = f"at most {proof.sums:.1e} of sums{coefficients}, relative"
        text = text if proof.sums or proof.coefficients else "in its bounds alone: the sums agree to all their digits"
        out.result("rounding", f"the two models differ by rounding, {text}; exact sums have equal hashes")
