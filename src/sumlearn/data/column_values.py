"""The values of a column, by its kind: numbers with NaN where one is missing, days, levels as codes."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from ..statistics import RowError
from .levels import Levels
from .missing import is_missing

DAY = np.timedelta64(1, "D")


class CellError(RowError):
    """A value that does not suit its column; `row` counts within the chunk."""

    def __init__(self, row: int, column: int, fault: str) -> None:
        self.fault = fault
        self.text = "column {column!r}, row {row}: " + fault.replace("{", "{{").replace("}", "}}")
        super().__init__("X", row, column, np.nan)

    def at(self, rows: np.ndarray | None) -> CellError:
        """The same, where `rows` are the numbers of the rows that were looked at."""
        assert self.column is not None
        return self if rows is None else CellError(int(rows[self.row]), self.column, self.fault)


def numbers_of(column: Any, place: int) -> np.ndarray:
    """float64, NaN where a value is missing; durations in days, booleans as 0 and 1."""
    if isinstance(column, nw.Series):
        native: Any = column.to_native()
        dtype = getattr(native, "dtype", None)
        if isinstance(dtype, np.dtype) and dtype.kind in "fiub":  # of pandas; narwhals would count gaps
            return np.asarray(native).astype(np.float64, copy=False)
        if column.dtype == nw.Duration:
            return np.asarray(column.to_numpy(), dtype="timedelta64[us]") / DAY
        if column.dtype.is_numeric() or column.dtype == nw.Boolean:
            if column.dtype.is_decimal() or column.null_count():
                column = column.cast(nw.Float64)
            values = column.to_numpy()
            if values.dtype != object:
                return values.astype(np.float64, copy=False)
    values = array_of(column)
    if values.dtype.kind == "m":
        return values / DAY
    if values.dtype.kind in "fiub":
        return values.astype(np.float64, copy=False)
    if values.dtype.kind == "c":
        raise CellError(0, place, "Complex data not supported")
    return each(values, number, place)


def truth_of(column: Any, place: int) -> np.ndarray:
    """0 and 1, NaN where a value is missing; another number is no truth value."""
    values = numbers_of(column, place)
    if isinstance(column, nw.Series) and column.dtype == nw.Boolean:
        return values
    for row in np.flatnonzero((values != 0.0) & (values != 1.0) & ~np.isnan(values))[:1]:
        raise CellError(int(row), place, f"{values[row]:g}, but the column holds true and false (or 1 and 0)")
    return values


def days_of(column: Any, place: int) -> np.ndarray:
    """Days since 1970 with their fractions, NaN where a date is missing; ISO text is read, times are taken as UTC."""
    if isinstance(column, nw.Series) and column.dtype.is_temporal():
        if column.dtype == nw.Datetime and column.dtype.time_zone is not None:  # type: ignore[attr-defined]
            column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        column = column.cast(nw.Datetime("us"))
    values = array_of(column)
    if values.dtype.kind == "M":
        moments = values.astype("datetime64[us]")
        days = (moments - np.datetime64(0, "us")) / DAY
        return np.where(np.isnat(moments), np.nan, days)
    return each(values, day, place)


def levels_of(column: Any) -> Levels:
    """Levels in the order they appear."""
    if isinstance(column, Levels):
        return column
    coded = coded_at_once(column)
    if coded is not None:
        return coded
    values = column.to_list() if isinstance(column, nw.Series) else column.tolist()
    try:
        seen = {value: number for number, value in enumerate(dict.fromkeys(values))}
        codes = np.fromiter(map(seen.__getitem__, values), dtype=np.intp, count=len(values))
    except TypeError:
        kinds = sorted({type(value).__name__ for value in values})
        raise TypeError(f"argument must be a string or a real number, got values of {', '.join(kinds)}") from None
    levels: dict[str, int] = {}
    renumbered = np.array(
        [-1 if is_missing(value) else levels.setdefault(text_of(value), len(levels)) for value in seen], dtype=np.intp
    )
    return Levels(tuple(levels), renumbered[codes] if len(values) else codes)


def coded_at_once(column: Any) -> Levels | None:
    """Levels of a column of text or categories by the library that holds it; None of any other."""
    if not isinstance(column, nw.Series) or column.dtype not in (nw.String, nw.Categorical, nw.Enum) or not len(column):
        return None
    if column.dtype == nw.String and column.implementation.is_pandas() and column.to_native().dtype == object:
        return None  # whatever may be among the text
    try:
        values = column.to_arrow()
    except (ImportError, TypeError, ValueError, NotImplementedError):  # pandas needs no Arrow, and mixes categories
        return None
    if hasattr(values, "combine_chunks"):  # a chunk may have a dictionary of its own
        values = values.unify_dictionaries().combine_chunks()
    coded = values if hasattr(values, "dictionary") else values.dictionary_encode()
    names = coded.dictionary.to_pylist()
    codes = coded.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    return as_met([None if is_missing(name) else text_of(name) for name in names], codes)


def as_met(names: list[str | None], codes: np.ndarray) -> Levels:
    """Levels in the order they appear, those that do not appear left out; a name may be there twice, or missing."""
    first = np.full(len(names) + 1, len(codes))
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    order = np.argsort(first[:-1], kind="stable")
    levels: dict[str, int] = {}
    renumbered = np.full(len(names) + 1, -1, dtype=np.intp)  # the last is that of what is missing
    for number in order[first[order] < len(codes)].tolist():
        name = names[number]
        renumbered[number] = -1 if name is None else levels.setdefault(name, len(levels))
    return Levels(tuple(levels), renumbered[codes])


def ordered_levels_of(column: Any, order: tuple[str, ...], place: int) -> Levels:
    """Levels in their declared order, whether they occur or not; one that was not declared is refused."""
    levels = levels_of(column)
    known = {level: number for number, level in enumerate(order)}
    for number, level in enumerate(levels.names):
        if level not in known:
            fault = f"{level!r} is none of the ordered levels {', '.join(map(repr, order))}"
            raise CellError(int(np.argmax(levels.codes == number)), place, fault)
    return levels.among(order)


def check_empty(column: Any, place: int) -> None:
    """A column that had no value when the schema was made must not have one now."""
    levels = levels_of(column)
    if levels.names:
        row, first = int(np.argmax(levels.codes >= 0)), levels.names[0]
        fault = f"{first!r}, but the column had no values when its kind was decided: fit anew, and merge"
        raise CellError(row, place, fault)


def text_of(value: Any) -> str:
    """A level as text; a whole number stays one if missing values made it a float."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def array_of(column: Any) -> np.ndarray:
    return np.asarray(column.to_numpy() if isinstance(column, nw.Series) else column)


def each(values: np.ndarray, convert: Callable[[Any], float], place: int) -> np.ndarray:
    out = np.empty(len(values))
    for row, value in enumerate(values):
        try:
            out[row] = np.nan if is_missing(value) else convert(value)
        except (TypeError, ValueError) as error:
            raise CellError(row, place, str(error)) from None
    return out


def number(value: Any) -> float:
    if isinstance(value, str | bytes):
        raise ValueError(f"could not convert string to float: {value!r} is text, not a number")
    return float(value)


def day(value: Any) -> float:
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    if not isinstance(value, str | datetime.date | np.datetime64):
        shown = value.item() if isinstance(value, np.generic) else value
        raise TypeError(f"{shown!r} is no date: write it as 2024-12-31")
    moment: Any = value
    try:
        return float((np.datetime64(moment, "us") - np.datetime64(0, "us")) / DAY)
    except ValueError:
        raise ValueError(f"{value!r} is no date: write it as 2024-12-31") from None


def month_of(days: np.ndarray) -> np.ndarray:
    """1 to 12; NaN stays."""
    known = np.where(np.isnan(days), 0.0, days)
    months = np.floor(known).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12 + 1
    return np.where(np.isnan(days), np.nan, months)


def weekday_of(days: np.ndarray) -> np.ndarray:
    """1 (Monday) to 7; NaN stays. The first of January 1970 was a Thursday."""
    return (np.floor(days) + 3) % 7 + 1
