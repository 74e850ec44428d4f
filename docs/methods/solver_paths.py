"""Draws solver_paths.png: the solvers of lecture note 001 as paths on the contours of a support vector machine.

    python docs/methods/solver_paths.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sumlearn.data.source import ArraySource
from sumlearn.objectives import L2, Frame, Hinge, LinearObjective, SquaredHinge
from sumlearn.solvers import (
    SGD,
    BarzilaiBorwein,
    CuttingPlanes,
    DualCD,
    DualQP,
    GradientDescent,
    InteriorPoint,
    Newton,
    Pegasos,
)

START = np.array([[-1.2, 1.6]])
SMOOTH = (GradientDescent(), BarzilaiBorwein(), Newton(), SGD(batch=4))
KINKED = (Pegasos(batch=4), SGD(batch=4), Newton(), CuttingPlanes(), InteriorPoint(), DualQP(), DualCD())
COLOURS = ("#0b62a4", "#d1495b", "#2e7d32", "#8e44ad", "#e08a00", "#00798c", "#5d4037")


def objective(loss: Any) -> LinearObjective:
    """Forty rows of two columns, which overlap; no intercept, so that a point is two numbers."""
    rng = np.random.default_rng(3)
    y = np.where(np.arange(40) % 2 == 0, 1.0, -1.0)
    X = rng.standard_normal((40, 2)) * [1.0, 0.6] + 0.8 * y[:, None] * [1.0, 0.5]
    frame = Frame(np.zeros(2), np.ones(2), intercept=False, standardised=False)
    return LinearObjective.over(ArraySource(X, y, None), None, loss=loss, penalty=L2(), alpha=1.0, frame=frame)


def path(solver: Any, problem: LinearObjective) -> np.ndarray:
    """The points from the start to the end; a solver of the dual begins where its numbers are zero."""
    state = solver.start(problem, START.copy())
    points = [state.point[0]]
    while not state.ended and len(points) < 200:
        state = solver.step(problem, state)
        if not np.array_equal(state.point[0], points[-1]):
            points.append(state.point[0])
    return np.array(points)


def draw(target: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(12.0, 5.4), layout="constrained")
    grid = np.linspace(-1.8, 3.4, 131), np.linspace(-0.9, 3.4, 111)
    for axis, loss, solvers in zip(axes, (SquaredHinge(), Hinge()), (SMOOTH, KINKED), strict=True):
        problem = objective(loss)
        values = np.array([[problem.expand(np.array([[a, b]]), 0).value for a in grid[0]] for b in grid[1]])
        levels = values.min() + np.ptp(values) * np.linspace(0.0, 1.0, 22) ** 2.5
        axis.contour(*grid, values, levels=levels, colors="0.8", linewidths=0.8, zorder=0)
        for colour, solver in zip(COLOURS, solvers, strict=False):
            points = path(solver, problem)
            label = f"{solver.name}, {len(points) - 1} steps"
            axis.plot(*points.T, "o-", color=colour, markersize=3.5, linewidth=1.3, label=label, alpha=0.9)
        best = Newton().minimise(problem, START.copy()).point[0]
        axis.plot(*best, "*", color="black", markersize=14, zorder=5)
        axis.set(xlabel="$w_1$", ylabel="$w_2$", title=f"{loss.name.replace('_', ' ')} + L2")
        axis.set(xlim=(grid[0][0], grid[0][-1]), ylim=(grid[1][0], grid[1][-1]))
        axis.legend(loc="upper right", fontsize=8)
    figure.savefig(target, dpi=110)


if __name__ == "__main__":
    draw(Path(__file__).with_suffix(".png"))
