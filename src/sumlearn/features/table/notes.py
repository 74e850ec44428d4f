"""Notes: what was done with the columns of a table, and why."""

from __future__ import annotations

from typing import NamedTuple


class Note(NamedTuple):
    """Something that a reader of a report must know of a column; `weight` is that of the rows concerned."""

    column: str
    what: str  # "left out", "filled", "pooled", "rare", "constant"
    why: str
    weight: float
