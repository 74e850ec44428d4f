"""Where non-negative factors start: drawn, from singular vectors, or given; and what must be known of the rows."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array, check_random_state

from ....data import Chunk
from ....statistics import RowError
from ....statistics.row_checks import check_range
from ...passes import Passes
from ..truncated_svd import TruncatedSVD
from .sums import SeveralSums, floating_rows

STARTS = (None, "random", "nndsvd", "nndsvda", "nndsvdar", "custom")
FAINT = 1e-6  # entries of a start from singular vectors below which they are none
ORDINARY = 2.0**-20, 2.0**8  # the mean of rows that are factored as they are; few numbers of sparse ones are filled
HIDDEN = 1e-7  # share of the largest singular value below which a vector may be rounding


class Survey(NamedTuple):
    """Rows that weigh something, by number; weight, mean of all numbers, and how many of them are zero."""

    used: np.ndarray
    weight: float
    mean: float
    zeros: int
    features: int
    dtype: np.dtype[Any]

    @property
    def rows(self) -> int:
        return int(self.used.sum())

    @property
    def unit(self) -> float:
        """What the rows are divided by."""
        return unit_of(self.mean)

    @property
    def places(self) -> np.ndarray:
        """Where the rows from some number on begin, among those that weigh something."""
        return np.append(0, np.cumsum(self.used))


def unit_of(mean: float) -> float:
    """One, or a power of four: its root, the unit of both factors, is a number too.

    The fills of a start have the unit of the rows, as in scikit-learn, where the factors have that of their root: of
    very large or small rows no step would make up for that.
    """
    if mean == 0 or ORDINARY[0] <= mean <= ORDINARY[1]:
        return 1.0
    return float(np.ldexp(1.0, 2 * (int(np.frexp(mean)[1]) // 2)))


def in_unit(X: Any, unit: float) -> Any:
    """Rows divided by their unit."""
    return X if unit == 1.0 else X / X.dtype.type(unit)


def to_power(value: float, unit: float, power: float) -> float:
    """value unit^power: infinite where that is no number."""
    with np.errstate(over="ignore", under="ignore"):
        return float(value * np.float64(unit) ** power) if value else 0.0


def surveyed(rows: Passes) -> Survey:
    """One pass, which refuses what is negative."""
    sums = rows.total_numbered(seen)
    used, total, zeros = sums.parts
    check_range(sums.weight)
    features = rows.source.features
    return Survey(
        np.concatenate(used),
        sums.weight,
        float(total) / sums.weight / features,
        int(zeros),
        features,
        rows.source.dtype,
    )


def seen(chunk: Chunk, span: slice) -> SeveralSums:
    X, _, weight, _ = non_negative(chunk)
    assert weight is not None
    used = np.ones(X.shape[0], bool) if chunk.weight is None else np.asarray(chunk.weight) > 0
    sums = np.asarray(X.sum(axis=1, dtype=np.float64)).ravel()
    filled = X.count_nonzero() if hasattr(X, "count_nonzero") else np.count_nonzero(X)
    with np.errstate(over="ignore"):  # weights that overflow are refused with their sum
        return SeveralSums.of(weight, [used], weight @ sums, X.shape[0] * X.shape[1] - filled)


def non_negative(chunk: Chunk) -> Chunk:
    """Rows of positive weight, refused where a number is negative."""
    clean = floating_rows(chunk)
    if clean.X.shape[0] and clean.X.min() < 0:
        raise_if_negative(chunk.X, chunk.weight)
    return clean


def raise_if_negative(X: Any, weight: Any = None) -> None:
    """Name the first negative number."""
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    bad = X < 0 if weight is None else (X < 0) & (np.asarray(weight) > 0)[:, None]
    for row, column in np.argwhere(bad)[:1]:
        error = RowError("X", int(row), int(column), float(X[row, column]))
        error.text = (
            f"Negative values in data passed to `X`: {X[row, column]:g}, first at row {{row}}, column {{column!r}}; "
            "non-negative factors have non-negative products"
        )
        error.args = (error.describe(int(row), int(column)),)
        raise error


def start_of(init: Any, k: int, rows: Passes, survey: Survey, random_state: Any) -> tuple[np.ndarray, np.ndarray]:
    """W and H to begin with, in units of the root of that of the rows; scikit-learn's where they are drawn."""
    mean = survey.mean / survey.unit
    fits = k <= min(max(int(survey.weight), survey.rows), survey.features)
    if init not in (None, "random") and not fits:
        raise ValueError(f"init = '{init}' can only be used when n_components <= min(n_samples, n_features)")
    if init == "random" or (init is None and not fits):
        rng, level = check_random_state(random_state), np.sqrt(mean / k)
        H, W = (np.abs(level * rng.standard_normal(size=shape)) for shape in ((k, survey.features), (survey.rows, k)))
        return W, H
    W, H = from_singular_vectors(k, rows, survey.unit, random_state)
    if init in (None, "nndsvda"):
        W[W == 0], H[H == 0] = mean, mean
    elif init == "nndsvdar":
        rng = check_random_state(random_state)
        for factor in (W, H):
            gaps = factor == 0
            factor[gaps] = np.abs(mean * rng.standard_normal(size=gaps.sum()) / 100)
    return W, H


def from_singular_vectors(k: int, rows: Passes, unit: float, random_state: Any) -> tuple[np.ndarray, np.ndarray]:
    """The larger of the positive and the negative part of every singular triplet.

    Boutsidis & Gallopoulos, "SVD based initialization: a head start for nonnegative matrix factorization", 2008.
    """
    svd = TruncatedSVD(k, random_state=random_state).fitted_on(rows.source)
    V, sizes = (np.asarray(values, dtype=np.float64) for values in (svd.components_, svd.singular_values_))
    sums = rows.total(partial(along, V, unit))
    P, squares = np.concatenate(sums.parts[0]), sums.parts[1]  # of U S; sums of squares of its two parts
    W, H = np.zeros((len(P), k)), np.zeros((k, V.shape[1]))
    for j in range(len(V)):
        if not sizes[j] > HIDDEN * sizes[0]:
            continue
        sign = choice_of_part(V[j], np.sqrt(squares[:, j]), j)
        u, v = np.maximum(sign * P[:, j], 0.0), np.maximum(sign * V[j], 0.0)
        of_u, of_v = np.sqrt(squares[0 if sign > 0 else 1, j]), np.linalg.norm(v)
        # sqrt(s |u| |v|) of the parts of unit length, where |u| is that of the part of U S
        W[:, j], H[j] = np.sqrt(of_u * of_v) / of_u * u, np.sqrt(of_u * of_v) / of_v * v
    for factor in (W, H):
        factor[factor < FAINT * min(factor.max(initial=0.0), 1.0)] = 0.0  # small numbers are no small shares
    return W, H


def choice_of_part(v: np.ndarray, sizes: np.ndarray, j: int) -> float:
    """The sign of the part that has the larger product; the first vectors have one sign, but for rounding."""
    positive, negative = np.linalg.norm(np.maximum(v, 0.0)), np.linalg.norm(np.maximum(-v, 0.0))
    return 1.0 if sizes[0] * positive > sizes[1] * negative else -1.0


def along(V: np.ndarray, unit: float, chunk: Chunk) -> SeveralSums:
    """Coordinates of rows along axes, and the squares of their positive and negative parts."""
    X, _, weight, _ = floating_rows(chunk)
    assert weight is not None
    P = np.asarray(in_unit(X, unit) @ V.T, dtype=np.float64)
    return SeveralSums.of(weight, [P], np.array([weight @ np.maximum(P, 0.0) ** 2, weight @ np.minimum(P, 0.0) ** 2]))


def given_start(W: Any, H: Any, k: Any, survey: Survey) -> tuple[np.ndarray, np.ndarray]:
    """W and H that somebody gave, checked; rows that weigh nothing are left out."""
    if W is None or H is None:
        raise ValueError("init='custom' needs W and H: fit_transform(X, W=W, H=H)")
    H = checked(H, (k, survey.features), "NMF (input H)")
    W = checked(W, (len(survey.used), k), "NMF (input W)")
    if len(H) != W.shape[1]:
        raise ValueError(f"W has {W.shape[1]} columns and H has {len(H)} rows: both are the number of components")
    if H.dtype != survey.dtype or W.dtype != survey.dtype:
        raise TypeError(f"H and W should have the same dtype as X. Got H.dtype = {H.dtype} and W.dtype = {W.dtype}.")
    root = np.sqrt(survey.unit)
    return W[survey.used] / W.dtype.type(root), H.astype(np.float64) / root


def checked(A: Any, shape: tuple[Any, Any], whom: str) -> np.ndarray:
    A = check_array(A, dtype=[np.float64, np.float32])
    for place, (wanted, name) in enumerate(zip(shape, ("first", "second"), strict=True)):
        if wanted != "auto" and A.shape[place] != wanted:
            raise ValueError(
                f"Array with wrong {name} dimension passed to {whom}. Expected {wanted}, but got {A.shape[place]}."
            )
    if A.min() < 0:
        raise ValueError(f"Negative values in data passed to {whom}.")
    if A.max() == 0:
        raise ValueError(f"Array passed to {whom} is full of zeros.")
    return A
