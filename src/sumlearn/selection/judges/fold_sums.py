"""Sums of the training and test rows of every split, from one read of the rows, in the units of the columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import engines
from ...compiled.sweep import rescale
from ...data import Chunk, InMemory, Source, Stream
from ...engines import total
from ...evaluation.resampling.splits import Split
from ...learners.validation import rows_by_number
from ...statistics import Moments, Pooled, in_words

LARGEST_SHIFT = 1000  # a power of two beyond it is no double


def numbered(source: Source) -> InMemory | Stream:
    """The source with its rows counted."""
    return rows_by_number(source) if source.rows is None else source  # type: ignore[return-value]


def moments_of(chunk: Chunk) -> Moments:
    """Moments of (x, y), summed in double: a pivot below 1e-10 is refused anyway."""
    return Moments.of(chunk.X, chunk.y, chunk.weight, precise=False)


def total_of(summarise: Callable[[Chunk], Any], source: Source, factor: int = 1) -> Any:
    """The sum of all rows."""
    return total(summarise, source, factor=factor)


def fold_sums(
    summarise: Callable[[Chunk], Any], source: InMemory | Stream, splits: Sequence[Split], factor: int = 1
) -> list[tuple[Any, Any]]:
    """(training sum, test sum) for every split."""
    if not splits:
        raise ValueError("splits must hold at least one pair of row numbers, to train on and to test on")
    pairs: list[Any] = [None] * len(splits)
    for fold in engines.fold_sums(summarise, source, splits, factor=factor):
        pairs[fold.number] = in_words(fold.train), in_words(fold.test())
    for number, pair in enumerate(pairs):
        for side, sums in zip(("train", "test"), pair, strict=True):
            if sums.weight <= 0:
                raise ValueError(f"split {number} has no row of positive weight to {side} on")
    return pairs


def units(moments: Moments) -> np.ndarray:
    """For each column the power of two nearest to the root of its scatter, so that scaling is exact."""
    size = np.sqrt(np.maximum(moments.diagonal, 0.0))
    return moments.exponent + np.round(np.log2(np.where(size > 0, size, 1.0))).astype(np.int64)


def scaled_scatter(
    moments: Moments, unit: np.ndarray, away: np.ndarray | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """The scatter in units of 2**unit for each column, about the mean or a point that is `away` from it."""
    shift = moments.exponent - unit
    if moments.form != "full":
        return np.ldexp(moments.spread.hi, 2 * shift)
    if out is None:
        out = np.empty(moments.spread.hi.shape)
    if np.abs(shift).max(initial=0) > LARGEST_SHIFT:
        out[:] = np.ldexp(moments.spread.hi, shift[:, None] + shift)
        if away is not None:
            out += moments.weight * np.outer(away, away)
        return out
    origin = np.zeros(len(unit)) if away is None else away
    rescale(moments.spread.hi, np.ldexp(1.0, shift), moments.weight, origin, out)
    return out


def scaled_difference(rows: Moments, reference: Moments, unit: np.ndarray) -> np.ndarray:
    """mean(rows) - mean(reference) in units of 2**unit, right at any offset: words cancel before anything rounds."""
    rows = rows.with_exponent(reference.exponent)
    away = (rows.centre.hi - reference.centre.hi) + (rows.centre.lo - reference.centre.lo)
    return np.ldexp(away, reference.exponent - unit)


def is_constant(moments: Moments) -> np.ndarray:
    """Columns whose scatter is nothing but rounding."""
    return moments.diagonal <= moments.rounding


def moments_of_classes(sums: Any) -> Any:
    """Moments of all rows; of pooled sums the diagonals do."""
    return sums.groups.moments() if isinstance(sums, Pooled) else sums.moments()


def units_of_rows(moments: Any) -> np.ndarray:
    """Powers of two near the standard deviation of each column."""
    return units(moments) - int(np.round(np.log2(max(moments.weight, 1.0)) / 2.0))


def weight_of(sums: Any, label: Any) -> float:
    groups = sums.groups.groups if isinstance(sums, Pooled) else sums.groups
    return groups[label].weight if label in groups else 0.0
