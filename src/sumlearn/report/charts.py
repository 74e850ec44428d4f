"""Figures for the page: what its script hands to plotly, and the same numbers as a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from .blocks import Grid
from .numbers import json_value
from .plots.figure import Bars, Box, Figure, HeatMap, Line, Mark, Panel, Points, Regions, Spans
from .plots.palette import THEMES
from .plots.plotly_parts import veil
from .plots.with_plotly import PIXELS, described

CLOUD = 60  # points above which dots are small and see-through
MANY_TICKS = 8
MANY_LETTERS = 60  # beside each other; plotly turns more of them
TABLE_POINTS = 11  # of each line in the table of its numbers


def drawing(figure: Figure) -> dict[str, Any]:
    """What the script hands to plotly, in the light colours; the legend stands below, the title in the page."""
    canvas = described(figure, "light")
    layout = canvas["layout"]
    for name in ("width", "title"):
        layout.pop(name, None)
    layout["margin"] = {"l": 58, "r": 14, "t": 28 if any(p.title for p in figure.panels) else 14, "b": 56}
    layout["height"] = figure.size[1] * PIXELS
    for name in [key for key in layout if key.startswith("legend")]:
        layout.pop(name)
    layout["legend"] = {"orientation": "h", "x": 0, "y": 0, "xanchor": "left", "yanchor": "bottom", "yref": "container"}
    names = [str(trace["name"]) for trace in canvas["data"] if trace.get("showlegend")]
    for name, axis in layout.items():
        if "yaxis" in name:
            axis["automargin"] = True
    for axis in (part for name, part in layout.items() if "axis" in name):
        texts = axis.get("ticktext") or ()
        if len(texts) > MANY_TICKS:
            axis |= {"tickfont": {"size": 9}} | ({"tickangle": 0} if sum(map(len, texts)) < MANY_LETTERS else {})
        if any("<br>" in text for text in texts):
            axis |= {"automargin": True, "title": axis["title"] | {"standoff": 14}}
    for trace in canvas["data"]:
        trace["legend"] = "legend"  # one for all panels
        if trace.get("mode") == "markers" and len(trace["x"]) > CLOUD:
            size = min(4.5, trace["marker"]["size"])
            trace["marker"] = trace["marker"] | {"size": size, "opacity": 0.55 if size == 4.5 else 0.9}
        if trace["type"] == "scatter":
            trace["hovertemplate"] = "%{x:.4g}, %{y:.4g}<extra></extra>"
    return {
        "data": json_value(canvas["data"]),
        "layout": json_value(layout),
        "width": round(figure.size[0] * PIXELS),
        "names": list(map(len, names)),
    }


def colours() -> dict[str, str]:
    """Every colour of the light theme, with the one that takes its place on dark ground."""
    light, dark = THEMES["light"], THEMES["dark"]
    pairs = list(zip(light.series, dark.series, strict=True))
    pairs += [*zip(light.heat, dark.heat, strict=True), ("#000000", dark.ink)]
    pairs += [(getattr(light, name), getattr(dark, name)) for name in ("ground", "ink", "quiet", "grid")]
    return dict(pairs) | {veil(one): veil(other) for one, other in pairs}


def numbers_of(figure: Figure) -> Grid:
    """The numbers of a figure: of long lines some points, evenly spaced, of clouds their extent."""
    rows: list[list[Any]] = []
    for panel in figure.panels:
        for item in panel.items:
            rows += rows_of(item, panel)
    return Grid(["", "x", "y", "from", "to"], rows, caption=", then ".join(map(axes_of, figure.panels)))


def axes_of(panel: Panel) -> str:
    return f"x: {panel.x_label}; y: {panel.y_label}"


def rows_of(item: Any, panel: Panel) -> list[list[Any]]:
    if isinstance(item, Mark):
        return [[item.text.replace("\n", ", "), item.x, item.y, None, None]]
    if isinstance(item, Box):
        name = dict(panel.x_ticks or ()).get(item.at, item.at)
        return [[f"{name}: median and quartiles", None, item.median, *item.quartiles]]
    if isinstance(item, Spans):
        names = dict(panel.y_ticks or ())
        told = [names.get(round(float(y)), "") for y in item.y]
        columns = zip(told, item.x, item.low, item.high, strict=True)
        return [[f"{name}: {item.label}", float(x), None, float(low), float(high)] for name, x, low, high in columns]
    if isinstance(item, HeatMap):
        return [[f"{name}: {' '.join(texts)}", *[None] * 4] for name, texts in zip(item.rows, item.texts, strict=True)]
    if isinstance(item, Regions):
        shares = np.bincount(item.codes.ravel(), minlength=len(item.names)) / item.codes.size
        told = [f"{name}: {share:.0%} of the picture" for name, share in zip(item.names, shares, strict=True)]
        return [[text, None, None, None, None] for text in told]
    if isinstance(item, Bars):
        return [["rows", float(x), float(height), None, None] for x, height in zip(item.x, item.height, strict=True)]
    if isinstance(item, Points) and len(item.x) > CLOUD:
        middle = [float(np.median(item.x)), float(np.median(item.y))]
        extent = [float(np.min(item.y)), float(np.max(item.y))]
        return [[f"{item.label or 'points'}: {len(item.x)}, middle and extent", *middle, *extent]]
    if not isinstance(item, Line | Points) or (isinstance(item, Line) and not item.label):
        return []
    some = np.unique(np.linspace(0, len(item.x) - 1, TABLE_POINTS if isinstance(item, Line) else CLOUD).astype(int))
    ends = [item.low, item.high]
    return [
        [item.label, float(item.x[i]), float(item.y[i]), *(None if end is None else float(end[i]) for end in ends)]
        for i in some
        if len(item.x)
    ]
