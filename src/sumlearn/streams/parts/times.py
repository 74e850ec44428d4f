"""Times and spans: what stands for a moment, and how long something lasts."""

from __future__ import annotations

import datetime
import re
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from ...data.source import frame_of, is_frame, vector

UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
UNITS |= {"d": 24 * UNITS["h"], "w": 7 * 24 * UNITS["h"]}
SPAN = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(" + "|".join(UNITS) + r")\s*", re.IGNORECASE)
LARGEST = 2**53  # whole numbers above it are not all doubles


class Times(NamedTuple):
    """Times of rows: `values` are nanoseconds since 1970 ("moment", or "moment with zone") or numbers ("number")."""

    kind: str
    values: np.ndarray


def span_of(value: Any, name: str) -> tuple[str, Any]:
    """("moment", nanoseconds) of a text such as "28d" or a time delta, ("number", itself) of a number.

    >>> span_of("1.5h", "size"), span_of(datetime.timedelta(days=1), "size"), span_of(7, "size")
    (('moment', 5400000000000), ('moment', 86400000000000), ('number', 7))
    """
    found = SPAN.fullmatch(value) if isinstance(value, str) else None
    kind: str = "moment"
    if found is not None:
        length: Any = round(float(found[1]) * UNITS[found[2].lower()])
    elif isinstance(value, datetime.timedelta | np.timedelta64):
        length = int(np.timedelta64(value).astype("timedelta64[ns]").astype(np.int64))
    elif isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        kind, length = "number", value
    else:
        raise ValueError(f"{name} must be a number, a time delta, or a text such as '28d' or '90min', got {value!r}")
    if not 0 < length < np.inf:
        raise ValueError(f"{name} must be positive and finite, got {value!r}")
    return kind, length


def times_of(values: Any, name: str) -> Times:
    """Times of rows from an array, a list or a column: numbers, dates, or moments of pandas and polars.

    Texts are refused: whether 01/02 is in January would be a guess.
    """
    if nw.dependencies.is_into_series(values):
        values = moments_of_series(nw.from_native(values, series_only=True))
    array = vector(values, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one time for each row, got shape {array.shape}")
    if array.dtype == object and len(array):
        return times_of_objects(array, name)
    if array.dtype.kind in "US":
        raise ValueError(text_refused(name, array[0]))
    if array.dtype.kind == "M":
        return Times("moment", nanoseconds(array, name))
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must hold numbers or moments, got dtype {array.dtype}")
    numbers = array.astype(np.float64)
    bad = ~np.isfinite(numbers) | (np.abs(numbers) > LARGEST)
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(f"{name} has no usable time at row {row}: {array[row]}")
    return Times("number", numbers)


def moments_of_series(series: Any) -> Any:
    """A series of dates or moments as an array of NumPy's, those with a zone as a list of Python's."""
    if isinstance(series.dtype, nw.Datetime) and series.dtype.time_zone is not None:
        if series.null_count():
            raise ValueError(f"time has no usable value at row {int(np.argmax(series.is_null().to_numpy()))}")
        moments = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None).to_numpy()
        return [Zoned(moment) for moment in moments.astype("datetime64[ns]")]
    if series.dtype == nw.Date:
        series = series.cast(nw.Datetime("ms"))
    return series.to_numpy()


class Zoned:
    """A moment whose place on the common clock is known."""

    def __init__(self, moment: np.datetime64) -> None:
        self.moment = moment


def times_of_objects(array: np.ndarray, name: str) -> Times:
    """Times from Python's dates and moments, pandas' time stamps, or numbers."""
    first = array[0]
    for row, value in enumerate(array):
        if isinstance(value, str | bytes):
            raise ValueError(text_refused(name, value))
        if value is None or value != value:  # NaN and NaT differ from themselves
            raise ValueError(f"{name} has no usable time at row {row}: {value}")
    if isinstance(first, Zoned):
        return Times("moment with zone", nanoseconds(np.array([value.moment for value in array]), name))
    if not isinstance(first, datetime.date | np.datetime64):
        try:
            return times_of(array.astype(np.float64), name)
        except TypeError:
            raise ValueError(f"{name} must hold numbers or moments, got {type(first).__name__}") from None
    zones = {getattr(value, "tzinfo", None) is not None for value in array}
    if len(zones) > 1:
        raise ValueError(f"{name} has moments with and without a time zone: give all of them one, or none")
    if zones.pop():
        array = np.array([np.datetime64(v.astimezone(datetime.UTC).replace(tzinfo=None), "ns") for v in array])
        return Times("moment with zone", nanoseconds(array, name))
    return Times("moment", nanoseconds(np.array([np.datetime64(v, "ns") for v in array]), name))


def nanoseconds(moments: np.ndarray, name: str) -> np.ndarray:
    missing = np.isnat(moments)
    if missing.any():
        raise ValueError(f"{name} has no usable time at row {int(np.argmax(missing))}: NaT")
    days = moments.astype("datetime64[D]").astype(np.int64)
    if (np.abs(days) > 106_000).any():  # nanoseconds of 64 bits end in 1677 and in 2262
        raise ValueError(f"{name} must lie between 1680 and 2260, got {moments[np.argmax(np.abs(days))]}")
    return moments.astype("datetime64[ns]").astype(np.int64)


def text_refused(name: str, value: Any) -> str:
    return f"{name} holds text, first {str(value)!r}: make it moments, say with pandas.to_datetime, or numbers"


def without_time(X: Any, time: str | int | None, times: Any) -> tuple[Any, Times | None]:
    """The rows without their column of times, and these; `times` are those that were handed over beside the rows."""
    if times is not None and time is not None:
        raise ValueError(f"the times are in column {time!r}, and in times=: give one of them")
    if time is None:
        return X, None if times is None else times_of(times, "times")
    if is_frame(X):
        frame = frame_of(X)
        name = column_called(time, list(frame.columns))
        return frame.drop(name).to_native(), times_of(frame.get_column(name).to_native(), f"the time {name!r}")
    if isinstance(time, str):
        raise ValueError(f"time={time!r} names a column, so X must be a data frame or a file, got {type(X).__name__}")
    array = X if hasattr(X, "shape") and hasattr(X, "dtype") else np.asarray(X)
    if array.ndim != 2:
        return X, None  # which is refused where rows are checked
    if not -array.shape[1] <= time < array.shape[1]:
        raise ValueError(f"there is no column {time}: X has {array.shape[1]} columns, numbered from 0")
    column = array[:, [time]]
    column = column.toarray() if hasattr(column, "toarray") else column
    return dropped(array, time), times_of(np.asarray(column)[:, 0], f"the time, column {time},")


def column_called(time: str | int, names: list[str]) -> str:
    if isinstance(time, str):
        if time not in names:
            raise ValueError(f"no column {time!r} for the time; the columns are {names}")
        return time
    if not -len(names) <= time < len(names):
        raise ValueError(f"there is no column {time}: X has {len(names)} columns, numbered from 0")
    return names[time]


def dropped(array: Any, column: int) -> Any:
    """An array or sparse matrix without one column."""
    keep = np.delete(np.arange(array.shape[1]), column)
    return array[:, keep]
