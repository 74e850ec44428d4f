"""A table of estimates that prints as text, HTML, LaTeX or a data frame."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

LATEX = {c: "\\" + c for c in "&%$#_{}"}
LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


@dataclass(frozen=True)
class SummaryTable:
    """A title, facts about the fit, one row of numbers for each parameter, and notes.

    >>> table = SummaryTable("Fit", (("rows", 4.0),), ("estimate", "p"), (("", "slope", (2.3, 1e-20)),), ("A note.",))
    >>> print(table)
    Fit
    rows  4
    <BLANKLINE>
           estimate       p
    slope       2.3  <1e-16
    <BLANKLINE>
    A note.
    """

    title: str
    facts: tuple[tuple[str, Any], ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, str, tuple[float, ...]], ...]  # group (a target, a class, or ""), parameter, numbers
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        width = max((len(name) for name, _ in self.facts), default=0)
        facts = [f"{name:<{width}}  {shown(value)}" for name, value in self.facts]
        head, body = self.cells(str)
        sizes = [max(map(len, column)) for column in zip(head, *body, strict=True)]
        sides = [str.ljust] * self.labels + [str.rjust] * len(self.columns)
        lines = [
            "  ".join(side(cell, size) for side, cell, size in zip(sides, row, sizes, strict=True)).rstrip()
            for row in (head, *body)
        ]
        return "\n".join([self.title, *facts, "", *lines, *([""] if self.notes else []), *map(one_line, self.notes)])

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """Two tables, the facts and the estimates; names and notes are escaped."""
        head, body = self.cells(html.escape)
        facts = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(shown(v))}</td></tr>" for k, v in self.facts)
        rows = "".join(f"<tr>{html_cells(row, self.labels)}</tr>" for row in body)
        notes = "".join(f"<p>{html.escape(one_line(note))}</p>" for note in self.notes)
        top = "".join(f"<th>{cell}</th>" for cell in head)
        return (
            f"<div><table><caption>{html.escape(self.title)}</caption><tbody>{facts}</tbody></table>"
            f"<table><thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table>{notes}</div>"
        )

    def to_latex(self) -> str:
        """A `tabular`; facts and notes follow it as text."""
        head, body = self.cells(latex)
        lines = [" & ".join(row) + r" \\" for row in (head, *body)]
        form = "l" * self.labels + "r" * len(self.columns)
        facts = ", ".join(f"{latex(name)} {latex(shown(value))}" for name, value in self.facts)
        return "\n".join(
            [rf"\begin{{tabular}}{{{form}}}", r"\hline", lines[0], r"\hline", *lines[1:], r"\hline", r"\end{tabular}"]
            + [rf"\par {text}" for text in (facts, *(latex(one_line(note)) for note in self.notes)) if text]
        )

    def to_frame(self) -> Any:
        """The numbers as a pandas data frame, a row for each parameter; of several groups, indexed by both."""
        import pandas as pd

        index: Any = [name for _, name, _ in self.rows]
        if self.labels == 2:
            pairs = [(group, name) for group, name, _ in self.rows]
            index = pd.MultiIndex.from_tuples(pairs, names=["of", "parameter"])
        return pd.DataFrame([values for *_, values in self.rows], index=index, columns=list(self.columns))

    @property
    def labels(self) -> int:
        """Columns of text before the numbers: two where there are groups."""
        return 2 if any(group for group, *_ in self.rows) else 1

    def cells(self, escape: Callable[[str], str]) -> tuple[list[str], list[list[str]]]:
        """Head and rows as text."""
        head = [""] * self.labels + [escape(name) for name in self.columns]
        body = [
            [escape(one_line(label)) for label in (group, name)[-self.labels :]]
            + [escape(probability(v) if c == "p" else shown(v)) for c, v in zip(self.columns, values, strict=True)]
            for group, name, values in self.rows
        ]
        return head, body


def html_cells(row: list[str], labels: int) -> str:
    return "".join(f"<th>{cell}</th>" if i < labels else f"<td>{cell}</td>" for i, cell in enumerate(row))


def one_line(label: str) -> str:
    """A name as it stands in a table: line breaks, tabs and what cannot be seen are written out, as in Python."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in label)


def shown(value: Any) -> str:
    """A number with five digits; NA where there is none, as R writes it."""
    if isinstance(value, str):
        return value
    return "NA" if math.isnan(value) else f"{value:.5g}"


def probability(value: float) -> str:
    """A p value: what is below 1e-16 is not told apart."""
    return "<1e-16" if value < 1e-16 else shown(value)


def latex(text: str) -> str:
    return "".join(LATEX.get(c, c) for c in text)
