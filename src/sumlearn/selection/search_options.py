"""What a search is asked for: which columns may move, which sizes count, and checks of all that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..features.input_ranges import is_number, one_of, whole_number

METHODS = ("sfs", "sbe", "pta", "gsfs", "gpta", "sffs", "sbfs", "exhaustive", "bnb", "astar")
STOPPING = ("sfs", "sbe", "pta", "gpta")  # methods that may end when a step makes nothing better
ADMISSIBLE = ("bnb", "astar")  # methods that cut off by a bound
PROVEN = ("exhaustive", *ADMISSIBLE)  # methods whose answer is the best there is


class Field(NamedTuple):
    """The units that may move, the columns that are always in, and how many units those stand for."""

    units: list[tuple[int, ...]]
    always: tuple[int, ...]
    base: int


class Sizes(NamedTuple):
    """Fewest and most units that may move in, and which numbers of features count as an answer."""

    least: int
    most: int
    wanted: list[int]


def check_parameters(search: Any) -> None:
    """Everything about a search that can be said without the data."""
    one_of(search.method, "method", METHODS)
    for name, least in (("plus", 0), ("minus", 0), ("block", 1), ("n_best", 1)):
        whole_number(getattr(search, name), name, least)
    if search.method in ("pta", "gpta") and search.plus == search.minus:
        raise ValueError(f"plus and minus must differ, else the search never ends; both are {search.plus}")
    if search.max_evaluations is not None:
        whole_number(search.max_evaluations, "max_evaluations", 1)
    if search.max_seconds is not None and not (is_number(search.max_seconds) and search.max_seconds > 0):
        raise ValueError(f"max_seconds must be a positive number or None, got {search.max_seconds!r}")
    if not is_number(search.tol) or not 0 <= search.tol < 1:
        raise ValueError(f"tol must be a number from 0 to below 1, got {search.tol!r}")
    if not is_number(search.k):
        one_of(search.k, "k", ("best", "parsimonious"))
        if search.method in ADMISSIBLE and search.prophet is None:
            raise ValueError(f"method {search.method!r} looks for the best subset of one size: k must be a number")
    one_of(search.stop, "stop", (None, "worse"))
    if search.stop is not None and (search.method not in STOPPING or is_number(search.k)):
        raise ValueError(
            f"stop='worse' ends methods {', '.join(map(repr, STOPPING))}, and k is then what they come to: 'best' or "
            f"'parsimonious'; got method={search.method!r}, k={search.k!r}"
        )
    if search.prophet is not None and search.method != "astar":
        raise ValueError(f"a prophet guides method='astar', not method={search.method!r}")


def field_of(search: Any, features: int, names: Sequence[str] | None) -> Field:
    """Units from column groups, fixed and excluded columns."""
    groups = search.column_groups
    if groups is None:
        if search.fixed is None and search.excluded is None:
            return Field([(column,) for column in range(features)], (), 0)
        groups = []
    elif isinstance(groups, Mapping):
        groups = list(groups.values())
    units: list[tuple[int, ...]] = []
    home: dict[int, int] = {}
    for number, group in enumerate(groups):
        unit = tuple(sorted(set(columns_of(group, "column_groups", features, names))))
        if not unit:
            raise ValueError(f"column_groups: group {number} has no columns")
        for column in unit:
            if column in home:
                raise ValueError(f"column_groups: column {shown(column, names)} is in two groups")
            home[column] = len(units)
        units.append(unit)
    units += [(column,) for column in range(features) if column not in home]
    units.sort()
    fixed = set(columns_of(search.fixed, "fixed", features, names))
    excluded = set(columns_of(search.excluded, "excluded", features, names))
    always: list[int] = []
    moving: list[tuple[int, ...]] = []
    base = 0
    for unit in units:
        inside, outside = fixed.intersection(unit), excluded.intersection(unit)
        if inside and outside:
            raise ValueError(
                f"column {shown(min(inside), names)} is fixed and column {shown(min(outside), names)} is excluded, "
                "but they are the same or enter together"
            )
        if inside:
            always += unit
            base += 1
        elif not outside:
            moving.append(unit)
    if not moving and not always:
        raise ValueError("excluded leaves no columns to choose from")
    return Field(moving, tuple(sorted(always)), base)


def sizes_of(search: Any, field: Field) -> Sizes:
    """Which sizes are searched and which count, in the light of what may move."""
    count = len(field.units) + field.base
    upper = count
    if search.max_features is not None:
        upper = min(whole_number(search.max_features, "max_features", max(1, field.base)), count)
    if is_number(search.k):
        k = whole_number(search.k, "k", 1)
        if not field.base <= k <= count:
            few = f"at least the {field.base} fixed ones" if k < field.base else f"at most the {count} there are"
            raise ValueError(f"k={k} features were asked for: it must be {few}")
        if search.max_features is not None and upper < k:
            raise ValueError(f"max_features={search.max_features} is below k={k}")
        most = k if search.max_features is None else upper
        return Sizes(k - field.base, most - field.base, [k])
    least = 0 if field.base else 1
    return Sizes(least, upper - field.base, list(range(least + field.base, upper + 1)))


def columns_of(given: Any, argument: str, features: int, names: Sequence[str] | None) -> Iterable[int]:
    """Numbers of columns given by name, by number or as a mask."""
    if given is None:
        return []
    given = [given] if isinstance(given, str) or is_number(given) else list(given)
    if given and all(isinstance(item, bool | np.bool_) for item in given):
        if len(given) != features:
            raise ValueError(f"{argument} is a mask of {len(given)} columns, there are {features}")
        return np.flatnonzero(given).tolist()
    numbers = []
    for item in given:
        if isinstance(item, str):
            if names is None or item not in names:
                known = list(names) if names else "unnamed"
                raise ValueError(f"{argument}: no column {item!r}; the columns are {known}")
            numbers.append(list(names).index(item))
        elif isinstance(item, int | np.integer) and not isinstance(item, bool) and 0 <= item < features:
            numbers.append(int(item))
        else:
            raise ValueError(f"{argument}: no column {item!r}; there are {features}, numbered from 0")
    return numbers


def shown(column: int, names: Sequence[str] | None) -> str:
    return str(column) if names is None else repr(str(names[column]))
