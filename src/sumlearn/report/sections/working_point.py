"""Where to put the threshold: the ROC curves of all models, and a working point that can be moved."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...evaluation.two_classes.rates import Rates
from ...evaluation.two_classes.roc_curve import RocCurve
from ..blocks import Block, Chart, Live, Section
from ..evidence import Evidence
from ..numbers import quoted
from ..plots.curves import UNIT, clipped
from ..plots.figure import Figure, Item, Line, Mark, Panel, thinned

POINTS = 250  # of a curve
MOST_THRESHOLDS = 4000
GRID = np.linspace(0.0, 1.0, 101)
RATES = {
    "tpr": ("sensitivity, recall, true positive rate", "share of the positives that are accepted"),
    "fnr": ("false negative rate", "share of the positives that are rejected"),
    "fpr": ("false positive rate", "share of the negatives that are accepted"),
    "tnr": ("specificity, true negative rate", "share of the negatives that are rejected"),
    "precision": ("positive predictive value (PPV), precision", "share of the accepted that are positive"),
    "garbage": ("garbage", "share of the accepted that are negative"),
    "waste": ("waste", "share of the rejected that are positive"),
    "care": ("negative predictive value (NPV), care", "share of the rejected that are negative"),
    "f": ("F", "harmonic mean of precision and recall"),
    "accuracy": ("accuracy", "share of all rows decided rightly"),
}


def working_point(evidence: Evidence) -> Section | None:
    if not evidence.two or not evidence.curves:
        return None
    positive, negative = str(evidence.target.positive), str(evidence.target.negative)
    lead = (
        f"A row is called {quoted(positive)} if its score reaches a threshold. Move it, or say what each error costs: "
        "everything here is counted on rows that were not learnt."
    )
    rates = start(evidence)
    counts = {"tp": rates.tp, "fn": rates.fn, "fp": rates.fp, "tn": rates.tn}
    words = {"positive": positive, "negative": negative, "counts": counts, "rates": told(rates)}
    live = Live("threshold", table_of(evidence), words)
    caption = (
        "Marked: the equal error rate (EER), the point that the 45-degree line touches (most gained over guessing), "
        "and the working point chosen above with its line of equal cost. Curves are of all rows left out together; the "
        f"AUC of the headline is a mean over splits. {beside_headline(evidence)}"
    )
    if fold_band(evidence):
        band = f"The shaded band is the spread of the curve of {evidence.chosen_title} over the splits."
        caption = f"{band} {caption}"
    blocks: list[Block] = [live, Chart("roc", roc(evidence), caption)]
    return Section("threshold", "Where to put the threshold", lead, blocks)


def beside_headline(evidence: Evidence) -> str:
    """Why the equal error rate of the curve is not that of the headline; nothing where it is."""
    drawn, said = evidence.curve.diagonal_point.fnr, evidence.metrics["scores"]["eer"]["score"]
    if said is None or f"{drawn:.3f}" == f"{said:.3f}":
        return ""
    return f"Its EER, {said:.3f}, is that of the curve, {drawn:.3f}, and what the choice of the model added."


def roc(evidence: Evidence) -> Figure:
    """All curves; band, equal error and tangent of the chosen one. The script adds the working point."""
    curve = evidence.curve
    items: list[Item] = [Line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), color="quiet", style="dash", width=1.0)]
    items += fold_band(evidence)
    for k, (title, other) in enumerate(evidence.curves.items()):
        x, y = thinned(other.fpr, other.tpr, most=POINTS)
        style = "solid" if k < 6 else "dot"
        items.append(Line(x, y, f"{title}: AUC {other.auc():.3f}", k, style, 2.6 if k == 0 else 1.2))
    touch = curve.tangent_point
    ends = clipped(1.0, 1.0, touch.fpr - touch.tpr)
    if ends is not None:
        items.append(Line(*ends, "45-degree tangent", "quiet", "dot", 1.2))
    equal = curve.diagonal_point
    items.append(Mark(touch.fpr, touch.tpr, "tangent", "quiet", "above"))
    items.append(Mark(equal.fpr, equal.tpr, f"EER {equal.fnr:.3f}", "quiet", "right"))
    panel = Panel(
        tuple(items),
        "False positive rate",
        "True positive rate",
        x_range=UNIT,
        y_range=UNIT,
        square=True,
        legend="lower right",
    )
    return Figure((panel,), "ROC curves", size=(5.8, 5.6))


def fold_band(evidence: Evidence) -> list[Item]:
    """Spread of the chosen model's curve: one deviation over the splits, at equal false positive rates."""
    truth = evidence.truth == evidence.target.positive
    scores: Any = evidence.chosen.scores
    heights = []
    for k in np.unique(evidence.split):
        mine = evidence.split == k
        if 0 < truth[mine].sum() < mine.sum():
            one = RocCurve(truth[mine], scores[mine], positive=True)
            heights.append(np.interp(GRID, one.fpr, one.tpr))
    if len(heights) < 3:
        return []
    mean, spread = np.mean(heights, axis=0), np.std(heights, axis=0, ddof=1)
    low, high = np.clip([mean - spread, mean + spread], 0.0, 1.0)
    return [Line(GRID, mean, "", 0, "solid", 0.0, low, high)]


def table_of(evidence: Evidence) -> dict[str, Any]:
    """Counts at every threshold, for the script; of very many thresholds some, evenly by rank."""
    curve = evidence.curve
    keep = np.arange(len(curve.thresholds))
    if len(keep) > MOST_THRESHOLDS:
        keep = np.unique(np.linspace(0, len(keep) - 1, MOST_THRESHOLDS).astype(int))
    values = curve.thresholds[keep].tolist()
    costs = evidence.metrics.get("costs")
    return {
        "thresholds": [None, *values[1:]],  # the first is infinity: nothing is accepted
        "tp": curve.tp[keep].tolist(),
        "fp": curve.fp[keep].tolist(),
        "start": int(np.searchsorted(-curve.thresholds[keep], -own_threshold(evidence), side="right")) - 1,
        "cost": costs["false_accept"] / costs["false_reject"] if costs and costs["false_reject"] else None,
        "all": len(curve.thresholds),
    }


def own_threshold(evidence: Evidence) -> float:
    """The threshold that the saved model uses."""
    saved = evidence.model.facts["threshold"]
    if saved is not None:
        return float(saved)
    return 0.5 if hasattr(evidence.model.model.learner_, "predict_proba") else 0.0


def start(evidence: Evidence) -> Rates:
    """Counts at the threshold of the saved model: what a reader without a script sees."""
    curve = evidence.curve
    index = max(0, int(np.searchsorted(-curve.thresholds, -own_threshold(evidence), side="right")) - 1)
    tp, fp = float(curve.tp[index]), float(curve.fp[index])
    return Rates(tp, curve.positives - tp, fp, curve.negatives - fp, empty=float("nan"))


def told(rates: Rates) -> list[tuple[str, str, str, float]]:
    """Name, title, meaning and value of every rate."""
    values = {name: getattr(rates, name) for name in RATES}
    return [(name, *words, float(values[name]() if name == "f" else values[name])) for name, words in RATES.items()]
