"""A model over time: how far off it was, and its coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from .figure import Figure, Item, Line, Panel, Points

MOST_LINES = 6  # coefficients that are told apart


def drift(told: Any) -> Figure:
    """Error and coefficients of a model that was asked about every row before it learnt it, over the rows that passed.

    `told` has attributes ``rows`` and ``errors`` (m,), ``error_name``, ``coefficients`` (m, p) or None and ``names``,
    as what `streams.prequential` returns. Of more than six coefficients those that move most have names; the others
    stay behind them.

    >>> import numpy as np
    >>> from types import SimpleNamespace
    >>> told = SimpleNamespace(rows=[10, 20], errors=[0.5, 0.4], error_name="error rate",
    ...                        coefficients=np.array([[1.0, 2.0], [1.0, 3.0]]), names=["size", "age"])
    >>> [line.label for line in drift(told).panels[1].items]
    ['size', 'age']
    """
    rows = np.asarray(told.rows, dtype=float)
    kind = Line if len(rows) > 1 else Points
    errors = np.asarray(told.errors, dtype=float)
    name = str(told.error_name)
    top = float(np.nanmax(errors, initial=0.0)) or 1.0
    panels = [
        Panel(
            (kind(rows, errors, "", 0),),
            "" if told.coefficients is not None else "Rows",
            name[:1].upper() + name[1:],
            y_range=(0.0, 1.05 * top),
        )
    ]
    if told.coefficients is not None:
        panels.append(Panel(tuple(paths(rows, told, kind)), "Rows", "Coefficient", legend="above", share=1.4))
    return Figure(tuple(panels), "Drift", stacked=True, size=(7.0, 3.4 if len(panels) == 1 else 6.4))


def paths(rows: np.ndarray, told: Any, kind: Any) -> list[Item]:
    """A line for each coefficient; those that move most in front."""
    values = np.asarray(told.coefficients, dtype=float)
    settled = values[len(values) // 20 :]  # the first rows say little, and their coefficients leap
    reach = np.zeros(values.shape[1])
    for j, column in enumerate(settled.T):
        seen = column[np.isfinite(column)]
        reach[j] = np.ptp(seen) if len(seen) else 0.0
    front = set(np.argsort(-reach, kind="stable")[:MOST_LINES].tolist())
    items: list[Item] = [
        kind(rows, values[:, j], "", "quiet", "solid", 1.0) if kind is Line else kind(rows, values[:, j], "", "quiet")
        for j in range(values.shape[1])
        if j not in front
    ]
    return items + [kind(rows, values[:, j], str(told.names[j]), k) for k, j in enumerate(sorted(front))]
