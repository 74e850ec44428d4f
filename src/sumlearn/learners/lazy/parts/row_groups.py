"""Rows that are equal to the bit, found by their hashes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....compiled.row_hash import row_hashes


class RowGroups(NamedTuple):
    """Equal rows stand together in `order`, each group in the order in which its rows came."""

    order: np.ndarray
    starts: np.ndarray  # places in `order` where a group begins

    @classmethod
    def of(cls, Z: np.ndarray) -> RowGroups:
        """Of rows of float64, of which -0.0 is not among them; NaN is equal to NaN.

        >>> groups = RowGroups.of(np.array([[2.0], [1.0], [2.0]]))
        >>> first, second, third = groups.numbers.tolist()
        >>> len(groups.starts), first == third, first == second
        (2, True, False)
        """
        bits = np.ascontiguousarray(Z).view(np.uint64)
        hashes = np.empty(len(Z), dtype=np.uint64)
        row_hashes(bits, hashes)
        order = np.argsort(hashes)
        first = np.append(np.ones(min(len(Z), 1), dtype=bool), np.diff(hashes[order]) != 0)
        if not first.all():
            order = np.argsort(hashes, kind="stable")  # slower
            first[1:] |= (bits[order[1:]] != bits[order[:-1]]).any(axis=1)  # equal hashes are rarely of different rows
        return cls(order, np.flatnonzero(first))

    @property
    def numbers(self) -> np.ndarray:
        """The group of every row."""
        found = np.empty(len(self.order), dtype=np.int64)
        found[self.order] = np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(self.order)))
        return found
