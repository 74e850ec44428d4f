"""Draws import_vector_machine.png: rows that were imported, the odds, and the gap round by round.

    python docs/methods/import_vector_machine.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from sumlearn import ImportVectorMachine


def main() -> None:
    X, y = make_moons(600, noise=0.25, random_state=0)
    X, y = X[:300], y[:300]
    model = ImportVectorMachine(gamma=1.0).fit(X, y)
    longer = ImportVectorMachine(gamma=1.0, tol=1e-5).fit(X, y)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.2), layout="constrained")
    ends = [(X[:, j].min() - 0.3, X[:, j].max() + 0.3) for j in (0, 1)]
    u, v = np.meshgrid(*(np.linspace(*pair, 160) for pair in ends))
    chance = model.predict_proba(np.column_stack([u.ravel(), v.ravel()]))[:, 1].reshape(u.shape)
    left.contourf(u, v, chance, levels=np.linspace(0.0, 1.0, 11), cmap="RdBu_r", alpha=0.55)
    left.contour(u, v, chance, levels=[0.1, 0.5, 0.9], colors="0.25", linewidths=[0.8, 1.6, 0.8])
    for label, colour in ((0, "#0b62a4"), (1, "#d1495b")):
        left.scatter(*X[y == label].T, s=9, color=colour, label=f"class {label}")
    left.scatter(*model.support_vectors_.T, s=80, facecolors="none", edgecolors="k", linewidths=1.6, label="imported")
    left.set(title=f"{len(model.support_)} of 300 rows; P = 0.1, 0.5, 0.9", xlabel="x0", ylabel="x1")
    left.legend(loc="upper right", fontsize=8)
    points, value, gap = longer.trace_.T
    right.semilogy(points, gap / value, "o-", color="#0b62a4", ms=4, label="bound (gap)")
    above = np.maximum(value - value[-1], 1e-12) / value
    right.semilogy(points[:-1], above[:-1], "s-", color="#e08a00", ms=4, label="above the objective of all rows")
    right.axhline(0.005, color="0.4", ls="--", lw=1.0, label="tol")
    right.set(title="What more rows could gain", xlabel="rows imported", ylabel="share of the objective")
    right.legend(fontsize=8)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
