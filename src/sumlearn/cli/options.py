"""Options that several commands share, and how their values are written."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notes on standard error.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show a traceback with an error.")]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model file, or the folder that `train` wrote.")]
Data = Annotated[str, typer.Argument(metavar="DATA", help="A path, glob, folder, bundled name, or -.")]
InPlace = Annotated[bool, typer.Option("--in-place", help="Replace the model file itself, in a folder the newest.")]
Encoding = Annotated[str | None, typer.Option(help="Of text files, such as cp1252; found out by default.")]
Dates = Annotated[str | None, typer.Option(help="dmy, mdy or ymd, where a column leaves it open.")]
Decimal = Annotated[str | None, typer.Option(help="point or comma, where a column leaves it open.")]
Missing = Annotated[str | None, typer.Option(help="Cells that count as gaps: ?,-999,inf.")]
MaxLevels = Annotated[int | None, typer.Option(help="Text of more different values is left out; 100.")]
Again = Annotated[bool, typer.Option("--again", help="Also rows that the model has learnt already.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite what is there.")]


def names(text: str | None) -> list[str]:
    """Names between commas.

    >>> names("a, b"), names(None)
    (['a', 'b'], [])
    """
    return [] if not text else [name.strip() for name in text.split(",") if name.strip()]


def pairs(text: str, option: str) -> dict[str, float]:
    """Numbers by name.

    >>> pairs("FA=1,FR=5", "--cost")
    {'FA': 1.0, 'FR': 5.0}
    """
    from ..product.problems import UsageProblem

    numbers = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            numbers[name.strip()] = float(value)
        except ValueError:
            raise UsageProblem(f"{option} {text!r} is not NAME=NUMBER,...") from None
    return numbers
