"""Figures drawn by plotly."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from .figure import Bars, Box, Figure, HeatMap, Line, Mark, Panel, Points
from .palette import Theme, color_of, mixed, readable_on, theme_of

PIXELS = 100  # an inch of a figure
# offset of a mark's text in pixels, upwards positive, and its alignment
SIDES = {
    "right": (10, 0, "left", "middle"),
    "left": (-10, 0, "right", "middle"),
    "above": (0, 10, "center", "bottom"),
    "below": (0, -10, "center", "top"),
}


def draw(figure: Figure, theme: str) -> Any:
    """A plotly figure. Texts are escaped: plotly would read tags in them."""
    try:
        from plotly.subplots import make_subplots
    except ImportError as missing:
        raise ImportError("this plot is drawn by plotly: pip install 'sumlearn[cli]'") from missing

    colors, count = theme_of(theme), len(figure.panels)
    shares = [panel.share for panel in figure.panels]
    layout: dict[str, Any] = {"rows": count, "cols": 1, "row_heights": shares} if figure.stacked else {"cols": count}
    above = any(panel.legend == "above" for panel in figure.panels)
    titles = [escape(panel.title) for panel in figure.panels] if any(p.title for p in figure.panels) else None
    spacing = {"vertical_spacing": 0.06} if figure.stacked else {"horizontal_spacing": 0.14}
    canvas = make_subplots(shared_xaxes=figure.stacked, subplot_titles=titles, **layout, **spacing)
    for k, panel in enumerate(figure.panels, start=1):
        place = {"row": k, "col": 1} if figure.stacked else {"row": 1, "col": k}
        draw_panel(panel, canvas, place, colors, first=not figure.stacked or k == count, number=k)
    canvas.update_layout(
        title={"text": escape(figure.title), "font_size": 16} if figure.title else None,
        width=figure.size[0] * PIXELS,
        height=figure.size[1] * PIXELS,
        paper_bgcolor=colors.ground,
        plot_bgcolor=colors.ground,
        font={"color": colors.ink, "size": 12},
        margin={"l": 60, "r": 20, "t": 20 + 30 * bool(figure.title) + 22 * bool(titles) + 20 * above, "b": 50},
        showlegend=any(panel.legend for panel in figure.panels),
        barmode="overlay",
    )
    return canvas


def draw_panel(panel: Panel, canvas: Any, place: dict[str, int], theme: Theme, first: bool, number: int) -> None:
    axis = {"gridcolor": theme.grid, "linecolor": theme.quiet, "zeroline": False, "showline": True, "ticks": "outside"}
    canvas.update_xaxes(**axis, title_text=escape(panel.x_label) if first else None, **place)
    canvas.update_yaxes(**axis, title_text=escape(panel.y_label), **place)
    if panel.log_x:
        canvas.update_xaxes(type="log", **place)
    for item in panel.items:
        DRAWERS[type(item)](item, canvas, place, theme, number)
    if panel.x_range:
        ends = np.log10(panel.x_range).tolist() if panel.log_x else list(panel.x_range)
        canvas.update_xaxes(range=ends, **place)
    if panel.y_range:
        canvas.update_yaxes(range=list(panel.y_range), **place)
    for ticks, update in ((panel.x_ticks, canvas.update_xaxes), (panel.y_ticks, canvas.update_yaxes)):
        if ticks is not None:
            update(tickvals=[at for at, _ in ticks], ticktext=[escape(text) for _, text in ticks], **place)
    if panel.square:
        across = next(canvas.select_xaxes(**place)).plotly_name.replace("axis", "")
        canvas.update_yaxes(scaleanchor=across, scaleratio=1, constrain="domain", **place)
        canvas.update_xaxes(constrain="domain", **place)
    if panel.legend:
        canvas.update_layout({legend_name(number): legend_in(panel, canvas, place)})


def legend_name(number: int) -> str:
    return "legend" if number == 1 else f"legend{number}"


def legend_in(panel: Panel, canvas: Any, place: dict[str, int]) -> dict[str, Any]:
    """A legend in a corner of its own panel."""
    assert panel.legend is not None
    left, right = next(canvas.select_xaxes(**place)).domain
    low, high = next(canvas.select_yaxes(**place)).domain
    if panel.legend == "above":
        return {"orientation": "h", "x": left, "y": high, "xanchor": "left", "yanchor": "bottom", "font_size": 11}
    along, across = panel.legend.split()
    return {
        "x": left + 0.03 if across == "left" else right - 0.01,
        "y": low + 0.01 if along == "lower" else high - 0.01,
        "xanchor": across,
        "yanchor": "bottom" if along == "lower" else "top",
        "bgcolor": "rgba(0,0,0,0)",
        "font_size": 11,
    }


def named(label: str, number: int) -> dict[str, Any]:
    return {"name": escape(label), "showlegend": bool(label), "legend": legend_name(number)}


def draw_line(line: Line, canvas: Any, place: dict[str, int], theme: Theme, number: int) -> None:
    color = color_of(line.color, theme)
    if line.low is not None and line.high is not None:
        red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
        canvas.add_scatter(
            x=np.append(line.x, line.x[::-1]),
            y=np.append(line.high, line.low[::-1]),
            fill="toself",
            fillcolor=f"rgba({red},{green},{blue},0.18)",
            line_width=0,
            mode="lines",
            hoverinfo="skip",
            showlegend=False,
            **place,
        )
    canvas.add_scatter(
        x=line.x,
        y=line.y,
        mode="lines",
        line={"color": color, "width": line.width, "dash": line.style},
        **named(line.label, number),
        **place,
    )


def draw_points(points: Points, canvas: Any, place: dict[str, int], theme: Theme, number: int) -> None:
    color, bars = color_of(points.color, theme), None
    if points.low is not None and points.high is not None:
        above, below = points.high - points.y, points.y - points.low
        bars = {"type": "data", "array": above, "arrayminus": below, "symmetric": False, "width": 0, "color": color}
    canvas.add_scatter(
        x=points.x,
        y=points.y,
        mode="markers",
        marker={"color": color, "size": 7},
        error_y=bars,
        **named(points.label, number),
        **place,
    )


def draw_bars(bars: Bars, canvas: Any, place: dict[str, int], theme: Theme, number: int) -> None:
    color = color_of(bars.color, theme)
    canvas.add_bar(x=bars.x, y=bars.height, width=bars.width, marker_color=color, **named(bars.label, number), **place)


def draw_box(box: Box, canvas: Any, place: dict[str, int], theme: Theme, number: int) -> None:
    color = color_of(box.color, theme)
    canvas.add_box(
        x=[box.at],
        q1=[box.quartiles[0]],
        median=[box.median],
        q3=[box.quartiles[1]],
        lowerfence=[box.whiskers[0]],
        upperfence=[box.whiskers[1]],
        width=0.44,
        line_color=color,
        showlegend=False,
        **place,
    )
    x = np.full(len(box.beyond), box.at)
    marker = {"color": color, "size": 5, "opacity": 0.6}
    canvas.add_scatter(x=x, y=box.beyond, mode="markers", marker=marker, showlegend=False, **place)


def draw_heat_map(heat: HeatMap, canvas: Any, place: dict[str, int], theme: Theme, number: int) -> None:
    rows, columns = heat.values.shape
    canvas.add_heatmap(
        z=heat.values,
        colorscale=[[0.0, mixed(0.0, theme)], [1.0, mixed(1.0, theme)]],
        zmin=0.0,
        zmax=1.0,
        showscale=False,
        xgap=3,
        ygap=3,
        hoverinfo="skip",
        **place,
    )
    for i in range(rows):
        for j in range(columns):
            canvas.add_annotation(
                x=j,
                y=i,
                text=escape(heat.texts[i][j]).replace("\n", "<br>"),
                showarrow=False,
                font_color=readable_on(float(heat.values[i, j]), theme),
                **place,
            )
    quiet = {"showgrid": False, "showline": False, "ticks": ""}
    canvas.update_xaxes(tickvals=list(range(columns)), ticktext=list(map(escape, heat.columns)), **quiet, **place)
    canvas.update_yaxes(
        tickvals=list(range(rows)), ticktext=list(map(escape, heat.rows)), autorange="reversed", **quiet, **place
    )


def draw_mark(mark: Mark, canvas: Any, place: dict[str, int], theme: Theme, number: int) -> None:
    color, (right, up, across, along) = color_of(mark.color, theme), SIDES[mark.side]
    marker = {"color": color, "size": 10, "line": {"color": theme.ground, "width": 1.5}}
    canvas.add_scatter(x=[mark.x], y=[mark.y], mode="markers", marker=marker, showlegend=False, **place)
    on_log = next(canvas.select_xaxes(**place)).type == "log"
    canvas.add_annotation(
        x=float(np.log10(mark.x)) if on_log else mark.x,
        y=mark.y,
        text=escape(mark.text).replace("\n", "<br>"),
        showarrow=False,
        xshift=right,
        yshift=up,
        xanchor=across,
        yanchor=along,
        font={"color": color, "size": 11},
        bgcolor=theme.ground,
        opacity=0.9,
        **place,
    )


DRAWERS: dict[type, Any] = {
    Line: draw_line,
    Points: draw_points,
    Bars: draw_bars,
    Box: draw_box,
    HeatMap: draw_heat_map,
    Mark: draw_mark,
}
