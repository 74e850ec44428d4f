"""What a column holds, by its type: numbers, booleans, text, dates; and the type that holds several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

NUMERIC = ("number", "boolean", "empty")


def kind_of(type: Any) -> str:
    if pa.types.is_null(type):
        return "empty"
    if pa.types.is_dictionary(type):
        return "category"
    if pa.types.is_boolean(type):
        return "boolean"
    if pa.types.is_integer(type) or pa.types.is_floating(type) or pa.types.is_decimal(type):
        return "number"
    if pa.types.is_temporal(type):
        return "date"
    if pa.types.is_nested(type):
        return "nested"
    if pa.types.is_binary(type) or pa.types.is_large_binary(type) or pa.types.is_fixed_size_binary(type):
        return "bytes"
    return "text"


def wider(a: Any, b: Any) -> Any:
    """The type that holds what two blocks found."""
    if pa.types.is_null(a):
        return b
    if pa.types.is_null(b) or a.equals(b):
        return a
    if kind_of(a) == kind_of(b) == "number":
        return pa.float64()
    return pa.binary() if "bytes" in (kind_of(a), kind_of(b)) else pa.string()


def common_type(types: Sequence[Any]) -> Any:
    """The type of labels over several files: text as soon as one of them is; dates are labels as they are written.

    A column that is empty as far as anybody looked says nothing.
    """
    types = [t.value_type if pa.types.is_dictionary(t) else t for t in types]
    types = [pa.string() if pa.types.is_temporal(t) else t for t in types if not pa.types.is_null(t)]
    if not types:
        return pa.string()
    if all(t.equals(types[0]) for t in types):
        return types[0]
    if all(pa.types.is_integer(t) or pa.types.is_boolean(t) for t in types):
        return pa.int64()
    return pa.float64() if all(kind_of(t) in NUMERIC for t in types) else pa.string()


def column_type(types: Sequence[Any], kind: str | None = None, untyped: bool = False, guessed: bool = False) -> Any:
    """The type to read a column of mixed tables as: numbers float64, the rest as it is, text where files differ.

    The `kind` is that of a schema, which rules: of `untyped` files levels are read as they are written, and numbers
    and truth values as such, so that the first cell that is none is named. Types that were `guessed` rest on some
    rows alone.
    """
    found = pa.null()
    for type in types:
        found = wider(found, type.value_type if pa.types.is_dictionary(type) else type)
    levels, what = kind in ("category", "ordered"), kind_of(found)
    if what == "number":
        whole = (levels or kind == "numbered") and not guessed and pa.types.is_integer(found)
        found = found if whole else pa.float64()
    if untyped and levels and what != "bytes":
        return pa.string()
    if guessed and kind in ("number", "boolean") and what not in ("number", "boolean"):
        return pa.float64() if kind == "number" else pa.bool_()
    return pa.string() if what == "empty" else found
