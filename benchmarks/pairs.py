"""Every loss with every penalty: who minimises it, in how many passes, in what time. Prints a table for the docs.

    python -m benchmarks.pairs

Labels are those of pima (768 x 8), numbers its column of ages; all columns on one scale. Two solvers reach every convex
minimum; the column "apart" says how far their objectives are from each other, as a share of the least.
"""

from __future__ import annotations

import time
import warnings

import numpy as np

from sumlearn import LinearClassifier, LinearRegressor
from sumlearn.data import load_example
from sumlearn.objectives import LOSSES, PENALTIES
from sumlearn.objectives.named_losses import loss_of
from sumlearn.objectives.penalties import penalty_of
from sumlearn.solvers import SOLVERS

from sumlearn.learners.linear.parts.minimiser import suitable  # isort: skip

ALPHA = 5.0
SECOND = {"newton": "proximal", "coordinate": "proximal", "smoothing": "proximal", "proximal": None}


def problem(target: str) -> tuple[np.ndarray, np.ndarray]:
    """Standardised columns, and labels or numbers."""
    pima = load_example("pima")
    X = (pima.X - pima.X.mean(axis=0)) / pima.X.std(axis=0)
    return (X, pima.y) if target == "label" else (X[:, :7], X[:, 7])


def measured(loss: str, penalty: str, solver: str) -> tuple[float, float, float]:
    """Objective, passes and milliseconds of the best of two fits."""
    kind = LinearClassifier if LOSSES[loss].target == "label" else LinearRegressor
    X, y = problem(LOSSES[loss].target)
    best = np.inf
    for _ in range(2):
        began = time.perf_counter()
        model = kind(loss, penalty, alpha=ALPHA, solver=solver).fit(X, y)
        best = min(best, time.perf_counter() - began)
    return model.solutions_[0].objective, model.solutions_[0].passes, 1e3 * best


def table() -> str:
    """All pairs, as Markdown."""
    lines = [
        "| loss | penalty | solver | passes | ms | second solver | passes | ms | apart |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for loss in [name for name, kind in LOSSES.items() if kind.convex]:
        for penalty in PENALTIES:
            solver = suitable(loss_of(loss, LOSSES[loss].target), penalty_of(penalty))
            second = SECOND[solver]
            assert solver in SOLVERS
            value, passes, ms = measured(loss, penalty, solver)
            cells = [f"`{loss}`", penalty, f"`{solver}`", f"{passes:.0f}", f"{ms:.0f}"]
            if second is None:
                cells += ["not convex: a local minimum", "", "", ""]
            else:
                other, more, longer = measured(loss, penalty, second)
                apart = abs(other - value) / max(min(other, value), 1e-3)
                cells += [f"`{second}`", f"{more:.0f}", f"{longer:.0f}", f"{apart:.0e}"]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print(table())
