"""What a pass is: which rows of which files, columns, parameters; and in what two passes differ, in words."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from typing import Any

from ..engines.journal import Pass

PIECES, PIECE = 64, 1 << 16  # of a file that are looked at: all of one up to 4 MiB


def stamp_of_pass(one: Pass) -> dict[str, Any]:
    """Plain things that are equal for the same pass over the same files."""
    source = one.files
    return {
        "asked": one.asked or {},
        "files": [stamp_of_file(reader) for reader in source.readers],
        "columns": [str(name) for name in source.columns.names] if source.columns is not None else [],
        "target": [source.target_name, source.target.kind],
        "weight": source.weight_name,
        "types": {name: str(type) for name, type in source.types().items()},
        "work": one.digest(),
    }


def stamp_of_file(reader: Any) -> dict[str, Any]:
    """Name, size, time and a digest of pieces from its beginning to its end, as it was when it was opened."""
    size, time, _ = reader.stamp
    return {"name": os.path.abspath(reader.original), "size": size, "time": time,
            "digest": digest_of_pieces(os.path.abspath(reader.original), reader.stamp)}  # fmt: skip


@lru_cache(maxsize=1 << 16)
def digest_of_pieces(path: str, stamp: tuple[int, ...]) -> str:
    digest, size = hashlib.sha256(), stamp[0]
    with open(path, "rb") as file:
        if size <= PIECES * PIECE:
            digest.update(file.read(size))
        else:
            for piece in range(PIECES):
                file.seek(piece * (size - PIECE) // (PIECES - 1))
                digest.update(file.read(PIECE))
    return digest.hexdigest()


def differing(before: dict[str, Any], now: dict[str, Any]) -> str | None:
    """In what two passes differ; None where they are one.

    >>> asked = {"learner": "Ridge", "alpha": 1.0}
    >>> differing({"asked": asked, "work": "a"}, {"asked": asked | {"alpha": 2.0}, "work": "b"})
    'alpha was 1.0 and is 2.0'
    """
    for name in ("asked", "types"):
        old, new = before.get(name, {}), now.get(name, {})
        for key in [*old, *(key for key in new if key not in old)]:
            if old.get(key) != new.get(key) or (key in old) != (key in new):
                what = key if name == "asked" else f"column {key!r}"
                return f"{what} was {shown(old, key)} and is {shown(new, key)}"
    files = (before.get("files", []), now.get("files", []))
    if [file["name"] for file in files[0]] != [file["name"] for file in files[1]]:
        old, new = ([file["name"] for file in side] for side in files)
        gone, come = [f for f in old if f not in new], [f for f in new if f not in old]
        words = [f"{gone[0]!r} is not among the files" if gone else "", f"{come[0]!r} is new" if come else ""]
        return ", ".join(word for word in words if word) or "the files come in another order"
    for old, new in zip(*files, strict=True):
        for key, word in (("size", "bytes"), ("time", "ns since 1970, the time of its last change"), ("digest", "")):
            if old[key] != new[key]:
                what = "other content" if key == "digest" else f"{new[key]} {word}, it had {old[key]}"
                return f"the file {new['name']!r} has changed: {what}"
    for key in ("columns", "target", "weight"):
        if before.get(key) != now.get(key):
            return f"{key} was {before.get(key)!r:.200} and is {now.get(key)!r:.200}"
    if before.get("work") != now.get("work"):
        return "it adds up something else: by another parameter or function, or by random_state=None, which draws anew"
    return None


def shown(found: dict[str, Any], key: str) -> str:
    return f"{found[key]!r:.200}" if key in found else "not there"
