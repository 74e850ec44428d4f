"""Draws svm_margin.png: margin and support vectors of a straight and of a Gaussian machine, and of one class.

    python docs/methods/svm_margin.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sumlearn import SVC, OneClassSVM

INSIDE, OUTSIDE, LINE = "#0b62a4", "#d1495b", "#333333"


def rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two groups that a line separates; and a group inside of another."""
    rng = np.random.default_rng(4)
    y = np.arange(60) % 2
    apart = rng.standard_normal((60, 2)) * 0.55 + np.where(y[:, None] == 1, 1.3, -1.3) * [0.9, 0.6]
    angle = rng.uniform(0, 2 * np.pi, 60)
    radius = np.where(y == 1, 0.5, 1.7) + 0.35 * rng.standard_normal(60)
    return y, apart, radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def panel(axes: Any, model: Any, X: np.ndarray, y: np.ndarray, title: str) -> None:
    """Rows, the surface f = 0, the margins f = 1 and f = -1, and rings around the support vectors."""
    grid = np.meshgrid(np.linspace(-3.2, 3.2, 161), np.linspace(-2.6, 2.6, 131))
    f = model.decision_function(np.column_stack([g.ravel() for g in grid])).reshape(grid[0].shape)
    two = hasattr(model, "classes_")
    axes.contourf(*grid, f, levels=[-1e9, 0.0, 1e9], colors=[OUTSIDE, INSIDE], alpha=0.12)
    levels, styles = ([-1.0, 0.0, 1.0], ["--", "-", "--"]) if two else ([0.0], ["-"])
    axes.contour(*grid, f, levels=levels, colors=LINE, linestyles=styles, linewidths=1.2)
    axes.scatter(*X.T, c=np.where(y == 1, INSIDE, OUTSIDE), s=22, zorder=3)
    rings = X[model.support_]
    axes.scatter(*rings.T, s=95, facecolors="none", edgecolors=LINE, linewidths=1.1, zorder=4)
    axes.set(title=title, xlim=(-3.2, 3.2), ylim=(-2.6, 2.6), aspect="equal", xticks=[], yticks=[])


def draw(target: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    y, apart, inside = rows()
    figure, axes = plt.subplots(1, 3, figsize=(13.2, 3.9), layout="constrained")
    hard = SVC(C=np.inf, kernel="linear").fit(apart, y)
    panel(axes[0], hard, apart, y, f"hard margin, 2 / |w| = {hard.margin_:.2f}, {len(hard.support_)} support vectors")
    soft = SVC(C=3.0, gamma=0.5).fit(inside, y)
    panel(axes[1], soft, inside, y, f"Gaussian kernel, C = 3, {len(soft.support_)} support vectors")
    one = OneClassSVM(nu=0.1, gamma=0.5).fit(apart)
    panel(axes[2], one, apart, np.ones(60), f"one class, nu = 0.1, {len(one.support_)} support vectors")
    figure.savefig(target, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    draw(Path(__file__).with_name("svm_margin.png"))
