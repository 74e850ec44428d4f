"""Sums of many weighted samples of the same rows at once: one product with the weights of all of them.

A bootstrap sample is the rows with whole weights w_mt, so its moments are sums with these. Of M samples they are

    [S_m]_ij = sum_t w_mt z_ti z_tj,   or   S = W P   with   P_t,(ij) = z_ti z_tj,

one product of matrices that have their best shape for BLAS, in the place of M thin ones and M copies of the rows. Rows
are counted from their mean (of their class), which all samples share; the mean of each is taken off afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ...data import Chunk
from ...engines import in_threads, one_blas_thread
from ...learners.ability import sums_by_row
from ...learners.one_pass import OnePass
from ...statistics import Grouped, Moments, Pooled
from ...statistics.chunk_sums import EXACT_WORK, PRODUCT_LIMIT, SQUARES, condition, fields_of
from ...statistics.held_rows import are_held
from ...statistics.rounding import rounding_of_product
from ...statistics.statistic import Words

WIDEST = 200  # columns up to which the products of a row are worth writing down
ROWS = 256  # whose products stay in the cache
SLAB = 512  # products that a thread sums at a time
SAME = 1e-8  # how far the sums of all rows may be from those that the learner makes
FAR = 30.0  # a mean that far from the shift, in squares, costs digits


def are_worth_it(rows: int, columns: int) -> bool:
    """Whether sums about a shared shift are as good as those that a learner makes by itself, and cost less."""
    return columns <= WIDEST and rows * columns**2 > EXACT_WORK and not are_held(rows, columns)


class MemberSums:
    """Rows, by class where the learner wants that, from which the statistics of any samples are made."""

    def __init__(
        self,
        Z: np.ndarray,
        code: np.ndarray | None,
        labels: list[Any],
        targets: int,
        groups: np.ndarray | None = None,
        masses: np.ndarray | None = None,
    ) -> None:
        self.labels, self.targets, self.by_class = labels, targets, code is not None
        keys = [key for key in (groups, code) if key is not None]
        order = np.lexsort(keys) if keys else np.arange(len(Z))
        self.groups, self.masses = (None if part is None else part[order] for part in (groups, masses))
        sizes = [len(Z)] if code is None else np.bincount(code, minlength=len(labels)).tolist()
        self.order, self.starts = order, np.cumsum([0, *sizes])
        self.Z = np.array(Z[order], dtype=np.float64)
        self.shift = np.empty((len(sizes), Z.shape[1]))
        for k, part in enumerate(self.parts()):
            self.shift[k] = self.Z[part].mean(axis=0)
            self.Z[part] -= self.shift[k]
        self.first, self.second = np.triu_indices(Z.shape[1])

    def parts(self) -> Iterator[slice]:
        """The rows of each class."""
        for start, stop in zip(self.starts, self.starts[1:], strict=False):
            yield slice(int(start), int(stop))

    @property
    def in_range(self) -> bool:
        """Whether squares neither vanish nor overflow."""
        squares = np.einsum("ij,ij->j", self.Z, self.Z)
        low, high = SQUARES[np.dtype(np.float64)]
        return bool(((squares > low) | (squares == 0.0)).all() and (squares < high).all())

    def statistics(self, times: np.ndarray, n_jobs: int | None) -> list[Any]:
        """The statistic of each sample, times[m, t] of row or group t; None where its sums are not precise enough."""
        times = times[:, self.order] if self.groups is None else times
        width, columns = 2 * self.Z.shape[1] + 1, self.Z.shape[1]
        sums = np.zeros((len(times), len(self.shift), width))
        products = np.zeros((len(times), len(self.first)))

        def some(first: int) -> None:
            for k, part in enumerate(self.parts()):
                for start in range(part.start, part.stop, ROWS):
                    rows = slice(start, min(start + ROWS, part.stop))
                    Z, slab = self.Z[rows], slice(first, first + SLAB)
                    if first < 0:
                        values = np.column_stack([np.ones(len(Z)), Z, Z * Z])
                    else:
                        values = Z[:, self.first[slab]] * Z[:, self.second[slab]]
                    if self.masses is not None:
                        values *= self.masses[rows, None]
                    drawn: Any = rows
                    if self.groups is not None:  # a group weighs as a whole: its sums come first
                        here = self.groups[rows]
                        starts = np.flatnonzero(np.diff(here, prepend=-1))
                        values, drawn = np.add.reduceat(values, starts, axis=0), here[starts]
                    added = times[:, drawn].astype(np.float64) @ values
                    if first < 0:
                        sums[:, k] += added
                    else:
                        products[:, slab] += added

        with one_blas_thread():
            in_threads(some, [-1, *range(0, len(self.first), SLAB)], n_jobs)
        counts = np.array([self.rows_drawn(times, part) for part in self.parts()]).T
        make = self.pooled if self.by_class else self.moments
        return [make(sums[m], products[m], counts[m], columns) for m in range(len(times))]

    def rows_drawn(self, times: np.ndarray, part: slice) -> np.ndarray:
        """How many rows of a class are in each sample."""
        if self.groups is None:
            return np.count_nonzero(times[:, part], axis=1)
        return (times > 0) @ np.bincount(self.groups[part], minlength=times.shape[1])

    def full(self, products: np.ndarray, columns: int) -> np.ndarray:
        raw = np.zeros((columns, columns))
        raw[self.first, self.second] = raw[self.second, self.first] = products
        return raw

    def moments(self, sums: np.ndarray, products: np.ndarray, counts: np.ndarray, columns: int) -> Moments | None:
        """Moments of a sample; None also where columns are nearly dependent, which takes more than a product."""
        ((weight, mean, squares),) = by_class(sums, columns)
        gained = weight * mean**2
        if far(gained, squares):
            return None
        scatter = self.full(products, columns) - weight * np.outer(mean, mean)
        features = columns - self.targets
        if condition(scatter[:features, :features]) > PRODUCT_LIMIT[np.dtype(np.float64)]:
            return None
        rounding = rounding_of_product(ROWS, np.float64) * squares
        spread = Words(scatter, np.zeros_like(scatter))
        fields = fields_of(int(counts[0]), weight, moved(self.shift[0], mean), spread, rounding)
        return Moments(**fields, targets=self.targets)

    def pooled(self, sums: np.ndarray, products: np.ndarray, counts: np.ndarray, columns: int) -> Pooled | None:
        """Pooled moments of a sample."""
        within, groups, total = self.full(products, columns), {}, 0.0
        size = rounding_of_product(ROWS, np.float64)
        for k, (weight, mean, squares) in enumerate(by_class(sums, columns)):
            if weight == 0.0:
                continue
            gained = weight * mean**2
            if far(gained, squares):
                return None
            within -= weight * np.outer(mean, mean)
            total += weight
            spread = np.maximum(squares - gained, 0.0)
            fields = fields_of(
                int(counts[k]), weight, moved(self.shift[k], mean), Words(spread, np.zeros(columns)), size * squares
            )
            groups[self.labels[k]] = Moments(**fields)
        squares = sums[:, 1 + columns :].sum(axis=0)
        zero = Words.zeros(columns)
        pooled = fields_of(int(counts.sum()), total, zero, Words(within, np.zeros_like(within)), size * squares)
        return Pooled(Grouped(groups), Moments(**pooled))


def by_class(sums: np.ndarray, columns: int) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
    """Weight, mean and squares of every class about its shift."""
    for own in sums:
        yield float(own[0]), own[1 : 1 + columns] / (own[0] or 1.0), own[1 + columns :]


def far(gained: np.ndarray, squares: np.ndarray) -> bool:
    """Whether the mean of a sample lies so far from the shift that its scatter loses digits."""
    return bool(((gained > FAR * (squares - gained)) & (gained > 0)).any())


def moved(shift: np.ndarray, mean: np.ndarray) -> Words:
    """shift + mean in two words."""
    high = shift + mean
    back = high - shift
    return Words(high, (shift - (high - back)) + (mean - back))


def adds_up(base: Any, X: Any) -> bool:
    """Whether members are functions of moments of their rows."""
    return (
        isinstance(base, OnePass)
        and base.statistic_type in (Moments, Pooled)
        and sums_by_row(base)
        and getattr(base, "basis", None) is None
        and not sparse.issparse(X)
    )


def is_sum_of(base: Any, X: np.ndarray, y: np.ndarray, whole: Any) -> bool:
    """Whether a learner sums all rows to the moments that they have: it may sum something else of them."""
    with one_blas_thread():
        own = base.summarise(Chunk(X, y, None, None), None)
    if type(own) is not type(whole) or own.features != whole.features:
        return False
    if isinstance(own, Pooled):
        if own.labels != whole.labels:
            return False
        pairs = [(own.within, whole.within), *((own.groups[k], whole.groups[k]) for k in own.labels)]
    else:
        pairs = [(own, whole)]
    return all(same_moments(a, b) for a, b in pairs)


def same_moments(a: Moments, b: Moments) -> bool:
    if a.targets != b.targets or a.form != b.form or a.columns != b.columns:
        return False
    scale = np.maximum(a.deviation * np.sqrt(max(a.weight, 1.0)), np.abs(a.mean) * SAME)
    size = np.outer(scale, scale) if a.form == "full" else scale**2
    return bool(
        abs(a.weight - b.weight) <= SAME * a.weight
        and (np.abs(a.mean - b.mean) <= SAME * (np.abs(a.mean) + a.deviation)).all()
        and (np.abs(a.scatter - b.scatter) <= SAME * size + np.finfo(float).tiny).all()
    )
