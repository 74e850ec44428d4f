"""Chunk: rows that are in memory at the same time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Columns(NamedTuple):
    """Names and kinds ("number", "boolean", "category", "date", "text", "object") of the columns of a table.

    Where columns are mixed, a `Schema` stands in its place, whose kinds rule how the columns are read.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]


class Rows(NamedTuple):
    """Which rows of a source: a slice, or an array of row numbers."""

    numbers: slice | np.ndarray

    def name(self, i: int) -> str:
        """What to call row i of this part in an error: its number in the whole."""
        return str(int(self.numbers.start + i if isinstance(self.numbers, slice) else self.numbers[i]))

    def row_numbers(self) -> np.ndarray:
        """The numbers of the rows in the whole."""
        numbers = self.numbers
        return np.arange(numbers.start, numbers.stop) if isinstance(numbers, slice) else numbers


class Chunk(NamedTuple):
    """Some rows: features, targets or labels, weights.

    X is a NumPy array, a SciPy sparse matrix, or a block of mixed columns (`MixedRows`).
    """

    X: Any
    y: np.ndarray | None = None
    weight: np.ndarray | None = None
    columns: Columns | None = None


def chunk_rows(features: int, factor: int = 1) -> int:
    """Rows of a chunk: the power of two times 4096 at or above 8 d, times `factor` as far as 64 MiB allow.

    So products dominate merges, and a chunk stays small. Wide tables take 2 d rows.
    """
    wanted = 8 * features if features <= 2048 else 2 * features
    rows = 4096
    while rows < wanted:
        rows *= 2
    while factor > 1 and 2 * rows * features * 8 <= 2**26:
        rows, factor = 2 * rows, factor // 2
    return rows
