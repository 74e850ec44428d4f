"""Whether the fields of a statistic fit together, and whether their numbers can be sums of rows.

Compiled loops trust the lengths of arrays; users trust the numbers. What no rows could have left is refused: NaN and
infinity, negative weights, counts and variances, scatters that are not symmetric or contradict Cauchy and Schwarz.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..statistics import Counts, ExactMoments, Grouped, Moments, Pooled, Statistic, Words
from ..statistics.held_rows import HeldRows

LARGEST_EXPONENT = 1100  # of two: no number that a table holds is larger, and few are smaller
SECOND_WORD = 2.0**-40  # of the first, at most: it is 2^-53 of it, or some roundings of that
TINY = float(np.finfo(np.float64).tiny)  # below it numbers have fewer digits
SLACK = 1e-6  # of a correlation: rounding of sums in one word
MOST_PLACES = 400  # of 32 bits: twice what weights and products of doubles reach
MOST_COLUMNS = 200  # whose eigenvalues are looked at


def check_sound(kind: str, values: dict[str, Any]) -> None:
    """Refuse fields that no sum of rows could have left; `kind` as in ``names.py``."""
    if kind in CHECKS and not CHECKS[kind](**values):
        raise ValueError(f"the fields of a {kind} do not fit together, or are no sums of rows")


def is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def is_array(value: Any, shape: tuple[int, ...]) -> bool:
    return isinstance(value, np.ndarray) and value.shape == shape and value.dtype == np.float64


def are_places(value: Any, size: int) -> bool:
    return isinstance(value, np.ndarray) and value.shape == (size,) and value.dtype.kind == "i"


def are_exponents(value: Any, size: int) -> bool:
    """Powers of two that floating-point numbers have."""
    return are_places(value, size) and bool(((value >= -LARGEST_EXPONENT) & (value <= LARGEST_EXPONENT)).all())


def is_number(value: Any) -> bool:
    return isinstance(value, float)  # a NumPy double is one as well


def is_weight(value: Any) -> bool:
    return is_number(value) and 0.0 <= value < np.inf


def are_counts(value: Any, shape: tuple[int, ...]) -> bool:
    """Finite numbers, none below zero."""
    return is_array(value, shape) and bool(((value >= 0.0) & (value < np.inf)).all())


def are_finite(value: Any, shape: tuple[int, ...]) -> bool:
    return is_array(value, shape) and bool(np.isfinite(value).all())


def are_words(value: Any, *shapes: tuple[int, ...]) -> bool:
    """Finite numbers of two words, the second of which is rounding of the first."""
    if not isinstance(value, Words):
        return False
    if shapes:
        finite = any(are_finite(value.hi, shape) and are_finite(value.lo, shape) for shape in shapes)
    else:
        finite = all(map(is_number, value)) and bool(np.isfinite(value).all())
    return finite and bool((np.abs(value.lo) <= SECOND_WORD * np.abs(value.hi) + TINY).all())


def moments(
    count: Any,
    total: Any,
    centre: Any,
    spread: Any,
    rounding: Any,
    exponent: Any,
    targets: Any,
    weight_rounding: Any = 0.0,
) -> bool:
    p = len(rounding) if isinstance(rounding, np.ndarray) and rounding.ndim == 1 else -1
    return (
        is_count(count)
        and are_words(total)
        and total.hi >= 0.0
        and are_counts(rounding, (p,))
        and are_words(centre, (p,))
        and (holds(spread, count, p) or (are_words(spread, (p, p), (p,)) and is_scatter(spread.hi, rounding)))
        and are_exponents(exponent, p)
        and is_count(targets)
        and targets <= p
        and is_weight(weight_rounding)
    )


def exact_moments(count: Any, digits: Any, unit: Any, columns: Any, targets: Any, form: Any) -> bool:
    if not (type(count) is int and is_count(columns) and is_count(targets) and targets <= columns):
        return False
    if form not in ("full", "diagonal") or type(unit) is not int or abs(unit) > MOST_PLACES:
        return False
    size = (columns + 1) * (columns + 2) // 2 if form == "full" else 2 * columns + 1
    shape: tuple[int, ...] = ()
    if isinstance(digits, np.ndarray) and digits.dtype == np.int32:
        shape = digits.shape
    if shape[:1] != (size,) or len(shape) != 2 or shape[1] > MOST_PLACES:
        return False
    if not shape[1]:
        return unit == 0
    sums = ExactMoments(count, digits, unit, columns, targets, form)
    fits = bool(digits[:, 0].any() and digits[:, -1].any()) and sums.can_be_sums()
    return fits and is_scatter(sums.moments.spread.hi, sums.moments.rounding)


def is_scatter(S: np.ndarray, rounding: np.ndarray) -> bool:
    """Whether S can be a sum of z z', up to |error of S_ij| <= sqrt(r_i r_j): symmetric, no negative variance."""
    diagonal = S.diagonal() if S.ndim == 2 else S
    if not (diagonal >= -2.0 * rounding).all():
        return False
    if S.ndim == 1 or not len(S):
        return True
    noise = np.sqrt(rounding)
    size = np.sqrt(np.maximum(diagonal, 0.0) + rounding)
    slack = np.outer(noise, noise)
    symmetric = np.abs(S / 2 - S.T / 2) <= slack + SLACK * np.outer(size, size)
    if not symmetric.all() or not (np.abs(S) <= (1.0 + SLACK) * np.outer(size, size) + slack).all():
        return False
    if len(S) > MOST_COLUMNS:
        return True
    unit = np.where(size > 0, size, 1.0)
    least = np.linalg.eigvalsh(S / unit / unit[:, None])[0]
    return bool(least >= -SLACK * len(S) - np.sum((noise / unit) ** 2))


def holds(spread: Any, count: int, columns: int) -> bool:
    return isinstance(spread, HeldRows) and spread.values.hi.shape == (count, columns)


def held_rows(values: Any, mass: Any) -> bool:
    n, p = values.hi.shape if isinstance(values, Words) and np.ndim(values.hi) == 2 else (-1, -1)
    return are_words(values, (n, p)) and are_words(mass, (n,)) and bool((mass.hi > 0).all())


def grouped(groups: Any) -> bool:
    parts = list(groups.values()) if isinstance(groups, dict) else [None]
    if not all(isinstance(part, Statistic) and type(part) is type(parts[0]) for part in parts):
        return False
    shapes = {(part.columns, part.targets, part.form) for part in parts if isinstance(part, Moments | ExactMoments)}
    return len(shapes) <= 1


def pooled(groups: Any, within: Any) -> bool:
    return (
        isinstance(groups, Grouped)
        and isinstance(within, Moments)
        and within.form == "full"
        and all(
            isinstance(part, Moments)
            and part.columns == within.columns
            and (part.holds_rows if within.holds_rows else part.form == "diagonal")
            for part in groups.groups.values()
        )
    )


def counts(levels: Any, table: Any, count: Any, weight_rounding: Any = 0.0) -> bool:
    if not isinstance(levels, tuple) or not all(isinstance(names, tuple) for names in levels):
        return False
    of_levels = tuple(len(names) for names in levels)
    return is_count(count) and is_weight(weight_rounding) and are_counts(table, of_levels)


def level_counts(
    values: Any, starts: Any, labels: Any, table: Any, pairs: Any, edges: Any, count: Any, weight_rounding: Any = 0.0
) -> bool:
    if not (isinstance(values, np.ndarray) and values.ndim == 1 and isinstance(labels, tuple) and is_count(count)):
        return False
    if not is_weight(weight_rounding):
        return False
    m, d = len(values), len(starts) - 1 if isinstance(starts, np.ndarray) and starts.ndim == 1 else -1
    return (
        is_array(values, (m,))
        and are_places(starts, d + 1)
        and d >= 0
        and starts[0] == 0
        and starts[-1] == m
        and bool((np.diff(starts) >= (1 if count else 0)).all())
        and are_counts(table, (m, len(labels)))
        and (pairs is None or (are_counts(pairs, (m, m)) and bool((pairs == pairs.T).all())))
        and (edges is None or (isinstance(edges, np.ndarray) and edges.ndim == 2 and is_array(edges, edges.shape)))
        and (edges is None or len(edges) == d)
    )


def strips(parts: Any) -> bool:
    if not isinstance(parts, dict) or not parts or list(parts) != list(range(len(parts))):
        return False
    if not all(isinstance(part, Moments) for part in parts.values()):
        return False
    return all(part.form == "full" and part.targets == 1 and part.rows == parts[0].rows for part in parts.values())


def total(values: Any, total: Any, count: Any) -> bool:
    numbers = isinstance(values, np.ndarray) and values.dtype == np.float64
    return numbers and is_number(total) and not total < 0 and is_count(count)


def row_sample(hashes: Any, X: Any, size: Any, count: Any, total: Any, numbers: Any, y: Any, mass: Any) -> bool:
    n = len(hashes) if isinstance(hashes, np.ndarray) and hashes.dtype == np.uint64 and hashes.ndim == 1 else -1
    columns = [part for part in (numbers, y, mass) if part is not None]
    return (
        isinstance(X, np.ndarray)
        and X.ndim == 2
        and is_count(size)
        and is_count(count)
        and is_weight(total)
        and len(X) == n <= min(size, count)
        and all(isinstance(part, np.ndarray) and part.shape[:1] == (n,) for part in columns)
    )


def ledger(count: Any, fingerprint: Any, decayed: Any = False) -> bool:
    return type(decayed) is bool and is_count(count) and is_count(fingerprint) and fingerprint < 2**128


def expansion(value: Any, gradient: Any, hessian: Any, margin: Any, total: Any, count: Any) -> bool:
    return (
        all(map(is_number, (value, margin)))
        and is_weight(total)
        and all(isinstance(a, np.ndarray) and a.dtype == np.float64 for a in (gradient, hessian))
        and is_count(count)
    )


def polynomial_sums(degree: Any, interactions: Any, origin: Any, unit: Any, groups: Any) -> bool:
    from ..features import Polynomial

    if not (is_count(degree) and (isinstance(interactions, bool) or interactions == "only")):
        return False
    d = len(origin) if isinstance(origin, np.ndarray) and origin.ndim == 1 else -1
    if not (are_finite(origin, (d,)) and are_exponents(unit, d) and isinstance(groups, Grouped)):
        return False
    for part in groups.groups.values():
        if not isinstance(part, Moments) or part.form != "full" or d > part.columns:
            return False
        if degree > part.columns and interactions != "only":  # before binomials of it are formed
            return False
        if part.columns != Polynomial(degree, interactions).size(d):
            return False
    return True


def kept_rows(Z: Any, mass: Any, targets: Any, count: Any) -> bool:
    n, columns = Z.shape if isinstance(Z, np.ndarray) and Z.ndim == 2 else (-1, -1)
    arrays = are_finite(Z, (n, columns)) and are_counts(mass, (n,))
    return arrays and is_count(count) and is_count(targets) and targets < columns


def placed_sums(centres: Any, widths: Any, asked: Any, form: Any, sums: Any) -> bool:
    E, d = centres.shape if isinstance(centres, np.ndarray) and centres.ndim == 2 else (-1, -1)
    if not (are_finite(centres, (E, d)) and isinstance(asked, str)):
        return False
    if not (is_array(widths, (E, d)) or is_array(widths, (E, d, d))):  # covariances are judged when they are used
        return False
    if form not in ("separate", "joint", "normalised") or not isinstance(sums, Grouped):
        return False
    columns = d if form == "separate" else E * (d + 1)
    whole = not len(sums) or -1 in sums.labels
    return whole and all(
        type(label) is int and isinstance(part, Moments) and part.form == "full" and part.features == columns
        for label, part in sums.items()
    )


def class_totals(
    labels: Any, classes: Any, sums: Any, sum_rounding: Any, count: Any, weight_rounding: Any = 0.0
) -> bool:
    d = sums.shape[1] if isinstance(sums, np.ndarray) and sums.ndim == 2 else -1
    return (
        isinstance(labels, tuple)
        and are_counts(classes, (len(labels),))
        and are_counts(sums, (len(labels), d))
        and are_counts(sum_rounding, (len(labels), d))
        and is_count(count)
        and is_weight(weight_rounding)
    )


def attributes(names: Any, levels: Any, ordered: Any) -> bool:
    if not (are_texts(names) and isinstance(levels, tuple) and all(map(are_texts, levels))):
        return False
    return isinstance(ordered, tuple) and {len(names), len(levels), len(ordered)} == {len(names)}


def are_texts(value: Any) -> bool:
    """Different texts, as names and levels are."""
    return isinstance(value, tuple) and all(isinstance(v, str) for v in value) and len(set(value)) == len(value)


def conjunction(constraints: Any) -> bool:
    from ..learners.concepts import Interval

    return isinstance(constraints, tuple) and all(isinstance(c, str | Interval) for c in constraints)


def interval(levels: Any) -> bool:
    return are_texts(levels) and len(levels) > 1


def are_rows(rows: Any, own: Any) -> bool:
    """Tuples of levels of the attributes."""
    from ..learners.concepts import Attributes

    if not isinstance(own, Attributes):
        return False
    known = [set(levels) for levels in own.levels]
    return all(
        isinstance(row, tuple) and len(row) == len(known) and all(v in k for v, k in zip(row, known, strict=True))
        for row in rows
    )


def are_labels(labels: Any, ones: Any) -> bool:
    return isinstance(labels, tuple) and isinstance(ones, tuple) and all(label in labels for label in ones)


def version_space(attributes: Any, least: Any, negatives: Any, labels: Any, ones: Any, total: Any, count: Any) -> bool:
    from ..learners.concepts import Conjunction

    sound = isinstance(negatives, tuple) and are_rows(negatives, attributes) and are_labels(labels, ones)
    if not (sound and isinstance(least, Conjunction) and len(least.constraints) == len(attributes.names)):
        return False
    return is_weight(total) and is_count(count)


def concept_rows(attributes: Any, weights: Any, labels: Any, ones: Any, total: Any, count: Any) -> bool:
    if not (isinstance(weights, dict) and are_rows(weights, attributes) and are_labels(labels, ones)):
        return False
    pairs = all(isinstance(w, tuple) and len(w) == 2 and all(map(is_weight, w)) for w in weights.values())
    return pairs and is_weight(total) and is_count(count)


def confusion(counts: Any, declared: Any) -> bool:
    return isinstance(counts, Counts) and len(counts.levels) == 2 and isinstance(declared, tuple)


def binned_roc(grid: Any, counts: Any, count: Any, positive: Any, weight_rounding: Any = 0.0) -> bool:
    if not isinstance(grid, np.ndarray) or grid.ndim != 1 or not is_weight(weight_rounding):
        return False
    return is_array(grid, (len(grid),)) and are_counts(counts, (2, len(grid) + 1)) and is_count(count)


def table_sums(schema: Any, parts: Any, sums: Any) -> bool:
    from ..data.schema import Schema

    if not isinstance(schema, Schema) or not isinstance(sums, Moments | ExactMoments | Grouped | Pooled):
        return False
    named = isinstance(parts, tuple) and all(type(part) is tuple and len(part) == 2 for part in parts)
    return named and (not sums.rows or sums.features == len(parts)) and {part[0] for part in parts} <= set(schema.names)


def schema(columns: Any, max_levels: Any) -> bool:
    from ..data.schema import Column

    return isinstance(columns, tuple) and all(isinstance(c, Column) for c in columns) and is_count(max_levels)


def column(name: Any, kind: Any, origin: Any, reason: Any, order: Any = ()) -> bool:
    from ..data.schema import KINDS

    texts = isinstance(order, tuple) and all(isinstance(text, str) for text in (name, reason, *order))
    return texts and kind in KINDS and is_number(origin)


CHECKS: dict[str, Any] = {
    "statistics.Moments": moments,
    "statistics.ExactMoments": exact_moments,
    "statistics.Grouped": grouped,
    "statistics.Pooled": pooled,
    "statistics.Counts": counts,
    "statistics.LevelCounts": level_counts,
    "statistics.ClassTotals": class_totals,
    "statistics.Strips": strips,
    "statistics.Total": total,
    "statistics.Ledger": ledger,
    "statistics.RowSample": row_sample,
    "statistics.Expansion": expansion,
    "HeldRows": held_rows,
    "Attributes": attributes,
    "Conjunction": conjunction,
    "Interval": interval,
    "ConceptRows": concept_rows,
    "VersionSpace": version_space,
    "KeptRows": kept_rows,
    "PlacedSums": placed_sums,
    "PolynomialSums": polynomial_sums,
    "TableSums": table_sums,
    "Schema": schema,
    "Column": column,
    "evaluation.Confusion": confusion,
    "evaluation.BinnedRoc": binned_roc,
}
