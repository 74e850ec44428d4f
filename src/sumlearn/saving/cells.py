"""What sums tell of few rows: how many rows have a level, two levels, or a level and a class.

A flag z of 0 and 1 has its rows in the sums: n = W m, and of two of them n_jk = W m_j m_k + S_jk. Where n is one, the
products of the flag with all other columns are that row. So what is counted here is what anybody who holds the sums can
count; of numbers that are no flags the sums tell less, and nothing is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np

from ..data.schema import LEVELS
from ..features.table.sums import TableSums
from ..statistics import ClassTotals, Counts, Grouped, LevelCounts, Moments, Pooled, Statistic, in_words

Atom = tuple[str, str]  # a column, and what is the case with it: "=level", "missing", "present"
Combinations = dict[Atom, tuple[dict[int, float], float]]  # of columns: factors, and a constant
POOLED = "=(pooled)"  # the level that rare ones become
TARGET = "the target"
EVERY = ""  # in place of a class: the rows of all
FEW = 30  # rows with an amount, where all others have none; and a tenth of all
ALIKE = 1e-9  # by so much may a sum of squares of flags differ from the sum of them


class Indicators(NamedTuple):
    """Flags as combinations of the columns of some moments: A'z + c."""

    atoms: tuple[Atom, ...]
    A: np.ndarray
    c: np.ndarray


@dataclass
class Cells:
    """Rows of every flag and every pair of flags, for each class and for all of them."""

    rows: int
    weight: float
    columns: int
    atoms: tuple[Atom, ...] = ()
    sizes: dict[str, float] = field(default_factory=dict)  # of the classes
    counts: dict[str, np.ndarray] = field(default_factory=dict)
    pairs: dict[str, np.ndarray] = field(default_factory=dict)


def cells_of(statistic: Statistic, names: Any = None, pooled: Mapping[str, set[str]] | None = None) -> Cells | None:
    """The cells of a sum; None where there is nothing of the kind to count. `pooled` are levels that count as one."""
    statistic = in_words(statistic)
    if isinstance(statistic, TableSums):
        overall = statistic.overall()
        return counted(in_words(statistic.sums), overall, table_indicators(statistic, overall, pooled or {}))
    if isinstance(statistic, Moments | Grouped | Pooled):
        whole = moments_of(statistic)
        return None if whole is None else counted(statistic, whole, indicators(whole, names))
    if isinstance(statistic, Counts):
        atoms = tuple(("", str(cell)) for cell in np.ndindex(statistic.table.shape))
        return Cells(statistic.rows, statistic.weight, 0, atoms, {}, {EVERY: statistic.table.ravel()})
    if isinstance(statistic, LevelCounts):
        atoms = tuple((str(j), f"={v:g}") for j, v in zip(statistic.column, statistic.values, strict=True))
        counts = dict(zip(map(str, statistic.labels), statistic.table.T, strict=True))
        sizes = dict(zip(map(str, statistic.labels), statistic.classes, strict=True))
        pairs = {} if statistic.pairs is None else {EVERY: statistic.pairs}
        return Cells(statistic.rows, statistic.weight, 0, atoms, sizes, counts, pairs)
    if isinstance(statistic, ClassTotals):  # of counts: no more rows have a column than its sum
        atoms = tuple((str(j), "present") for j in range(statistic.features))
        labels = [f"={label}" for label in statistic.labels]
        sizes = dict(zip(labels, statistic.classes, strict=True))
        return Cells(statistic.rows, statistic.weight, 0, atoms, sizes, dict(zip(labels, statistic.sums, strict=True)))
    return None


def moments_of(statistic: Any) -> Moments | None:
    """Moments of all classes together, where it is moments that the groups hold, themselves or by class again."""
    if isinstance(statistic, Moments):
        return statistic
    groups = statistic.groups if isinstance(statistic, Pooled) else statistic
    parts = list(groups.groups.values()) if isinstance(groups, Grouped) else []
    if parts and all(isinstance(part, Moments) for part in parts):
        return statistic.moments()
    inner = [moments_of(in_words(part)) for part in parts]
    found = [part for part in inner if part is not None]
    return sum(found[1:], found[0]) if found and len(found) == len(parts) else None


def counted(sums: Any, overall: Moments, flags: Indicators) -> Cells:
    cells = Cells(overall.rows, overall.weight, overall.columns, flags.atoms)
    groups = sums.groups if isinstance(sums, Grouped) else sums.groups.groups if isinstance(sums, Pooled) else {}
    by_class = [(f"={label}", moments_of(in_words(part)) or overall) for label, part in groups.items()]
    for label, part in [(EVERY, overall), *by_class]:
        mean = flags.A.T @ part.mean + flags.c
        cells.counts[label] = part.weight * mean
        if label != EVERY:
            cells.sizes[label] = part.weight
        if part.form == "full":
            cells.pairs[label] = part.weight * np.outer(mean, mean) + flags.A.T @ part.scatter @ flags.A
    return cells


def indicators(overall: Moments, names: Any = None) -> Indicators:
    """Columns of two values, whose rows follow from their sums."""
    names = [f"column {j}" if names is None or j >= len(names) else str(names[j]) for j in range(overall.columns)]
    names[overall.features :] = [TARGET for _ in range(overall.targets)]
    found: Combinations = {}
    for j, name in enumerate(names):
        found |= two_values(overall, name, j)
    return combined(found, overall.columns)


def two_values(moments: Moments, name: str, j: int, missing: int | None = None, origin: float = 0.0) -> Combinations:
    """Flags z = (x - a) / s of a column that holds nothing but a and a + s.

    These are neighbouring whole numbers, -1 and 1, or zero and a number that few rows have.

    Such a z has sum z^2 = sum z, and little else has. Where a cell is missing x is zero, and there is a flag for that.
    """
    gap = 0.0 if missing is None else float(moments.mean[missing])
    centre = origin + float(moments.mean[j]) / (1.0 - gap) if gap < 1.0 else 0.0
    if not abs(centre) < 2.0**52:
        return {}
    for low, step in ((float(np.floor(centre)), 1.0), (-1.0, 2.0), *zero_and(moments, j, missing, origin)):
        rows, shift, first, second = flag_sums(moments, j, missing, origin, low, step)
        if abs(second - first) <= ALIKE * max(second, 1.0) and first > -0.5:
            rest = {k: -factor for k, factor in rows.items()}
            if missing is not None:
                rest[missing] -= 1.0
            return {(name, f"={low + step:g}"): (rows, -shift), (name, f"={low:g}"): (rest, 1.0 + shift)}
    return {}


def flag_sums(
    moments: Moments, j: int, missing: int | None, origin: float, low: float, step: float
) -> tuple[dict[int, float], float, float, float]:
    """z = (x - low) / step as factors of columns less a number; the sums of z and of its square."""
    shift = (low - origin) / step
    rows = {j: 1.0 / step} | ({} if missing is None else {missing: shift})
    mean = sum(factor * moments.mean[k] for k, factor in rows.items()) - shift
    square = sum(a * b * product(moments, k, i) for k, a in rows.items() for i, b in rows.items())
    return rows, shift, moments.weight * mean, square + moments.weight * mean**2


def zero_and(moments: Moments, j: int, missing: int | None, origin: float) -> Iterator[tuple[float, float]]:
    """Zero and another number v that few rows have, n of them: sum x = n v and sum x^2 = n v^2 tell both.

    An amount that one person has gives the row back like a flag does. Beyond a tenth of the rows such an n is more
    likely chance: whole numbers that have a whole n are no rarity.
    """
    *_, first, second = flag_sums(moments, j, missing, origin, 0.0, 1.0)
    if not (0.0 < second < np.inf and first):
        return
    value = second / first
    n = first / value
    if abs(n - round(n)) <= ALIKE * n and 1 <= round(n) <= min(FEW, max(1.0, moments.weight / 10.0)):
        yield 0.0, value


def product(moments: Moments, j: int, k: int) -> float:
    """S_jk; of diagonal moments that of a value and its flag, which are never both there."""
    if moments.form == "full":
        return float(moments.scatter[j, k])
    return float(moments.scatter[j]) if j == k else -moments.weight * float(moments.mean[j] * moments.mean[k])


def combined(found: Combinations, columns: int) -> Indicators:
    A = np.zeros((columns, len(found)))
    for k, (rows, _) in enumerate(found.values()):
        A[list(rows), k] = list(rows.values())
    return Indicators(tuple(found), A, np.array([constant for _, constant in found.values()]))


def table_indicators(statistic: TableSums, overall: Moments, pooled: Mapping[str, set[str]]) -> Indicators:
    """Levels, missing values and columns of two values of a table, as its coded columns tell them."""
    place = {part: j for j, part in enumerate(statistic.parts)}
    found: Combinations = {}
    for column in statistic.schema.used:
        name, missing = column.name, place.get((column.name, "missing"))
        if column.kind in LEVELS:
            for level in [part for part in statistic.parts if part[0] == name]:
                rows, _ = found.setdefault((name, pooled_name(level[1], pooled.get(name, ()))), ({}, 0.0))
                rows[place[level]] = 1.0
        elif missing is not None and column.kind != "empty":
            found[name, "missing"] = {missing: 1.0}, 0.0
            found[name, "present"] = {missing: -1.0}, 1.0
        value = place.get((name, "value"))
        if value is not None:
            found |= two_values(overall, name, value, missing, column.origin)
    for j in range(overall.features, overall.columns):
        found |= two_values(overall, TARGET, j)
    return combined(found, overall.columns)


def pooled_name(level: str, pooled: Any) -> str:
    return POOLED if level in pooled else level


def parts_of(statistic: Any) -> Iterator[Any]:
    """A statistic, or the statistics of its groups, down to those whose cells can be counted.

    What else holds statistics (of powers, of strips, about places) has made columns of its own: those tell of other
    cells than are counted here, and such a statistic stays whole.
    """
    statistic = in_words(statistic)
    inner = inside(statistic)
    counted = isinstance(statistic, TableSums | Pooled | Counts | LevelCounts | ClassTotals) or moments_of(statistic)
    same_columns = isinstance(statistic, Grouped) or all(isinstance(part, Counts) for part in inner)
    if counted or not inner or not same_columns:
        yield statistic
    else:
        yield from (part for value in inner for part in parts_of(value))


def inside(statistic: Any) -> list[Any]:
    """The statistics that a statistic holds."""
    held = [getattr(statistic, item.name) for item in fields(statistic)] if is_dataclass(statistic) else []
    values = [value for item in held for value in (item.values() if isinstance(item, Mapping) else [item])]
    return [value for value in values if isinstance(value, Statistic)]


def holds_rows(statistic: Any) -> bool:
    """Whether rows are kept as such, in it or in what it holds: a statistic says so by `holds_rows`."""
    return bool(getattr(statistic, "holds_rows", False)) or any(map(holds_rows, inside(statistic)))
