"""Figures as plotly's data: plain dictionaries, which a page may carry as they are or plotly may draw."""

from __future__ import annotations

from html import escape
from textwrap import wrap
from typing import Any

import numpy as np

from .figure import Figure, HeatMap, Panel
from .palette import Theme, theme_of
from .plotly_parts import DRAWERS

PIXELS = 100  # an inch of a figure
BETWEEN = {True: 0.06, False: 0.14}  # panels that are stacked, or beside each other
Domain = tuple[list[float], list[float]]


def draw(figure: Figure, theme: str) -> Any:
    """A plotly figure."""
    try:
        from plotly.graph_objects import Figure as Canvas
    except ImportError as missing:
        raise ImportError("this plot is drawn by plotly: pip install 'sumlearn[cli]'") from missing

    return Canvas(described(figure, theme))


def described(figure: Figure, theme: str) -> dict[str, Any]:
    """Traces and layout. Texts are escaped: plotly would read tags in them."""
    colors = theme_of(theme)
    above = any(panel.legend == "above" for panel in figure.panels)
    titles = any(panel.title for panel in figure.panels)
    layout: dict[str, Any] = {
        "title": {"text": escape(figure.title), "font": {"size": 16}} if figure.title else None,
        "width": figure.size[0] * PIXELS,
        "height": figure.size[1] * PIXELS,
        "paper_bgcolor": colors.ground,
        "plot_bgcolor": colors.ground,
        "font": {"color": colors.ink, "size": 12},
        "margin": {"l": 60, "r": 20, "t": 20 + 30 * bool(figure.title) + 22 * titles + 20 * above, "b": 50},
        "showlegend": any(panel.legend for panel in figure.panels),
        "barmode": "overlay",
        "annotations": [],
    }
    data: list[dict[str, Any]] = []
    for number, (panel, domain) in enumerate(zip(figure.panels, domains(figure), strict=True), start=1):
        add_panel(panel, domain, number, data, layout, colors)
        if figure.stacked and number < len(figure.panels):  # the last panel has the axis of all
            layout[f"xaxis{suffix(number)}"] |= {
                "matches": f"x{len(figure.panels)}",
                "showticklabels": False,
                "title": None,
            }
    return {"data": data, "layout": layout}


def domains(figure: Figure) -> list[Domain]:
    """Where the panels stand, as shares of the width and the height."""
    shares = [panel.share if figure.stacked else 1.0 for panel in figure.panels]
    between = BETWEEN[figure.stacked]
    unit = (1.0 - between * (len(shares) - 1)) / sum(shares)
    starts = [sum(shares[:k]) * unit + between * k for k in range(len(shares))]
    spans = [(start, start + share * unit) for start, share in zip(starts, shares, strict=True)]
    if figure.stacked:
        return [([0.0, 1.0], [1.0 - end, 1.0 - start]) for start, end in spans]
    return [([start, end], [0.0, 1.0]) for start, end in spans]


def suffix(number: int) -> str:
    """How plotly tells axes and legends apart."""
    return "" if number == 1 else str(number)


def add_panel(
    panel: Panel, domain: Domain, number: int, data: list[dict[str, Any]], layout: dict[str, Any], theme: Theme
) -> None:
    mark = suffix(number)
    layout[f"xaxis{mark}"], layout[f"yaxis{mark}"] = axes(panel, domain, mark, theme)
    for item in panel.items:
        traces, notes = DRAWERS[type(item)](item, theme)
        data += [trace | {"xaxis": f"x{mark}", "yaxis": f"y{mark}", "legend": f"legend{mark}"} for trace in traces]
        for note in notes:
            at = float(np.log10(note["x"])) if panel.log_x else note["x"]
            layout["annotations"].append(note | {"x": at, "xref": f"x{mark}", "yref": f"y{mark}", "showarrow": False})
    if panel.title:
        place = {"x": sum(domain[0]) / 2, "y": domain[1][1], "xref": "paper", "yref": "paper", "showarrow": False}
        layout["annotations"].append({"text": escape(panel.title), "yanchor": "bottom", "font": {"size": 14}, **place})
    if panel.legend:
        layout[f"legend{mark}"] = legend_in(panel.legend, domain)


def axes(panel: Panel, domain: Domain, mark: str, theme: Theme) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both axes of a panel."""
    common = {
        "gridcolor": theme.grid,
        "linecolor": theme.quiet,
        "zeroline": False,
        "showline": True,
        "ticks": "outside",
    }
    x: dict[str, Any] = common | {"domain": domain[0], "anchor": f"y{mark}", "title": {"text": escape(panel.x_label)}}
    y: dict[str, Any] = common | {"domain": domain[1], "anchor": f"x{mark}", "title": {"text": escape(panel.y_label)}}
    if panel.log_x:
        x |= {"type": "log", "exponentformat": "power"}
    if panel.x_range:
        x["range"] = np.log10(panel.x_range).tolist() if panel.log_x else list(panel.x_range)
    if panel.y_range:
        y["range"] = list(panel.y_range)
    for ticks, axis in ((panel.x_ticks, x), (panel.y_ticks, y)):
        if ticks is not None:
            axis |= {"tickvals": [at for at, _ in ticks], "ticktext": [in_lines(text) for _, text in ticks]}
    for heat in (item for item in panel.items if isinstance(item, HeatMap)):
        quiet = {"showgrid": False, "showline": False, "ticks": ""}
        for axis, names in ((x, heat.columns), (y, heat.rows)):
            axis |= quiet | {"tickvals": list(range(len(names))), "ticktext": list(map(escape, names))}
        y["autorange"] = "reversed"
    if panel.square:
        y |= {"scaleanchor": f"x{mark}", "scaleratio": 1, "constrain": "domain"}
        x["constrain"] = "domain"
    return x, y


def legend_in(corner: str, domain: Domain) -> dict[str, Any]:
    """A legend in a corner of its own panel, or above it."""
    (left, right), (low, high) = domain
    small = {"font": {"size": 11}}
    if corner == "above":
        return small | {"orientation": "h", "x": left, "y": high, "xanchor": "left", "yanchor": "bottom"}
    along, across = corner.split()
    return small | {
        "x": left + 0.03 if across == "left" else right - 0.01,
        "y": low + 0.01 if along == "lower" else high - 0.01,
        "xanchor": across,
        "yanchor": "bottom" if along == "lower" else "top",
        "bgcolor": "rgba(0,0,0,0)",
    }


def in_lines(name: str, width: int = 18, most: int = 3) -> str:
    """A long name in short lines, so that it does not run into its neighbour.

    >>> in_lines("chronic obstructive pulmonary disease")
    'chronic<br>obstructive<br>pulmonary disease'
    """
    return "<br>".join(map(escape, wrap(name, width, max_lines=most, placeholder=" …") or [""]))
