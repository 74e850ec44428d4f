"""Levels of a category: their names, the codes of rows, and orders that are declared."""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np


class Levels(NamedTuple):
    """Names of levels, and for every row the number of its level, -1 where it is missing.

    Chunks and sites may have different levels: names are what they share.

    >>> Levels(("Oslo", "Rome"), np.array([1, -1, 0])).among(("Bern", "Oslo", "Rome")).codes
    array([ 2, -1,  1])
    """

    names: tuple[str, ...]
    codes: np.ndarray

    @property
    def missing(self) -> np.ndarray:
        return self.codes < 0

    def take(self, rows: slice | np.ndarray) -> Levels:
        return Levels(self.names, self.codes[rows])

    def among(self, names: tuple[str, ...]) -> Levels:
        """The same rows, coded by other names, which must hold these."""
        place = {name: number for number, name in enumerate(names)}
        return Levels(names, np.array([*map(place.__getitem__, self.names), -1], dtype=np.intp)[self.codes])


def stacked_levels(parts: list[Levels]) -> Levels:
    """The rows of all parts, one below the other; levels in the order they appear."""
    names = tuple(dict.fromkeys(name for part in parts for name in part.names))
    return Levels(names, np.concatenate([part.among(names).codes for part in parts]))


def order_of(values: Any) -> tuple[Any, ...] | None:
    """The categories of an ordered series from lowest to highest; None where none is declared.

    Ordered are: ordered categoricals of pandas, also in Dask; the Enum of polars, whose categories are declared in
    their order (its Categorical is not: it has the order in which values were first met); ordered dictionaries of
    Arrow. An empty order is one that nobody knows before the rows are read: unknown categories of Dask.
    """
    if hasattr(values, "__dask_graph__"):
        dtype = getattr(values, "dtype", None)
        if not getattr(dtype, "ordered", False):
            return None
        return tuple(dtype.categories) if values.cat.known else ()  # type: ignore[union-attr]
    native = values.to_native() if isinstance(values, nw.Series) else values
    if getattr(getattr(native, "type", None), "ordered", False):  # of Arrow
        return order_of_dictionaries([chunk.dictionary for chunk in getattr(native, "chunks", [native])])
    if isinstance(native, np.ndarray | list | tuple | str) or not nw.dependencies.is_into_series(native):
        return None
    dtype = nw.from_native(native, series_only=True).dtype
    return tuple(dtype.categories) if isinstance(dtype, nw.Enum) else None


def order_of_dictionaries(dictionaries: list[Any]) -> tuple[Any, ...]:
    """The order that ordered dictionaries of Arrow have together: chunks may hold different ones."""
    orders = dict.fromkeys(tuple(dictionary.to_pylist()) for dictionary in dictionaries)
    return reduce(joined_order, orders, ())


def joined_order(a: tuple[Any, ...], b: tuple[Any, ...], what: str = "an ordered category") -> tuple[Any, ...]:
    """The order of the levels of both, where they leave one order only.

    >>> joined_order(("low", "middle"), ("middle", "high"))
    ('low', 'middle', 'high')
    """
    if a == b or not b:
        return a
    if not a:
        return b
    joined: list[Any] = []
    shared, rest = [level for level in a if level in b], list(b)
    fits = bool(shared) and shared == [level for level in b if level in a]
    for level in a if fits else ():
        if level in shared:
            before, rest = rest[: rest.index(level)], rest[rest.index(level) + 1 :]
            fits = fits and not (before and joined and joined[-1] not in shared)
            joined += before
        joined.append(level)
    if not fits or (rest and joined[-1] not in shared):
        raise ValueError(f"{what} has the order {list(a)} on one side and {list(b)} on the other")
    return (*joined, *rest)
