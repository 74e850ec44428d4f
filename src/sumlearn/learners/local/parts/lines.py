"""LocalLines: t(x) = sum_e Phi_e(x) (a_e'x + b_e), the form that many regressions share."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....compiled import local_lines as kernels
from ....engines import in_threads
from ...sampling import with_noise

BLOCK = 4096  # rows whose weights are in memory at the same time
TILE = 512  # rows that are blended while they are in the cache
FAR = 1e150  # in widths: the square is still finite


class LocalLines(NamedTuple):
    """Lines with Gaussian weights Phi_e(x) = exp(c_e - |W_e'(x - mu_e)|^2 / 2), normalised to sum to one or not.

    Line e is level_e + slope_e (x - anchor_e): about an anchor amid its rows, so that offsets cost no digits.
    `whitening` holds W_e, as matrices (E, d, d) or as one factor for each column (E, d). Of several targets, `slopes`
    is (E, targets, d), `levels` and `noise` (variances around each line) are (E, targets). `mixed`: what is seen at x
    comes from one of the lines, drawn by the weights, and not from their mean.
    """

    amplitudes: np.ndarray
    centres: np.ndarray
    whitening: np.ndarray
    anchors: np.ndarray
    slopes: np.ndarray
    levels: np.ndarray
    noise: np.ndarray
    normalised: bool
    mixed: bool = False

    @property
    def intercepts(self) -> np.ndarray:
        """b_e, (E, targets)."""
        return self.levels - np.einsum("etd,ed->et", self.slopes, self.anchors)

    def weights(self, X: np.ndarray) -> np.ndarray:
        """Phi_e(x), (rows, E); normalised ones are finite however far all centres are."""
        exponents = gaussian_exponents(X, self.centres, self.whitening) + self.amplitudes
        return normalised(exponents) if self.normalised else np.exp(exponents)

    def lines(self, X: np.ndarray, e: int) -> np.ndarray:
        """Line e at every row, (rows, targets)."""
        return self.levels[e] + (X - self.anchors[e]) @ self.slopes[e].T

    def predict(self, X: np.ndarray) -> np.ndarray:
        """t(x), (rows, targets), a block of rows at a time."""
        return self.blended(X) if self.whitening.ndim == 2 else self.mixture(X)

    def blended(self, X: np.ndarray) -> np.ndarray:
        """t(x) where every column has a width of its own: compiled, in threads over blocks of rows."""
        out = np.empty((len(X), self.levels.shape[1]))
        bits = np.log2(math.e)
        given = self.amplitudes * bits, self.centres, np.sqrt(0.5 * bits) * self.whitening, self.anchors, self.slopes
        arrays = [np.array(part, dtype=np.float64, order="C") for part in (*given, self.levels)]  # none read-only

        def tile(start: int) -> None:
            rows = slice(start, start + TILE)
            points = np.array(X[rows].T, dtype=np.float64, order="C")
            found = np.empty((out.shape[1], points.shape[1]))
            kernels.blend(points, *arrays, self.normalised, found)
            out[rows] = found.T

        in_threads(tile, range(0, len(X), TILE))
        return out

    def mixture(self, X: np.ndarray) -> np.ndarray:
        """t(x) where Gaussians have full matrices."""
        out = np.empty((len(X), self.levels.shape[1]))
        for start in range(0, len(X), BLOCK):
            rows = np.ascontiguousarray(X[start : start + BLOCK], dtype=np.float64)
            weights = self.weights(rows)
            out[start : start + BLOCK] = sum(weights[:, e, None] * self.lines(rows, e) for e in range(len(self.levels)))
        return out

    def sample(self, X: np.ndarray, random: np.random.RandomState) -> np.ndarray:
        """A draw of the targets at every row."""
        X = np.ascontiguousarray(X, dtype=np.float64)
        weights = self.weights(X)
        share = weights if self.normalised else weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
        if self.mixed:
            cut = random.uniform(size=len(X)) * share.sum(axis=1)
            chosen = np.minimum((share.cumsum(axis=1) < cut[:, None]).sum(axis=1), share.shape[1] - 1)
            mean = np.stack([self.lines(X, e) for e in range(len(self.levels))])[chosen, np.arange(len(X))]
            variance = self.noise[chosen]
        else:
            mean, variance = self.predict(X), share @ self.noise
        return with_noise(mean, variance, random)


def gaussian_exponents(X: np.ndarray, centres: np.ndarray, whitening: np.ndarray) -> np.ndarray:
    """-|W_e'(x - mu_e)|^2 / 2, (rows, E), from differences: right at any offset.

    W_e is a matrix, (E, d, d) in all, or a factor for each column, (E, d).
    """
    out = np.empty((len(X), len(centres)))
    with np.errstate(over="ignore"):
        for e, (centre, factor) in enumerate(zip(centres, whitening, strict=True)):
            away = (X - centre) @ factor if factor.ndim == 2 else (X - centre) * factor
            away = np.clip(away, -FAR, FAR)
            out[:, e] = -0.5 * np.einsum("ij,ij->i", away, away)
    return out


def normalised(exponents: np.ndarray) -> np.ndarray:
    """exp(a_e) / sum exp(a_e), shifted by the largest."""
    weights = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)
