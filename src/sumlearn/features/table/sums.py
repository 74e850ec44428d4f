"""TableSums: the sums of coded rows, with the names of their columns, so that tables with different levels add up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

import numpy as np
from scipy.sparse import dok_array

from ...data import Chunk
from ...data.column_kinds import level_limit
from ...data.column_values import CellError
from ...data.schema import NUMERIC, Schema
from ...statistics import (
    Decayable,
    ExactMoments,
    Grouped,
    Moments,
    Removable,
    Restrictable,
    RowError,
    Statistic,
    in_words,
)
from .codes import Part, codes_of, is_flag, is_level
from .counted_levels import counts_of, numbers_together

S = TypeVar("S", bound=Statistic)
ABSENT = 1e-12  # share of the weight below which a flag is taken never to have been set


@dataclass(frozen=True, eq=False)
class TableSums(Removable, Decayable, Restrictable, Generic[S]):
    """Sums over the coded columns of a table: `parts` names them, sorted; `sums` is any statistic with `recode`.

    A part that one side does not have stands for a column of zeros, which is exact: a level that nobody had. A category
    that comes to more than ``schema.max_levels`` levels is left out for good, whatever the order of merging.
    """

    schema: Schema
    parts: tuple[Part, ...]
    sums: Any  # an S

    @classmethod
    def of(cls, chunk: Chunk, schema: Schema, summarise: Callable[[Chunk], Any]) -> TableSums:
        """The sums of some rows of a table, by the `summarise` of whoever learns from the coded columns."""
        chunk, rows = weighty(chunk)
        with placed(rows):
            codes = codes_of(chunk.X.read_as(schema))
        sums = summed(summarise, Chunk(codes.Z, chunk.y, chunk.weight), codes.parts, schema, rows)
        if codes.base:
            sums = sums.recode(*codes.completion())
        return cls(codes.schema, codes.all_parts, sums.settle(flags_in(codes.schema, codes.all_parts, sums)))

    @classmethod
    def by_class(cls, chunk: Chunk, schema: Schema) -> TableSums:
        """The diagonal sums by label, where levels are counted instead of flags being made: the same, sooner."""
        if chunk.weight is not None:
            return cls.of(chunk, schema, lambda coded: diagonal_by_label(coded.X, coded.y, coded.weight))
        assert chunk.y is not None
        rows = chunk.X.read_as(schema)
        together = numbers_together(rows)
        if together is not None:
            with suppress(RowError):  # a gap, or what is no number: its column is looked at below
                plain = diagonal_by_label(together, chunk.y, None)
                order = sorted(range(len(schema.names)), key=schema.names.__getitem__)
                return cls(schema, tuple((schema.names[j], "value") for j in order), plain.restrict(order))
        counted = counts_of(rows, chunk.y)
        numbers = Chunk(counted.Z, chunk.y, None)
        sums = summed(lambda coded: diagonal_by_label(coded.X, coded.y, None), numbers, counted.values, schema, None)
        return cls(counted.schema, counted.parts, counted.joined(sums))

    # -- reading ----------------------------------------------------------------------------------------------------

    @property
    def weight(self) -> float:
        return float(self.sums.weight)

    @property
    def rows(self) -> int:
        return int(self.sums.rows)

    @property
    def is_whole(self) -> bool:
        """Whether every row weighs one, as far as the sums know it."""
        return bool(getattr(self.sums, "is_whole", True))

    @property
    def features(self) -> int:
        """Columns of the table."""
        return len(self.schema.columns)

    @property
    def labels(self) -> list[Any]:
        return list(self.sums.labels)

    def contents(self) -> list[Any]:
        return [self.sums]

    def overall(self) -> Moments:
        """Moments of all rows together, in two words."""
        sums = self.sums if isinstance(self.sums, Moments | ExactMoments) else self.sums.moments()
        return in_words(sums)

    # -- the algebra ------------------------------------------------------------------------------------------------

    def zero(self) -> Self:
        return replace(self, sums=self.sums.zero())

    def merge(self, other: Self) -> Self:
        if type(self.sums) is not type(other.sums):
            kinds = type(self.sums).__name__, type(other.sums).__name__
            raise ValueError(f"the sums are {kinds[0]} and {kinds[1]}: the learner has changed since the fit; fit anew")
        schema = self.schema.merge(other.schema)
        if other.rows == 0:
            return self
        if self.rows == 0:
            return other
        schema = limited(schema, {*self.parts, *other.parts})
        parts = parts_in(schema, {*self.parts, *other.parts})
        a, b = self.aligned(schema, parts), other.aligned(schema, parts)
        return type(self)(schema, parts, a.merge(b))

    def remove(self, other: Self) -> Self:
        schema = self.schema.merge(other.schema)
        if other.rows == 0:
            return self
        known = parts_in(schema, self.parts)
        strange = sorted(set(parts_in(schema, other.parts)) - set(known))
        if strange:
            column, part = strange[0]
            what = f"level {part[1:]!r}" if is_level(part) else f"{part} values"
            raise ValueError(f"cannot remove rows with {what} in column {column!r}: none were merged")
        a, b = self.aligned(schema, known), other.aligned(schema, known)
        return type(self)(schema, known, a.remove(b, flags_in(schema, known, a))).pruned()

    def decay(self, factor: float) -> Self:
        return replace(self, sums=self.sums.decay(factor))

    def restrict(self, columns: Any) -> Self:
        """Some of the columns of the table."""
        schema = self.schema.restrict(np.arange(self.features)[np.asarray(columns)])
        parts = parts_in(schema, self.parts)
        return type(self)(schema, parts, self.aligned(schema, parts))

    def aligned(self, schema: Schema, parts: tuple[Part, ...]) -> Any:
        """The sums over those parts: zeros where there were none, values counted from the origins of that schema."""
        if parts == self.parts and schema.columns == self.schema.columns:
            return self.sums
        origins = [
            (name, self.schema[name].origin - schema[name].origin)
            for name in schema.names
            if schema[name].kind in NUMERIC and self.schema[name].origin != schema[name].origin
        ]
        if parts == self.parts and not origins:
            return self.sums
        own, place = ({part: j for j, part in enumerate(some)} for some in (self.parts, parts))
        A, offset = dok_array((len(self.parts), len(parts))), np.zeros(len(parts))
        for i, part in enumerate(self.parts):
            if part in place:
                A[i, place[part]] = 1.0
        for name, apart in origins:  # (v - o')(1 - m) = (v - o)(1 - m) + (o - o')(1 - m)
            if (name, "value") in place:
                offset[place[name, "value"]] = apart
                if (name, "missing") in own:
                    A[own[name, "missing"], place[name, "value"]] = -apart
        return self.sums.recode(A.tocsc(), offset if origins else None)

    def pruned(self) -> Self:
        """Without flags that are set in no row any more."""
        if self.rows == 0:
            return self
        mean = self.overall().mean
        gone = {part for j, part in enumerate(self.parts) if is_flag(part[1]) and mean[j] == 0}
        parts = tuple(part for part in self.parts if part not in gone)
        return replace(self, parts=parts, sums=self.aligned(self.schema, parts)) if gone else self


def diagonal_by_label(X: np.ndarray, labels: Any, weight: Any) -> Grouped[Moments]:
    return Grouped.of(X, labels, weight, form="diagonal")


def weighty(chunk: Chunk) -> tuple[Chunk, np.ndarray | None]:
    """The rows that weigh something, and which they are where some do not."""
    rows = weighty_rows(chunk.weight)
    if rows is None:
        return chunk, None
    y, weight = (None if values is None else values[rows] for values in (chunk.y, chunk.weight))
    return Chunk(chunk.X.take(rows), y, weight), rows


@contextmanager
def placed(rows: np.ndarray | None) -> Iterator[None]:
    """Errors of cells by the number of the row in the chunk as it came."""
    try:
        yield
    except CellError as error:
        raise error.at(rows) from None


def summed(
    summarise: Callable[[Chunk], Any], coded: Chunk, parts: tuple[Part, ...], schema: Schema, rows: np.ndarray | None
) -> Any:
    """The sums of coded rows; errors name the column of the table, and the row in the chunk as it came."""
    try:
        return summarise(coded)
    except RowError as error:
        row = error.row if rows is None else int(rows[error.row])
        column = error.column
        if error.name == "X" and column is not None:
            column = schema.names.index(parts[column][0])
        raise RowError(error.name, row, column, error.value) from None


def weighty_rows(weight: np.ndarray | None) -> np.ndarray | None:
    """The rows that weigh something, if some do not: those bring no levels. A weight that is none is for the sums."""
    if weight is None or not (weight == 0).any() or not (weight >= 0).all():
        return None
    return np.flatnonzero(weight)


def flags_in(schema: Schema, parts: tuple[Part, ...], sums: Any) -> np.ndarray:
    """Which columns of the sums hold nothing but 0 and 1."""
    flags = [is_flag(part) or schema[column].kind == "boolean" for column, part in parts]
    return np.array(flags + [False] * getattr(sums, "targets", 0), dtype=bool)


def limited(schema: Schema, parts: Iterable[Part]) -> Schema:
    """The schema without the categories that have too many levels."""
    counts: dict[str, int] = {}
    for column, part in parts:
        counts[column] = counts.get(column, 0) + is_level(part)
    most = schema.max_levels
    return schema.without({name: level_limit(count, most) for name, count in counts.items() if count > most})


def parts_in(schema: Schema, parts: Iterable[Part]) -> tuple[Part, ...]:
    """Those parts that belong to columns of the schema, sorted."""
    used = {column.name for column in schema.used}
    return tuple(sorted(part for part in parts if part[0] in used))
