"""Do two libraries give the same answer? No ratio is printed before this is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.candidates import Numbers


@dataclass(frozen=True)
class Tolerance:
    """Largest relative difference of reals and largest share of differing labels that count as agreement."""

    reals: float
    labels: float


@dataclass(frozen=True)
class Agreement:
    """Worst relative difference and worst share of differing labels; None where nothing was compared."""

    difference: float | None
    differing: float | None
    tolerance: Tolerance

    @property
    def holds(self) -> bool:
        if self.difference is None and self.differing is None:
            return False
        reals, labels = self.difference or 0.0, self.differing or 0.0
        return reals <= self.tolerance.reals and labels <= self.tolerance.labels

    def __str__(self) -> str:
        texts = []
        if self.difference is not None:
            texts.append(f"{self.difference:.0e} (<= {self.tolerance.reals:.0e})")
        if self.differing is not None:
            texts.append(f"labels {1 - self.differing:.2%} (>= {1 - self.tolerance.labels:.2%})")
        return ", ".join(texts) or "nothing to compare"


def relative_difference(ours: np.ndarray, theirs: np.ndarray) -> float:
    """max |a - b| / max |b|; infinite where shapes differ or a value is not finite."""
    if ours.shape != theirs.shape or not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        return np.inf
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    return float(np.abs(a - b).max() / max(np.abs(b).max(), np.finfo(np.float64).tiny))


def share_differing(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Share of labels that differ."""
    return float(np.mean(ours != theirs)) if ours.shape == theirs.shape else 1.0


def compare(ours: Numbers, theirs: Numbers, tolerance: Tolerance) -> Agreement:
    """Compare all numbers that both sides have."""
    common = sorted(ours.keys() & theirs.keys())
    real = [key for key in common if np.asarray(theirs[key]).dtype.kind == "f"]
    differences = [relative_difference(ours[key], theirs[key]) for key in real]
    differing = [share_differing(ours[key], theirs[key]) for key in common if key not in real]
    return Agreement(max(differences, default=None), max(differing, default=None), tolerance)
