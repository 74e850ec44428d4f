"""Groups of rows: every combination of the levels of some columns is a key, numbered in the order it was met."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from ...data.names import nearest

KINDS = {str: "text", int: "whole numbers", bool: "truth values"}


class Keys:
    """The keys of a cube: `combos[k]` holds one level for each column of `by`.

    >>> keys = Keys(("shop", "day")).joined([("A", 1), ("B", 1), ("B", 2)])
    >>> keys.chosen({"day": 1}).tolist(), keys.chosen({"shop": ["B"], "day": [1, 2]}).tolist()
    ([0, 1], [1, 2])
    """

    def __init__(self, by: Sequence[str], combos: Sequence[tuple[Any, ...]] = ()) -> None:
        self.by, self.combos = tuple(by), list(combos)
        self.number = {combo: k for k, combo in enumerate(self.combos)}

    def __len__(self) -> int:
        return len(self.combos)

    def joined(self, combos: Iterable[tuple[Any, ...]]) -> Keys:
        """These keys and the new ones of others behind them, in the order of their levels."""
        come = list(combos)
        for place, name in enumerate(self.by):
            kinds = {type(combo[place]) for combo in [*self.combos[:1], *come]}  # True is 1 for a dictionary
            if len(kinds) > 1:
                what = " and ".join(sorted(KINDS[kind] for kind in kinds))
                raise ValueError(f"column {name!r} holds {what}: one kind of level for all rows, please")
        new = sorted({combo for combo in come if combo not in self.number})
        return Keys(self.by, [*self.combos, *new]) if new else self

    def levels(self, name: str) -> list[Any]:
        """The levels of a column, sorted."""
        place = self.place(name)
        return sorted({combo[place] for combo in self.combos})

    def place(self, name: str) -> int:
        if name not in self.by:
            raise ValueError(f"no key {name!r}{nearest(name, list(self.by))}; the keys are {list(self.by) or 'none'}")
        return self.by.index(name)

    def chosen(self, wanted: Mapping[str, Any] | None) -> np.ndarray:
        """Numbers of the keys whose levels are among those wanted; all of them where nothing is said of a column."""
        if wanted is None:
            return np.arange(len(self))
        if not isinstance(wanted, Mapping):
            raise TypeError(f'groups are named by column, such as {{"shop": ["A", "B"]}}, got {wanted!r}')
        found = np.arange(len(self))
        for name, levels in wanted.items():
            known = self.index[self.place(name)]
            several = isinstance(levels, list | tuple | set | frozenset | np.ndarray)
            asked = [plain_level(level) for level in levels] if several else [plain_level(levels)]
            if not asked:
                raise ValueError(f"no level of {name!r} is asked for: leave the column out for all of them")
            for level in asked:
                if (type(level), level) not in known:
                    raise ValueError(f"no rows with {name} = {level!r}{some_of(self.levels(name))}")
            numbers = np.concatenate([known[type(level), level] for level in dict.fromkeys(asked)])
            found = np.sort(numbers) if len(found) == len(self) else np.intersect1d(found, numbers)
        if not len(found):
            raise ValueError(f"no rows with {', '.join(f'{name} = {levels!r}' for name, levels in wanted.items())}")
        return found

    @cached_property
    def index(self) -> list[dict[Any, np.ndarray]]:
        """For each column: which keys have a level. The kind goes with it, since True is 1 for a dictionary."""
        found: list[dict[Any, list[int]]] = [{} for _ in self.by]
        for number, combo in enumerate(self.combos):
            for own, level in zip(found, combo, strict=True):
                own.setdefault((type(level), level), []).append(number)
        return [{level: np.array(numbers) for level, numbers in own.items()} for own in found]


def some_of(levels: list[Any]) -> str:
    more = ", ..." if len(levels) > 10 else ""
    return f"; there are {', '.join(map(repr, levels[:10]))}{more}"


def plain_level(level: Any) -> Any:
    return level.item() if isinstance(level, np.generic) else level


def combos_of(columns: Sequence[Any], names: Sequence[str], rows: int) -> tuple[list[tuple[Any, ...]], np.ndarray]:
    """The different combinations of levels in some columns, and which of them every row has."""
    codes, levels = np.zeros(rows, np.int64), [()]
    for column, name in zip(columns, names, strict=True):
        series = column if isinstance(column, nw.Series) else nw.from_native(column, series_only=True)
        found, own = levels_of(series, name)
        if len(names) == 1:
            return [(level,) for level in found], own
        joint = codes * len(found) + own
        kept, codes = np.unique(joint, return_inverse=True)
        levels = [(*levels[k // len(found)], found[k % len(found)]) for k in kept.tolist()]
    return levels, codes


def levels_of(series: nw.Series[Any], name: str) -> tuple[list[Any], np.ndarray]:
    """The levels of a column and the place of every row's among them; a missing one is refused by its row."""
    kind = series.dtype
    gaps = series.is_null().to_numpy()
    if not gaps.any() and kind.is_float():
        gaps = np.isnan(series.to_numpy())
    if gaps.any():
        raise ValueError(
            f"the key in column {name!r} is missing, first at row {int(gaps.argmax())}: fill it with a level of its own"
        )
    if kind.is_float() or kind.is_temporal():
        raise ValueError(f"column {name!r} holds {kind}: keys are texts, whole numbers, truth values or categories")
    if kind.is_integer() or kind == nw.Boolean:
        values = series.to_numpy()
        if kind.is_integer() and len(values) and int(values.max()) - int(values.min()) <= 2 * len(values):
            least = int(values.min())  # counted: rows need no sorting
            places = (values - values.min() if values.dtype.kind == "u" else values.astype(np.int64) - least).astype(
                int
            )
            there = np.bincount(places) > 0
            return [least + place for place in np.flatnonzero(there).tolist()], (np.cumsum(there) - 1)[places]
        found, own = np.unique(values, return_inverse=True)
        return found.tolist(), own
    return text_levels(series, name)


def text_levels(series: nw.Series[Any], name: str) -> tuple[list[Any], np.ndarray]:
    """The same for texts and categories: pandas finds them fastest where it is there, without sorting rows."""
    try:
        import pandas as pd
    except ImportError:
        values = np.asarray(series.to_list(), dtype=object)
        place: dict[Any, int] = {}
        own = np.fromiter((place.setdefault(value, len(place)) for value in values), np.int64, len(values))
        found = list(place)
    else:
        native = series.to_native()
        own, values = pd.factorize(native if isinstance(native, pd.Series) else pd.Series(series.to_numpy()))
        found = [plain_level(value) for value in values.tolist()]
    for level in found:
        if type(level) not in KINDS:
            raise ValueError(
                f"column {name!r} holds {level!r}: keys are texts, whole numbers, truth values or categories"
            )
    if len({type(level) for level in found}) > 1:
        raise ValueError(f"column {name!r} holds levels of different kinds: one kind for all rows, please")
    return found, np.asarray(own, dtype=np.int64)


def parted(item: Any) -> tuple[Any, Any]:
    """The window and the groups in the brackets of a cube."""
    if isinstance(item, tuple):
        if len(item) != 2 or isinstance(item[0], Mapping) or not isinstance(item[1], Mapping):
            raise TypeError(
                f'in the brackets stand a window and groups, such as cube["2026-03":, {{"shop": "A"}}], got {item!r}'
            )
        return item
    return (slice(None), item) if isinstance(item, Mapping) else (item, None)
