"""What the columns of a table are, decided by looking at them: kinds, origins, and columns that are left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from .column_values import array_of, days_of, levels_of, numbers_of, text_of
from .levels import order_of
from .missing import is_missing
from .names import nearest
from .schema import IDENTIFIER, KINDS, LEFT_OUT, Column, Schema
from .source import complex_column
from .table import Table

# The words are parts of a name: customerId, customer_id, ID; not "paid" and not "valid".
ID_NAME = re.compile(r"(^|[_\W])(id|ids|uuid|guid|key|rownames?|unnamed)([_\W]|\d*$)|^index$", re.IGNORECASE)
CAMEL_ID = re.compile(r"[a-z](Id|ID|Key)$")
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z?)?")
COMPLEX = "complex numbers"
FEW = 20  # rows below which nobody can tell whether a column numbers them
UNIQUE = 0.9  # share of distinct values above which text names its row
MIDDLE = 4_096  # rows that tell where numbers lie
LOOKED_AT = 20_000  # rows of text that tell names from categories; the sums count levels to the end
FAR = 16.0  # offsets beyond this many deviations are counted from an origin near the values


def decide(
    table: Table, ids: Sequence[str], drop: Sequence[str], max_levels: int, typed: Collection[str] = ()
) -> Schema:
    """The schema of a table, from all of its rows; columns that are `typed` have a kind even without a value.

    Columns are left out by name (`ids`, `drop`), because they number or name the rows, because they hold nothing that
    can be coded, or because they have more than `max_levels` levels.
    """
    there = set(table.names)
    for argument, names in (("ids", ids), ("drop", drop)):
        for name in names:
            if name not in there:
                raise ValueError(f"no column {name!r} for {argument}{nearest(name, list(table.names))}")
    given = dict.fromkeys(drop, "asked for") | dict.fromkeys(ids, "an identifier, as was said")
    columns, matrix = [], None if typed else table.matrix()
    for place, name in enumerate(table.names):
        if name in given:
            columns.append(Column(name, LEFT_OUT, reason=given[name]))
        else:
            values = table.column(name) if matrix is None else matrix[:, place]
            columns.append(column_of(name, values, place, max_levels, name in typed))
    return Schema(tuple(columns), max_levels)


def adapted(schema: Schema, table: Table) -> Schema:
    """The schema for more rows: a column that was empty so far may turn out to be something."""
    columns = list(schema.columns)
    for place, column in enumerate(columns):
        if column.kind == "empty":
            columns[place] = column_of(column.name, table.column(column.name), place, schema.max_levels)
    return Schema(tuple(columns), schema.max_levels)


def schema_by_kind(
    table: Table, declared: Mapping[str, Any] | None = None, typed: Collection[str] = (), orders: Any = None
) -> Schema:
    """The schema of a table with all of its columns, for learners that read categories as categories.

    `declared` says what some columns are: a kind, or the levels of an ordered category from lowest to highest. Numbers
    that are declared a category are `numbered` levels. Ordered categories of pandas, polars and Arrow are `ordered`;
    `orders` has those of files. A column that nothing can be made of is refused.
    """
    declared, orders, there = declared or {}, orders or {}, set(table.names)
    for name in declared:
        if name not in there:
            raise ValueError(f"no column {name!r} for schema{nearest(name, list(table.names))}")
    columns = []
    for name in table.names:
        values = table.column(name)
        order = orders.get(name) or order_of(values)
        columns.append(declared_column(name, values, declared.get(name), order, name in typed))
    return Schema(tuple(columns))


def declared_column(name: str, values: Any, declared: Any, order: tuple[Any, ...] | None, typed: bool) -> Column:
    if declared is not None and not isinstance(declared, str):
        declared, order = "ordered", tuple(declared)
    if declared is not None and declared not in KINDS:
        raise ValueError(f"the kind of column {name!r} must be one of {', '.join(map(repr, KINDS))}, got {declared!r}")
    if declared == LEFT_OUT:
        return Column(name, LEFT_OUT, reason="asked for")
    if declared == "ordered" and not order:
        raise ValueError(f"column {name!r} has no order of its own: give its levels from lowest to highest")
    if declared == "ordered" or (declared is None and order):
        return Column(name, "ordered", order=tuple(map(text_of, order or ())))
    kind = kind_of(values, typed) if declared in (None, "category") else declared
    if declared == "category":
        kind = "numbered" if kind in ("number", "boolean") else "category"
    if kind not in KINDS:
        raise ValueError(f"column {name!r}: {kind}")
    return Column(name, kind)


def column_of(name: str, values: Any, place: int, max_levels: int, typed: bool = False) -> Column:
    try:
        kind = kind_of(values, typed)
    except TypeError as error:
        raise TypeError(f"column {name!r}: {error}") from None
    if kind == COMPLEX:
        raise ValueError(complex_column(name))
    if kind in ("number", "date"):
        found = numbers_of(values, place) if kind == "number" else days_of(values, place)
        if kind == "number" and numbers_the_rows(name, found):
            return Column(name, LEFT_OUT, reason=f"{IDENTIFIER}: whole numbers, no two of them alike")
        return Column(name, kind, origin_of(found))
    if kind == "category":
        reason = too_many(name, values, max_levels)
        return Column(name, LEFT_OUT, reason=reason) if reason else Column(name, kind)
    return Column(name, kind) if kind in ("boolean", "empty") else Column(name, LEFT_OUT, reason=kind)


def kind_of(values: Any, typed: bool = False) -> str:
    """number, boolean, date, category, empty, or in words why nothing can be made of the column."""
    if isinstance(values, nw.Series) and values.dtype != nw.Object and not is_plain(values):
        dtype = values.dtype
        if not typed and len(values) and missing_everywhere(values):
            return "empty"
        if dtype.is_numeric() or dtype == nw.Duration:
            return "number"
        if dtype == nw.Boolean:
            return "boolean"
        if dtype == nw.String:
            return "date" if all_dates(values) else "category"
        if dtype in (nw.Categorical, nw.Enum):
            return "category"
        if dtype in (nw.Date, nw.Datetime):
            return "date"
        return f"values of type {dtype} cannot be coded"
    array = array_of(values)
    if array.dtype.kind in "fiu":
        return "empty" if array.dtype.kind == "f" and nothing_but_nan(array) else "number"
    if array.dtype.kind in "bM":
        return {"b": "boolean", "M": "date"}[array.dtype.kind]
    if array.dtype.kind == "m":
        return "number"
    return COMPLEX if array.dtype.kind == "c" else kind_of_objects(array)


def is_plain(values: nw.Series[Any]) -> bool:
    """Whether a series is an array of numbers to which narwhals has no word: sparse or complex ones of pandas."""
    return values.dtype == nw.Unknown and values.head(0).to_numpy().dtype.kind in "fiubc"


def missing_everywhere(values: nw.Series[Any]) -> bool:
    if len(values) > FEW and not missing_everywhere(values.head(FEW)):
        return False
    if values.null_count() == len(values):
        return True
    return values.dtype.is_float() and bool(np.isnan(array_of(values.cast(nw.Float64))).all())


def nothing_but_nan(array: np.ndarray) -> bool:
    """Whether there are rows, and no row has a number: most columns are told by their first ones."""
    return len(array) > 0 and bool(np.isnan(array[:FEW]).all() and np.isnan(array).all())


def kind_of_objects(array: np.ndarray) -> str:
    import datetime
    import numbers
    from decimal import Decimal

    known = [value for value in array.tolist() if not is_missing(value)]
    for kind, types in (
        ("boolean", (bool, np.bool_)),
        ("number", (numbers.Real, Decimal)),
        ("category", (str,)),
        ("date", (datetime.date, np.datetime64)),
        (COMPLEX, (complex, np.complexfloating)),
    ):
        if known and all(isinstance(value, types) for value in known):
            return "date" if kind == "category" and all(map(ISO_DATE.fullmatch, known)) else kind
    if not known:
        return "empty"
    kinds = sorted({type(value).__name__ for value in known})
    for row, value in enumerate(array.tolist()):
        if not is_missing(value) and not isinstance(value, str | numbers.Real | Decimal):
            raise TypeError(
                f"argument must be a string or a real number, not values of type {', '.join(kinds)}, such as {value!r} "
                f"in row {row}: give the column one type"
            )
    return f"values of mixed types: {', '.join(kinds)}"


def all_dates(values: nw.Series[Any]) -> bool:
    """Whether text holds dates; the first value decides against it at once, each of the others can."""
    first = next((value for value in values.head(100).to_list() if value is not None), "")
    if not ISO_DATE.fullmatch(str(first)):
        return False
    return all(value is None or ISO_DATE.fullmatch(value) for value in values.to_list())


def numbers_the_rows(name: str, values: np.ndarray) -> bool:
    """Whole numbers, all different, that count from 0 or 1 without a gap or are called an identifier."""
    first = values[:FEW]
    if (np.floor(first) < first).any():  # most columns of numbers are told by their first ones
        return False
    known = values[np.isfinite(values)]
    if len(known) < max(FEW, 0.5 * len(values)) or (known != np.floor(known)).any():
        return False
    counting = known.min() in (0.0, 1.0) and known.max() - known.min() == len(known) - 1
    return bool((counting or called_identifier(name)) and len(np.unique(known)) == len(known))


def called_identifier(name: str) -> bool:
    return bool(ID_NAME.search(name) or CAMEL_ID.search(name))


def too_many(name: str, values: Any, max_levels: int) -> str:
    """Why a column of text cannot be coded by levels; nothing if it can."""
    levels, codes = levels_of(values[:LOOKED_AT])
    known = int((codes >= 0).sum())
    if len(levels) <= max_levels and not (called_identifier(name) and known >= FEW and len(levels) == known):
        return ""
    if len(levels) >= UNIQUE * known:
        words = sum(" " in level.strip() for level in levels[:1000]) / len(levels[:1000])
        if words > 0.5:
            return f"free text: {len(levels)} different values in {known} rows"
        return f"{IDENTIFIER}: {len(levels)} different values in {known} rows"
    if all(looks_like_number(level) for level in levels[:1000]):
        return f"{len(levels)} numbers written as text: convert the column to numbers"
    return level_limit(len(levels), max_levels)


def level_limit(levels: int, max_levels: int) -> str:
    return f"{levels} levels, more than max_levels = {max_levels}"


def looks_like_number(text: str) -> bool:
    return bool(re.fullmatch(r"\s*[-+]?\d+([.,]\d+)?\s*", text))


def median(values: np.ndarray) -> float:
    """np.median of finite numbers, which takes twice the time for a few thousand of them."""
    half = len(values) // 2
    places = (half,) if len(values) % 2 else (half - 1, half)
    return float(np.partition(values, places)[places[0] : half + 1].mean())


def origin_of(values: np.ndarray) -> float:
    """Zero, unless the values lie far from it: then a round number near them, so that 0 for missing is not far away.

    >>> origin_of(np.array([3.0, 5.0])), origin_of(np.array([1e9, 1e9 + 2.0, 1e9 + 4.0]))
    (0.0, 1000000002.0)
    """
    known = values[:: max(len(values) // MIDDLE, 1)]  # near enough, whatever the order of the rows
    known = known[np.isfinite(known)]
    if not len(known):
        return 0.0
    middle = median(known)
    away = np.abs(known - middle)
    spread = median(away) or float(away.max())
    if abs(middle) <= FAR * spread or (spread == 0.0 and middle == 0.0):
        return 0.0
    unit = 2.0 ** np.ceil(np.log2(spread)) if spread > 0.0 else abs(middle)
    origin = float(np.round(middle / unit) * unit)
    return origin if np.isfinite(origin) else 0.0
