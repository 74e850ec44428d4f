"""Files of which some columns are wanted, and lazy frames, which become a file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .dialect import Dialect
from .names import nearest


@dataclass(frozen=True)
class Files:
    """Files with the columns that are features: those named by `columns`, or all but those named by `drop`.

    Takes the place of a path, for every learner and wherever a path does. Of text files `encoding` is named where they
    are not UTF-8 or UTF-16 (others are read as cp1252, with a warning); `dates` ("dmy", "mdy", "ymd") and `decimal`
    ("point", "comma") where their columns leave it open; `missing` are cells that count as gaps.

    >>> from sumlearn import Ridge
    >>> from sumlearn.data import Files, load_example
    >>> pima = Files(load_example("pima").path, drop=["diabetes", "age"])
    >>> Ridge().fit(pima, "mass").feature_names_in_.tolist()
    ['pregnant', 'glucose', 'pressure', 'triceps', 'insulin', 'pedigree']
    """

    where: Any
    columns: Sequence[str] | None = None
    drop: Sequence[str] = ()
    encoding: str | None = None
    dates: str | None = None
    decimal: str | None = None
    missing: Sequence[str] = ()

    @property
    def dialect(self) -> Dialect:
        return Dialect(self.encoding, self.dates, self.decimal, tuple(self.missing))

    def chosen(self, names: Sequence[str], apart: Sequence[Any]) -> list[str]:
        """The features among the columns of a file, without those that are `apart`: target and weights."""
        for argument, wanted in (("columns", self.columns or ()), ("drop", self.drop)):
            for name in wanted:
                if name not in names:
                    raise ValueError(f"no column {name!r} for {argument}{nearest(name, list(names))}")
        return [name for name in self.columns or names if name not in self.drop and name not in apart]


def files_of(X: Any, columns: Sequence[str] | None, drop: Sequence[str]) -> Any:
    """Files with chosen columns; of other tables they are chosen before. X itself where nothing is asked for."""
    if columns is None and not len(drop):
        return X
    if not is_lazy(X) and not isinstance(X, str | os.PathLike | list | tuple):
        raise TypeError(f"columns and drop choose among the columns of files: select them in the {type(X).__name__}")
    return Files(X, columns, drop)


def is_lazy(X: Any) -> bool:
    """Whether X is a LazyFrame of polars; asks nothing of polars itself, which may not be installed."""
    return hasattr(X, "sink_parquet") and hasattr(X, "collect")


def spooled(frame: Any) -> Any:
    """A lazy frame as a temporary Parquet file, written as it is computed; the file goes with the object."""
    spool = tempfile.NamedTemporaryFile(suffix=".parquet")  # noqa: SIM115  closed with the source
    frame.sink_parquet(os.fspath(spool.name))
    return spool
