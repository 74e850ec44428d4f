"""Objects that were measured several times: which rows belong to each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...data import vector


class Objects:
    """Rows by object. Objects stand in the order in which they first occur.

    >>> objects = Objects(["b", "a", "b"])
    >>> objects.names.tolist(), objects.codes.tolist()
    (['b', 'a'], [0, 1, 0])
    >>> [(size, members.tolist(), rows.tolist()) for size, members, rows in objects.by_size()]
    [(1, [1], [[1]]), (2, [0], [[0, 2]])]
    """

    def __init__(self, groups: Any) -> None:
        groups = vector(groups, "groups")
        if groups.ndim != 1:
            raise ValueError(f"groups must have one entry for each row, got shape {groups.shape}")
        gone = groups != groups if groups.dtype.kind in "fO" else np.zeros(len(groups), bool)
        gone = gone | np.array([g is None for g in groups.tolist()], bool)
        if gone.any():
            raise ValueError(f"groups: row {int(np.argmax(gone))} belongs to no object: name one for every row")
        names, first, codes = np.unique(groups, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        self.names, self.codes = names[order], np.argsort(order, kind="stable")[codes.ravel()]
        self.counts = np.bincount(self.codes, minlength=len(names))

    def refuse_other(self, rows: int) -> None:
        if len(self.codes) != rows:
            raise ValueError(f"groups must have one entry for each row: there are {rows} rows, got {len(self.codes)}")

    def by_size(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Objects of as many rows: how many, their numbers, and their rows, a line for each object."""
        rows, ends = np.argsort(self.codes, kind="stable"), np.cumsum(self.counts)
        for size in np.unique(self.counts).tolist():
            members = np.flatnonzero(self.counts == size)
            places = (ends[members] - size)[:, None] + np.arange(size)
            yield size, members, rows[places]

    def labels(self, y: np.ndarray) -> np.ndarray:
        """The label of every object, refused where its rows differ."""
        self.refuse_other(len(y))
        first = np.zeros(len(self.names), np.intp)
        first[self.codes[::-1]] = np.arange(len(y))[::-1]
        other = y != y[first][self.codes]
        if other.any():
            row = int(np.argmax(other))
            name = self.names.tolist()[self.codes[row]]
            raise ValueError(
                f"y: row {row} has another label than the first row of its object {name!r}: "
                "an object has one"
            )
        return y[first]

    def means(self, values: np.ndarray) -> np.ndarray:
        """The mean over the rows of every object."""
        self.refuse_other(len(values))
        return np.bincount(self.codes, values, minlength=len(self.names)) / self.counts
