"""The items of a figure as plotly's traces and annotations."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from .figure import Bars, Box, HeatMap, Line, Mark, Points, Regions, Spans
from .palette import Theme, color_of, mixed, readable_on

# offset of a mark's text in pixels, upwards positive, and its alignment
SIDES = {
    "right": (10, 0, "left", "middle"),
    "left": (-10, 0, "right", "middle"),
    "above": (0, 10, "center", "bottom"),
    "below": (0, -10, "center", "top"),
}
Parts = tuple[list[dict[str, Any]], list[dict[str, Any]]]  # traces and annotations


def named(label: str) -> dict[str, Any]:
    return {"name": escape(label), "showlegend": bool(label)}


def veil(color: str) -> str:
    """The colour of a band."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.18)"


def line_parts(line: Line, theme: Theme) -> Parts:
    color = color_of(line.color, theme)
    pen = {"color": color, "width": line.width, "dash": line.style}
    mode = {"mode": "lines", "line": pen} if len(line.x) > 1 else {"mode": "markers", "marker": {"color": color}}
    traces: list[dict[str, Any]] = [{"type": "scatter", "x": line.x, "y": line.y, **mode, **named(line.label)}]
    if line.low is not None and line.high is not None:
        band = {
            "type": "scatter",
            "x": np.append(line.x, line.x[::-1]),
            "y": np.append(line.high, line.low[::-1]),
            "fill": "toself",
            "fillcolor": veil(color),
            "line": {"width": 0},
            "mode": "lines",
            "hoverinfo": "skip",
            "showlegend": False,
        }
        traces.insert(0, band)
    return traces, []


def points_parts(points: Points, theme: Theme) -> Parts:
    color = color_of(points.color, theme)
    dot = {"color": color, "size": 3 if points.small else 7}
    trace = {"type": "scatter", "x": points.x, "y": points.y, "mode": "markers", "marker": dot}
    if points.low is not None and points.high is not None:
        ends = {"array": points.high - points.y, "arrayminus": points.y - points.low}
        trace["error_y"] = {"type": "data", "symmetric": False, "width": 0, "color": color, **ends}
    return [trace | named(points.label)], []


def spans_parts(spans: Spans, theme: Theme) -> Parts:
    color = color_of(spans.color, theme)
    ends = {"array": spans.high - spans.x, "arrayminus": spans.x - spans.low}
    bar = {"type": "data", "symmetric": False, "width": 0, "thickness": spans.width, "color": color, **ends}
    dots = {"type": "scatter", "x": spans.x, "y": spans.y, "mode": "markers", "marker": {"color": color, "size": 7}}
    return [dots | {"error_x": bar} | named(spans.label)], []


def bars_parts(bars: Bars, theme: Theme) -> Parts:
    color = color_of(bars.color, theme)
    trace = {"type": "bar", "x": bars.x, "y": bars.height, "width": bars.width, "marker": {"color": color}}
    return [trace | named(bars.label)], []


def box_parts(box: Box, theme: Theme) -> Parts:
    color = color_of(box.color, theme)
    body = {
        "type": "box",
        "x": [box.at],
        "q1": [box.quartiles[0]],
        "median": [box.median],
        "q3": [box.quartiles[1]],
        "lowerfence": [box.whiskers[0]],
        "upperfence": [box.whiskers[1]],
        "width": 0.44,
        "line": {"color": color},
        "showlegend": False,
    }
    dots = {"type": "scatter", "x": np.full(len(box.beyond), box.at), "y": box.beyond, "mode": "markers"}
    return [body, dots | {"marker": {"color": color, "size": 5, "opacity": 0.6}, "showlegend": False}], []


def heat_parts(heat: HeatMap, theme: Theme) -> Parts:
    rows, columns = heat.values.shape
    trace = {
        "type": "heatmap",
        "z": heat.values,
        "colorscale": [[0.0, mixed(0.0, theme)], [1.0, mixed(1.0, theme)]],
        "zmin": 0.0,
        "zmax": 1.0,
        "showscale": False,
        "xgap": 3,
        "ygap": 3,
        "hoverinfo": "skip",
    }
    notes = [
        {
            "x": j,
            "y": i,
            "text": escape(heat.texts[i][j]).replace("\n", "<br>"),
            "font": {"color": readable_on(float(heat.values[i, j]), theme)},
        }
        for i in range(rows)
        for j in range(columns)
    ]
    return [trace], notes


def regions_parts(regions: Regions, theme: Theme) -> Parts:
    """A heat map whose scale has a step for every name."""
    count = len(regions.names)
    tints = [veil(color_of(color, theme)) for color in regions.colors]
    trace = {
        "type": "heatmap",
        "x": regions.x,
        "y": regions.y,
        "z": regions.codes,
        "colorscale": [[(k + end) / count, tint] for k, tint in enumerate(tints) for end in (0, 1)],
        "zmin": -0.5,
        "zmax": count - 0.5,
        "showscale": False,
        "hoverinfo": "skip",
    }
    return [trace], []


def mark_parts(mark: Mark, theme: Theme) -> Parts:
    color, (right, up, across, along) = color_of(mark.color, theme), SIDES[mark.side]
    dot = {"color": color, "size": 10, "line": {"color": theme.ground, "width": 1.5}}
    trace = {"type": "scatter", "x": [mark.x], "y": [mark.y], "mode": "markers", "marker": dot, "showlegend": False}
    note = {
        "x": mark.x,
        "y": mark.y,
        "text": escape(mark.text).replace("\n", "<br>"),
        "xshift": right,
        "yshift": up,
        "xanchor": across,
        "yanchor": along,
        "font": {"color": color, "size": 11},
        "bgcolor": theme.ground,
        "opacity": 0.9,
    }
    return [trace], [note]


DRAWERS: dict[type, Any] = {
    Line: line_parts,
    Points: points_parts,
    Spans: spans_parts,
    Bars: bars_parts,
    Box: box_parts,
    HeatMap: heat_parts,
    Regions: regions_parts,
    Mark: mark_parts,
}
