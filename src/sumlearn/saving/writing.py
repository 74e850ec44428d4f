"""save: a model as one file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

from ..learners.look import Look
from ..learners.owners import remember_share
from ..statistics import Statistic
from ..statistics.warnings import warn
from . import archive, estimators
from .atomic import replace_file
from .disclosure import LEAST
from .fields import to_fields
from .manifest import checked_notes, manifest_of
from .packing import Packer


def save(
    model: Any, path: str | os.PathLike[str], *, notes: Any = None, share: bool = False, least: int = LEAST
) -> None:
    """Write a model, or a statistic, to a file that `load` reads back to the bit.

        file = zip(manifest.json, statistics/0.json, statistics/0.bin, ..., estimator.skops)

    The file is written beside the old one and takes its place in one step: whatever happens, the old or the new file is
    there, whole. The same model gives the same bytes. No pickle is involved. One-pass learners are stored as their
    parameters and sums; the sums are plain arrays and JSON with a format number of their own, and a file can be
    updated, merged and forgotten from in every later version. Callbacks are not stored.

    Sums are not anonymous: a group of one is a row. A warning names the smallest group if it has fewer than five rows.
    With `share` the file is one for others: levels of fewer than `least` rows are pooled, missing values of so few are
    filled, columns for which that is not enough are left out, ledger and hashes are omitted, and what still tells of
    fewer rows is refused (`disclosure`). The model remembers what was shared: the next version is refused until at
    least `least` rows have changed. Save the model for yourself as well, or that is forgotten.

    Parameters
    ----------
    model : estimator, statistic, or the `look_` of a model
        Fitted or not: an estimator of this library, a scikit-learn estimator or pipeline, with ours inside or not, or a
        statistic; also a learner of your own that has a `description`, and its statistic, which are written by name:
        `load` takes their classes.
    path : str or path
        Where to write; any file there is replaced.
    notes : text, numbers, lists or dictionaries, default=None
        Kept in the file, for `sumlearn.saving.describe`.
    share : bool, default=False
        Write what may be shared; `describe` says what was done to it ("shared").
    least : int, default=5
        Rows that everything in a shared file must rest on.

    Raises
    ------
    ValueError
        If the model holds a type that may not be in a file, such as a function or a class of your own that does not
        describe itself; it is named. With `share`, if few rows can be told from the sums.
    ImportError
        Without skops, which comes with the extra ``cli``.

    Examples
    --------
    >>> import sumlearn, tempfile, os
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "model.sumlearn")
    >>> rows, y = [[float(i)] for i in range(8)], [1.0, 3.1, 4.9, 7.0, 9.1, 11.0, 12.9, 15.0]
    >>> sumlearn.save(sumlearn.Ridge(alpha=0.5).fit(rows, y), path, notes="first half of the year")
    >>> model = sumlearn.load(path)
    >>> model.partial_fit([[8.0]], [17.0]).predict([[10.0]]).round(3).tolist()
    [20.871]

    References
    ----------
    The file formats: ``saving/README.md``.
    """
    if not isinstance(model, BaseEstimator | Statistic | Look) and not hasattr(model, "stored_state"):
        raise TypeError(f"save takes an estimator or a statistic, got {type(model).__name__}")
    notes = checked_notes(notes)
    written = model
    try:
        if share:
            from .sharing import shared

            written, record = shared(model, least)
        data = archived(written, notes)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"this {type(model).__name__} cannot be saved: {error}") from error
    replace_file(Path(path), data)
    if share:
        remember_share(model, record)


def archived(model: Any, notes: Any = None) -> bytes:
    """A model as the bytes of an archive."""
    packer = Packer()
    return content_of(packer.pack(model), packer, model, notes)


def content_of(packed: Any, packer: Packer, model: Any, notes: Any) -> bytes:
    members: dict[str, bytes] = {}
    for i, statistic in enumerate(packer.sums):
        fields, run = to_fields(statistic)
        members[f"statistics/{i}.json"] = json.dumps(fields, allow_nan=False).encode()
        members[f"statistics/{i}.bin"] = run
    members["estimator.skops"] = estimators.dumps(packed)
    manifest = manifest_of(model, packer.sums, members, notes)
    warn_if_few(manifest)
    return archive.pack({"manifest.json": json.dumps(manifest, indent=1, allow_nan=False).encode(), **members})


def warn_if_few(manifest: dict[str, Any]) -> None:
    sizes = [found["smallest_group"] for found in manifest["statistics"] if found["smallest_group"] is not None]
    if sizes and min(sizes) < LEAST:
        warn(f"the smallest group of rows in this file has {min(sizes)}: sums of so few tell their values", UserWarning)
