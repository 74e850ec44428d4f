"""Centres made ready for passes over rows: who is nearest, how far, and the sums of everybody's rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sparse
from scipy.spatial.distance import cdist

from ....compiled import centres as kernels
from ....data import Chunk
from ....statistics import RowError, Words
from ....statistics.row_checks import checked_weight, dense, raise_if_not_finite
from ....statistics.statistic import Counted
from .frame import Coordinates

EMPTY = np.zeros(0)
EMPTY_SINGLE = np.zeros(0, np.float32)
NO_SUMS = np.zeros((0, 1))
FEW = 64  # coordinates of all centres
AT_ONCE = 2**21  # numbers of sparse rows that are written out at a time


@dataclass(frozen=True, eq=False)
class ClusterSums(Counted):
    """Sums of (z, 1) over the rows of every centre, in two words: whoever added them up, in whatever order.

    `high` and `low` are (runs, k, features + 1): several codebooks may be summed in one pass.
    """

    high: np.ndarray
    low: np.ndarray
    total: float
    count: int

    def merge(self, other: Self) -> Self:
        if self.high.shape != other.high.shape:
            raise ValueError(f"sums differ in shape: {self.high.shape} and {other.high.shape}")
        high = self.high + other.high
        away = high - self.high
        low = (self.high - (high - away)) + (other.high - away) + (self.low + other.low)
        return type(self)(high, low, self.total + other.total, self.count + other.count)

    def zero(self) -> Self:
        return type(self)(np.zeros_like(self.high), np.zeros_like(self.low), 0.0, 0)

    @property
    def values(self) -> np.ndarray:
        return self.high + self.low


class Codebook(NamedTuple):
    """Centres in the coordinates of a frame, with what a pass wants to know of them.

    `bounds` says how they have moved since the pass of the number before: rows may be known from then.
    """

    frame: Coordinates
    centres: np.ndarray
    packed: np.ndarray
    half: np.ndarray
    reach: np.ndarray
    bounds: np.ndarray
    number: int = 0

    @classmethod
    def of(cls, frame: Coordinates, centres: np.ndarray, before: Codebook | None = None) -> Self:
        """Centres (k, coordinates); `before` is where they came from."""
        k, d = centres.shape
        centres = np.ascontiguousarray(centres, dtype=np.float64)
        squares = np.einsum("ij,ij->i", centres, centres)
        reach = np.sqrt(squares.max())
        packed = np.zeros((-(-k // 4) * 4, -(-d // 4) * 4), np.float32)
        half = np.full(len(packed), np.inf, np.float32)
        if reach < kernels.FAR:
            packed[:k, :d], half[:k] = centres, squares / 2
        else:
            reach, half[:k] = np.inf, 0.0
        bounds = EMPTY_SINGLE if before is None else moves(before.centres, centres)
        number = 0 if before is None else before.number + 1
        return cls(frame, centres, packed, half, np.array([reach]), bounds, number)

    @classmethod
    def around(cls, centres: np.ndarray, covariance: np.ndarray | None = None) -> Self:
        """Of centres of rows, as a model holds them."""
        frame = Coordinates.around(centres, covariance)
        return cls.of(frame, frame.coordinates(centres))

    @property
    def are_few(self) -> bool:
        """Whether all distances are found sooner than it is known which are not needed."""
        return self.centres.size <= FEW

    # -- asking -----------------------------------------------------------------------------------------------------

    def nearest(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """The number of the nearest centre of every row, and its squared distance in units of the frame."""
        labels, squares = np.zeros(X.shape[0], np.int32), np.zeros(X.shape[0])
        for rows in blocks(X):
            self.assign(X[rows], EMPTY, EMPTY_SINGLE, labels[rows], square=squares[rows])
        return labels, squares

    def distances(self, X: Any) -> np.ndarray:
        """Distances of every row to every centre, from differences."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = self.frame.length * np.concatenate(
                [lengths_between(self.frame.coordinates(written_out(X[rows])), self.centres) for rows in blocks(X)]
            )
        far = ~np.isfinite(found).all(axis=1)
        if far.any():
            raise TooFar("X", int(far.argmax()), None, np.inf)
        return found

    # -- summing ----------------------------------------------------------------------------------------------------

    def sums(self, X: Any, weight: np.ndarray, notes: dict[str, Any]) -> Words:
        """Sums of (z, 1) over the rows of every centre.

        Unless there are few centres, `notes` keep what is known of the rows. Where they are of the pass before, only
        rows that may have another centre now are looked at, and sums are brought up to date.
        """
        k, d = self.centres.shape
        bounded = not self.are_few
        known = bounded and notes.get("number") == self.number - 1 and len(self.bounds) > 0
        if not known:
            notes.clear()
            n = X.shape[0] if bounded else 0
            sums = Words.zeros((k, d + 1))
            notes |= {"label": np.zeros(X.shape[0], np.int32), "sums": sums}
            notes |= {"upper": np.zeros(n, np.float32), "lower": np.zeros(n, np.float32)}
        sums = notes["sums"]
        for rows in blocks(X):
            part = {name: notes[name][rows] if bounded else EMPTY_SINGLE for name in ("upper", "lower")}
            w = weight[rows] if len(weight) else weight
            self.assign(X[rows], w, self.bounds if known else EMPTY_SINGLE, notes["label"][rows], sums=sums, **part)
        notes["number"] = self.number
        if not bounded:
            notes.clear()
            return sums
        return Words(sums.hi.copy(), sums.lo.copy())

    def assign(
        self,
        X: Any,
        weight: np.ndarray,
        bounds: np.ndarray,
        label: np.ndarray,
        *,
        upper: np.ndarray = EMPTY_SINGLE,
        lower: np.ndarray = EMPTY_SINGLE,
        sums: Words = Words(NO_SUMS, NO_SUMS),  # noqa: B008  never changed
        square: np.ndarray = EMPTY,
    ) -> None:
        """The compiled pass; see there. A row that is none is named."""
        X = written_out(X)
        with np.errstate(invalid="ignore", over="ignore"):
            Y, scale, origin = self.frame.placed(X)
        centres = (self.centres, self.packed, self.half, self.reach)
        if self.are_few:
            bad = kernels.assign_few(Y, scale, origin, self.centres, weight, label, sums.hi, sums.lo, square)
        else:
            _, bad = kernels.assign(
                Y, scale, origin, *centres, weight, bounds, label, upper, lower, sums.hi, sums.lo, square
            )
        if bad >= 0:
            raise_if_not_finite(X)
            raise TooFar("X", int(bad), None, np.inf)


class TooFar(RowError):
    """A row whose squared distance to the centres is no number."""

    text = "row {row} is so far from the rows learnt that its distances overflow: rescale or drop it"


def lengths_between(Z: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Distances of rows to centres; of rows whose squares overflow, in units of their own."""
    found = cdist(Z, centres)
    far = np.flatnonzero(~np.isfinite(found).all(axis=1))
    if len(far):
        unit = np.abs(Z[far]).max(axis=1, keepdims=True)
        for row, (z, u) in enumerate(zip(Z[far], unit, strict=True)):
            found[far[row]] = u * cdist(z[None] / u, centres / u)[0]
    return found


def moves(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """What the compiled pass wants to know of centres that have moved, rounded so that bounds stay bounds."""
    half = np.empty(len(after))
    for start in range(0, len(after), 1024):
        block = cdist(after[start : start + 1024], after)
        block[np.arange(len(block)), start + np.arange(len(block))] = np.inf
        half[start : start + 1024] = 0.5 * block.min(axis=1)
    shift = np.sqrt(((after - before) ** 2).sum(axis=1)) * (1.0 + 1e-6)
    most = int(shift.argmax())
    second = np.delete(shift, most).max(initial=0.0)
    return np.concatenate([half * (1.0 - 1e-6), shift, [shift[most], second, most]]).astype(np.float32)


@contextmanager
def present(chunk: Chunk) -> Iterator[tuple[Any, np.ndarray]]:
    """The rows of a chunk that weigh something, with their weights; what is wrong with one is named by its place."""
    weight = weights_of(chunk.weight, chunk.X.shape[0])
    if not len(weight) or weight.all():
        yield chunk.X, weight
        return
    rows = np.flatnonzero(weight)
    try:
        yield chunk.X[rows], weight[rows]
    except RowError as error:
        error.row = int(rows[error.row])
        raise


def weights_of(weight: Any, rows: int) -> np.ndarray:
    """Checked weights, and none where all are one."""
    return EMPTY if weight is None else checked_weight(weight, rows)


def blocks(X: Any) -> list[slice]:
    """All rows at once; sparse ones as many as may be written out."""
    n = X.shape[0]
    size = max(AT_ONCE // max(X.shape[1], 1), 1) if sparse.issparse(X) else max(n, 1)
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def written_out(X: Any) -> np.ndarray:
    return dense(X) if sparse.issparse(X) else X
