"""Rows that are equal to the bit, found by their hashes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....compiled.row_hash import group_rows, row_hashes


class RowGroups(NamedTuple):
    """Equal rows stand together in `order`: groups in the order of their first rows, each in that of its rows."""

    order: np.ndarray
    starts: np.ndarray  # places in `order` where a group begins

    @classmethod
    def of(cls, Z: np.ndarray) -> RowGroups:
        """Of rows of float64, of which -0.0 is not among them; NaN is equal to NaN.

        >>> groups = RowGroups.of(np.array([[2.0], [1.0], [2.0]]))
        >>> groups.order.tolist(), groups.starts.tolist(), groups.numbers.tolist()
        ([0, 2, 1], [0, 2], [0, 1, 0])
        """
        order, starts = np.empty(len(Z), dtype=np.int64), np.empty(len(Z) + 1, dtype=np.int64)
        groups = group_rows(np.ascontiguousarray(Z).view(np.uint64), hashes_of(Z), order, starts)
        return cls(order, starts[:groups])

    @property
    def numbers(self) -> np.ndarray:
        """The group of every row."""
        found = np.empty(len(self.order), dtype=np.int64)
        found[self.order] = np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(self.order)))
        return found


def hashes_of(Z: np.ndarray) -> np.ndarray:
    """A number for each row of float64, the same of equal rows."""
    found = np.empty(len(Z), dtype=np.uint64)
    row_hashes(np.ascontiguousarray(Z).view(np.uint64), found)
    return found
