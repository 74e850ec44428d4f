"""Draws multilayer_perceptron.png: a bent boundary, courses of the optimisers, and rows that were held back.

    python docs/methods/multilayer_perceptron.py
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_moons

from sumlearn import MLPClassifier
from sumlearn.learners.networks.optimisers import AdaGrad, Adam, Momentum, RMSProp

INSIDE, OUTSIDE = "#0b62a4", "#d1495b"
RULES = {
    "plain": (Momentum(0.0), 0.1, "#999999"),
    "momentum": (Momentum(0.9), 0.1, "#d1495b"),
    "AdaGrad": (AdaGrad(), 0.02, "#edae49"),
    "RMSProp": (RMSProp(), 0.002, "#00798c"),
    "Adam": (Adam(), 0.005, "#0b62a4"),
}


def moons(axes: Any) -> None:
    """Probabilities of a network with one hidden layer."""
    X, y = make_moons(300, noise=0.2, random_state=0)
    model = MLPClassifier((20,), activation="tanh", solver="lbfgs", alpha=0.3).fit(X, y)
    grid = np.meshgrid(np.linspace(-1.7, 2.7, 200), np.linspace(-1.3, 1.8, 160))
    p = model.predict_proba(np.column_stack([g.ravel() for g in grid]))[:, 1].reshape(grid[0].shape)
    axes.contourf(*grid, p, levels=np.linspace(0, 1, 11), cmap="RdBu", alpha=0.6)
    axes.contour(*grid, p, levels=[0.5], colors="#333333", linewidths=1.3)
    axes.scatter(*X.T, c=np.where(y == 1, INSIDE, OUTSIDE), s=9)
    axes.set(title="20 hidden units: P(blue)", xticks=[], yticks=[])


def courses(axes: Any, X: np.ndarray, y: np.ndarray) -> None:
    """Mean loss by epoch."""
    for name, (rule, rate, colour) in RULES.items():
        model = MLPClassifier((100,), solver=rule, learning_rate_init=rate, max_iter=40, tol=0.0).fit(X, y)
        axes.plot(range(1, 41), model.loss_curve_, label=f"{name}, rate {rate:g}", color=colour)
    axes.set(title="digits: loss by epoch", yscale="log", xlabel="epoch")
    axes.legend(frameon=False, fontsize=8)


def held_back(axes: Any, X: np.ndarray, y: np.ndarray) -> None:
    """A third of the labels are wrong: what a network learns by heart, and dropout."""
    rng = np.random.default_rng(0)
    wrong = np.where(rng.random(len(y)) < 0.3, rng.integers(0, 10, len(y)), y)
    for dropout, colour in ((0.0, OUTSIDE), (0.5, INSIDE)):
        model = MLPClassifier(
            (300,), dropout=dropout, early_stopping=True, validation_fraction=0.25, learning_rate_init=0.005,
            max_iter=120, n_iter_no_change=200,
        ).fit(X, wrong)  # fmt: skip
        epochs = np.arange(1, len(model.loss_curve_) + 1)
        axes.plot(epochs, model.validation_scores_, color=colour, label=f"dropout {dropout:g}")
        best = int(np.argmax(model.validation_scores_))
        axes.plot(epochs[best], model.validation_scores_[best], "o", color=colour)
    axes.set(title="30 % wrong labels: accuracy on rows held back", xlabel="epoch", ylim=(0.45, 0.75))
    axes.legend(frameon=False, fontsize=8)


def draw(target: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    X, y = load_digits(return_X_y=True)
    figure, axes = plt.subplots(1, 3, figsize=(13.2, 3.9), layout="constrained")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        moons(axes[0])
        courses(axes[1], X / 16.0, y)
        held_back(axes[2], X / 16.0, y)
    figure.savefig(target, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    draw(Path(__file__).with_suffix(".png"))
