"""Chunk: rows that are in memory at the same time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Columns(NamedTuple):
    """Names and kinds ("number", "boolean", "category", "date", "text", "object") of the columns of a table."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]


class Rows(NamedTuple):
    """Which rows of a source: a slice, or an array of row numbers."""

    numbers: slice | np.ndarray

    def name(self, i: int) -> str:
        """What to call row i of this part in an error: its number in the whole."""
        return str(int(self.numbers.start + i if isinstance(self.numbers, slice) else self.numbers[i]))


class Chunk(NamedTuple):
    """Some rows: features, targets or labels, weights; X is a NumPy array or a SciPy sparse matrix."""

    X: Any
    y: np.ndarray | None = None
    weight: np.ndarray | None = None
    columns: Columns | None = None


def chunk_rows(features: int) -> int:
    """Rows of a chunk: the power of two times 4096 at or above 8 d, so that products dominate and stay in cache.

    Wide tables take 2 d rows, or a chunk would not fit into memory.
    """
    wanted = 8 * features if features <= 2048 else 2 * features
    rows = 4096
    while rows < wanted:
        rows *= 2
    return rows
