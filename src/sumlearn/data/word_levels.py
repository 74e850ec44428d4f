"""Words as numbers that tell them apart: the same everywhere, so that counts of levels add up."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from ..statistics.level_sums import WORDS
from .column_values import text_of
from .missing import is_missing
from .source import is_frame

MIDNIGHT = " 00:00:00"  # a day is one word, whether it was read as a date, a moment or text


def with_numbers_for_words(X: Any) -> Any:
    """X with every word, category or other label of a column as a number; columns of numbers stay as they are.

    >>> X = with_numbers_for_words(np.array([["red", 1], ["blue", 2], ["red", 2]], dtype=object))
    >>> bool(X[0, 0] == X[2, 0] != X[1, 0]), X[:, 1].tolist()
    (True, [1.0, 2.0, 2.0])
    """
    if hasattr(X, "__dask_graph__"):
        return blocks_with_numbers(X)
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        words = [n for n, kind in frame.schema.items() if not (kind.is_numeric() or kind in (nw.Boolean, nw.Unknown))]
        coded = [
            nw.new_series(name, level_numbers(frame.get_column(name)), nw.Float64, backend=frame.implementation)
            for name in words
        ]
        return frame.with_columns(*coded).to_native() if coded else X
    array = np.asarray(X) if isinstance(X, list | tuple) else X
    if not isinstance(array, np.ndarray) or array.ndim != 2 or array.dtype.kind not in "OUS":
        return X
    if not any(isinstance(value, str | bytes) for value in array.flat):
        return X
    return np.column_stack([numbers_of(column.tolist()) for column in array.T])


def blocks_with_numbers(X: Any) -> Any:
    """The same of a Dask collection, block by block on its workers."""
    if not hasattr(X, "columns"):
        return X.map_blocks(with_numbers_for_words, dtype=float) if X.dtype.kind in "OUS" else X
    meta = with_numbers_for_words(X._meta)
    return X if meta is X._meta else X.map_partitions(with_numbers_for_words, meta=meta)


def level_numbers(column: nw.Series[Any]) -> np.ndarray:
    """The numbers of a column; whatever it holds is a word, unless it is one of objects that are numbers."""
    return numbers_of(column.to_list(), column.dtype != nw.Object)


def numbers_of(values: list[Any], words: bool = False) -> np.ndarray:
    """The numbers of a column; of one of `words`, or that holds one, a number for each text; NaN for missing ones."""
    known = [value for value in set(values) if not is_missing(value)]
    words = words or not all(isinstance(value, int | float | np.number | np.bool_) for value in known)
    numbers = {value: number_of(text_of(value).removesuffix(MIDNIGHT)) if words else float(value) for value in known}
    return np.array([numbers.get(value, np.nan) for value in values], dtype=float)


def number_of(word: str) -> float:
    """The number of a word, from 52 bits of a fingerprint of its text; below those that tables hold."""
    return WORDS - float(int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little") >> 12)
