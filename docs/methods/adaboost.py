"""Draws adaboost.png: the error round by round, its bound, and how the margins grow.

python docs/methods/adaboost.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from sumlearn import AdaBoostClassifier


def ring(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points inside and outside of a circle: no single cut tells much, and many together do."""
    X = np.random.default_rng(seed).normal(size=(rows, 4))
    return X, ((X**2).sum(axis=1) > 3.36).astype(int)


def main() -> None:
    X, y = ring(1000, 0)
    asked, truth = ring(4000, 1)
    model = AdaBoostClassifier(n_estimators=400, algorithm="m1").fit(X, y)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.2), layout="constrained")
    rounds = np.arange(1, len(model) + 1)
    left.plot(rounds, model.error_bound_, color="0.5", ls="--", lw=1.2, label="bound of the error learnt")
    left.plot(rounds, model.trace_, color="#0b62a4", lw=1.5, label="rows learnt")
    fresh = 1.0 - np.array(list(model.staged_score(asked, truth)))
    left.plot(rounds, fresh, color="#d1495b", lw=1.5, label="new rows")
    left.set(title="Error of the committee", xlabel="rounds", ylabel="share of the rows", ylim=(0.0, 1.0))
    left.legend(fontsize=8)
    for m, colour in ((5, "#e08a00"), (50, "#3c8d40"), (400, "#0b62a4")):
        some = AdaBoostClassifier(n_estimators=m, algorithm="m1").fit(X, y)
        margins = np.sort(some.margins(X, y))
        right.plot(margins, np.arange(1, len(y) + 1) / len(y), color=colour, lw=1.5, label=f"{m} rounds")
    right.axvline(0.0, color="0.4", ls="--", lw=1.0)
    right.set(title="Margins of the rows learnt", xlabel="margin", ylabel="share of rows up to it", xlim=(-0.5, 0.75))
    right.legend(fontsize=8)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
