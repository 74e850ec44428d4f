"""What a plot shows, as data: panels of lines, points, spans, bars, boxes, a heat map, regions and marks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Color = int | str  # a number in the palette, "ink" for the colour of text, "quiet" for what stays behind
Ticks = tuple[tuple[float, str], ...]


@dataclass(frozen=True, eq=False)
class Line:
    """A line through points; `low` and `high` shade a band around it."""

    x: np.ndarray
    y: np.ndarray
    label: str = ""
    color: Color = 0
    style: str = "solid"  # or "dash", "dot"
    width: float = 2.0
    low: np.ndarray | None = None
    high: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Points:
    """Dots, with error bars from `low` to `high` where given; `small` ones lie on top of others."""

    x: np.ndarray
    y: np.ndarray
    label: str = ""
    color: Color = 0
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    small: bool = False


@dataclass(frozen=True, eq=False)
class Spans:
    """Dots on lines that run across, from `low` to `high`: a forest plot."""

    x: np.ndarray
    y: np.ndarray
    low: np.ndarray
    high: np.ndarray
    label: str = ""
    color: Color = 0
    width: float = 1.4


@dataclass(frozen=True, eq=False)
class Bars:
    """Bars of a width, from zero."""

    x: np.ndarray
    height: np.ndarray
    width: float
    color: Color = 0
    label: str = ""


@dataclass(frozen=True, eq=False)
class Box:
    """One box plot: whiskers, quartiles, median and the values beyond the whiskers."""

    at: float
    whiskers: tuple[float, float]
    quartiles: tuple[float, float]
    median: float
    beyond: np.ndarray
    color: Color = 0


@dataclass(frozen=True, eq=False)
class HeatMap:
    """A table of shares from 0 to 1, first row on top, with a text in each cell."""

    values: np.ndarray
    texts: tuple[tuple[str, ...], ...]
    columns: tuple[str, ...]
    rows: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Regions:
    """The ground, coloured by the name that each point of a grid has: `codes` (y, x) are numbers of `names`."""

    x: np.ndarray
    y: np.ndarray
    codes: np.ndarray
    names: tuple[str, ...]
    colors: tuple[Color, ...]


@dataclass(frozen=True, eq=False)
class Mark:
    """A dot with a text beside it: `side` is where the text stands, "left", "right", "above" or "below"."""

    x: float
    y: float
    text: str
    color: Color = "ink"
    side: str = "right"


Item = Line | Points | Spans | Bars | Box | HeatMap | Regions | Mark


@dataclass(frozen=True, eq=False)
class Panel:
    """Items between two axes. None for a range fits the items; `share` is the panel's part of the height."""

    items: tuple[Item, ...]
    x_label: str
    y_label: str
    title: str = ""
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    x_ticks: Ticks | None = None
    y_ticks: Ticks | None = None
    log_x: bool = False
    square: bool = False
    legend: str | None = None  # a corner, such as "upper left", or "above" the panel; None is no legend
    share: float = 1.0


@dataclass(frozen=True, eq=False)
class Figure:
    """Panels beside each other, or above each other with ``stacked=True``; drawn when asked.

    >>> from sumlearn.evaluation import RocCurve
    >>> from sumlearn.report import plots
    >>> figure = plots.roc(RocCurve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> len(figure.panels[0].items), figure.panels[0].items[1].label
    (2, 'AUC 0.750')
    """

    panels: tuple[Panel, ...]
    title: str = ""
    stacked: bool = False
    size: tuple[float, float] = (6.0, 4.5)  # inches

    def matplotlib(self, theme: str = "light") -> Any:
        """A matplotlib Figure, bound to no window. `theme` is "light" or "dark"."""
        from .with_matplotlib import draw

        return draw(self, theme)

    def plotly(self, theme: str = "light") -> Any:
        """A plotly Figure."""
        from .with_plotly import draw

        return draw(self, theme)

    def html(self, theme: str = "light", library: bool = True) -> str:
        """A piece of HTML; with ``library=True`` it carries plotly's script and needs no network."""
        return self.plotly(theme).to_html(full_html=False, include_plotlyjs=library)

    def save(self, path: str | Path, theme: str = "light") -> None:
        """Write a file: a page for .html, else what matplotlib makes of the ending (.png, .svg, .pdf)."""
        path = Path(path)
        if path.suffix.lower() in (".html", ".htm"):
            path.write_text(self.plotly(theme).to_html(include_plotlyjs=True), encoding="utf-8")
        else:
            self.matplotlib(theme).savefig(path, dpi=150)

    def _repr_png_(self) -> bytes:
        from io import BytesIO

        image = BytesIO()
        self.matplotlib().savefig(image, format="png", dpi=110)
        return image.getvalue()


def thinned(*arrays: np.ndarray, most: int = 1500) -> tuple[np.ndarray, ...]:
    """At most so many points of a curve that look like all of them: even steps along its length."""
    length = len(arrays[0])
    if length <= most:
        return arrays
    steps = np.zeros(length - 1)
    for values in arrays:
        reach = float(np.ptp(values[np.isfinite(values)])) or 1.0
        steps += np.nan_to_num(np.abs(np.diff(values)) / reach, posinf=0.0)
    way = np.append(0.0, np.cumsum(steps))
    keep = np.searchsorted(way, np.linspace(0.0, way[-1], most))
    keep = np.unique(np.append(np.minimum(keep, length - 1), [0, length - 1]))
    return tuple(values[keep] for values in arrays)
