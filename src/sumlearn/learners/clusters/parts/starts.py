"""Where centres start: k-means++, rows at random, or given points.

Draws depend on which rows there are and how much they weigh, not on their order; a row of weight two is the row twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ....compiled.row_hash import row_hashes
from ....data import Source
from ....engines import one_blas_thread, sample_of
from ....features.input_ranges import finite_numbers, one_of
from ....statistics import Moments
from ....statistics.row_checks import dense
from ...fitted import check_variances
from .codebook import Codebook
from .frame import Coordinates

INITS = ("k-means++", "random")
NUMBERS = 2**21  # of the rows among which starts are drawn
FOR_EACH = 64  # rows for every centre, at least
Init = str | np.ndarray | Callable[..., Any]


def starts_of(
    source: Source,
    k: int,
    init: Any,
    count: int,
    random_state: Any,
    covariance: np.ndarray | None = None,
    *,
    size: int | None = None,
    best: bool = False,
) -> np.ndarray:
    """`count` starts of k centres each, (count, k, features), from all rows or a sample by their numbers.

    Of several, `best` leaves the one that is nearest to these rows.
    """
    if is_given(init):
        return given_start(init, k, source.features)[None]
    size = size or max(NUMBERS // max(source.features, 1), FOR_EACH * k, 4096)
    chunk = sample_of(source, size)
    X = np.asarray(dense(chunk.X) if hasattr(chunk.X, "tocsr") else chunk.X, dtype=np.float64)
    random = check_random_state(0 if random_state is None else random_state)
    if callable(init):
        drawn_ones = [np.asarray(init(X, k, random_state=random)) for _ in range(count)]
        found = np.stack([given_start(one, k, source.features) for one in drawn_ones])
        return nearest_start(found, X, chunk.weight, covariance) if best else found
    rows, mass = different_rows(X, chunk.weight)
    moments = Moments.of(rows, weight=mass, form="diagonal")
    check_variances(moments.deviation)
    Z = Coordinates.of(moments, covariance).coordinates(rows)
    draw = plus_plus if init == "k-means++" else at_random
    with one_blas_thread():
        found = np.stack([rows[draw(Z, mass, k, random)] for _ in range(count)])
    return nearest_start(found, rows, mass, covariance) if best else found


def nearest_start(
    found: np.ndarray, rows: np.ndarray, mass: np.ndarray | None, covariance: np.ndarray | None
) -> np.ndarray:
    """The start that leaves the least squared distance."""
    if len(found) == 1:
        return found
    frame = Coordinates.around(np.concatenate(found), covariance)
    books = [Codebook.of(frame, frame.coordinates(one)) for one in found]
    left = [np.average(book.nearest(rows)[1], weights=mass) for book in books]
    return found[[int(np.argmin(left))]]


def is_given(init: Any) -> bool:
    """Whether the centres themselves are given."""
    return not isinstance(init, str) and not callable(init)


def check_init(init: Any) -> None:
    if isinstance(init, str):
        one_of(init, "init", INITS)
    elif not callable(init) and not hasattr(init, "__array__") and not isinstance(init, list | tuple):
        raise ValueError(f"init must be one of {INITS}, an array or a function, got {init!r}")


def given_start(init: Any, k: int, features: int) -> np.ndarray:
    """Centres that were given, as float64."""
    centres = finite_numbers(init, "init")
    if centres.ndim != 2 or len(centres) != k:
        raise ValueError(f"The shape of the initial centers {centres.shape} does not match the number of clusters {k}.")
    if centres.shape[1] != features:
        raise ValueError(
            f"The shape of the initial centers {centres.shape} does not match the number of features of the data "
            f"{features}."
        )
    return centres


def different_rows(X: np.ndarray, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The different rows, the smallest first, and how much there is of each.

    This order, by the first column that differs, is the same at any offset and in any unit, and hardly another in
    single precision: so are draws that go by it.
    """
    exact = hashes(X)
    rows = np.argsort(exact, kind="stable")
    new = np.concatenate([[True], np.diff(exact[rows]) != 0])
    mass = np.add.reduceat(np.ones(len(X)) if weight is None else weight[rows], np.flatnonzero(new))
    found = X[rows[new]]
    order = ascending(found)
    return found[order], mass[order].astype(np.float64)


def ascending(rows: np.ndarray) -> np.ndarray:
    """The numbers of different rows in the order of their columns, of as many as it takes."""
    columns = 1
    while True:
        order = np.lexsort(rows[:, :columns].T[::-1])
        leading = rows[order, :columns]
        if columns >= rows.shape[1] or (leading[1:] != leading[:-1]).any(axis=1).all():
            return order
        columns *= 4


def hashes(X: np.ndarray) -> np.ndarray:
    """A hash of every row."""
    found = np.empty(len(X), dtype=np.uint64)
    row_hashes(np.ascontiguousarray(X + 0.0).view(np.uint64), found)  # -0.0 and 0.0 are the same number
    return found


def plus_plus(Z: np.ndarray, mass: np.ndarray, k: int, random: np.random.RandomState) -> np.ndarray:
    """Numbers of k rows, each drawn with a chance of mass times squared distance to those before (k-means++).

    Of 2 + log k candidates the one that leaves least is taken. Where there are fewer different rows, they come again.
    Arthur & Vassilvitskii, "k-means++: the advantages of careful seeding", 2007.
    """
    trials = 2 + int(np.log(k))
    squares = np.einsum("ij,ij->i", Z, Z)
    chosen = np.zeros(k, np.intp)
    chosen[0] = drawn(mass, random, 1)[0]
    nearest = distances(Z, squares, chosen[:1])[0]
    for j in range(1, k):
        chance = mass * nearest
        if not chance.any():
            chosen[j:] = chosen[np.arange(k - j) % j]
            break
        candidates = drawn(chance, random, trials)
        left = np.minimum(distances(Z, squares, candidates), nearest)
        best = int((left @ mass).argmin())
        chosen[j], nearest = candidates[best], left[best]
    return chosen


def at_random(Z: np.ndarray, mass: np.ndarray, k: int, random: np.random.RandomState) -> np.ndarray:
    """Numbers of k different rows, drawn with a chance of their mass; where there are fewer, they come again."""
    least = min(k, len(mass))
    chosen = random.choice(len(mass), least, replace=False, p=mass / mass.sum())
    return chosen[np.arange(k) % least]


def drawn(chance: np.ndarray, random: np.random.RandomState, count: int) -> np.ndarray:
    """Numbers drawn with chances in proportion."""
    up_to = np.cumsum(chance)
    found = np.searchsorted(up_to, random.uniform(size=count) * up_to[-1], side="right")
    return np.minimum(found, np.flatnonzero(chance)[-1])


def distances(Z: np.ndarray, squares: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Squared distances of all rows to some of them, (chosen, rows); what is rounding is zero."""
    found = squares[chosen][:, None] + squares - 2.0 * (Z[chosen] @ Z.T)
    found[found < 1e-14 * (squares[chosen][:, None] + squares)] = 0.0
    return found
