"""Means over the neighbours of queries: who counts, by how much, and what their values add up to."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from .neighbour_lists import Lists, summed, weights_of
from .spaces import Space


def averaged(lists: Lists, share: np.ndarray, weights: Any, sums: Any, space: Space) -> np.ndarray:
    """sum w values / sum w, where every entry counts by its share and the weight of its distance."""
    entry = share * weights_of(weights, finished(lists, space), share > 0)
    mass = np.bincount(lists.query, entry * lists.mass, len(lists.starts) - 1)
    return summed(lists, entry, sums) / positive(mass)[:, None]


def finished(lists: Lists, space: Space) -> Lists:
    """With the distances that were asked for."""
    return lists._replace(distance=space.finish(lists.distance))


def positive(mass: np.ndarray) -> np.ndarray:
    """The weight of the neighbours of every query, refused where there is none."""
    if not (mass > 0).all():
        raise ValueError(
            "All neighbors of some sample is getting zero weights. Please modify 'weights' to avoid this case if you "
            f"are using a user-defined function. First at row {int(np.argmax(~(mass > 0)))}."
        )
    return mass


def weighted(values: Any, mass: np.ndarray) -> Any:
    """Values of rows, each times its weight."""
    if (mass == 1.0).all():
        return values
    return sparse.csr_matrix(values.multiply(mass[:, None])) if sparse.issparse(values) else values * mass[:, None]


def grouped(values: Any, order: np.ndarray, starts: np.ndarray) -> Any:
    """Sums over the rows of every point."""
    shape = len(starts) - 1, len(order)
    return sparse.csr_matrix((np.ones(len(order)), order, starts), shape=shape) @ values


def points_of(found: dict[str, Any]) -> np.ndarray:
    """The point of every row."""
    point = np.empty(len(found["order"]), dtype=np.int64)
    point[found["order"]] = np.repeat(np.arange(len(found["starts"]) - 1), np.diff(found["starts"]))
    return point
