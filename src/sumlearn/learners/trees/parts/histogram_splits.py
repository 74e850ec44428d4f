"""The best split of a node from the histograms of its columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ....compiled.tree_bins import GAP
from .binning import BinEdges
from .growth import Growth


class BinSplit(NamedTuple):
    """Which bins of a column go left; whether its gaps do; and the sums of the left."""

    gain: float
    feature: int
    left: np.ndarray
    gaps_left: bool
    sums: np.ndarray


@dataclass(frozen=True)
class BinSplits:
    """Splits by a criterion, in units of the sums: of masses, of targets around their centre, of squares of these."""

    growth: Growth
    classes: int
    mass_unit: float
    target_unit: float
    square_unit: float

    def mass(self, sums: np.ndarray) -> np.ndarray:
        """Masses of sums, whatever is before their last axis."""
        return (sums[..., :-1].sum(axis=-1) if self.classes else sums[..., 0]) * self.mass_unit

    def impure(self, sums: np.ndarray) -> np.ndarray:
        """Impurity times mass."""
        mass = self.mass(sums)
        safe = np.where(mass > 0, mass, 1.0)
        if not self.classes:
            target = sums[..., 1] * self.target_unit
            square = sums[..., 2] * self.square_unit * self.target_unit**2
            return np.maximum(square - target**2 / safe, 0.0)
        counts = sums[..., :-1] * self.mass_unit
        if self.growth.criterion == "gini":
            return mass - (counts**2).sum(axis=-1) / safe
        share = np.where(counts > 0, counts, 1.0) / safe[..., None]
        return -(counts * np.log2(np.where(counts > 0, share, 1.0))).sum(axis=-1)

    def best(self, histogram: np.ndarray, edges: BinEdges) -> BinSplit | None:
        """The best split of a node from (columns, bins, sums)."""
        everything = histogram[0].sum(axis=0)
        before = float(self.impure(everything))
        best: BinSplit | None = None
        for j in range(len(histogram)):
            used = int(edges.counts[j])
            bins, gaps = histogram[j, :used], histogram[j, GAP]
            for order in self.orders(bins) if edges.sizes[j] else (np.arange(used),):
                found = self.cut(bins[order], gaps, everything)
                if found is None or (best is not None and before - found[0] <= best.gain):
                    continue
                after, place, gaps_left, sums = found
                left = np.zeros(used, dtype=bool)
                left[order[: place + 1]] = True
                best = BinSplit(before - after, j, left, gaps_left, sums)
        return best

    def orders(self, bins: np.ndarray) -> list[np.ndarray]:
        """Bins of a category by their means: of the number, or of the share of each class."""
        mass = self.mass(bins)
        there = np.flatnonzero(bins[:, -1] > 0)
        columns = range(1, 2) if not self.classes or self.classes == 2 else range(self.classes)
        return [there[np.argsort(bins[there, k] / mass[there], kind="stable")] for k in columns]

    def cut(
        self, bins: np.ndarray, gaps: np.ndarray, everything: np.ndarray
    ) -> tuple[float, int, bool, np.ndarray] | None:
        """Least impurity after a cut of sorted bins, its place, the way of the gaps, and the sums of the left."""
        left = np.cumsum(bins, axis=0)
        best = None
        for gaps_left in (False, True) if gaps[-1] else (False,):
            sums = left + gaps if gaps_left else left
            rest = everything - sums
            rows, least = self.growth.min_samples_leaf, self.growth.min_weight_leaf
            valid = (sums[:, -1] >= rows) & (rest[:, -1] >= rows)
            valid &= (self.mass(sums) >= least) & (self.mass(rest) >= least)
            if not valid.any():
                continue
            after = np.where(valid, self.impure(sums) + self.impure(rest), np.inf)
            place = int(after.argmin())
            if best is None or after[place] < best[0]:
                best = float(after[place]), place, gaps_left, sums[place]
        return best
