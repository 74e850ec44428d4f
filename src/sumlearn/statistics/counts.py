"""Counts: contingency tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from .grouped import sorted_labels
from .row_checks import encode, unmasked
from .statistic import Decayable, Removable, Restrictable
from .weights import decayed_rounding, difference, joint_rounding, table_rounding


@dataclass(frozen=True, eq=False)
class Counts(Removable, Decayable, Restrictable):
    """Weight of every combination of levels of some discrete columns: table[i, j, ...] = sum w [x = level_i, ...].

    Levels are sorted; merging two tables takes the union of their levels. Whole weights are counted exactly.

    >>> a = Counts.of(["sun", "rain", "sun"], ["yes", "no", "no"])
    >>> a.levels, a.table.tolist()
    ((('rain', 'sun'), ('no', 'yes')), [[1.0, 0.0], [1.0, 1.0]])
    >>> (a + Counts.of(["snow"], ["no"])).restrict([0]).table.tolist()
    [1.0, 1.0, 2.0]
    """

    levels: tuple[tuple[Any, ...], ...]
    table: np.ndarray
    count: int
    weight_rounding: float = 0.0

    @classmethod
    def of(cls, *columns: Any, weight: Any = None) -> Counts:
        """Cross-tabulate columns of equal length."""
        arrays = [np.asarray(unmasked(column, f"columns[{k}]")) for k, column in enumerate(columns)]
        lengths = {len(a) for a in arrays}
        if len(lengths) != 1 or any(a.ndim != 1 for a in arrays):
            raise ValueError("Counts.of needs one or more one-dimensional columns of equal length")
        w = np.ones(lengths.pop()) if weight is None else np.asarray(unmasked(weight, "weight"), dtype=float)
        if w.shape != arrays[0].shape:
            raise ValueError(f"weight has shape {w.shape}, the columns have {len(arrays[0])} rows")
        if not np.isfinite(w).all() or (w < 0).any():
            raise ValueError("weights must be finite and not negative")
        keep = w > 0
        coded = [encode(a[keep]) for a in arrays]
        levels = tuple(tuple(names) for names, _ in coded)
        shape = tuple(len(names) for names in levels)
        flat = np.ravel_multi_index([codes for _, codes in coded], shape) if keep.any() else np.zeros(0, int)
        table = np.bincount(flat, weights=w[keep], minlength=int(np.prod(shape))).reshape(shape)
        return cls(levels, table, int(keep.sum()), table_rounding(w[keep]))

    @property
    def weight(self) -> float:
        return float(self.table.sum())

    @property
    def rows(self) -> int:
        return self.count

    def zero(self) -> Self:
        axes = len(self.levels)
        return type(self)(((),) * axes, np.zeros((0,) * axes), 0)

    def merge(self, other: Self) -> Self:
        self._check_same(other)
        levels = tuple(tuple(sorted_labels(set(a) | set(b))) for a, b in zip(self.levels, other.levels, strict=True))
        table = self.aligned(levels) + other.aligned(levels)
        return type(self)(levels, table, self.count + other.count, joint_rounding(self, other))

    def remove(self, other: Self) -> Self:
        self._check_same(other)
        for axis, (mine, theirs) in enumerate(zip(self.levels, other.levels, strict=True)):
            unknown = [level for level in theirs if level not in mine]
            if unknown:
                raise ValueError(f"cannot remove rows with level {unknown[0]!r} in column {axis}: none were merged")
        rounding = joint_rounding(self, other)
        left = difference(self.table, other.aligned(self.levels), rounding)
        if not left.any():
            return self.zero()
        return type(self)(self.levels, left, max(self.count - other.count, 1), rounding)._without_empty_levels()

    def decay(self, factor: float) -> Self:
        if self.check_factor(factor) == 1.0:
            return self
        rounding = decayed_rounding(self, factor)
        return replace(self, table=self.table * factor, weight_rounding=rounding)

    def restrict(self, columns: Sequence[int]) -> Self:
        """The table of some of the columns: the others are summed out."""
        keep = list(columns)
        out = tuple(axis for axis in range(len(self.levels)) if axis not in keep)
        table = np.moveaxis(self.table.sum(axis=out), np.argsort(np.argsort(keep)), range(len(keep)))
        return replace(self, levels=tuple(self.levels[axis] for axis in keep), table=table)

    def aligned(self, levels: tuple[tuple[Any, ...], ...]) -> np.ndarray:
        """The table over a larger set of levels."""
        table = np.zeros(tuple(len(names) for names in levels))
        places = [[names.index(level) for level in mine] for names, mine in zip(levels, self.levels, strict=True)]
        table[np.ix_(*places)] = self.table
        return table

    def _without_empty_levels(self) -> Self:
        table, levels = self.table, []
        for axis, names in enumerate(self.levels):
            others = tuple(a for a in range(table.ndim) if a != axis)
            used = np.flatnonzero(table.sum(axis=others) > 0)
            table = np.take(table, used, axis=axis)
            levels.append(tuple(names[i] for i in used))
        return replace(self, levels=tuple(levels), table=table)

    def _check_same(self, other: Counts) -> None:
        if len(self.levels) != len(other.levels):
            raise ValueError(f"tables of {len(self.levels)} and {len(other.levels)} columns cannot be combined")
