"""What is printed: results to standard output, notes and progress to standard error."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from .interrupts import stop_if_interrupted

LABEL = 10  # width of the first word of a line


class Output:
    """The two streams of a run. With `json` there is one document at the end and no other result."""

    def __init__(self, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json, self.quiet = as_json, quiet
        self.began: tuple[str, float] = ("", 0.0)  # what goes on, and since when
        self.budget, self.start = float("inf"), time.monotonic()  # seconds that there are, and since when

    def note(self, label: str, text: str) -> None:
        """Progress, and what a careful reader should know."""
        if not self.quiet:
            write(label, text, sys.stderr)

    def reading_notes(self, table: Any) -> None:
        """What was found out about the files of a table."""
        for note in () if table.found is None else table.found.notes:
            self.note("read", f"{note.code}: {note.text}")

    def result(self, label: str, text: str) -> None:
        if not self.as_json:
            write(label, text, sys.stdout)

    def document(self, content: Mapping[str, Any]) -> None:
        if self.as_json:
            with unheard(sys.stdout):
                print(json.dumps(content, indent=2, allow_nan=False))

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Aligned columns; the last one runs on."""
        if self.as_json:
            return
        lines = [[str(cell) for cell in row] for row in rows]
        widths = [max(len(line[j]) for line in [list(headers), *lines]) for j in range(len(headers))]
        console = console_of(sys.stdout)
        with unheard(sys.stdout):
            console.print(laid_out(headers, widths), style="bold")
            for line in lines:
                console.print(laid_out(line, widths))

    def spend(self, seconds: float) -> None:
        """From now on so many seconds may be spent: progress shows them."""
        self.budget, self.start = seconds, time.monotonic()

    def progress(self, what: str, done: int, total: int) -> None:
        """A line that is written over, on a terminal only; Ctrl-C is heeded here at the latest."""
        stop_if_interrupted()
        if self.quiet or not sys.stderr.isatty():
            return
        if self.began[0] != what or not done:
            self.began = (what, time.monotonic())
        end = "\033[K\r" if done < total else "\r\033[K"
        left = time_left(time.monotonic() - self.began[1], done, total)
        spent = time_spent(time.monotonic() - self.start, self.budget)
        with unheard(sys.stderr):
            print(f"  {what} {done}/{total}{left}{spent}", end=end, file=sys.stderr, flush=True)


def time_spent(seconds: float, budget: float) -> str:
    """What is spent of the time that there is.

    >>> time_spent(12.3, 60.0), time_spent(12.3, float("inf"))
    ('   12 of 60 s spent', '')
    """
    return "" if budget == float("inf") else f"   {seconds:.0f} of {budget:.0f} s spent"


def time_left(seconds: float, done: int, total: int) -> str:
    """What is left at the pace so far; nothing in the first seconds, and nothing of a few.

    >>> time_left(30.0, 10, 50), time_left(1.0, 1, 9), time_left(3600.0, 1, 4)
    ('   about 2 min left', '', '   about 3 h left')
    """
    rest = seconds * (total - done) / done if done else 0.0
    if seconds < 3.0 or rest < 5.0:
        return ""
    if rest < 100.0:
        return f"   about {rest:.0f} s left"
    return f"   about {rest / 60:.0f} min left" if rest < 5400.0 else f"   about {rest / 3600:.0f} h left"


def laid_out(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def write(label: str, text: str, stream: Any) -> None:
    from rich.text import Text

    with unheard(stream):
        console_of(stream).print(Text.assemble("  ", (f"{label:<{LABEL}}", "bold cyan"), text))


@contextmanager
def unheard(stream: Any) -> Iterator[None]:
    """Go on where whoever read a stream has seen enough (`| head`): what is meant for files is still to be written."""
    try:
        yield
        stream.flush()
    except (BrokenPipeError, SystemExit):  # the second is what rich makes of the first
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def console_of(stream: Any) -> Any:
    """Plain text unless the stream is a terminal; NO_COLOR is heeded. Lines are never broken."""
    from rich.console import Console

    return Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)
