"""Where Gaussians stand and how wide they are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.spatial.distance import cdist

from ....features.centre_placement import place
from ....features.gaussian_weights import root_of
from ....features.input_ranges import (
    finite_numbers,
    given_domain,
    is_number,
    learned_domain,
    middle_and_half,
    one_of,
    positive_numbers,
    whole_number,
)
from ....features.radial_basis import given_centres
from ....features.widths import width_by_rule

PLACINGS = ("kmeans", "grid")
STEPS = 30  # of k-means, which only has to spread the centres


class Places(NamedTuple):
    """Centres (E, features) and widths: deviations (E, features), or covariances (E, features, features).

    An infinite deviation leaves a column out.
    """

    centres: np.ndarray
    widths: np.ndarray

    @property
    def whitening(self) -> np.ndarray:
        """W_e with Sigma_e^-1 = W_e W_e', or a factor for each column."""
        if self.widths.ndim == 2:
            return 1.0 / self.widths
        d = self.centres.shape[1]
        return np.stack([solve_triangular(root_of(S, d), np.eye(d), lower=True).T for S in self.widths])


def need_rows(centres: Any, placing: str, domain: Any) -> bool:
    """Whether rows must be seen before the centres are known."""
    return is_number(centres) and not (placing == "grid" and domain is not None)


def given_places(centres: Any, width: Any, placing: str, domain: Any, features: int, share: float) -> Places:
    """Places that the parameters alone decide; `share` of the distance of centres is a width by rule."""
    one_of(placing, "placing", PLACINGS)
    if not is_number(centres):
        found = given_centres(centres, features)
        return Places(found, widths_of(found, width, np.ones(features), share))
    count = whole_number(centres, "centres", 1)
    half = middle_and_half(given_domain(domain, features))[1]
    found = place(np.zeros((1, features)), count, "grid", domain, None)
    return Places(found, widths_of(found, width, half, share))


def learned_places(rows: np.ndarray, centres: Any, width: Any, placing: str, share: float) -> Places:
    """Places among different rows; at most as many centres as there are of these."""
    one_of(placing, "placing", PLACINGS)
    count = whole_number(centres, "centres", 1)
    domain = learned_domain(rows)
    middle, half = middle_and_half(domain)
    varying = rows.max(axis=0) > rows.min(axis=0)
    if placing == "grid":
        found = place(rows, count, "grid", None, None)
        return Places(found, widths_of(found, width, np.where(varying, half, np.inf), share))
    inner = (rows - middle) / half
    scale = np.where(varying, inner.std(axis=0), np.inf)
    found = middle + half * np.where(varying, scale, 1.0) * kmeans(inner / scale, count)
    return Places(found, widths_of(found, width, half * scale, share))


def widths_of(centres: np.ndarray, width: Any, scale: np.ndarray, share: float) -> np.ndarray:
    """Widths of every centre and column; by rule, a share of the mean distance to the two nearest centres.

    Distances are in units of `scale`. A matrix of features x features is a covariance, whatever the number of centres.
    """
    E, d = centres.shape
    if isinstance(width, str):
        one_of(width, "width", ("auto",))
        if len(np.unique(centres, axis=0)) < 2:
            if np.isinf(scale).any() or (scale != 1.0).any():  # the rows gave a scale: one line for them all
                return np.full((E, d), np.sqrt(d) * scale)
            raise ValueError("width='auto' needs at least two different centres; give the width as a number")
        inner = (centres - centres[0]) / scale
        return share * width_by_rule(inner, "mean_distance", 2)[:, None] * scale
    shape = np.shape(width)
    if shape[-2:] == (d, d) and (d > 1 or len(shape) == 3):
        if shape not in ((d, d), (E, d, d)):
            raise ValueError(f"width as covariances must be ({d}, {d}) or ({E}, {d}, {d}), got {shape}")
        found = np.array(np.broadcast_to(finite_numbers(width, "width"), (E, d, d)))
        for covariance in found:
            root_of(covariance, d)
        return found
    found = positive_numbers(width, "width")
    if found.shape == (E,) and E != 1:
        found = found[:, None]
    if found.shape not in ((), (1,), (E, 1), (E, d)):
        whole = f"({d}, {d}) or ({E}, {d}, {d})" if d > 1 else f"({E}, 1, 1)"
        raise ValueError(
            f"width must be one number, one for each of {E} centres, ({E}, {d}), or covariances {whole}, "
            f"got {found.shape}"
        )
    return np.array(np.broadcast_to(found, (E, d)))


def kmeans(rows: np.ndarray, count: int) -> np.ndarray:
    """Centres by Lloyd's steps from rows that are far apart: the first is nearest to the mean. Nothing is drawn."""
    chosen = [int(np.argmin(((rows - rows.mean(axis=0)) ** 2).sum(axis=1)))]
    nearest = ((rows - rows[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < min(count, len(rows)) and nearest.max() > 0:
        chosen.append(int(np.argmax(nearest)))
        nearest = np.minimum(nearest, ((rows - rows[chosen[-1]]) ** 2).sum(axis=1))
    centres = rows[chosen]
    for _ in range(STEPS):
        label = cdist(rows, centres, "sqeuclidean").argmin(axis=1)
        members = np.zeros((len(centres), len(rows)))
        members[label, np.arange(len(rows))] = 1.0
        count_of = members.sum(axis=1, keepdims=True)
        moved = np.where(count_of > 0, members @ rows / np.maximum(count_of, 1.0), centres)
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres
