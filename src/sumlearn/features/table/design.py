"""Design: the matrix from coded columns to features, learnt from the sums alone.

    x = A'z + c

Missing numbers are filled with the mean of those observed, numbers and dates are brought to mean zero and unit
variance, rare levels become one, the most frequent level is the one that the others are compared with.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csc_array, dok_array

from ...data.column_values import CellError, month_of, weekday_of
from ...data.mixed import MixedRows
from ...data.schema import LEFT_OUT, LEVELS, NUMERIC, Column, Schema
from ...statistics import Moments, RowError
from .codes import Part, levels_in
from .notes import SHARED_FLAG, Note
from .sums import ABSENT, TableSums

UNKNOWN = ("prior", "error")
SAME = 1e-9  # of the whole weight: by so much may sums differ that are the same


@dataclass
class Feature:
    """A column of the design: which coded parts it is made of, and its constant."""

    name: str
    column: str
    kind: str  # "value", "level", "missing"
    rows: dict[Part, float] = field(default_factory=dict)
    constant: float = 0.0


class Design:
    """The map of a table to features, from its sums.

    `rare` is the weight (or, below 1, the share) that a level, or the flag of missing values, must have to become a
    feature of its own; rare levels are pooled. `scale` brings numbers and dates to mean zero and unit variance.
    """

    def __init__(self, sums: TableSums, rare: float, scale: bool, handle_unknown: str) -> None:
        self.schema: Schema = sums.schema
        self.handle_unknown = handle_unknown
        self.notes: list[Note] = []
        overall = sums.overall()
        self.weight = overall.weight
        self.limit = rare_weight(rare, self.weight) * (1 - SAME)
        self.mean = dict(zip(sums.parts, overall.mean.tolist(), strict=False))
        self.level_names = levels_in(sums.parts)
        self.levels = {name: ["=" + level for level in levels] for name, levels in self.level_names.items()}
        self.scales: dict[str, tuple[float, float]] = {}  # by feature: what is taken off, what it is divided by
        features: list[Feature] = []
        for column in sums.schema.columns:
            features += self.features_of(column)
        self.features = self.varying(features, sums, overall, scale)
        if not self.features:  # nothing varies: a column of zeros, so that the mean or the prior is learnt
            self.features = [Feature("nothing", "", "value")]
        self.places: dict[str, list[int]] = {}
        for j, feature in enumerate(self.features):
            self.places.setdefault(feature.column, []).append(j)

    # -- what the columns become ------------------------------------------------------------------------------------

    def features_of(self, column: Column) -> list[Feature]:
        if column.kind == LEFT_OUT:
            self.note(column.name, "left out", column.reason, code=column.code)
            return []
        if column.kind == "empty" or self.share(column.name, "missing") >= 1 - ABSENT:
            self.note(column.name, "left out", "no values")
            return []
        return self.numbers(column) if column.kind in NUMERIC else self.categories(column)

    def numbers(self, column: Column) -> list[Feature]:
        """value + mean * missing, and the flag."""
        name, missing = column.name, self.share(column.name, "missing")
        parts = ("value", "month", "weekday") if column.kind == "date" else ("value",)
        found = []
        for part in parts:
            fill = self.share(name, part) / (1 - missing)
            title = name if part == "value" else f"{name}: {part}"
            origin = column.origin if part == "value" else 0.0
            found.append(Feature(title, name, "value", {(name, part): 1.0, (name, "missing"): fill}, origin))
        if missing > ABSENT:
            level = found[0].rows[name, "missing"] + column.origin
            shown = str(np.datetime64(round(level), "D")) if column.kind == "date" else f"{level:.6g}"
            self.note(name, "filled", f"missing values are replaced by the mean, {shown}", missing)
        return found + self.missing_flag(name, missing)

    def categories(self, column: Column) -> list[Feature]:
        """Flags of the levels but the most frequent; rare ones pooled; what is neither gets the mean of the flags."""
        name = column.name
        shares = {part: self.share(name, part) for part in sorted(self.levels.get(name, []))}
        shares = {part: share for part, share in shares.items() if share > ABSENT}
        groups = {part: [part] for part, share in shares.items() if share * self.weight >= self.limit}
        rare = [part for part in shares if part not in groups]
        pooled = sum(shares[part] for part in rare)
        if rare and pooled * self.weight >= self.limit:
            groups["other"] = rare
            self.note(name, "pooled", f"{len(rare)} levels of weight below {self.limit:g} become one", pooled)
        elif rare:
            self.note(name, "rare", f"{len(rare)} levels of weight below {self.limit:g} count as unknown", pooled)
        sizes = {group: sum(shares[part] for part in members) for group, members in groups.items()}
        missing = self.share(name, "missing")
        flag = self.missing_flag(name, missing)
        if not sizes:
            return flag
        most = max(sizes.values())
        reference = next(group for group, size in sizes.items() if size >= most * (1 - SAME))
        total = sum(sizes.values())
        found = []
        for group, size in sizes.items():
            if group != reference:
                rows = {(name, part): 1.0 for part in groups[group]}
                average = {(name, part): size / total for part in [*(rare if "other" not in groups else []), "unknown"]}
                if not flag:
                    average[name, "missing"] = size / total
                title = f"{name}: other" if group == "other" else f"{name}{group}"
                found.append(Feature(title, name, "level", rows | average))
        if missing > ABSENT and not flag:
            self.note(name, "filled", "missing values count as unknown", missing)
        return found + flag

    def missing_flag(self, name: str, missing: float) -> list[Feature]:
        enough = missing > ABSENT and missing * self.weight >= self.limit
        return [Feature(f"{name}: missing", name, "missing", {(name, "missing"): 1.0})] if enough else []

    def varying(self, features: list[Feature], sums: TableSums, overall: Moments, scale: bool) -> list[Feature]:
        """The features that vary, numbers scaled; a flag that says what an earlier one says is left out."""
        flat, deviation, twins = self.spreads(features, sums.parts, overall)
        kept = []
        for j, feature in enumerate(features):
            if j in twins:
                first = features[twins[j]].column
                self.note(feature.column, "left out", f"missing where {first!r} is", code=SHARED_FLAG)
            elif flat[j]:
                self.note(feature.column, "constant", f"{feature.name!r} has one value only")
            else:
                if scale and feature.kind == "value" and self.schema[feature.column].kind != "boolean":
                    self.standardise(feature, float(deviation[j]))
                kept.append(feature)
        return kept

    def spreads(
        self, features: list[Feature], parts: tuple[Part, ...], overall: Moments
    ) -> tuple[np.ndarray, np.ndarray, dict[int, int]]:
        """Which features do not vary, their deviations, and flags that say what an earlier one says."""
        self.features = features
        moments = overall.recode(*self.matrix(parts))
        n = len(features)
        flat = moments.diagonal[:n] <= moments.rounding[:n]
        return flat, moments.deviation[:n], twin_flags(features, moments)

    def standardise(self, feature: Feature, deviation: float) -> None:
        """(x - mean) / deviation, where the mean of the filled column is its fill."""
        centre = feature.constant + feature.rows[feature.column, "missing"]
        self.scales[feature.name] = (centre, deviation)
        feature.constant = -feature.rows[feature.column, "missing"] / deviation
        feature.rows = {part: value / deviation for part, value in feature.rows.items()}

    def share(self, column: str, part: str) -> float:
        return float(self.mean.get((column, part), 0.0))

    def note(self, column: str, what: str, why: str, share: float = 1.0, code: str = "") -> None:
        self.notes.append(Note(column, what, why, round(share * self.weight, 6), code))

    # -- using it -----------------------------------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        return [feature.name for feature in self.features]

    def matrix(self, parts: tuple[Part, ...]) -> tuple[csc_array, np.ndarray]:
        """A and c for those coded columns."""
        place = {part: i for i, part in enumerate(parts)}
        A = dok_array((len(parts), len(self.features)))
        for j, feature in enumerate(self.features):
            for part, value in feature.rows.items():
                if part in place:
                    A[place[part], j] = value
        return A.tocsc(), np.array([feature.constant for feature in self.features])

    def apply(self, sums: TableSums) -> Any:
        """The sums of the features."""
        return sums.sums.recode(*self.matrix(sums.parts))

    def rows(self, rows: MixedRows) -> np.ndarray:
        """The features of the rows of a table, A'z + c."""
        rows = rows.read_as(self.schema)
        X = np.empty((len(self.features), len(rows))).T
        X[:] = [feature.constant for feature in self.features]
        for place, column in enumerate(self.schema.columns):
            mine = self.places.get(column.name, [])
            if mine and column.kind in LEVELS:
                self.add_levels(X, mine, column, rows, place)
            elif mine:
                self.add_values(X, mine, column, rows, place)
        return X

    def add_values(self, X: np.ndarray, mine: list[int], column: Column, rows: MixedRows, place: int) -> None:
        name, found = column.name, rows.numbers(column.name)
        if np.isinf(found).any():
            raise RowError("X", int(np.argmax(np.isinf(found))), place, np.inf)
        missing = np.isnan(found)
        known = np.where(missing, column.origin, found) if missing.any() else found
        derived = {"value": lambda: known - column.origin, "month": lambda: month_of(known)}
        derived |= {"weekday": lambda: weekday_of(known), "missing": lambda: missing}
        for j in mine:
            for part, factor in self.features[j].rows.items():
                if part != (name, "missing") or missing.any():
                    z = derived[part[1]]()
                    X[:, j] += factor * (np.where(missing, 0.0, z) if part[1] in ("month", "weekday") else z)

    def add_levels(self, X: np.ndarray, mine: list[int], column: Column, rows: MixedRows, place: int) -> None:
        levels, codes = rows.levels(column.name)
        known = {part for part in self.levels.get(column.name, []) if self.share(column.name, part) > ABSENT}
        parts = ["=" + level if "=" + level in known else "unknown" for level in levels]
        if "unknown" in parts and self.handle_unknown == "error":
            level = parts.index("unknown")
            text = f"{levels[level]!r} was not among the levels at the fit; handle_unknown='prior' would allow it"
            raise CellError(int(np.argmax(codes == level)), place, text)
        flags = [(column.name, part) for part in [*parts, "missing"]]
        values = np.array([[self.features[j].rows.get(flag, 0.0) for j in mine] for flag in flags])
        X[:, mine] += values[codes]  # -1 is the last row, missing


def checked_unknown(handle_unknown: Any) -> str:
    """What becomes of levels that were not there at the fit."""
    if handle_unknown not in UNKNOWN:
        raise ValueError(f"handle_unknown must be one of {', '.join(UNKNOWN)}, got {handle_unknown!r}")
    return str(handle_unknown)


def rare_weight(rare: Any, weight: float) -> float:
    """The weight that a level must have."""
    if isinstance(rare, bool) or not isinstance(rare, int | float | np.integer | np.floating) or not rare >= 0:
        raise ValueError(f"rare must be a number of rows, or a share below 1, and not negative; got {rare!r}")
    return float(rare) * weight if rare < 1 else float(rare)


def twin_flags(features: list[Feature], moments: Moments) -> dict[int, int]:
    """Flags of missing values that are equal in all rows to an earlier one, and to which."""
    flags = [j for j, feature in enumerate(features) if feature.kind == "missing"]
    if moments.form != "full" or len(flags) < 2:
        return {}
    among = moments.restrict(flags)
    S, diagonal, found = among.spread.hi, among.diagonal, {}
    for b, j in enumerate(flags):
        for a, i in enumerate(flags[:b]):
            # flags that differ in rows of weight w have |S_ii + S_jj - 2 S_ij| >= w (1 - w / W)
            if i not in found and diagonal[a] + diagonal[b] - 2 * S[a, b] <= SAME * (diagonal[a] + diagonal[b]):
                found[j] = i
                break
    return found
