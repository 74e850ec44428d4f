"""Words as numbers that tell them apart: the same everywhere, so that counts of levels add up."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from .missing import is_missing
from .source import is_frame


def with_numbers_for_words(X: Any) -> Any:
    """X with every word, category or other label of a column as a number; columns of numbers stay as they are.

    >>> X = with_numbers_for_words(np.array([["red", 1], ["blue", 2], ["red", 2]], dtype=object))
    >>> bool(X[0, 0] == X[2, 0] != X[1, 0]), X[:, 1].tolist()
    (True, [1.0, 2.0, 2.0])
    """
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        words = [name for name, kind in frame.schema.items() if not (kind.is_numeric() or kind == nw.Boolean)]
        coded = [
            nw.new_series(name, numbers_of(frame.get_column(name).to_list()), nw.Float64, backend=frame.implementation)
            for name in words
        ]
        return frame.with_columns(*coded).to_native() if words else X
    array = np.asarray(X) if isinstance(X, list | tuple) else X
    if not isinstance(array, np.ndarray) or array.ndim != 2 or array.dtype.kind not in "OUS":
        return X
    if not any(isinstance(value, str | bytes) for value in array.flat):
        return X
    return np.column_stack([numbers_of(column.tolist()) for column in array.T])


def numbers_of(values: list[Any]) -> np.ndarray:
    """The numbers of a column; of one that holds a word, a number for each value, NaN where there is none."""
    known = {value: number_of(value) for value in set(values) if not is_missing(value)}
    if any(isinstance(value, str) for value in known):  # 1 and "1" are one level among words
        known = {value: number_of(str(value)) for value in known}
    return np.array([known.get(value, np.nan) for value in values], dtype=float)


def number_of(value: Any) -> float:
    """A number itself; of anything else 53 bits of a fingerprint of its text."""
    if isinstance(value, int | float | np.number | np.bool_):
        return float(value)
    return float(int.from_bytes(blake2b(str(value).encode(), digest_size=8).digest(), "little") >> 11)
