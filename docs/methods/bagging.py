"""Draws bagging.png: trees on bootstrap samples, their mean, and the band of bagged lines.

python docs/methods/bagging.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from sumlearn import BaggingRegressor, Ridge
from sumlearn.features import Polynomial


def main() -> None:
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0.0, 6.0, 90))
    y = np.sin(x) + 0.35 * rng.normal(size=90)
    X, grid = x[:, None], np.linspace(0.0, 6.0, 400)[:, None]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.2), layout="constrained", sharey=True)
    trees = BaggingRegressor(n_estimators=60, random_state=0).fit(X, y)
    for tree in trees.estimators_[:8]:
        left.plot(grid, tree.predict(grid), color="#0b62a4", lw=0.6, alpha=0.35)
    left.plot(grid, trees.predict(grid), color="#0b62a4", lw=2.0, label="mean of 60 trees")
    left.set(title="Trees on bootstrap samples, eight of them", xlabel="x", ylabel="y")
    basis = Polynomial(6).fit(X)
    curves = BaggingRegressor(Ridge(1e-3), 400, random_state=0).fit(basis.map(X), y)
    low, high = curves.band(basis.map(grid), 0.95)
    right.fill_between(grid[:, 0], low, high, color="#0b62a4", alpha=0.25, label="middle 95 % of 400")
    right.plot(grid, curves.predict(basis.map(grid)), color="#0b62a4", lw=2.0, label="mean")
    right.set(title="Polynomials of degree 6", xlabel="x")
    for axes in (left, right):
        axes.scatter(x, y, s=9, color="0.3")
        axes.plot(grid, np.sin(grid), color="#d1495b", lw=1.2, ls="--", label="truth")
        axes.legend(fontsize=8)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
