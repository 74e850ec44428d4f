"""Place: where rows lie that are far from zero, so that a network learns them as it would near zero.

Only columns whose mean is more than a thousand deviations from zero are moved, by a power of two's multiple. Those of
extreme size, such as times in nanoseconds, are moved to about zero and scaled to about one deviation, by a power of
two. Other rows are learnt as they are, bit by bit. Weights are told for the rows as they came; the intercepts, which
lose digits there, are kept as they are inside too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from ...linear_map import FAR
from ...ordered_rows import Spread, exponents, floating, moved, spread_of

EXTREME = 2.0**40  # of a value, or one over it: weights begin near one, and slopes have the size of the columns
OFFSET, EXPONENT, TARGET, FIRST, LAST = "offset", "exponent", "target", "first", "last"
Place = dict[str, np.ndarray]


def place_of(X: Any, y: np.ndarray | None) -> Place | None:
    """The place of rows, and of targets that are numbers; none where both are near zero."""
    targets = None if y is None else spread_of(np.ascontiguousarray(y.reshape(len(y), -1), dtype=float))
    return place_at(spread_of(floating(X), EXTREME), targets, sparse.issparse(X))


def place_by(mean: np.ndarray, deviation: np.ndarray, features: int, numbers: bool) -> Place | None:
    """The same from moments of columns, and of targets after them; there are no columns where rows are sparse."""
    size = exponents(np.maximum(np.abs(mean), deviation), EXTREME)
    many = 2  # rows: of a single one the place would be itself
    if len(mean) < features:  # sparse rows stay where they are
        mean, deviation, size = (np.concatenate([np.zeros(features), v]) for v in (mean, deviation, size))
    columns, targets = slice(features), slice(features, None)
    there = Spread(mean[columns], deviation[columns], size[columns].astype(int), many)
    return place_at(there, Spread(mean[targets], deviation[targets], size[targets], many) if numbers else None)


def place_at(rows: Spread, targets: Spread | None, sparse_rows: bool = False) -> Place | None:
    extreme = rows.exponent != 0
    offset, target = rows.offset(FAR), np.zeros(1) if targets is None else targets.offset(FAR)
    if not sparse_rows:  # their zeros would be lost
        offset = np.where(extreme, rows.offset(0.0), offset)
    unit = np.rint(np.log2(np.where(extreme & (rows.deviation > 0), rows.deviation, 1.0))).astype(int)
    exponent = np.where(unit != 0, unit, rows.exponent)
    if not (offset.any() or exponent.any() or target.any()):
        return None
    return {OFFSET: offset, EXPONENT: exponent, TARGET: target}


def moved_rows(place: Place | None, X: Any) -> Any:
    """Rows as the network sees them: floats."""
    X = floating(X)
    return X if place is None else moved(X, place[OFFSET], place[EXPONENT])


def outside(place: Place, coefs: list[Any], intercepts: list[Any]) -> Place:
    """Make weights those of the rows as they came, in place; and the place with the intercepts as they were."""
    place = place | {FIRST: intercepts[0].copy(), LAST: intercepts[-1].copy()}
    dtype = coefs[0].dtype
    W = np.ldexp(coefs[0].astype(np.float64), -place[EXPONENT][:, None])
    intercepts[0] = (intercepts[0] - place[OFFSET] @ W).astype(dtype)
    intercepts[-1] = (intercepts[-1] + place[TARGET]).astype(dtype)
    coefs[0] = W.astype(dtype)
    return place


def inside(place: Place | None, coefs: list[Any], intercepts: list[Any]) -> tuple[list[Any], list[Any]]:
    """Weights as they are where the rows were moved to."""
    if place is None:
        return coefs, intercepts
    coefs, intercepts = list(coefs), list(intercepts)
    coefs[0] = np.ldexp(np.asarray(coefs[0], dtype=np.float64), place[EXPONENT][:, None])
    intercepts[0], intercepts[-1] = place[FIRST], place[LAST]
    return coefs, intercepts
