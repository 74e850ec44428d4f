"""Plots of ROC curves: the curve itself, rates over the threshold, error trade-off, precision and recall."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...evaluation.two_classes.roc_curve import RocCurve, RocPoint
from ...features.input_ranges import one_of
from .figure import Figure, Item, Line, Mark, Panel, Ticks, thinned

UNIT = (-0.01, 1.01)
DET_TICKS = (0.001, 0.005, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 0.995, 0.999)
EQUAL_COST_LINES = 3
TIES = " (ties)"  # no threshold has such rates: they lie among rows of one score


def roc(
    curves: RocCurve | Mapping[str, RocCurve],
    point: RocPoint | float | None = None,
    costs: tuple[float, float] | None = None,
    prior: float | None = None,
    over: str = "fpr",
) -> Figure:
    """TPR over FPR, or over TNR, with the area of each curve.

    Parameters
    ----------
    curves : RocCurve, or dict of name: RocCurve
        What to draw.
    point : RocPoint or threshold, default=None
        A working point of the first curve to mark.
    costs : (false acceptance, false rejection), default=None
        Draws the lines of equal cost through the cheapest point of the first curve, and above the cheapest cost.
    prior : float, default=None
        Probability of a positive row for the costs; None is the share in the data.
    over : {"fpr", "tnr"}, default="fpr"
        What the axis shows: ``"tnr"`` runs from 1 to 0, as lecture note 002 draws it, under the same picture.

    Examples
    --------
    >>> figure = roc(RocCurve([0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.7, 0.8]), point=0.4, costs=(1.0, 2.0))
    >>> figure.panels[0].items[-1].text
    'threshold 0.4'
    """
    one_of(over, "over", ("fpr", "tnr"))
    named = by_name(curves)
    first = next(iter(named.values()))
    items: list[Any] = [Line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), color="quiet", style="dash", width=1.2)]
    for k, (name, curve) in enumerate(named.items()):
        x, y = thinned(curve.fpr, curve.tpr)
        items.append(Line(x, y, labelled(name, f"AUC {curve.auc():.3f}"), k))
    if costs is not None:
        items += equal_cost_lines(first, costs, prior)
    if point is not None:
        at = point if isinstance(point, RocPoint) else first.at(point)
        items.append(Mark(at.fpr, at.tpr, f"threshold {at.threshold:.3g}", side="right"))
    x_label, x_range = "False positive rate (share of negatives accepted)", UNIT
    if over == "tnr":
        items = [replace(item, x=1.0 - item.x) for item in items]
        x_label, x_range = "True negative rate (share of negatives rejected)", UNIT[::-1]
    panel = Panel(
        tuple(items),
        x_label,
        "True positive rate (share of positives accepted)",
        x_range=x_range,
        y_range=UNIT,
        square=True,
        legend="lower right",
    )
    return Figure((panel,), "ROC curve", size=(5.4, 5.2))


def equal_cost_lines(curve: RocCurve, costs: tuple[float, float], prior: float | None) -> list[Item]:
    """Lines of slope rho_FA (1 - prior) / (rho_FR prior): through the cheapest point, and some dearer ones."""
    best = curve.iso_cost_point(*costs, prior)
    share = curve.positives / (curve.positives + curve.negatives) if prior is None else prior
    across, along = costs[1] * share, costs[0] * (1.0 - share)  # direction of a line: equal cost along it
    step = 0.12 * (across**2 + along**2) ** 0.5
    items: list[Item] = []
    for k in range(EQUAL_COST_LINES):
        # along * fpr - across * tpr = level: cheaper towards the upper left
        level = along * best.fpr - across * best.tpr + k * step
        ends = clipped(along, across, level)
        if ends is not None:
            width, label = (1.6, "equal cost") if k == 0 else (1.0, "")
            items.append(Line(*ends, label, "quiet", "dot", width))
    items.append(Mark(best.fpr, best.tpr, "cheapest", color=1, side="above" if best.tpr < 0.9 else "below"))
    return items


def clipped(a: float, b: float, level: float) -> tuple[np.ndarray, np.ndarray] | None:
    """The part of the line a x - b y = level inside the unit square."""
    crossings = []
    if b > 0:
        crossings += [(x, (a * x - level) / b) for x in (0.0, 1.0)]
    if a > 0:
        crossings += [((level + b * y) / a, y) for y in (0.0, 1.0)]
    inside = sorted({(x, y) for x, y in crossings if -1e-12 <= x <= 1 + 1e-12 and -1e-12 <= y <= 1 + 1e-12})
    if len(inside) < 2:
        return None
    (x0, y0), (x1, y1) = inside[0], inside[-1]
    return np.array([x0, x1]), np.array([y0, y1])


def threshold_curves(curve: RocCurve) -> Figure:
    """TPR, TNR and precision over the threshold, FNR and FPR dotted, with equal error rate and break-even point.

    >>> figure = threshold_curves(RocCurve([0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.7, 0.8]))
    >>> [item.text for item in figure.panels[0].items[-2:]]
    ['EER 0.333', 'BEP 0.667']
    """
    rates = (curve.thresholds.astype(float), curve.tpr, curve.tnr, curve.precision, curve.fnr, curve.fpr)
    x, tpr, tnr, precision, fnr, fpr = thinned(*(values[1:] for values in rates))  # without infinity
    equal, even = curve.eer_point, curve.bep_point
    items: tuple[Item, ...] = (
        Line(x, tpr, "true positive rate (recall)", 0),
        Line(x, tnr, "true negative rate", 1),
        Line(x, precision, "precision", 2),
        Line(x, fnr, "false negative rate", 0, "dot", 1.2),
        Line(x, fpr, "false positive rate", 1, "dot", 1.2),
        Mark(equal.threshold, equal.fnr, eer_text(curve), side="left"),
        Mark(even.threshold, even.tpr, f"BEP {curve.bep:.3f}{TIES * curve.bep_interpolated}", side="right"),
    )
    panel = Panel(items, "Threshold (score units)", "Rate (share of rows)", y_range=UNIT, legend="above")
    return Figure((panel,), "Rates over the threshold", size=(6.4, 4.4))


def eer_text(curve: RocCurve) -> str:
    """The equal error rate, and whether it lies among rows of one score, where no threshold has it."""
    return f"EER {curve.eer:.3f}{TIES * curve.eer_interpolated}"


def det(curves: RocCurve | Mapping[str, RocCurve]) -> Figure:
    """Detection error trade-off: FNR over FPR on axes of normal deviates, straight for normal scores.

    >>> figure = det(RocCurve([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6]))
    >>> figure.panels[0].items[0].label
    'EER 0.333'
    """
    from scipy.special import ndtri

    items: list[Item] = []
    for k, (name, curve) in enumerate(by_name(curves).items()):
        x, y = thinned(*curve.det())
        if not len(x):
            raise ValueError(f"the DET curve{f' of {name!r}' if name else ''} is empty: {why_empty(curve)}")
        items.append(Line(x, y, labelled(name, eer_text(curve)), k))
    reach = max(float(np.abs(np.append(line.x, line.y)).max()) for line in items if isinstance(line, Line))
    reach = min(max(1.1 * reach, 2.1), 3.3)
    ticks: Ticks = tuple((float(ndtri(p)), f"{100 * p:g} %") for p in DET_TICKS if abs(ndtri(p)) <= reach)
    panel = Panel(
        tuple(items),
        "False positive rate (normal deviate scale)",
        "False negative rate (normal deviate scale)",
        x_range=(-reach, reach),
        y_range=(-reach, reach),
        x_ticks=ticks,
        y_ticks=ticks,
        square=True,
        legend="upper right",
    )
    return Figure((panel,), "Detection error trade-off", size=(5.6, 5.4))


def why_empty(curve: RocCurve) -> str:
    """Why no threshold makes errors of both kinds, and does some of either right.

    >>> why_empty(RocCurve([0, 1], [1.0, 1.0])), why_empty(RocCurve([0, 1], [1.0, 2.0]))
    ('all scores are equal', 'the scores separate the classes')
    """
    if len(curve.thresholds) == 2:  # none, and all
        return "all scores are equal"
    apart = curve.auc() in (0.0, 1.0)
    return "the scores separate the classes" if apart else "no threshold leaves both rates between 0 and 1"


def precision_recall(curves: RocCurve | Mapping[str, RocCurve]) -> Figure:
    """Precision over recall, with the average precision of each curve and the share of positives as the base.

    >>> precision_recall(RocCurve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])).panels[0].items[1].label
    'average precision 0.833'
    """
    named = by_name(curves)
    first = next(iter(named.values()))
    base = first.positives / (first.positives + first.negatives)
    items: list[Item] = [
        Line(np.array([0.0, 1.0]), np.array([base, base]), f"accept all: {base:.3f}", "quiet", "dash", 1.2)
    ]
    for k, (name, curve) in enumerate(named.items()):
        x, y = thinned(curve.tpr, curve.precision)
        items.append(Line(x, y, labelled(name, f"average precision {curve.average_precision:.3f}"), k))
    panel = Panel(
        tuple(items),
        "Recall (share of positives accepted)",
        "Precision (share of accepted that are positive)",
        x_range=UNIT,
        y_range=UNIT,
        square=True,
        legend="lower left",
    )
    return Figure((panel,), "Precision and recall", size=(5.4, 5.2))


def by_name(curves: Any) -> Mapping[str, RocCurve]:
    if isinstance(curves, RocCurve):
        return {"": curves}
    if not isinstance(curves, Mapping) or not curves or not all(isinstance(c, RocCurve) for c in curves.values()):
        raise TypeError("curves must be a RocCurve or a dictionary of names and RocCurves")
    return {str(name): curve for name, curve in curves.items()}


def labelled(name: str, value: str) -> str:
    return f"{name}: {value}" if name else value
