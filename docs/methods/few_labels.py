"""Draws few_labels.png: ten labels on two moons, with and without the rows that have none; and rows that do harm.

python docs/methods/few_labels.py
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_moons

from sumlearn import SVC, GaussianNB, LabelPropagation, SemiSupervisedEM, TransductiveSVM

FIRST, SECOND, LINE = "#0b62a4", "#d1495b", "#333333"


def moons() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two moons, and ten labels."""
    X, truth = make_moons(200, noise=0.1, random_state=3)
    y = np.full(200, -1)
    rows = np.concatenate([np.flatnonzero(truth == k)[:5] for k in (0, 1)])
    y[rows] = truth[rows]
    return X, y, truth


def groups() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Groups in the first column that are the classes only seven times in ten, and forty labels."""
    rng = np.random.default_rng(0)
    truth = np.arange(600) % 2
    group = np.where(rng.random(600) < 0.7, truth, 1 - truth)
    X = np.column_stack([6.0 * group + rng.standard_normal(600), 2.5 * truth + rng.standard_normal(600)])
    return X, np.where(np.arange(600) < 40, truth, -1), truth


def panel(axes: Any, model: Any, X: np.ndarray, y: np.ndarray, truth: np.ndarray, title: str) -> None:
    """Regions of the classes, rows without a label in grey, and the labels that were given."""
    low, high = X.min(axis=0) - 0.4, X.max(axis=0) + 0.4
    grid = np.meshgrid(np.linspace(low[0], high[0], 200), np.linspace(low[1], high[1], 160))
    side = model.predict(np.column_stack([g.ravel() for g in grid])).reshape(grid[0].shape)
    axes.contourf(*grid, side, levels=[-0.5, 0.5, 1.5], colors=[FIRST, SECOND], alpha=0.15)
    axes.contour(*grid, side, levels=[0.5], colors=LINE, linewidths=1.2)
    axes.scatter(*X[y < 0].T, c="#777777", s=7, alpha=0.7)
    for label, colour, marker in ((0, FIRST, "o"), (1, SECOND, "s")):
        axes.scatter(*X[y == label].T, c=colour, s=42, marker=marker, edgecolors=LINE, linewidths=0.8, zorder=3)
    axes.set(title=f"{title}: {model.score(X, truth):.1%} right", xticks=[], yticks=[])
    axes.title.set_fontsize(10)


def draw(target: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    warnings.simplefilter("ignore")
    figure, axes = plt.subplots(2, 3, figsize=(13.2, 7.2), layout="constrained")
    X, y, truth = moons()
    given = y >= 0
    panel(axes[0, 0], SVC(C=10.0, gamma=2.0).fit(X[given], y[given]), X, y, truth, "ten labels alone, SVC")
    panel(axes[0, 1], TransductiveSVM(C=10.0, kernel="rbf", gamma=2.0).fit(X, y), X, y, truth, "TransductiveSVM")
    panel(axes[0, 2], LabelPropagation(gamma=20, solver="exact").fit(X, y), X, y, truth, "LabelPropagation")
    X, y, truth = groups()
    given = y >= 0
    panel(axes[1, 0], GaussianNB().fit(X[given], y[given]), X, y, truth, "forty labels alone, GaussianNB")
    panel(axes[1, 1], SemiSupervisedEM(GaussianNB()).fit(X, y), X, y, truth, "SemiSupervisedEM, weight 1")
    chosen = SemiSupervisedEM(GaussianNB(), weight_of_unlabelled="cv").fit(X, y)
    panel(axes[1, 2], chosen, X, y, truth, f"weight {chosen.weight_of_unlabelled_:g}, chosen by labels left out")
    figure.savefig(target, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    draw(Path(__file__).with_name("few_labels.png"))
