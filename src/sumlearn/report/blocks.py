"""What a page is made of: sections of text, tables, charts and live parts. Templates make HTML of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .plots.figure import Figure


@dataclass(frozen=True)
class Prose:
    """A paragraph."""

    text: str
    kind: str = "prose"


@dataclass(frozen=True)
class Code:
    """Lines to copy."""

    text: str
    kind: str = "code"


@dataclass(frozen=True)
class Grid:
    """A table: cells are text, numbers, None, or a `Bar`. `left_out` rows were too many to show."""

    headers: Sequence[str]
    rows: Sequence[Sequence[Any]]
    caption: str = ""
    left_out: int = 0
    kind: str = "grid"


@dataclass(frozen=True)
class Bar:
    """A cell that is drawn: a mark at `value` between `low` and `high`, on a scale from 0 to 1."""

    value: float
    low: float | None = None
    high: float | None = None
    base: float | None = None  # a tick, where the baseline is
    kind: str = "bar"


@dataclass(frozen=True)
class Heat:
    """A table of counts, tinted by their share of the row: truth by row, decision by column."""

    labels: Sequence[str]
    counts: Sequence[Sequence[float]]
    shares: Sequence[Sequence[float]]
    caption: str = ""
    kind: str = "heat"


@dataclass(frozen=True)
class Chart:
    """A plot with one line of explanation; the numbers behind it stand in a table below."""

    name: str  # of its element in the page
    figure: Figure
    caption: str = ""
    kind: str = "chart"


@dataclass(frozen=True)
class Drawing:
    """A picture that is drawn already: an SVG element of our own making, in which names are escaped."""

    svg: str
    caption: str = ""
    kind: str = "drawing"


@dataclass(frozen=True)
class Live:
    """A part that moves: a template of its own, and data for the script."""

    name: str
    data: dict[str, Any]
    words: dict[str, Any] = field(default_factory=dict)
    kind: str = "live"


Block = Prose | Code | Grid | Heat | Chart | Drawing | Live


@dataclass(frozen=True)
class Section:
    """A part of the page with a title; `lead` says in one or two sentences what is to be seen."""

    key: str
    title: str
    lead: str
    blocks: Sequence[Block]


def grid_of(headers: Sequence[str], rows: Sequence[Sequence[Any]], caption: str = "", most: int = 60) -> Grid:
    """A table with no more rows than a reader can use.

    >>> grid_of(["a"], [[1], [2], [3]], most=2).left_out
    1
    """
    return Grid(headers, rows[:most], caption, max(0, len(rows) - most))
