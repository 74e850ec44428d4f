"""Figures drawn by matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

from .figure import Bars, Box, Figure, HeatMap, Line, Mark, Panel, Points, Regions, Spans
from .palette import Theme, color_of, mixed, readable_on, theme_of

STYLES = {"solid": "-", "dash": (0, (5, 3)), "dot": (0, (1, 2))}
# offset of a mark's text in points, and its alignment
SIDES = {
    "right": ((9, 0), "left", "center"),
    "left": ((-9, 0), "right", "center"),
    "above": ((0, 9), "center", "bottom"),
    "below": ((0, -9), "center", "top"),
}


def draw(figure: Figure, theme: str) -> Any:
    """A matplotlib figure, made without pyplot, so that none stays open."""
    try:
        from matplotlib.figure import Figure as Canvas
    except ImportError as missing:
        raise ImportError("this plot is drawn by matplotlib: pip install 'sumlearn[plot]'") from missing

    colors = theme_of(theme)
    canvas = Canvas(figsize=figure.size, layout="constrained", facecolor=colors.ground)
    shares = [panel.share for panel in figure.panels]
    if figure.stacked:
        axes = canvas.subplots(len(shares), 1, squeeze=False, sharex=True, height_ratios=shares)
    else:
        axes = canvas.subplots(1, len(shares), squeeze=False)
    for panel, ax in zip(figure.panels, axes.flat, strict=True):
        draw_panel(panel, ax, colors, not figure.stacked or ax is axes.flat[-1], figure.size[0] / axes.shape[1])
    if figure.title:
        as_written(canvas.suptitle(figure.title, color=colors.ink, fontsize=12))
    return canvas


def draw_panel(panel: Panel, ax: Any, theme: Theme, first: bool, width: float) -> None:
    ax.set_facecolor(theme.ground)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        ax.spines[side].set_color(theme.quiet)
    ax.tick_params(colors=theme.ink, labelsize=9)
    ax.grid(True, color=theme.grid, linewidth=0.8)
    ax.set_axisbelow(True)
    if panel.log_x:
        ax.set_xscale("log")
        ax.xaxis.set_minor_formatter("")
    for item in panel.items:
        DRAWERS[type(item)](item, ax, theme)
    if first:
        as_written(ax.set_xlabel(panel.x_label, color=theme.ink))
    as_written(ax.set_ylabel(panel.y_label, color=theme.ink))
    if panel.title:
        as_written(ax.set_title(panel.title, color=theme.ink, fontsize=11, loc="left"))
    if panel.x_range:
        ax.set_xlim(*panel.x_range)
    if panel.y_range:
        ax.set_ylim(*panel.y_range)
    for ticks, axis in ((panel.x_ticks, ax.xaxis), (panel.y_ticks, ax.yaxis)):
        if ticks is not None:
            axis.set_ticks([at for at, _ in ticks], labels=[text for _, text in ticks])
            axis.set_ticks([], minor=True)
            for label in axis.get_ticklabels():
                as_written(label)
    names = ax.get_xticklabels()
    if sum(len(name.get_text()) for name in names) * 0.085 > 0.8 * width:  # inches: they would lie over each other
        for name in names:
            name.set(rotation=45, ha="right", rotation_mode="anchor")
    if panel.square:
        ax.set_aspect("equal", adjustable="box")
    if panel.legend:
        where: dict[str, Any] = {"loc": panel.legend}
        if panel.legend == "above":
            longest = max((len(text) for text in ax.get_legend_handles_labels()[1]), default=0)
            columns = min(4, max(1, int((width - 0.7) / (0.55 + 0.075 * longest))))  # inches: axis, line, letters
            where = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": columns, "columnspacing": 1.5}
        legend = ax.legend(**where, frameon=False, fontsize=9, labelcolor=theme.ink)
        for text in legend.get_texts():
            as_written(text)


def as_written(text: Any) -> None:
    """A dollar sign in a label is a dollar sign, not a formula."""
    text.set_parse_math(False)


def draw_line(line: Line, ax: Any, theme: Theme) -> None:
    color = color_of(line.color, theme)
    if line.low is not None and line.high is not None:
        ax.fill_between(line.x, line.low, line.high, color=color, alpha=0.18, linewidth=0)
    style = {"linestyle": STYLES[line.style], "linewidth": line.width} if len(line.x) > 1 else {"marker": "o"}
    ax.plot(line.x, line.y, color=color, label=line.label or None, **style)


def draw_points(points: Points, ax: Any, theme: Theme) -> None:
    color = color_of(points.color, theme)
    if points.low is not None and points.high is not None:
        ax.vlines(points.x, points.low, points.high, color=color, linewidth=1.4)
    size = 2.5 if points.small else 5.5
    ax.plot(points.x, points.y, "o", color=color, markersize=size, label=points.label or None)


def draw_spans(spans: Spans, ax: Any, theme: Theme) -> None:
    color = color_of(spans.color, theme)
    ax.hlines(spans.y, spans.low, spans.high, color=color, linewidth=spans.width)
    ax.plot(spans.x, spans.y, "o", color=color, markersize=5.5, label=spans.label or None)


def draw_bars(bars: Bars, ax: Any, theme: Theme) -> None:
    ax.bar(bars.x, bars.height, bars.width, color=color_of(bars.color, theme), label=bars.label or None)


def draw_box(box: Box, ax: Any, theme: Theme) -> None:
    color, half = color_of(box.color, theme), 0.22
    low, high = box.quartiles
    for near, far in ((low, box.whiskers[0]), (high, box.whiskers[1])):
        ax.plot([box.at, box.at], [near, far], color=color, linewidth=1.5)
        ax.plot([box.at - half / 2, box.at + half / 2], [far, far], color=color, linewidth=1.5)
    ax.bar(box.at, high - low, 2 * half, bottom=low, color=color, alpha=0.25, linewidth=0)
    ax.bar(box.at, high - low, 2 * half, bottom=low, fill=False, edgecolor=color, linewidth=1.5)
    ax.plot([box.at - half, box.at + half], [box.median, box.median], color=color, linewidth=2.5)
    ax.plot(np.full(len(box.beyond), box.at), box.beyond, "o", color=color, markersize=3.5, alpha=0.6)


def draw_heat_map(heat: HeatMap, ax: Any, theme: Theme) -> None:
    ax.grid(False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.tick_params(length=0)
    rows, columns = heat.values.shape
    longest = max(len(line) for row in heat.texts for text in row for line in text.split("\n"))
    size = 11 if max(rows, columns) <= 6 and longest <= 5 else 8
    for i in range(rows):
        for j in range(columns):
            share, text = float(heat.values[i, j]), heat.texts[i][j]
            ax.fill_between([j - 0.485, j + 0.485], i - 0.485, i + 0.485, color=mixed(share, theme), linewidth=0)
            as_written(ax.text(j, i, text, ha="center", va="center", color=readable_on(share, theme), fontsize=size))
    for axis, labels in ((ax.xaxis, heat.columns), (ax.yaxis, heat.rows)):
        axis.set_ticks(range(len(labels)), labels=labels)
        for label in axis.get_ticklabels():
            as_written(label)
    ax.set_xlim(-0.5, columns - 0.5)
    ax.set_ylim(rows - 0.5, -0.5)


def draw_regions(regions: Regions, ax: Any, theme: Theme) -> None:
    from matplotlib.colors import ListedColormap

    ax.grid(False)
    tints = ListedColormap([color_of(color, theme) for color in regions.colors])
    limits = {"vmin": -0.5, "vmax": len(regions.names) - 0.5}
    ax.pcolormesh(regions.x, regions.y, regions.codes, cmap=tints, alpha=0.18, shading="nearest", **limits)


def draw_mark(mark: Mark, ax: Any, theme: Theme) -> None:
    color, (offset, across, along) = color_of(mark.color, theme), SIDES[mark.side]
    ax.plot([mark.x], [mark.y], "o", color=color, markersize=8, markeredgecolor=theme.ground, markeredgewidth=1.5)
    text = ax.annotate(
        mark.text,
        (mark.x, mark.y),
        offset,
        textcoords="offset points",
        ha=across,
        va=along,
        color=color,
        fontsize=9,
        bbox={"facecolor": theme.ground, "edgecolor": "none", "alpha": 0.9, "pad": 1.5},
    )
    as_written(text)


DRAWERS: dict[type, Any] = {
    Line: draw_line,
    Points: draw_points,
    Spans: draw_spans,
    Bars: draw_bars,
    Box: draw_box,
    HeatMap: draw_heat_map,
    Regions: draw_regions,
    Mark: draw_mark,
}
