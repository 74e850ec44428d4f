"""Place: where rows lie that are far from zero, so that a network learns them as it would near zero.

Only columns whose mean is more than a thousand deviations from zero are moved, by a power of two's multiple. Those of
extreme size, such as times in nanoseconds, are moved to about zero and scaled to about one deviation, by a power of
two; so are targets of extreme size, and all of them where the learner is told to scale its target. Other rows are
learnt as they are, bit by bit. Weights are told for the rows as they came; the intercepts, which lose digits there, are
kept as they are inside too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from ...linear_map import FAR
from ...ordered_rows import Spread, exponents, floating, moved, spread_of

EXTREME = 2.0**40  # of a value, or one over it: weights begin near one, and slopes have the size of the columns
OFFSET, EXPONENT, TARGET, UNIT, FIRST, LAST = "offset", "exponent", "target", "unit", "first", "last"
SINGLE = 64  # exponents of targets up to which weights may stay in single precision
Place = dict[str, np.ndarray]


def place_of(X: Any, y: np.ndarray | None, scaled: bool = False) -> Place | None:
    """The place of rows, and of targets that are numbers; none where both are learnt as they are."""
    targets = None if y is None else spread_of(np.ascontiguousarray(y.reshape(len(y), -1), dtype=float), EXTREME)
    return place_at(spread_of(floating(X), EXTREME), targets, scaled, sparse.issparse(X))


def place_by(mean: np.ndarray, deviation: np.ndarray, features: int, numbers: bool, scaled: bool) -> Place | None:
    """The same from moments of columns, and of targets after them; there are no columns where rows are sparse."""
    size = exponents(np.maximum(np.abs(mean), deviation), EXTREME)
    many = 2  # rows: of a single one the place would be itself
    if len(mean) < features:  # sparse rows stay where they are
        mean, deviation, size = (np.concatenate([np.zeros(features), v]) for v in (mean, deviation, size))
    rows, targets = (
        Spread(mean[part], deviation[part], size[part].astype(int), many)
        for part in (slice(features), slice(features, None))
    )
    return place_at(rows, targets if numbers else None, scaled)


def place_at(rows: Spread, targets: Spread | None, scaled: bool, sparse_rows: bool = False) -> Place | None:
    offset, exponent = about_zero(rows, rows.exponent != 0)
    if sparse_rows:  # their zeros would be lost
        offset = rows.offset(FAR)
    target, unit = np.zeros(1), np.zeros(1, dtype=int)
    if targets is not None:
        target, unit = about_zero(targets, (targets.exponent != 0) | scaled)
    if not any(part.any() for part in (offset, exponent, target, unit)):
        return None
    return {OFFSET: offset, EXPONENT: exponent, TARGET: target, UNIT: unit}


def about_zero(there: Spread, in_deviations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is taken off every column, and the power of two it is divided by: about a deviation, of those of which that
    is said; else nothing, unless it is far from zero."""
    offset = np.where(in_deviations, there.offset(0.0), there.offset(FAR))
    known = in_deviations & (there.deviation > 0)
    unit = np.rint(np.log2(np.where(known, there.deviation, 1.0))).astype(int)
    return offset, np.where(known, unit, there.exponent)


def moved_rows(place: Place | None, X: Any) -> Any:
    """Rows as the network sees them: floats."""
    X = floating(X)
    return X if place is None else moved(X, place[OFFSET], place[EXPONENT])


def coded_targets(place: Place | None, y: np.ndarray) -> np.ndarray:
    """Targets as the network learns them."""
    if place is None:
        return y
    return np.ldexp(y - place[TARGET], -target_unit(place))


def lifted_targets(place: Place, said: np.ndarray) -> np.ndarray:
    """Targets from what the network says."""
    return np.ldexp(said.astype(np.float64), target_unit(place)) + place[TARGET]


def target_unit(place: Place) -> np.ndarray:
    """Exponents of the units of the targets; files of before have none."""
    return place.get(UNIT, np.zeros(1, dtype=int))


def outside(place: Place, coefs: list[Any], intercepts: list[Any]) -> Place:
    """Make weights those of the rows as they came, in place; and the place with the intercepts as they were."""
    place = place | {FIRST: intercepts[0].copy(), LAST: intercepts[-1].copy()}
    dtypes, unit = [W.dtype for W in coefs], target_unit(place)
    if np.abs(unit).max() > SINGLE:
        dtypes[-1] = np.dtype(np.float64)
    coefs[-1] = np.ldexp(coefs[-1].astype(np.float64), unit)
    intercepts[-1] = np.ldexp(intercepts[-1].astype(np.float64), unit) + place[TARGET]
    coefs[0] = np.ldexp(coefs[0].astype(np.float64), -place[EXPONENT][:, None])
    intercepts[0] = intercepts[0] - place[OFFSET] @ coefs[0]
    for layer in (0, -1):
        coefs[layer], intercepts[layer] = coefs[layer].astype(dtypes[layer]), intercepts[layer].astype(dtypes[layer])
    return place


def inside(place: Place | None, coefs: list[Any], intercepts: list[Any]) -> tuple[list[Any], list[Any]]:
    """Weights as they are where the rows were moved to."""
    if place is None:
        return coefs, intercepts
    coefs, intercepts = list(coefs), list(intercepts)
    coefs[0] = np.ldexp(np.asarray(coefs[0], dtype=np.float64), place[EXPONENT][:, None])
    coefs[-1] = np.ldexp(np.asarray(coefs[-1], dtype=np.float64), -target_unit(place))
    intercepts[0], intercepts[-1] = place[FIRST], place[LAST]
    return coefs, intercepts
