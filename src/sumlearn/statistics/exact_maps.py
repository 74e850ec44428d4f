"""Exact moments of linear maps of the columns, from the moments alone: whole numbers in, whole numbers out.

The products of z' = (A'x + c, y, 1) are B'QB, where Q holds those of z = (x, y, 1) and B stands for A and c. Numbers in
B are doubles, and so whole numbers in units of a power of two too: nothing is rounded.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import block_diag, coo_array, csc_array, vstack

from .exact_products import Limbs

Entries = list[tuple[np.ndarray, np.ndarray]]  # of every column of B: the rows that are not zero, and whole numbers
STEP = 16  # exponents of B are multiples of it, so that those of its squares are of 32


def map_of(A: Any, offset: np.ndarray | None, features: int, targets: int) -> csc_array:
    """B: one column for each new feature, each target, and one."""
    A = csc_array(A, dtype=float)
    if A.shape[0] != features:
        raise ValueError(f"A must have {features} rows, got shape {A.shape}")
    if not np.isfinite(A.data).all() or (offset is not None and not np.isfinite(offset).all()):
        raise ValueError("A and the offset must hold finite numbers")
    whole = csc_array(block_diag([A, np.eye(targets + 1)], format="csc"))
    if offset is None:
        return whole
    above = csc_array((whole.shape[0] - 1, whole.shape[1]))
    last = csc_array(np.append(np.asarray(offset, dtype=float), np.zeros(targets + 1))[None])
    return csc_array(whole + vstack([above, last], format="csc"))


def entries_of(B: csc_array) -> tuple[Entries, int]:
    """The columns of B as whole numbers, and the exponent of their unit."""
    B = csc_array(coo_array(B))
    B.eliminate_zeros()
    mantissa, power = np.frexp(B.data)
    low = (int((power - 53).min()) if len(power) else 0) // STEP * STEP
    whole = np.ldexp(mantissa, 53).astype(np.int64).astype(object) * [1 << int(up) for up in power - 53 - low]
    return [(B.indices[a:b], whole[a:b]) for a, b in pairwise(B.indptr.tolist())], low


def full(Q: np.ndarray, B: csc_array, unit: int) -> Limbs:
    """The upper triangle of B'QB, row by row; Q holds whole numbers in units of 2^(32 unit)."""
    columns, low = entries_of(B)
    half = [np.dot(values, Q[rows]) if len(rows) else None for rows, values in columns]
    found = [
        0 if mine is None or not len(rows) else np.dot(mine[rows], values)
        for j, mine in enumerate(half)
        for rows, values in columns[j:]
    ]
    return limbs_of(found, unit + 2 * low // 32)


def disjoint(weight: int, sums: np.ndarray, squares: np.ndarray, B: csc_array, unit: int) -> Limbs:
    """Square and sum of each column of zB, and the weight, where products of combined columns vanish."""
    columns, low = entries_of(B)
    last, one = len(sums), 1 << -low  # B holds a one, so its unit is none above
    found: list[int] = []
    for rows, values in columns[:-1]:
        of_one = int(values[rows == last].sum()) if len(rows) else 0
        rows, values = rows[rows < last], values[rows < last]
        total, square = (int(np.dot(f, g)) if len(rows) else 0 for f, g in
                         ((values, sums[rows]), (values * values, squares[rows])))  # fmt: skip
        found += [square + 2 * of_one * total + of_one**2 * weight, (total + of_one * weight) * one]
    return limbs_of([*found, weight * one * one], unit + 2 * low // 32)


def limbs_of(values: list[int], unit: int) -> Limbs:
    """Python's whole numbers in units of 2^(32 unit)."""
    places = max((value.bit_length() for value in map(int, values)), default=0) // 32 + 2
    data = b"".join(int(value).to_bytes(4 * places, "little", signed=True) for value in values)
    words = np.frombuffer(data, dtype="<i4").reshape(len(values), places)
    cells = np.zeros((len(values), places + 1), dtype=np.int64)
    cells[:, :places] = words.view("<u4")
    cells[:, places - 1] = words[:, -1]  # the sign
    return Limbs.of(cells, unit)
