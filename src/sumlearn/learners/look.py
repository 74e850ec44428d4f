"""Look: what had to be known of the data before its sums could be made."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ..data.mapped import mapped
from ..data.source import InMemory, Source
from ..engines.sampling import sample_of
from ..statistics import RowError
from ..statistics.row_checks import raise_if_not_finite
from .fitted import same

MOST_NUMBERS = 2**23  # of a stream that a basis looks at: 64 MiB
FEWEST = 4096  # rows that it looks at, where there are so many columns


class Look(NamedTuple):
    """A fitted basis, and what the learner itself looked up: centres, edges of bins, landmarks, starts, domains.

    Frozen and saved with the model. Models merge if their looks are the same; folds take it anew. It remembers which
    columns were looked at, and the parameters (`look_parameters`) by which.
    """

    basis: Any = None
    data: Any = None
    features: int | None = None
    columns: tuple[str, ...] | None = None
    asked: dict[str, Any] | None = None


def taken(learner: Any, source: Source) -> Look:
    """The look of a learner at a source: its basis first, then its own, through the basis."""
    handed: Look | None = learner.__dict__.get("_handed_look")
    if handed is not None:
        return checked(learner, handed, source)
    basis = getattr(learner, "basis", None)
    fitted = None if basis is None else fitted_basis(basis, source)
    return described(learner, Look(fitted, learner.look(through(source, fitted))), source)


def described(learner: Any, look: Look, source: Source) -> Look:
    """The look with the columns that were looked at, and how."""
    names = None if source.columns is None else tuple(source.columns.names)
    asked = {name: getattr(learner, name) for name in learner.look_parameters}
    return look._replace(features=source.features, columns=names, asked=asked)


def through(source: Source, basis: Any) -> Source:
    """The source behind a basis, if there is one."""
    return source if basis is None else mapped(source, basis)


def checked(learner: Any, look: Look, source: Source) -> Look:
    """A look from elsewhere, refused where these parameters or columns could not have taken it."""
    basis = getattr(learner, "basis", None)
    if (basis is not None or look.basis is not None) and not made_by(basis, look.basis):
        raise ValueError(f"the look handed over is that of {look.basis!r}, the learner has basis={basis!r}")
    here = described(learner, look, source)
    if look.features is not None and look.features != here.features:
        raise ValueError(f"the look handed over is one at {look.features} columns, X has {here.features}")
    if look.columns is not None and here.columns is not None and look.columns != here.columns:
        raise ValueError(f"the look handed over is one at columns {list(look.columns)}, X has {list(here.columns)}")
    for name, value in (look.asked or {}).items():
        if name in (here.asked or {}) and not same(value, here.asked[name]):  # type: ignore[index]
            raise ValueError(f"the look handed over was taken with {name}={value!r}, not {here.asked[name]!r}")  # type: ignore[index]
    if (look.asked or {}).keys() != (here.asked or {}).keys():
        raise ValueError(f"the look handed over is none of {type(learner).__name__}")
    return look


def same_look(a: Look | None, b: Look | None) -> bool:
    return a is b or (a is not None and b is not None and same(a.basis, b.basis) and same(a.data, b.data))


def made_by(basis: Any, fitted: Any) -> bool:
    """Whether a fitted basis is one of these parameters."""
    return type(basis) is type(fitted) and all(
        same(value, getattr(fitted, name))
        for name, value in basis.get_params(deep=False).items()
        if not isinstance(value, np.random.RandomState)  # a copy has been drawn from
    )


def fitted_basis(basis: Any, source: Source) -> Any:
    """A fitted copy of a basis: from the number of columns, from the rows in memory, or from a sample of a stream."""
    from ..features import Basis

    if not isinstance(basis, Basis):
        raise TypeError(f"basis must be a basis of sumlearn.features, or None, got {type(basis).__name__}")
    if basis.stateless:
        return clone(basis).fit(np.zeros((1, source.features)))
    return clone(basis).fit(rows_to_look_at(source))


def rows_to_look_at(source: Source) -> np.ndarray:
    """Rows in memory as they are; of files and clusters all, or of large ones a sample by the numbers of the rows."""
    if not isinstance(source, InMemory):
        rows = sample_of(source, max(MOST_NUMBERS // max(source.features, 1), FEWEST)).X
        return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=source.dtype)
    rows = source.read(slice(0, source.rows))
    rows = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=source.dtype)
    there = np.arange(len(rows))
    if source.weight is not None and (source.weight > 0).any():  # weight zero is the absence of a row
        there = np.flatnonzero(source.weight > 0)
        rows = rows if len(there) == len(rows) else rows[there]
    try:
        raise_if_not_finite(rows)
    except RowError as error:
        column: Any = error.column
        if source.columns is not None and error.column is not None:
            column = source.columns.names[error.column]
        raise ValueError(error.describe(int(there[error.row]), column)) from None
    return rows
