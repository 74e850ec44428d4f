"""Time in steps: which step a row falls into, and which steps a window means.

A step is [k g, (k + 1) g) for a grain of g: from midnight of 1970-01-01 on, weeks from a Monday, months by the
calendar, numbers from zero. Times that have a zone are times of UTC; times that have none stay as they are.

A text or a date is a period: "2026", "2026-Q1", "2026-03", "2026-W10", "2026-03-01", "2026-03-01 12",
"2026-03-01 12:30", "2026-03-01 12:30:15". As the end of a window it belongs to the window, whole. A datetime or a
number is an instant: as the end of a window it is where the window ends, and a row at that instant is not in it.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

SECOND = 1_000_000
UNITS = {"s": SECOND, "min": 60 * SECOND, "h": 3600 * SECOND, "d": 86_400 * SECOND, "w": 7 * 86_400 * SECOND}
MONDAY = 4 * UNITS["d"]  # 1970-01-05
MONTHS = {"mo": 1, "y": 12}
FURTHEST = 2**38  # steps from zero: numbers of nodes have room for so many
EPOCH = datetime.datetime(1970, 1, 1)
PERIOD = re.compile(
    r"(?P<y>\d{4})(?:-(?:Q(?P<q>[1-4])|W(?P<w>\d{2})|(?P<m>\d{2})(?:-(?P<d>\d{2})"
    r"(?:[ T](?P<h>\d{2})(?::(?P<min>\d{2})(?::(?P<s>\d{2}))?)?)?)?))?"
)


@dataclass(frozen=True)
class Grain:
    """How long a step is: `size` months, microseconds, or units of a number.

    >>> Grain.of("15min"), Grain.of("1mo").label(673), Grain.of(0.5).steps_in("window", 2.0)
    (Grain(kind='span', size=900000000, text='15min'), datetime.datetime(2026, 2, 1, 0, 0), 4)
    """

    kind: str  # "month", "span" or "number"
    size: Any
    text: Any

    @classmethod
    def of(cls, grain: Any) -> Grain:
        if isinstance(grain, bool) or not isinstance(grain, str | int | float | np.integer | np.floating):
            raise TypeError(f'grain must be text such as "1h" or a number, got {grain!r}')
        if not isinstance(grain, str):
            if not (np.isfinite(grain) and grain > 0):
                raise ValueError(f"grain must be positive, got {grain!r}")
            return cls("number", float(grain), float(grain))
        kind, size = amount("grain", grain)
        return cls(kind, size, grain)

    @property
    def origin(self) -> int:
        return MONDAY if self.kind == "span" and self.size % UNITS["w"] == 0 else 0

    # -- rows -------------------------------------------------------------------------------------------------------

    def steps(self, times: np.ndarray) -> np.ndarray:
        """The step of every time: microseconds since 1970, or numbers."""
        if self.kind == "number":
            parts = times / self.size
            near = np.round(parts)  # 0.3 / 0.1 is a little less than 3
            found = np.where(np.abs(parts - near) <= 1e-15 * np.abs(near), near, np.floor(parts))
            if found.size and np.abs(found).max() >= FURTHEST:
                row = int(np.abs(found).argmax())
                raise ValueError(
                    f"the time {times[row]:g} is more than {FURTHEST:.0e} steps of {self.size:g} from zero"
                )
            return found.astype(np.int64)
        if self.kind == "month":
            return times.view("M8[us]").astype("M8[M]").astype(np.int64) // self.size
        found = (times - self.origin) // self.size
        if found.size and np.abs(found).max() >= FURTHEST:
            raise ValueError(f"times are more than {FURTHEST:.0e} steps of {self.text} from 1970: use a longer grain")
        return found

    # -- windows ----------------------------------------------------------------------------------------------------

    def label(self, step: int) -> Any:
        """When a step begins."""
        return self.labels(np.array([step]))[0].item()

    def labels(self, steps: np.ndarray) -> np.ndarray:
        if self.kind == "number":
            return steps * self.size
        if self.kind == "month":
            return (steps * self.size).astype("M8[M]").astype("M8[us]")
        return (steps * self.size + self.origin).astype("M8[us]")

    def steps_in(self, name: str, length: Any) -> int:
        """How many steps a length of time is."""
        text = isinstance(length, str)
        if text != (self.kind != "number"):
            example = '"28d"' if self.kind != "number" else "a number"
            raise TypeError(f"{name} must be {example}, as the grain {self.text!r} is, got {length!r}")
        kind, size = amount(name, length) if text else ("number", float(length))
        if kind != self.kind:
            raise ValueError(
                f"{name}={length!r} is no number of steps of {self.text}: months are not all of one length"
            )
        count = size / self.size
        if not np.isfinite(count) or abs(count - round(count)) > 1e-9 or round(count) < 1:
            raise ValueError(f"{name}={length!r} is no whole number of steps of {self.text!r}")
        return round(count)

    def edge(self, instant: Any, what: Any) -> int:
        """The step that begins at an instant (microseconds, months or a number); refused inside of a step."""
        if self.kind == "number":
            count = instant / self.size
            if abs(count - round(count)) > 1e-9 * max(1.0, abs(count)):
                raise ValueError(f"{what!r} lies inside of a step: the cube keeps whole steps of {self.size:g}")
            return round(count)
        step = int(self.steps(np.array([instant], dtype=np.int64))[0])
        begins = int(self.labels(np.array([step])).astype(np.int64)[0])
        if begins != instant:
            ends = self.label(step + 1)
            raise ValueError(
                f"{what!r} lies inside of a step: the cube keeps whole steps of {self.text}, such as "
                f"{self.label(step)} to {ends}"
            )
        return step

    def window(self, item: Any, zone: str) -> tuple[int | None, int | None]:
        """Steps from the first to the one after the last of a slice or a period; None where an end is open."""
        if not isinstance(item, slice):
            item = slice(item, item)
            if not isinstance(item.start, str) and type(item.start) is not datetime.date:
                raise TypeError(
                    f'a window is a slice, such as cube["2026-03":"2026-05"], or a period, got {item.start!r}'
                )
        if item.step is not None:
            raise ValueError(f"a window has a start and an end and no step, got {item!r}")
        first = None if item.start is None else self.edge(self.instants(item.start, zone)[0], item.start)
        last = None if item.stop is None else self.edge(self.instants(item.stop, zone)[1], item.stop)
        if first is not None and last is not None and first >= last:
            raise ValueError(f"the window from {item.start!r} to {item.stop!r} is empty: it ends before it begins")
        return first, last

    def instants(self, value: Any, zone: str) -> tuple[Any, Any]:
        """Where something begins, and where a window ends that ends with it."""
        if self.kind == "number":
            if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
                raise TypeError(f"the times of this cube are numbers, got {value!r}")
            if not np.isfinite(value):
                raise ValueError(f"a window begins and ends at a finite number, got {value!r}")
            return float(value), float(value)
        if isinstance(value, str):
            return tuple(map(microseconds, period(value)))  # type: ignore[return-value]
        if type(value) is datetime.date:
            return tuple(map(microseconds, period(value.isoformat())))  # type: ignore[return-value]
        if isinstance(value, np.datetime64):
            if np.isnat(value):
                raise ValueError("a window begins and ends at a time, got NaT")
            here = int(value.astype("M8[us]").astype(np.int64))
            return here, here
        if not isinstance(value, datetime.datetime):
            raise TypeError(f'the times of this cube are dates, such as "2026-03" or a datetime, got {value!r}')
        if (value.tzinfo is not None) != (zone == "utc"):
            has, own = ("a", "none") if value.tzinfo is not None else ("no", "one")
            raise ValueError(f"{value!r} has {has} time zone and the times of this cube have {own}: give both the same")
        here = microseconds(value if value.tzinfo is None else value.astimezone(datetime.UTC).replace(tzinfo=None))
        return here, here


def amount(name: str, text: str) -> tuple[str, int]:
    """ "28d" as a kind of step and its size."""
    found = re.fullmatch(r"(\d{1,9})\s*(s|min|h|d|w|mo|y)", text.strip())
    if found is None or int(found[1]) == 0:
        raise ValueError(f'{name} must be like "15min", "1h", "1d", "1w" or "1mo", got {text!r}')
    count, unit = int(found[1]), found[2]
    return ("month", count * MONTHS[unit]) if unit in MONTHS else ("span", count * UNITS[unit])


def microseconds(moment: datetime.datetime) -> int:
    return (moment - EPOCH) // datetime.timedelta(microseconds=1)


def period(text: str) -> tuple[datetime.datetime, datetime.datetime]:
    """Where a period begins and where it ends.

    >>> [str(moment) for moment in period("2026-02")]
    ['2026-02-01 00:00:00', '2026-03-01 00:00:00']
    """
    found = PERIOD.fullmatch(text.strip())
    if found is None:
        raise ValueError(
            f'{text!r} is no period such as "2026", "2026-Q1", "2026-03", "2026-W10" or "2026-03-01 12:30"'
        )
    part = {name: int(value) for name, value in found.groupdict().items() if value is not None}
    try:
        if "w" in part:
            first = datetime.datetime.combine(datetime.date.fromisocalendar(part["y"], part["w"], 1), datetime.time())
            return first, first + datetime.timedelta(days=7)
        month = 3 * part["q"] - 2 if "q" in part else part.get("m", 1)
        parts = (part["y"], month, part.get("d", 1), part.get("h", 0), part.get("min", 0), part.get("s", 0))
        first = datetime.datetime(*parts)
        if "d" not in part:
            later = month - 1 + (12 if len(part) == 1 else 3 if "q" in part else 1)
            return first, first.replace(year=first.year + later // 12, month=later % 12 + 1)
    except ValueError as error:
        raise ValueError(f"{text!r} is no period: {error}") from None
    unit = next(unit for unit in ("s", "min", "h", "d") if unit in part)
    return first, first + datetime.timedelta(microseconds=UNITS[unit])


def times_of(column: Any, name: str, grain: Grain) -> tuple[np.ndarray, str]:
    """A column of times as microseconds or numbers, and its zone: "naive", "utc" or, for numbers, "number"."""
    series = column if isinstance(column, nw.Series) else nw.from_native(column, series_only=True)
    kind = series.dtype
    if kind.is_numeric():
        if grain.kind != "number":
            raise ValueError(
                f"column {name!r} holds numbers and the grain is {grain.text!r}: give times, or a number as grain"
            )
        values = series.cast(nw.Float64).to_numpy()
        refuse_gaps(~np.isfinite(values), name, "no finite number")
        return values, "number"
    if not isinstance(kind, nw.Datetime) and kind != nw.Date:
        advice = "read it as times first, such as with pandas.to_datetime (utc=True where zones differ)"
        raise ValueError(f"column {name!r} holds {kind}, not times: {advice}")
    if grain.kind == "number":
        raise ValueError(
            f'column {name!r} holds times and the grain is the number {grain.text:g}: give one such as "1h"'
        )
    refuse_gaps(series.is_null().to_numpy(), name, "missing (NaT)")
    zone = getattr(kind, "time_zone", None)
    if zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    values = series.to_numpy()
    if values.dtype.kind != "M":
        values = values.astype("M8[us]")
    return floored(values), "naive" if zone is None else "utc"


def floored(values: np.ndarray) -> np.ndarray:
    """Microseconds since 1970, towards the past."""
    unit = np.datetime_data(values.dtype)[0]
    if unit == "ns":
        return values.astype(np.int64) // 1000
    return values.astype("M8[us]").astype(np.int64)


def refuse_gaps(gaps: np.ndarray, name: str, what: str) -> None:
    if gaps.any():
        raise ValueError(
            f"the time in column {name!r} is {what}, first at row {int(gaps.argmax())}: leave such rows out"
        )
