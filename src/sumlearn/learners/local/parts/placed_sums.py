"""PlacedSums: moments around centres that travel with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ....statistics import Decayable, Grouped, Moments, Removable
from ....statistics.row_checks import prepare, raise_if_not_finite
from .lines import gaussian_exponents, normalised
from .places import Places

ALL = -1  # the label of the moments of all rows
FAINTEST = 1e-100  # Gaussian weights below this are none: their sums would leave the range of numbers


@dataclass(frozen=True, eq=False)
class PlacedSums(Removable, Decayable):
    """Sums that depend on where Gaussians stand: they are added only where the places are the same.

    `asked` says how the places were asked for, if rows decided about them. For separate lines, `sums` holds the moments
    of (x, y) for each centre, with the weights times Phi_e(x), and those of all rows (label -1); for lines that are
    solved together, the moments of (psi(x), y) alone, label -1, with psi = (Phi_e(x), Phi_e(x) (x - mu_e) / s_e) over
    all e.
    """

    centres: np.ndarray
    widths: np.ndarray
    asked: str
    form: str  # "separate", "joint" or "normalised", which is joint with weights that sum to one
    sums: Grouped[Moments]

    @classmethod
    def of(cls, X: Any, y: Any, weight: Any, places: Places, asked: str, form: str) -> PlacedSums:
        X, y, weight = prepare(X, y, weight)
        rows = np.ascontiguousarray(X, dtype=np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            if not np.isfinite(rows.sum()):
                raise_if_not_finite(X)
        if form == "separate":
            groups = {ALL: Moments.of(rows, y, weight)} | around(rows, y, weight, places)
        else:
            groups = {ALL: Moments.of(joint_basis(rows, places, form == "normalised"), y, weight)}
        groups = {label: part for label, part in groups.items() if part.rows}
        return cls(places.centres, places.widths, asked, form, Grouped(groups))

    @property
    def look(self) -> Places:
        return Places(self.centres, self.widths)

    @property
    def weight(self) -> float:
        return self.sums[ALL].weight if len(self.sums) else 0.0

    @property
    def rows(self) -> int:
        return self.sums[ALL].rows if len(self.sums) else 0

    @property
    def features(self) -> int:
        return self.centres.shape[1]

    def zero(self) -> Self:
        return replace(self, sums=self.sums.zero())

    def merge(self, other: Self) -> Self:
        self._check_same(other)
        return replace(self, sums=self.sums.merge(other.sums))

    def remove(self, other: Self) -> Self:
        self._check_same(other)
        sums = self.sums.remove(other.sums)
        return replace(self, sums=sums if ALL in sums.labels else self.sums.zero())

    def decay(self, factor: float) -> Self:
        return replace(self, sums=self.sums.decay(factor))

    def _check_same(self, other: PlacedSums) -> None:
        if self.form != other.form:
            raise ValueError(f"the sums are for {self.form} and for {other.form} lines")
        if not (np.array_equal(self.centres, other.centres) and np.array_equal(self.widths, other.widths)):
            raise ValueError("the sums are around different centres: place them once, and give them as numbers")


def around(X: np.ndarray, y: Any, weight: Any, places: Places) -> dict[int, Moments]:
    """Moments of the rows weighted by each Gaussian."""
    phi = np.exp(gaussian_exponents(X, places.centres, places.whitening))
    phi[phi < FAINTEST] = 0.0
    if weight is not None:
        phi *= weight[:, None]
    return {e: Moments.of(X, y, np.ascontiguousarray(phi[:, e])) for e in range(len(places.centres))}


def joint_basis(X: np.ndarray, places: Places, sum_to_one: bool) -> np.ndarray:
    """psi(x), (rows, E (d + 1)): a weight, then the weight times W_e'(x - mu_e), the columns in widths."""
    whitening = places.whitening
    exponents = gaussian_exponents(X, places.centres, whitening)
    phi = normalised(exponents) if sum_to_one else np.exp(exponents)
    n, d = X.shape
    psi = np.empty((n, len(places.centres), d + 1))
    psi[:, :, 0] = phi
    for e, (centre, factor) in enumerate(zip(places.centres, whitening, strict=True)):
        psi[:, e, 1:] = phi[:, e, None] * ((X - centre) @ factor if factor.ndim == 2 else (X - centre) * factor)
    return psi.reshape(n, -1)
