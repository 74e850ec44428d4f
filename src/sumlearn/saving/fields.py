"""A statistic as JSON and one run of numbers: readable in any language, with a format number of its own.

The JSON holds the fields by name. Numbers, text, truth values and null stand for themselves; everything else is an
object with one key that says what it is:

    {"array": [dtype, shape, order]}   the next numbers of the run, in little-endian; order "C" or "F"
    {"scalar": dtype}                  one number of the run, as a NumPy scalar
    {"float": "inf"}                   a float that JSON has no word for
    {"tuple": [...]}, {"list": [...]}, {"pairs": [[key, value], ...]}
    {"words": [hi, lo]}                a number of two words
    {"statistic": [kind, {name: field}]}
    {"record": [kind, {name: field}]}  what belongs to a statistic and is none, such as the schema of a table
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from typing import Any, Literal

import numpy as np

from ..statistics import Statistic, Words
from .names import NONE, class_of, name_of
from .soundness import check_sound

FORMAT = 3
# what a format added: older versions read all that has none of it
HELD, EXACT = "HeldRows", "statistics.ExactMoments"
ADDED = {HELD: 2, EXACT: 3}
DTYPES = ("<f8", "<f4", "<i8", "<i4", "<u8", "|b1")  # what a run of numbers may hold
Naming = Callable[[type], str | None]
RECORDS = ("Attributes", "Column", "Conjunction", HELD, "Interval", "Schema")  # what may belong to a statistic
WEIGHED = ("statistics.Moments", "statistics.Counts", "statistics.LevelCounts", "evaluation.BinnedRoc")
# fields that older files do not have: in a file only where they hold something
LATER = {"Column": ("order",), "statistics.Ledger": ("decayed",)} | dict.fromkeys(WEIGHED, ("weight_rounding",))


def to_fields(statistic: Statistic, named: Naming = name_of) -> tuple[dict[str, Any], bytes]:
    """A statistic as a JSON object and the bytes of its arrays; `named` gives the name of a class, if it may be in."""
    run: list[bytes] = []
    kinds: set[str] = set()
    found = written(statistic, run, kinds, named)
    return {"format": max((ADDED[name] for name in kinds & ADDED.keys()), default=1), "sum": found}, b"".join(run)


def from_fields(found: Any, run: bytes, handed: Mapping[str, type] = NONE) -> Any:
    """The statistic again, to the bit; raises ValueError where the two do not describe one.

    `handed` are statistics of strangers that it may be or hold, by name.
    """
    if not isinstance(found, dict) or type(found.get("format")) is not int:
        raise ValueError("a statistic has no format number")
    if found["format"] > FORMAT:
        raise ValueError(
            f"a statistic was written by a newer sumlearn: format {found['format']}, this version reads up to {FORMAT}"
        )
    if found["format"] < 1:
        raise ValueError(f"there is no format {found['format']} of statistics")
    numbers = NumberRun(run, handed)
    statistic = read(found.get("sum"), numbers)
    if numbers.place != len(run):
        raise ValueError(f"the arrays of a statistic take {numbers.place} bytes, {len(run)} are there")
    if not isinstance(statistic, Statistic):
        raise ValueError("what should be a statistic is none")
    return statistic


class NumberRun:
    """Numbers one after the other; an array is made only where as many bytes are there as it needs."""

    def __init__(self, data: bytes, handed: Mapping[str, type] = NONE) -> None:
        self.data, self.place, self.handed = data, 0, handed

    def array(self, dtype: Any, shape: Any, order: Any = "C") -> np.ndarray:
        if dtype not in DTYPES or order not in ("C", "F"):
            raise ValueError(f"arrays of dtype {dtype!r} and order {order!r} are not read")
        if not isinstance(shape, list) or len(shape) > 32 or any(type(n) is not int or n < 0 for n in shape):
            raise ValueError(f"{shape!r} is no shape of an array")
        size = math.prod(shape) * np.dtype(dtype).itemsize
        if size > len(self.data) - self.place:
            raise ValueError(f"an array of shape {shape} needs {size} bytes, {len(self.data) - self.place} are left")
        flat = np.frombuffer(self.data, dtype, math.prod(shape), self.place)
        self.place += size
        return flat.astype(flat.dtype.newbyteorder("=")).reshape(shape, order=order)


def written(value: Any, run: list[bytes], kinds: set[str], named: Naming = name_of) -> Any:
    """A field as JSON; `kinds` gathers the names of the classes that it is made of."""
    if value is None or (isinstance(value, bool | int | str) and not isinstance(value, np.generic)):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, np.ndarray):
        dtype = little_endian(value.dtype)
        order: Literal["F", "C"] = "F" if value.flags.fnc else "C"
        run.append(value.astype(dtype, copy=False).tobytes(order))
        return {"array": [dtype, list(value.shape), order]}
    if isinstance(value, np.generic):
        dtype = little_endian(value.dtype)
        run.append(np.asarray(value, dtype).tobytes())
        return {"scalar": dtype}
    if isinstance(value, Words):
        return {"words": [written(word, run, kinds, named) for word in value]}
    name = named(type(value))
    if name is not None:
        kinds.add(name)
        tag = "statistic" if isinstance(value, Statistic) else "record"
        names = [field for field in names_of(type(value)) if field not in LATER.get(name, ()) or getattr(value, field)]
        return {tag: [name, {field: written(getattr(value, field), run, kinds, named) for field in names}]}
    if type(value) in (tuple, list):
        return {type(value).__name__: [written(item, run, kinds, named) for item in value]}
    if isinstance(value, Mapping):
        return {
            "pairs": [
                [written(key, run, kinds, named), written(item, run, kinds, named)] for key, item in value.items()
            ]
        }
    raise ValueError(f"a {type(value).__name__} in a statistic cannot be saved")


def names_of(kind: Any) -> list[str]:
    """Fields of a dataclass, but those that follow from others, or of a named tuple."""
    if not is_dataclass(kind):
        return list(getattr(kind, "_fields", ()))
    return [field.name for field in dataclass_fields(kind) if field.init]


def little_endian(dtype: np.dtype[Any]) -> str:
    name = dtype.newbyteorder("<").str
    if name not in DTYPES:
        raise ValueError(f"an array of dtype {dtype} in a statistic cannot be saved")
    return name


def read(value: Any, run: NumberRun) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if not isinstance(value, dict) or len(value) != 1:
        raise ValueError(f"a field of a statistic is neither a value nor an object with one key: {value!r:.80}")
    ((tag, content),) = value.items()
    if tag not in READERS:
        raise ValueError(f"a field of a statistic is a {tag!r}, which this version does not know")
    return READERS[tag](content, run)


def read_statistic(content: Any, run: NumberRun) -> Statistic:
    name, found = content
    kind = class_of(name, run.handed)
    if not issubclass(kind, Statistic):
        raise ValueError(f"{name} is no statistic")
    return made(kind, name, found, run)


def read_record(content: Any, run: NumberRun) -> Any:
    name, found = content
    if name not in RECORDS:
        raise ValueError(f"{name} does not belong to a statistic")
    return made(class_of(name), name, found, run)


def made(kind: Any, name: str, found: Any, run: NumberRun) -> Any:
    later = LATER.get(name, ())
    if list(found) != [field for field in names_of(kind) if field in found or field not in later]:
        raise ValueError(f"a {name} has the fields {names_of(kind)}, the file has {list(found)}")
    values = {field: read(item, run) for field, item in found.items()}
    check_sound(name, values)
    return kind(**values)


def read_float(content: Any, run: NumberRun) -> float:
    if content not in ("nan", "inf", "-inf"):
        raise ValueError(f"{content!r} is no float")
    return float(content)


def read_words(content: Any, run: NumberRun) -> Words:
    hi, lo = (read(word, run) for word in content)
    return Words(hi, lo)


READERS: dict[str, Any] = {
    "array": lambda content, run: run.array(*content),
    "scalar": lambda content, run: run.array(content, [])[()],
    "float": read_float,
    "tuple": lambda content, run: tuple(read(item, run) for item in content),
    "list": lambda content, run: [read(item, run) for item in content],
    "pairs": lambda content, run: {read(key, run): read(item, run) for key, item in content},
    "words": read_words,
    "statistic": read_statistic,
    "record": read_record,
}
