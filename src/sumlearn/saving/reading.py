"""load and describe: a file is looked at as if it came from a stranger."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from typing import Any

from . import archive, estimators, journal
from .fields import from_fields
from .json_text import parsed
from .manifest import check_manifest
from .names import handed_classes, public
from .packing import Unpacker

MEMBERS = r"manifest\.json|estimator\.skops|statistics/[0-9]{1,9}\.(json|bin)"


def load(path: str | os.PathLike[str], *, classes: Iterable[type] = ()) -> Any:
    """Read a model, or a statistic, that `save` has written.

    Nothing in the file is run and nothing is unpickled: names, sizes, shapes and types are checked against lists in
    this library before anything is built of them.

    Parameters
    ----------
    path : str or path
        The file.
    classes : classes, default=()
        Learners and statistics of your own that may be in the file. A file names such a class, it does not hold it, and
        nothing is imported on its word: what is not handed over is refused.

    Returns
    -------
    model
        As it was saved, to the bit; it can be updated, merged and forgotten from where the learner can.

    Raises
    ------
    ValueError
        If the file is no model file, is damaged or truncated, was written by a newer version, or names a type that may
        not be in one. The message names the file.
    ImportError
        Without skops, which comes with the extra ``cli``.

    Examples
    --------
    >>> import sumlearn, tempfile, os
    >>> from sumlearn.statistics import Moments
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "north.sumlearn")
    >>> sumlearn.save(Moments.of([[1.0], [2.0], [3.0], [4.0], [6.0]]), path)
    >>> (sumlearn.load(path) + Moments.of([[8.0]])).mean.tolist()
    [4.0]
    """
    handed = handed_classes(classes)
    try:
        data = bytes_of(path)
        if not journal.is_journal(data):
            return model_in(data, handed)
        first, *changes = (model_in(record, handed) for record in journal.records_of(data))
        for change in changes:
            first = first.replayed(change)
        first.loaded_from(path, journal.place_in(data))
        return first
    except (ImportError, OSError, MemoryError):
        raise
    except Exception as error:  # a file can be wrong in more ways than can be listed
        raise ValueError(f"{os.fspath(path)!r} cannot be loaded: {error}") from error


def model_in(data: bytes, handed: Mapping[str, type]) -> Any:
    """The model in an archive."""
    members = members_in(data)
    manifest = parsed(members["manifest.json"])
    public("", manifest.get("class"))  # loaded first, if it is ours: it says what its parts are
    sums = [
        from_fields(parsed(members[f"statistics/{i}.json"]), members[f"statistics/{i}.bin"], handed)
        for i in range(len(manifest["statistics"]))
    ]
    return Unpacker(sums, handed).unpack(estimators.loads(members["estimator.skops"]))


def describe(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a model file says about itself, without loading the model: its manifest.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    dict
        ``format``, ``sumlearn`` (the version that wrote it), ``class``, ``parameters``, ``n_features``,
        ``feature_names``, ``statistics`` (class, rows, smallest group and digest of each), ``notes``, ``members``; of a
        journal those of its beginning, and how often something was ``appended``.

    Examples
    --------
    >>> import sumlearn, tempfile, os
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "model.sumlearn")
    >>> rows, y = [[float(i)] for i in range(8)], [1.0, 3.1, 4.9, 7.0, 9.1, 11.0, 12.9, 15.0]
    >>> sumlearn.save(sumlearn.Ridge(alpha=0.5).fit(rows, y), path, notes="first half of the year")
    >>> found = sumlearn.saving.describe(path)
    >>> found["class"], found["parameters"]["alpha"], found["notes"], found["statistics"][0]["rows"]
    ('Ridge', 0.5, 'first half of the year', 8)
    """
    try:
        records = archives_of(path)
        found = check_manifest(parsed(members_in(records[0])["manifest.json"]))
        return found if len(records) == 1 else found | {"appended": len(records) - 1}
    except OSError:
        raise
    except Exception as error:
        raise ValueError(f"{os.fspath(path)!r} cannot be read: {error}") from error


def bytes_of(path: str | os.PathLike[str]) -> bytes:
    """The content of a file that is one: what has no end, or waits for somebody to write, is not read."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ValueError("it is no file: a folder, a device or a pipe")
        with open(handle, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(handle)


def archives_of(path: str | os.PathLike[str]) -> list[bytes]:
    """The archives in a file: one, or in a journal one and what was appended to it."""
    data = bytes_of(path)
    return journal.records_of(data) if journal.is_journal(data) else [data]


def members_in(data: bytes) -> dict[str, bytes]:
    """The members of an archive, held against its manifest."""
    members = archive.unpack(data, MEMBERS)
    if "manifest.json" not in members:
        raise ValueError("it has no manifest: it is no model file")
    listed = check_manifest(parsed(members["manifest.json"]))["members"]
    if set(listed) != set(members) - {"manifest.json"}:
        raise ValueError("its members are not those that its manifest lists")
    for name, said in listed.items():
        if said != {"size": len(members[name]), "sha256": archive.digest_of(members[name])}:
            raise ValueError(f"its member {name!r} is not the one that its manifest describes")
    return members
