"""Regression: predicted and true, residuals, their shape, and rows with a long lever."""

from __future__ import annotations

import numpy as np

from ..blocks import Block, Chart, Section
from ..evidence import Evidence
from ..plots.figure import Figure, Item, Line, Panel, Points, thinned

MOST_POINTS = 1500
MOST_FEATURES = 300


def fit_plot(evidence: Evidence) -> Section | None:
    if evidence.classify:
        return None
    truth, answers = evidence.truth.astype(float), evidence.chosen.labels.astype(float)
    some = sample(len(truth))
    ends = np.array([min(truth.min(), answers.min()), max(truth.max(), answers.max())])
    items: tuple[Item, ...] = (
        Line(ends, ends, "", "quiet", "dash", 1.2),
        Points(answers[some], truth[some], "rows left out", 0),
    )
    figure = Figure(
        (Panel(items, f"predicted {evidence.target.name}", f"true {evidence.target.name}"),), size=(6.4, 5.6)
    )
    lead = "Every dot is a row that was not learnt. On the dashed line the answer is right."
    return Section("fit", "Predicted and true", lead, [Chart("fit", figure, said(len(truth)))])


def residuals(evidence: Evidence) -> Section | None:
    if evidence.classify:
        return None
    from scipy.special import ndtri

    truth, answers = evidence.truth.astype(float), evidence.chosen.labels.astype(float)
    off = truth - answers
    some = sample(len(off))
    ends = np.array([answers.min(), answers.max()])
    over = Panel(
        (Line(ends, np.zeros(2), "", "quiet", "dash", 1.2), Points(answers[some], off[some], "", 0)),
        f"predicted {evidence.target.name}",
        "error (true minus predicted)",
    )
    order = np.sort((off - off.mean()) / (off.std() or 1.0))
    normal = ndtri((np.arange(len(order)) + 0.5) / len(order))
    x, y = thinned(normal, order, most=400)
    line = np.array([normal[0], normal[-1]])
    quantiles = Panel(
        (Line(line, line, "", "quiet", "dash", 1.2), Points(x, y, "", 0)), "normal quantile", "error, standardised"
    )
    blocks: list[Block] = [
        Chart(
            "residuals", Figure((over,), size=(6.4, 4.6)), "A curve or a funnel here means that something is missing."
        ),
        Chart(
            "quantiles",
            Figure((quantiles,), size=(5.4, 5.0)),
            "Ends off the line: errors larger than a normal law has.",
        ),
    ]
    lever = leverage(evidence, off)
    if lever is not None:
        caption = (
            "Rows far to the right pull the fit towards themselves; with a large error as well they deserve a look."
        )
        blocks.append(Chart("leverage", lever, caption))
    lead = f"What a good model leaves behind has no shape. {said(len(off))}"
    return Section("residuals", "Errors of single rows", lead, blocks)


def leverage(evidence: Evidence, off: np.ndarray) -> Figure | None:
    """h = 1 / n + (x - m)'S^-1 (x - m): the pull of a row on its own fitted value, in a linear model."""
    features = evidence.features
    n, d = features.shape
    if not 0 < d <= MOST_FEATURES or n <= d + 1 or not hasattr(evidence.model.model.learner_, "coef_"):
        return None
    Q, R = np.linalg.qr(features - features.mean(axis=0))
    if np.abs(R.diagonal()).min() < 1e-9 * np.abs(R.diagonal()).max():
        return None
    hat = 1.0 / n + (Q**2).sum(axis=1)
    some = sample(len(off))
    items: tuple[Item, ...] = (Points(hat[evidence.rows][some], off[some] / (off.std() or 1.0), "", 0),)
    return Figure((Panel(items, "leverage", "error, in deviations"),), size=(6.4, 4.4))


def sample(n: int) -> np.ndarray:
    """Some rows, drawn by lot, where there are too many to draw."""
    return np.sort(np.random.default_rng(0).permutation(n)[:MOST_POINTS])


def said(n: int) -> str:
    return (
        f"Shown are {MOST_POINTS:,} of {n:,} rows, drawn by lot." if n > MOST_POINTS else f"Shown are all {n:,} rows."
    )
