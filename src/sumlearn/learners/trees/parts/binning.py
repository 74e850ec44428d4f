"""Bins for trees: every number, category and gap of a table as one byte."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Self

import numpy as np
import scipy.sparse as sparse

from ....compiled.tree_bins import GAP, bin_codes
from ....data import Chunk, InMemory, Rows, Source
from ....engines import in_threads, sample_of
from ....engines.summing import summary_of_part
from ....statistics.bins import quantile_places

MOST_BINS = 255  # 0 .. 254; 255 is a gap
SAMPLE = 2**18  # rows of a stream that thresholds are found from
CHUNK = 2**15  # rows that a thread codes at a time
TOGETHER = 8  # columns that are taken out of rows at a time: a line of the cache


@dataclass(frozen=True, eq=False)
class BinEdges:
    """Which values of a column share a bin.

        code(x) = number of thresholds t with t < x,   so that   code(x) <= b  exactly where  x <= threshold(b)

    A number has a bin for each of its values where there are at most `max_bins` of them, otherwise bins of about equal
    weight; values that outweigh a bin count as one, and the others share what is left. A threshold lies halfway between
    two neighbouring values, and apart from both also in the precision of the rows. A category has a bin for each level;
    beyond `max_bins` the rarest levels share the last one. A gap, and a level that no row had, is bin 255.

    Attributes
    ----------
    thresholds : array (n_features, 2^k - 1)
        Ascending, filled with infinity; nothing else for a category.
    counts : array (n_features,)
        Bins of each column, without that of gaps; at least one.
    level_bins, level_starts : arrays
        The bins of the levels of column j are level_bins[level_starts[j] : level_starts[j + 1]]; no levels for numbers.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0], [2.0, 2.0], [np.nan, 1.0], [4.0, 0.0]])
    >>> edges = BinEdges.of(X, sizes=[0, 3])
    >>> edges.codes(X).tolist(), edges.counts.tolist()
    ([[0, 0], [1, 2], [255, 1], [2, 0]], [3, 3])
    >>> print(edges.threshold(0, 1))
    3.0
    """

    thresholds: np.ndarray
    counts: np.ndarray
    level_bins: np.ndarray
    level_starts: np.ndarray

    @classmethod
    def of(
        cls,
        X: np.ndarray,
        sizes: Any,
        weight: np.ndarray | None = None,
        max_bins: int = MOST_BINS,
        *,
        n_jobs: int | None = None,
        complete: bool = True,
    ) -> Self:
        """Edges from coded rows; sizes[j] is the number of levels of a category, or 0 for a number.

        Rows of weight zero have no part. Where the rows are a sample (not `complete`), all levels have a bin.
        """
        if not 2 <= max_bins <= MOST_BINS:
            raise ValueError(f"max_bins must be between 2 and {MOST_BINS}, got {max_bins}")
        sizes = np.asarray(sizes, dtype=np.int64)
        if weight is not None:
            mass = whole_weights(np.asarray(weight, dtype=np.float64))
            there = mass > 0
            X, mass = (X, mass) if there.all() else (X[there], mass[there])
            weight = None if len(mass) and (mass == mass[0]).all() else mass
        starts = range(0, len(sizes), TOGETHER)
        some = partial(some_columns, X, sizes, weight, max_bins, complete)
        columns = [column for part in in_threads(some, starts, n_jobs) for column in part]
        most = max((len(cuts) for cuts, _ in columns), default=0)
        thresholds = np.full((len(sizes), 2 ** max(int(most).bit_length(), 1) - 1), np.inf)
        for row, (cuts, _) in zip(thresholds, columns, strict=True):
            row[: len(cuts)] = cuts
        level_bins = np.concatenate([np.zeros(0, np.uint8), *(bins for _, bins in columns)])
        counts = [
            min(int(size), max_bins) if size else len(cuts) + 1 for size, (cuts, _) in zip(sizes, columns, strict=True)
        ]
        starts_of_levels = np.concatenate([[0], np.cumsum(sizes)])
        return cls(thresholds, np.array(counts, dtype=np.int64), level_bins, starts_of_levels)

    @classmethod
    def of_source(
        cls, source: Source, sizes: Any, max_bins: int = MOST_BINS, *, rows: int = SAMPLE, n_jobs: int | None = None
    ) -> Self:
        """Edges from at most so many rows of any source: the same for a table, a file of it and any chunks."""
        whole = isinstance(source, InMemory) and source.rows <= rows
        part = Rows(slice(0, source.rows))
        sample = summary_of_part(itself, source, part) if whole else sample_of(source, rows, workers=n_jobs)
        complete = whole or len(sample.X) < rows
        return cls.of(sample.X, sizes, sample.weight, max_bins, n_jobs=n_jobs, complete=complete)

    def codes(self, X: np.ndarray, n_jobs: int | None = None, out: np.ndarray | None = None) -> np.ndarray:
        """The bins of coded rows, (n, d) bytes; into `out` where it is given."""
        if X.ndim != 2 or X.shape[1] != len(self.counts):
            raise ValueError(f"X must have {len(self.counts)} columns, got shape {X.shape}")
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        codes = np.empty(X.shape, dtype=np.uint8) if out is None else out
        arrays = self.sound()

        def some_rows(start: int) -> None:
            rows = slice(start, start + CHUNK)
            bin_codes(X[rows], *arrays, codes[rows])

        in_threads(some_rows, range(0, len(X), CHUNK), n_jobs)
        return codes

    def sound(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What compiled code reads, refused where it does not fit together: a file could say anything."""
        thresholds, levels, starts = self.thresholds, self.level_bins, self.level_starts
        width = thresholds.shape[1] + 1 if thresholds.ndim == 2 else 0
        if (
            len(thresholds) != len(self.counts)
            or width < 2
            or width & (width - 1)
            or len(starts) != len(self.counts) + 1
            or starts[0] != 0
            or starts[-1] != len(levels)
            or (np.diff(starts) < 0).any()
        ):
            raise ValueError("the edges of the bins do not fit together")
        return np.ascontiguousarray(thresholds, np.float64), np.asarray(levels, np.uint8), np.asarray(starts, np.int64)

    @property
    def sizes(self) -> np.ndarray:
        """Levels of each column; 0 for numbers."""
        return np.diff(self.level_starts)

    def threshold(self, feature: int, bin: int) -> float:
        """The number that separates the bins up to this one from those above; infinity after the last one."""
        if self.sizes[feature]:
            raise ValueError(f"column {feature} has levels, no thresholds")
        cuts = self.thresholds[feature]
        return float(cuts[bin]) if bin < len(cuts) else np.inf

    def levels(self, feature: int, bin: int) -> np.ndarray:
        """The levels of a category that share a bin."""
        start, stop = self.level_starts[feature : feature + 2]
        return np.flatnonzero(self.level_bins[start:stop] == bin)

    def same_as(self, other: Any) -> bool:
        return type(self) is type(other) and all(
            np.array_equal(getattr(self, field.name), getattr(other, field.name)) for field in fields(self)
        )

    def __eq__(self, other: object) -> bool:
        return self.same_as(other)

    def __hash__(self) -> int:
        return hash((self.thresholds.tobytes(), self.counts.tobytes(), self.level_bins.tobytes()))


def itself(chunk: Chunk) -> Chunk:
    return chunk


def whole_weights(weight: np.ndarray) -> np.ndarray:
    """Weights in units of a power of two, rounded: whole numbers below 2^53 add up exactly in any order.

    >>> whole_weights(np.array([1.0, 0.0, 3.0])).tolist()
    [1.0, 0.0, 3.0]
    """
    if not len(weight) or ((np.rint(weight) == weight).all() and weight.sum() < 2.0**53):
        return weight
    exponent = 52 - int(np.ceil(np.log2(len(weight)))) - int(np.frexp(weight.max())[1])
    return np.where(weight > 0, np.maximum(np.rint(np.ldexp(weight, exponent)), 1.0), 0.0)


def some_columns(
    X: Any, sizes: np.ndarray, weight: np.ndarray | None, max_bins: int, complete: bool, start: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Thresholds and bins of levels for some columns."""
    own = X[:, start : start + TOGETHER]
    rows = np.ascontiguousarray((own.toarray() if sparse.issparse(own) else own).T)
    edges = []
    for column, size in zip(rows, sizes[start : start + TOGETHER], strict=True):
        known = column == column
        mass = weight
        if not known.all():
            column, mass = column[known], None if weight is None else weight[known]
        if size:
            edges.append((np.zeros(0), bins_of_levels(column, int(size), mass, max_bins, complete)))
        else:
            edges.append((thresholds_of(column, mass, max_bins), np.zeros(0, np.uint8)))
    return edges


def bins_of_levels(
    column: np.ndarray, size: int, weight: np.ndarray | None, max_bins: int, complete: bool
) -> np.ndarray:
    """The bin of each level: its own, or the last one for the rarest; GAP for one that no row has."""
    mass = np.bincount(column.astype(np.int64), weight, minlength=size)
    bins = np.arange(size)
    if size > max_bins:
        rare = np.sort(np.argsort(-mass, kind="stable")[max_bins - 1 :])  # of equally rare ones the last
        frequent = np.setdiff1d(bins, rare)
        bins[frequent], bins[rare] = np.arange(max_bins - 1), max_bins - 1
    return np.where((mass > 0) | (not complete), bins, GAP).astype(np.uint8)


def thresholds_of(column: np.ndarray, weight: np.ndarray | None, max_bins: int) -> np.ndarray:
    """Halfway between neighbouring values of different bins."""
    if not len(column):
        return np.zeros(0)
    if weight is None:
        values, below = np.sort(column), np.arange(1.0, len(column) + 1)
    else:
        order = np.argsort(column)
        values, below = column[order], np.cumsum(weight[order])
    if outweighs_a_bin(values, below, max_bins):
        last = np.append(np.flatnonzero(values[1:] > values[:-1]), len(values) - 1)
        values, mass = values[last], np.diff(below[last], prepend=0.0)
        if len(values) > max_bins:
            below = np.cumsum(evened(mass, max_bins))
    places = quantile_places(values, below[: len(values)], max_bins)
    return midpoints(values[places - 1], values[places])


def outweighs_a_bin(values: np.ndarray, below: np.ndarray, bins: int) -> bool:
    """Whether some value weighs more than a bin should: the values at equal steps of weight are not all different."""
    places = np.searchsorted(below, below[-1] * np.arange(bins) / bins)
    return bool((values[places[1:]] == values[places[:-1]]).any())


def evened(mass: np.ndarray, bins: int) -> np.ndarray:
    """Masses of values, of which none exceeds its bin: what a heavy one leaves is shared out to the others."""
    heavy = np.zeros(len(mass), dtype=bool)
    while True:
        share = mass[~heavy].sum() / (bins - heavy.sum())
        more = ~heavy & (mass > share)
        if not more.any() or heavy.sum() + more.sum() >= bins:
            return np.where(heavy, share, mass)
        heavy |= more


def midpoints(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Numbers t with low <= t < high, halfway where the precision of the rows has room for that."""
    with np.errstate(over="ignore", under="ignore"):
        gap = high - low
        middle = np.where(np.isfinite(gap), low + gap / 2, low / 2 + high / 2)
    return np.where((low <= middle) & (middle < high), middle, low).astype(np.float64)
