"""Plots of how a fit behaves: with more rows, epoch by epoch, and with more freedom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .figure import Figure, Item, Line, Mark, Panel, Points, thinned

MOST_TICKS = 7


def learning_curve(curve: Any) -> Figure:
    """Scores on training and held-out rows over the number of training rows; bands are one deviation over the splits.

    `curve` has attributes ``sizes`` (m,), ``train_scores`` (m, k), ``test_scores`` (m, k) and ``score_name``.

    >>> from types import SimpleNamespace
    >>> curve = SimpleNamespace(
    ...     sizes=[10, 40], train_scores=[[1.0, 0.8], [0.8, 0.8]], test_scores=[[0.5, 0.3], [0.7, 0.5]], score_name="r2"
    ... )
    >>> print([line.y.round(2).tolist() for line in learning_curve(curve).panels[0].items])
    [[0.9, 0.8], [0.4, 0.6]]
    """
    sizes = np.asarray(curve.sizes, dtype=float)
    lines: list[Item] = []
    for k, (label, scores) in enumerate((("training rows", curve.train_scores), ("held-out rows", curve.test_scores))):
        table = np.asarray(scores, dtype=float).reshape(len(sizes), -1)
        mean, deviation = table.mean(axis=1), table.std(axis=1)
        band = (mean - deviation, mean + deviation) if table.shape[1] > 1 else (None, None)
        lines.append(Line(sizes, mean, label, k, "solid", 2.0, *band))
    log = bool(sizes.min() > 0 and sizes.max() / sizes.min() > 20)
    some = sizes[np.unique(np.linspace(0, len(sizes) - 1, MOST_TICKS).round().astype(int))]
    ticks = tuple((float(size), f"{size:,.0f}") for size in some) if log else None
    panel = Panel(tuple(lines), "Training rows", str(curve.score_name), x_ticks=ticks, log_x=log, legend="above")
    return Figure((panel,), "Learning curve", size=(6.0, 4.2))


def loss_curve(models: Any) -> Figure:
    """Mean loss of every epoch, or step; beside it, where rows were held back, their score, and the best one.

    `models` is a learner with ``loss_curve_``, such as a network or a perceptron, or a dict of name: learner. Scores
    are ``validation_scores_``.

    >>> from types import SimpleNamespace
    >>> model = SimpleNamespace(loss_curve_=[0.9, 0.5, 0.4], validation_scores_=[0.6, 0.8, 0.7])
    >>> [item.label for panel in loss_curve(model).panels for item in panel.items]
    ['', '', 'best 0.8, epoch 2']
    """
    named = models if isinstance(models, Mapping) else {"": models}
    loss: list[Item] = []
    scores: list[Item] = []
    for k, (name, model) in enumerate(named.items()):
        losses = np.asarray(getattr(model, "loss_curve_", ()), dtype=float)
        if not len(losses):
            raise ValueError(
                f"{name or type(model).__name__} has no loss_curve_: it is not fitted, or counts no losses"
            )
        loss.append(course(losses, str(name), k))
        held_back = np.asarray(getattr(model, "validation_scores_", None) or (), dtype=float)
        if np.isfinite(held_back).any():
            best = int(np.nanargmax(held_back))
            text = f"{name}: best" if name else "best"
            text = f"{text} {held_back[best]:.3g}, epoch {best + 1}"
            scores += [course(held_back, "", k), Points(np.array([best + 1.0]), held_back[[best]], text, k)]
    panels = [Panel(tuple(loss), "Epoch", "Mean loss", legend="above" if len(named) > 1 else None)]
    if scores:
        panels.append(Panel(tuple(scores), "Epoch", "Score of rows held back", legend="above"))
    return Figure(tuple(panels), "Learning, epoch by epoch", size=(5.4 * len(panels), 4.2))


def course(values: np.ndarray, name: str, color: int) -> Item:
    """A value for each epoch."""
    x, y = thinned(np.arange(1.0, len(values) + 1.0), values)
    return (Line if len(values) > 1 else Points)(x, y, name, color)


def structural_risk(risk: Any) -> Figure:
    """Errors over families of growing freedom: on rows learnt, with what a bound adds, and on rows left out.

    `risk` has attributes ``names``, ``empirical``, ``bound``, ``cross_validated``, each (m,), and ``kind``.

    >>> from types import SimpleNamespace
    >>> parts = SimpleNamespace(
    ...     names=["a", "b"], empirical=[0.3, 0.1], bound=[0.5, 0.7], cross_validated=[0.31, 0.2], kind="vc"
    ... )
    >>> structural_risk(parts).panels[0].items[-1].text
    'least bound 0.5 at a'
    """
    bound = np.asarray(risk.bound, dtype=float)
    x, kind = np.arange(float(len(bound))), Line if len(bound) > 1 else Points
    parts = {"rows learnt": risk.empirical, f"{risk.kind} bound": bound, "rows left out": risk.cross_validated}
    items: list[Item] = [
        kind(x, np.asarray(values, dtype=float), name, k) for k, (name, values) in enumerate(parts.items())
    ]
    best = int(bound.argmin())
    text = f"least bound {bound[best]:.3g} at {risk.names[best]}"
    items.append(Mark(float(x[best]), float(bound[best]), text, 1, "below"))
    ticks = tuple(zip(x.tolist(), map(str, risk.names), strict=True))
    panel = Panel(tuple(items), "Family", "Share of wrong labels", x_ticks=ticks, legend="above")
    return Figure((panel,), "Structural risk", size=(6.0, 4.2))


def bias_variance(split: Any) -> Figure:
    """Bias, variance, noise and error over the complexity of a model; the smallest error is marked.

    `split` has attributes ``complexity``, ``bias2``, ``variance``, ``noise`` and ``error``, each (m,); ``parameter``
    and ``loss``, where it has them, name the axes. Complexities that are no numbers are drawn at equal distances.

    >>> from types import SimpleNamespace
    >>> parts = SimpleNamespace(
    ...     complexity=[1, 2, 3], bias2=[4, 1, 0], variance=[0, 1, 3], noise=[1, 1, 1], error=[5, 3, 4]
    ... )
    >>> bias_variance(parts).panels[0].items[-1].text
    'least error 3 at 2'
    """
    values = np.asarray(split.complexity)
    numeric = values.dtype.kind in "fiu"
    x = values.astype(float) if numeric else np.arange(float(len(values)))
    squared = getattr(split, "loss", "squared") == "squared"
    parts = {"bias²" if squared else "bias": split.bias2, "variance": split.variance, "noise": split.noise}
    kind = Line if len(x) > 1 else Points
    items: list[Item] = [
        kind(x, np.broadcast_to(np.asarray(part, dtype=float), x.shape), name, k + 1)
        for k, (name, part) in enumerate(parts.items())
    ]
    error = np.asarray(split.error, dtype=float)
    best = int(np.argmin(error))
    at = f"{values[best]:.3g}" if numeric else str(values[best])
    text = f"least error {error[best]:.3g} at {at}"
    items += [kind(x, error, "error", 0), Mark(float(x[best]), float(error[best]), text, 0, "below")]
    panel = Panel(
        tuple(items),
        str(getattr(split, "parameter", None) or "Complexity"),
        {"squared": "Expected squared error", "zero_one": "Expected share of errors"}.get(
            getattr(split, "loss", ""), "Expected loss"
        ),
        x_ticks=None if numeric else tuple((float(k), str(value)) for k, value in enumerate(values)),
        log_x=bool(numeric and x.min() > 0 and x.max() / x.min() > 100),
        legend="above",
    )
    return Figure((panel,), "Bias, variance and noise", size=(6.0, 4.2))
