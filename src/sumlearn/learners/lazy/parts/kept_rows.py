"""KeptRows: the rows themselves, as a statistic. Adding is putting them together, removing is taking them out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ....statistics import Decayable, Removable, Restrictable
from ....statistics.row_checks import prepare, raise_if_not_finite
from ....statistics.weights import FAINT, FAINTEST, USUAL, warn_of_faint_rows
from .row_groups import RowGroups, hashes_of


@dataclass(frozen=True, eq=False)
class KeptRows(Removable, Decayable, Restrictable):
    """Different rows (x, y) and their weights, in an order of their own that does not depend on how they came in.

    What is added are weights: the rows are a measure, and a lazy method is a function of it. So the laws of a sum
    hold, but the size of this one grows with the number of different rows.

    >>> a = KeptRows.of([[1.0], [2.0]], [5.0, 6.0])
    >>> b = KeptRows.of([[2.0]], [6.0])
    >>> (a + b).rows, len((a + b).Z), sorted((a + b).mass.tolist())
    (3, 2, [1.0, 2.0])
    >>> ((a + b) - a).Z.tolist()
    [[2.0, 6.0]]
    """

    holds_rows: ClassVar[bool] = True

    Z: np.ndarray
    mass: np.ndarray
    targets: int
    count: int

    @classmethod
    def of(cls, X: Any, y: Any, weight: Any = None) -> KeptRows:
        """The rows of a chunk; those of weight zero are left out."""
        X, y, weight = prepare(X, y, weight, FAINTEST)
        assert y is not None
        columns = X.astype(np.float64), (y if y.ndim == 2 else y[:, None]).astype(np.float64)
        for values, given, name in zip(columns, (X, y), ("X", "y"), strict=True):
            with np.errstate(invalid="ignore", over="ignore"):
                if not np.isfinite(values.sum()):
                    raise_if_not_finite(given, name)
        Z = np.concatenate(columns, axis=1) + 0.0  # -0.0 and 0.0 are the same number
        mass = np.ones(len(Z)) if weight is None else weight.astype(np.float64)
        return cls(*together(Z, mass), columns[1].shape[1], len(Z))

    @property
    def weight(self) -> float:
        return float(self.mass.sum())

    @property
    def rows(self) -> int:
        return self.count

    @property
    def features(self) -> int:
        return self.Z.shape[1] - self.targets

    @cached_property
    def X(self) -> np.ndarray:
        return self.Z[:, : self.features]

    @cached_property
    def y(self) -> np.ndarray:
        return self.Z[:, self.features :]

    def zero(self) -> Self:
        return replace(self, Z=self.Z[:0], mass=self.mass[:0], count=0)

    def merge(self, other: Self) -> Self:
        self._check_same(other)
        if not self.count or not other.count:
            return self if self.count else other
        Z, mass = together(np.concatenate([self.Z, other.Z]), np.concatenate([self.mass, other.mass]))
        return replace(self, Z=Z, mass=mass, count=self.count + other.count)

    def remove(self, other: Self) -> Self:
        self._check_same(other)
        if not other.count:
            return self
        if other.weight > self.weight * (1.0 + FAINT):
            raise ValueError(
                f"cannot remove {other.count} rows of weight {other.weight:g} "
                f"from {self.count} rows of weight {self.weight:g}"
            )
        Z, mass = together(np.concatenate([self.Z, other.Z]), np.concatenate([self.mass, np.zeros(len(other.Z))]))
        if len(Z) > len(self.Z):
            raise ValueError("cannot remove rows that were never merged")
        _, gone = together(np.concatenate([self.Z, other.Z]), np.concatenate([np.zeros(len(self.Z)), other.mass]))
        left = mass - gone
        if (left < -FAINT * mass).any():
            row = int(np.argmax(left < -FAINT * mass))
            raise ValueError(f"cannot remove a row of weight {gone[row]:g}: it was merged with weight {mass[row]:g}")
        kept = left > FAINT * mass
        warn_of_faint_rows(int(((left > USUAL * mass) & ~kept).sum()))
        if not kept.any():
            return self.zero()
        return replace(self, Z=Z[kept], mass=left[kept], count=max(self.count - other.count, int(kept.sum())))

    def decay(self, factor: float) -> Self:
        factor = self.check_factor(factor)
        if self.weight * factor < FAINTEST:
            return self.zero()
        return replace(self, mass=self.mass * factor)

    def restrict(self, columns: Any) -> Self:
        chosen = np.asarray(columns)
        index = np.arange(self.features)[chosen if chosen.size else chosen.astype(np.intp)]
        index = np.concatenate([np.atleast_1d(index), np.arange(self.features, self.Z.shape[1])])
        Z, mass = together(np.ascontiguousarray(self.Z[:, index]), self.mass)
        return replace(self, Z=Z, mass=mass)

    def _check_same(self, other: KeptRows) -> None:
        for name, mine, theirs in (
            ("columns", self.features, other.features),
            ("targets", self.targets, other.targets),
        ):
            if mine != theirs:
                raise ValueError(f"rows differ in {name}: {mine} and {theirs}")


def together(Z: np.ndarray, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Different rows in the order of their hashes, and the weight of each."""
    if not len(Z):
        return Z, mass
    groups = RowGroups.of(Z)
    Z, mass = Z[groups.order[groups.starts]], np.add.reduceat(mass[groups.order], groups.starts)
    order = np.argsort(hashes_of(Z), kind="stable")
    return Z[order], mass[order]
