"""The picture of a space that empties."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...evaluation.theory.dimension import needed_samples, shell_share
from .figure import Figure, Line, Panel


def emptying_space(
    dimensions: int = 50, shells: Sequence[float] = (0.01, 0.05, 0.2), edges: Sequence[float] = (0.5, 0.2, 0.1)
) -> Figure:
    """How high dimensions empty the middle of a ball, and how many samples would fill a cube.

    Left: the share 1 - (1 - eps)^d of a ball that lies in its outermost shell. Right: eps^-d, the samples needed for
    one in each cell of edge eps, as a power of ten.

    >>> left, right = emptying_space(dimensions=20).panels
    >>> print(left.items[1].y[-1].round(3), right.items[2].y[-1])
    0.642 20.0
    """
    if dimensions < 2:
        raise ValueError(f"dimensions must be at least 2, got {dimensions!r}")
    d = np.arange(1, dimensions + 1)
    left = tuple(Line(d, shell_share(eps, d), f"outer {eps:.0%} of the radius", k) for k, eps in enumerate(shells))
    right = tuple(
        Line(d, needed_samples(eps, d, log10=True), f"cells of edge {eps:g}", k) for k, eps in enumerate(edges)
    )
    return Figure(
        (
            Panel(left, "Dimensions", "Share of the volume", "The shell", y_range=(-0.01, 1.01), legend="lower right"),
            Panel(right, "Dimensions", "Samples needed (log10)", "The cells", legend="upper left"),
        ),
        "Space empties as dimensions are added",
        size=(9.0, 4.0),
    )
