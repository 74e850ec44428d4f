"""Columns that depend on others: which they are, and the shortest of all coefficients that fit alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.linalg import eigh

from ....objectives import Frame, LinearObjective, Squared
from ....statistics import Expansion
from ....statistics.warnings import warn
from ...validation import term_name

NOTHING = 1e-12  # curvature of a direction, as a share of its columns', below which there is none


def gram_of(objective: LinearObjective) -> Expansion:
    """sum_n s_n (z_n, 1)(z_n, 1)' of standardised rows, in the place of the Hessian: one pass."""
    frame = replace(objective.frame, standardised=True)
    return replace(objective, loss=Squared(), outputs=1, frame=frame).expand(np.zeros((1, frame.size)), 2)


def without_dependence(
    point: np.ndarray, gram: np.ndarray, frame: Frame, rounding: float
) -> tuple[np.ndarray, np.ndarray]:
    """The point of least |w| with the same scores, and the columns that are combinations of earlier ones."""
    nothing = max(NOTHING, 10.0 * rounding) * frame.size
    length = np.sqrt(np.maximum(gram.diagonal(), 0.0))
    empty = length <= nothing * length.max(initial=0.0)
    scale = np.where(empty, 1.0, length)
    G = gram / scale / scale[:, None]
    G[empty] = G[:, empty] = 0.0
    values, vectors = eigh(G)
    null = vectors[:, values <= nothing] / scale[:, None]
    if not null.shape[1]:
        return point, np.zeros(0, np.intp)
    blind = null[: frame.features] / frame.unit[:, None]  # change of the coefficients in natural units
    share, *_ = np.linalg.lstsq(blind, -frame.coefficients(point).T)
    return point + (null @ share).T, aliased(G, frame.features, nothing)


def aliased(G: np.ndarray, features: int, nothing: float) -> np.ndarray:
    """Columns without a pivot of their own, the intercept first (it is the last column)."""
    order = [*range(features, len(G)), *range(features)]
    A = G[np.ix_(order, order)].copy()
    found = []
    for k in range(len(A)):
        if A[k, k] <= nothing:
            found.append(order[k])
            continue
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :]) / A[k, k]
    return np.array([j for j in found if j < features], np.intp)


def warn_of_dependence(learner: Any, columns: np.ndarray, features: int) -> None:
    """Say which columns they are."""
    if len(columns):
        names = ", ".join(str(term_name(learner, int(j))) for j in columns[:5])
        warn(
            f"rank {features - len(columns)} of {features}: column(s) {names}{', ...' if len(columns) > 5 else ''} are "
            "constant or combinations of others; the solution of least norm is returned"
        )
