"""What every column adds to the log-odds of one prediction."""

from __future__ import annotations

from typing import Any

import numpy as np

from .figure import Figure, Item, Line, Panel, Spans

EDGE = 1.25  # of the largest bar that is finite, for what rules a class out


def contributions(explanation: Any) -> Figure:
    """A bar for the prior and for each column: to the right it speaks for the label, to the left against it.

    `explanation` has attributes ``parts``, pairs of a name and log-odds, ``label``, ``against``, ``log_odds`` and
    ``probability``, as that of `NaiveBayes.explain`.

    >>> from types import SimpleNamespace
    >>> told = SimpleNamespace(
    ...     parts=(("prior", -0.6), ("sky = clear", 1.5)), label="out", against="in", log_odds=0.9, probability=0.71
    ... )
    >>> [ticks[1] for ticks in contributions(told).panels[0].y_ticks]
    ['prior', 'sky = clear']
    """
    names = [name for name, _ in explanation.parts]
    values = np.array([value for _, value in explanation.parts], dtype=float)
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0
    shown = np.clip(values, -EDGE * largest, EDGE * largest)
    y = np.arange(len(names), 0.0, -1.0)  # the prior on top
    items: list[Item] = [Line(np.zeros(2), np.array([0.5, len(names) + 0.5]), "", "quiet", "dash", 1.0)]
    for side, color in ((shown >= 0, 0), (shown < 0, 1)):
        if side.any():
            low, high = np.minimum(shown[side], 0.0), np.maximum(shown[side], 0.0)
            items.append(Spans(shown[side], y[side], low, high, "", color, 6.0))
    title = f"{explanation.label} against {explanation.against}: log-odds {explanation.log_odds:.2f}"
    ticks = tuple(zip(y.tolist(), names, strict=True))
    panel = Panel(tuple(items), "log-odds", "", y_range=(0.5, len(names) + 0.5), y_ticks=ticks)
    return Figure((panel,), title, size=(6.5, 1.2 + 0.35 * len(names)))
