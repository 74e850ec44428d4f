"""`sumlearn demo`: a tour of the command on bundled data."""

from __future__ import annotations

import contextlib
import csv
import tempfile
from pathlib import Path

from .running import main


def demo() -> int:
    """Take the whole tour on bundled data."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        write_parts(Path(name))
        for number, (title, command) in enumerate(steps(), 1):
            print(f"\n{number}. {title}\n$ sumlearn {command}", flush=True)
            code = main(command.split())
            if code:
                return code
    print("\nThe same idea in Python:\n", flush=True)
    return library_tour()


def steps() -> list[tuple[str, str]]:
    """What is shown."""
    return [
        ("A table and a column name", "train north.csv -t diabetes -o north --models lda,qda,naive_bayes,logistic"),
        ("What is in the file", "info north"),
        ("Answers for new rows", "predict north new.csv --proba"),
        ("New rows came", "update north more.csv -o north2.skops"),
        ("Those rows must go", "forget north2.skops more.csv -o north3.skops"),
        ("Another site has data too", "train south.csv -t diabetes -o south --models lda --quiet"),
        ("What may leave the other site: no level, pair or class of few rows", "share south -o south.skops"),
        ("One model of both, from their sums", "merge north south.skops -o both.skops"),
    ]


def write_parts(folder: Path) -> None:
    """The Pima table in pieces: two sites, rows that come later, and rows without an answer."""
    from ..data.examples import ENTRIES, TABLES

    with open(TABLES / ENTRIES["pima"].file, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    parts = {"north": rows[:400], "south": rows[400:700], "more": rows[700:760], "new": rows[760:]}
    for name, part in parts.items():
        keep = len(header) - 1 if name == "new" else len(header)  # the target is the last column
        with open(folder / f"{name}.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([row[:keep] for row in [header, *part]])


def library_tour() -> int:
    """The same idea in Python, with numbers."""
    from .. import demo as library

    return 1 if library.main() else 0
