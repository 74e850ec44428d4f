"""Scores of two classes: rates over the threshold, boxes, precision and recall, error trade-off, calibration."""

from __future__ import annotations

from dataclasses import replace

from ...evaluation.two_classes.roc_curve import RocCurve
from .. import plots
from ..blocks import Block, Chart, Section
from ..evidence import Evidence
from ..numbers import quoted
from ..plots.figure import Item, Line, thinned
from ..plots.score_plots import reliability

MOST_CURVES = 6


def rates(evidence: Evidence) -> Section | None:
    if not evidence.two or not evidence.curves:
        return None
    blocks: list[Block] = [
        Chart(
            "rates",
            plots.threshold_curves(evidence.curve),
            "EER: both classes are missed equally often, or as nearly as a threshold can; above, the EER lies between "
            "two. BEP: precision equals recall.",
        ),
        Chart(
            "boxes",
            plots.score_box(evidence.truth.astype(str), evidence.chosen.scores, evidence.weight),
            "Half of each class lies in its box; the less the boxes overlap, the better.",
        ),
    ]
    lead = "How the rates trade against each other as the threshold moves, and how far apart the scores are."
    return Section("rates", "Rates and scores", lead, blocks)


def trade_offs(evidence: Evidence) -> Section | None:
    if not evidence.two or not evidence.curves:
        return None
    some = dict(list(evidence.curves.items())[:MOST_CURVES])
    blocks: list[Block] = [
        Chart(
            "precision",
            plots.precision_recall(some),
            "What is lost in precision to find more of the positives; worth more than the ROC where they are rare.",
        )
    ]
    mixed = {title: curve for title, curve in some.items() if overlaps(curve)}
    if mixed:
        caption = "Both errors on a scale that makes normal scores a straight line; lower left is better."
        blocks.append(Chart("det", plots.det(mixed), caption))
    return Section("trade-offs", "Precision, recall, and both errors", "The same scores, from two other sides.", blocks)


def overlaps(curve: RocCurve) -> bool:
    """Whether some threshold makes errors of both kinds, so that there is a curve to draw."""
    return bool(len(curve.det()[0]))


def calibration(evidence: Evidence) -> Section | None:
    """Only where scores are probabilities."""
    scores = evidence.chosen.scores
    if not evidence.two or scores is None or not hasattr(evidence.model.model.learner_, "predict_proba"):
        return None
    came_true = evidence.truth == evidence.target.positive
    figure = reliability(came_true, scores, positive=True, sample_weight=evidence.weight)
    upper = replace(figure.panels[0], y_label=f"Share of {quoted(evidence.target.positive)}")
    named = replace(figure, panels=(upper, *figure.panels[1:]))
    lead = (
        "Of the rows that were given a probability near 0.7, do 7 of 10 come true? Points on the dashed line say yes."
    )
    return Section("calibration", "Are the probabilities true?", lead, [Chart("calibration", named)])


def one_against_rest(evidence: Evidence) -> Section | None:
    """ROC curves of every class against all others, of the chosen model."""
    scores = evidence.chosen.scores
    if not evidence.classify or evidence.two or scores is None or scores.ndim != 2:
        return None
    curves = {}
    for k, label in enumerate(evidence.target.classes):
        truth = evidence.truth == label
        if truth.any():
            curves[str(label)] = RocCurve(truth, scores[:, k], evidence.weight, positive=True)
    figure = plots.roc(curves)
    panel = replace(figure.panels[0], items=tuple(thin(item) for item in figure.panels[0].items))
    smaller = replace(figure, panels=(panel,), size=(5.8, 5.6))
    lead = "Each class against all others, by its own score. The area is the chance to rank a row of the class higher."
    return Section("one-against-rest", "ROC of every class", lead, [Chart("one-against-rest", smaller)])


def thin(item: Item) -> Item:
    """A line of few points; there is one for every class."""
    if not isinstance(item, Line):
        return item
    x, y = thinned(item.x, item.y, most=150)
    return replace(item, x=x, y=y, width=1.6)
