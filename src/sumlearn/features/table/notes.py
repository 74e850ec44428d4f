"""Notes: what was done with the columns of a table, and why."""

from __future__ import annotations

from typing import NamedTuple

SHARED_FLAG = "shared flag"  # of missing values, which stays with the first of several columns


class Note(NamedTuple):
    """Something that a reader of a report must know of a column; `weight` is that of the rows concerned.

    The `code` is for whoever asks what kind of reason it is: SHARED_FLAG, or that of the column in its schema.
    """

    column: str
    what: str  # "left out", "filled", "pooled", "rare", "constant"
    why: str
    weight: float
    code: str = ""
