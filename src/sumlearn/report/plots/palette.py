"""Colours that people with any colour vision can tell apart, on light and on dark ground."""

from __future__ import annotations

from typing import NamedTuple

from .figure import Color


class Theme(NamedTuple):
    ground: str
    ink: str  # text
    quiet: str  # what stays behind: diagonals, grids
    grid: str
    series: tuple[str, ...]
    heat: tuple[str, str]  # colours of 0 and 1; none of a series, which has another in its place on dark ground


EVEN = 0.05 * (21**0.5 - 1)  # luminance on which black and white have the same contrast, 4.58

# Okabe & Ito, "Color universal design", 2008; on dark ground the lighter ones come first
THEMES = {
    "light": Theme(
        ground="#ffffff",
        ink="#24292f",
        quiet="#8c959f",
        grid="#e6e8eb",
        series=("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"),
        heat=("#f4f8fb", "#0070b0"),
    ),
    "dark": Theme(
        ground="#15191e",
        ink="#e6e8eb",
        quiet="#8c959f",
        grid="#2b3138",
        series=("#56b4e9", "#f28e4b", "#2fc39a", "#e39fc6", "#e6c04a", "#7d9cff"),
        heat=("#1c232b", "#3f9bd6"),
    ),
}


def theme_of(name: str) -> Theme:
    if name not in THEMES:
        raise ValueError(f"theme must be one of {', '.join(map(repr, THEMES))}, got {name!r}")
    return THEMES[name]


def color_of(color: Color, theme: Theme) -> str:
    if isinstance(color, str):
        return {"ink": theme.ink, "quiet": theme.quiet}[color]
    return theme.series[color % len(theme.series)]


def mixed(share: float, theme: Theme) -> str:
    """A colour of the heat map between those of 0 and 1."""
    ends = [[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in theme.heat]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(*ends, strict=True))


def readable_on(share: float, theme: Theme) -> str:
    """Black or white, whichever is the easier to read on that cell."""
    cell = mixed(share, theme)
    levels = (int(cell[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in levels)
    return "#000000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > EVEN else "#ffffff"
