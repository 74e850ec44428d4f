"""Covariances as what makes them one: A with A'C A = I, with a floor under directions without variance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....statistics import Moments

SMALLEST = 1e-12  # variance, in units of that of the features, below which a direction is taken to be flat


class Form(NamedTuple):
    """A covariance C = D R D, as A with A'C A = I."""

    whiten: np.ndarray
    log_determinant: float
    covariance: np.ndarray
    flat: int  # directions without variance


def correlations(part: Moments) -> tuple[np.ndarray, np.ndarray]:
    """Deviations, and the correlations of the columns that have some."""
    scale = np.sqrt(np.where(part.diagonal > 0, part.diagonal, 1.0))
    return part.deviation, part.scatter_words.hi / scale / scale[:, None]


def factored(deviation: np.ndarray, R: np.ndarray) -> Form:
    values, vectors = np.linalg.eigh(R)
    raised = np.maximum(values, SMALLEST)
    scale = np.where(deviation > 0, deviation, 1.0)
    log_determinant = float(np.log(raised).sum() + 2.0 * np.log(scale).sum())
    return Form(
        vectors / np.sqrt(raised) / scale[:, None],
        log_determinant,
        R * scale * scale[:, None],
        int((values < SMALLEST).sum()),
    )
