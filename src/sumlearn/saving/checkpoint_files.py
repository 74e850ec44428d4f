"""The files of a checkpoint: sums and what they are of, in the form of model files; reading them runs no code."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..statistics import Statistic
from ..version import __version__
from . import archive
from .atomic import replace_file
from .fields import NumberRun, from_fields, read, to_fields, written
from .json_text import parsed
from .names import PACKAGE, handed_classes, is_ours, name_of
from .reading import bytes_of

FORMAT = 1
MEMBERS = r"checkpoint\.json|sums/[0-9]{1,9}\.(json|bin)"


class OtherVersion(ValueError):
    """A checkpoint of another version of the library, whose sums may have other bits."""


def write_sums(path: Path, told: Mapping[str, Any], sums: Sequence[Statistic]) -> None:
    """What is told of some sums, and the sums, as one file that is there whole or not at all."""
    members: dict[str, bytes] = {}
    for number, statistic in enumerate(sums):
        fields, run = to_fields(statistic, name_of_sum)
        members[f"sums/{number}.json"] = json.dumps(fields, allow_nan=False).encode()
        members[f"sums/{number}.bin"] = run
    content = {"format": FORMAT, "sumlearn": __version__, "sums": len(sums), "told": told}
    replace_file(path, archive.pack({"checkpoint.json": json.dumps(content).encode(), **members}))


def told_in(path: Path) -> dict[str, Any]:
    """What a file tells, without its sums."""
    return content_of(members_of(path))["told"]


def read_sums(path: Path, classes: Iterable[type] = ()) -> tuple[dict[str, Any], list[Statistic]]:
    """What `write_sums` has written; raises ValueError for anything else."""
    members = members_of(path)
    content, handed = content_of(members), {**handed_classes(classes), **inner_sums()}
    numbers = range(content["sums"])
    return content["told"], [
        from_fields(parsed(members[f"sums/{n}.json"]), members[f"sums/{n}.bin"], handed) for n in numbers
    ]


def members_of(path: Path) -> dict[str, bytes]:
    return archive.unpack(bytes_of(path), MEMBERS)


def content_of(members: Mapping[str, bytes]) -> dict[str, Any]:
    content = parsed(members["checkpoint.json"])
    if content["format"] != FORMAT or content["sumlearn"] != __version__:
        raise OtherVersion(f"it is of sumlearn {content['sumlearn']}, this is {__version__}")
    if len(members) != 2 * content["sums"] + 1:
        raise ValueError("its sums are not those that it tells of")
    return content


def name_of_sum(kind: type) -> str | None:
    """The name of a class in a checkpoint: as in a model file; sums that live for one pass only go by their module."""
    if issubclass(kind, Statistic) and is_ours(kind) and name_of(kind) is None:
        return f"{kind.__module__}:{kind.__qualname__}"
    return name_of(kind)


def inner_sums() -> dict[str, type]:
    """The sums of this library that are loaded, by those names: nothing is imported on the word of a file."""
    return {
        f"{kind.__module__}:{kind.__qualname__}": kind
        for kind in every(Statistic)
        if kind.__module__.partition(".")[0] == PACKAGE
    }


def every(kind: type) -> Iterator[type]:
    one: type
    for one in kind.__subclasses__():
        yield one
        yield from every(one)


# -- any plain things: numbers, text, lists, dictionaries, arrays and sums -------------------------------------------

TEXTS = "array of texts"


def write_values(path: Path, value: Any) -> None:
    """Plain things, with arrays and sums among them, as one file."""
    run: list[bytes] = []
    found = written(with_texts(value), run, set(), name_of_sum)
    content = {"format": FORMAT, "sumlearn": __version__, "sums": 1, "told": {}}
    members = {"checkpoint.json": json.dumps(content).encode(), "sums/0.bin": b"".join(run)}
    replace_file(path, archive.pack(members | {"sums/0.json": json.dumps(found, allow_nan=False).encode()}))


def read_values(path: Path) -> Any:
    """What `write_values` has written; raises ValueError for anything else."""
    members = members_of(path)
    content_of(members)
    numbers = NumberRun(members["sums/0.bin"], inner_sums())
    found = read(parsed(members["sums/0.json"]), numbers)
    if numbers.place != len(numbers.data):
        raise ValueError("it holds other numbers than it tells of")
    return without_texts(found)


def with_texts(value: Any) -> Any:
    """Arrays of text as lists."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "U":
        return {TEXTS: value.dtype.str, "shape": list(value.shape), "items": value.ravel().tolist()}
    if isinstance(value, Mapping):
        return {key: with_texts(item) for key, item in value.items()}
    return type(value)(with_texts(item) for item in value) if type(value) in (list, tuple) else value


def without_texts(value: Any) -> Any:
    if isinstance(value, dict) and TEXTS in value:
        dtype = np.dtype(value[TEXTS])
        if dtype.kind != "U":
            raise ValueError("an array of texts is none")
        return np.array(value["items"], dtype=dtype).reshape(value["shape"])
    if isinstance(value, dict):
        return {key: without_texts(item) for key, item in value.items()}
    return type(value)(without_texts(item) for item in value) if type(value) in (list, tuple) else value
