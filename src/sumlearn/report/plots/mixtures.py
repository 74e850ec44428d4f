"""Pictures of mixtures of Gaussians: ellipses, and a regression by the mixture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...learners.local.parts.from_mixture import full_covariances
from .figure import Figure, Item, Line, Mark, Panel, Points

ROUND = np.linspace(0.0, 2.0 * np.pi, 73)
CIRCLE = np.stack([np.cos(ROUND), np.sin(ROUND)])
MOST_POINTS = 2000


def mixture(model: Any, X: Any = None, columns: Sequence[int] = (0, 1), regression: bool = False) -> Figure:
    """The components of a mixture on two columns: ellipses of one and two deviations, and the rows by component.

    With `regression` also E[second | first], with a band of two deviations, under the mixture of these two columns.

    Parameters
    ----------
    model : GaussianMixture
    X : array or table, default=None
        Rows to be shown, at most 2,000 of them.
    columns : two numbers, default=(0, 1)
        Across and up.
    regression : bool, default=False

    Examples
    --------
    >>> from sumlearn import GaussianMixture
    >>> from sumlearn.data import load_example
    >>> from sumlearn.report import plots
    >>> eruptions = load_example("faithful").X
    >>> figure = plots.mixture(GaussianMixture(2).fit(eruptions), eruptions, regression=True)
    >>> [type(item).__name__ for item in figure.panels[0].items]
    ['Points', 'Points', 'Line', 'Line', 'Mark', 'Line', 'Line', 'Mark', 'Line']
    """
    across, up = (int(j) for j in columns)
    k, d = np.shape(model.means_)
    if across == up or not (0 <= across < d and 0 <= up < d):
        raise ValueError(f"columns must be two different numbers below {d}, got {tuple(columns)!r}")
    items: list[Item] = []
    if X is not None:
        rows, own = np.asarray(X, dtype=float), model.predict(X)
        some = np.sort(np.random.default_rng(0).permutation(len(rows))[:MOST_POINTS])
        for c in range(k):
            mine = some[own[some] == c]
            if len(mine):
                items.append(Points(rows[mine, across], rows[mine, up], f"component {c + 1}", c))
    chosen = np.array([across, up])
    for c, covariance in enumerate(full_covariances(model, k, d)):
        if model.weights_[c] == 0:
            continue
        middle = np.asarray(model.means_, dtype=float)[c, chosen]
        values, vectors = np.linalg.eigh(covariance[np.ix_(chosen, chosen)])
        ring = (vectors * np.sqrt(np.maximum(values, 0.0))) @ CIRCLE
        for deviations, width in ((1.0, 2.2), (2.0, 1.2)):
            x, y = middle[:, None] + deviations * ring
            items.append(Line(x, y, "", c, width=width))
        items.append(Mark(float(middle[0]), float(middle[1]), f"{model.weights_[c]:.2f}", "ink", "above"))
    if regression:
        items.append(regression_line(model, across, up, items))
    names = [str(name) for name in vars(model).get("feature_names_in_", [f"column {j}" for j in range(d)])]
    panel = Panel(tuple(items), names[across], names[up], legend=None if X is None else "above")
    return Figure((panel,), "Components, with their weights; ellipses of one and two deviations", size=(6.4, 5.2))


def regression_line(model: Any, across: int, up: int, items: Sequence[Item]) -> Line:
    """E[up | across] over the range of what is shown."""
    from ... import GaussianMixture

    chosen, (k, d) = np.array([across, up]), np.shape(model.means_)
    plane = GaussianMixture(k)
    plane.weights_, plane.means_ = np.asarray(model.weights_), np.asarray(model.means_)[:, chosen]
    plane.covariances_ = np.stack([C[np.ix_(chosen, chosen)] for C in full_covariances(model, k, d)])
    plane.n_features_in_ = 2
    shown = np.concatenate([item.x for item in items if isinstance(item, Line | Points)])
    x = np.linspace(shown.min(), shown.max(), 201)
    mean, deviation = (part[:, 0] for part in plane.conditional(x[:, None], [0], return_std=True))
    return Line(x, mean, "expected", "ink", "dash", 1.6, low=mean - 2.0 * deviation, high=mean + 2.0 * deviation)
