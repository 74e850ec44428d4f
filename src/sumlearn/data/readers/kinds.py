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


def column_type(types: Sequence[Any], written: bool = False, whole: bool = False) -> Any:
    """The type to read a column of mixed tables as: numbers float64, the rest as it is, text where files differ.

    Levels may be read as they are `written`, and as `whole` numbers where they are.
    """
    found = pa.null()
    for type in types:
        found = wider(found, type.value_type if pa.types.is_dictionary(type) else type)
    if pa.types.is_null(found) or (written and kind_of(found) != "bytes"):
        return pa.string()
    return pa.float64() if kind_of(found) == "number" and not (whole and pa.types.is_integer(found)) else found
