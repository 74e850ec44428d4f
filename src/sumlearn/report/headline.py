"""The card at the top: the saved model's score on rows not learnt, beside a constant answer and the procedure."""

from __future__ import annotations

from typing import Any

import numpy as np

from .blocks import Bar, Grid
from .evidence import Evidence
from .numbers import quoted, shown, three

MEANINGS = {
    "auc": "the chance that a positive row gets a higher score than a negative one; 0.5 is guessing, 1 is perfect",
    "accuracy": "the share of rows that are decided rightly",
    "balanced_accuracy": "the share decided rightly within each class, averaged over the classes",
    "f1": "the harmonic mean of precision and recall; 1 is perfect",
    "error": "the share of rows that are decided wrongly",
    "eer": "equal error rate: the error at the threshold where both classes are missed equally often",
    "cost": "the mean cost of a row, in the units of --cost",
    "r2": "the share of the target's variance that is explained; 0 is no better than the mean, 1 is perfect",
    "rmse": "root of the mean squared error, in the units of the target",
    "mae": "the mean absolute error, in the units of the target",
}
MANY_AUC = "over all classes, the mean chance that a row of the class outranks a row of the others"


def meaning(name: str, evidence: Evidence) -> str:
    if name == "auc" and not evidence.two:
        return MANY_AUC
    return MEANINGS.get(name, "")


def headline(evidence: Evidence) -> dict[str, Any]:
    """Everything the card says."""
    metrics, metric, target = evidence.metrics, evidence.metric, evidence.target
    low, high = metrics["interval"]
    base, learnt = metrics["baseline"].get(metric.name), metrics["training"].get(metric.name)
    data = metrics["data"]
    return {
        "title": f"Predicting {quoted(target.name)}",
        "data": f"{data['name']}, {shown(data['rows'])} rows × {shown(data['columns'])} columns",
        "model": metrics["chosen"]["title"],
        "metric": metric.title,
        "meaning": meaning(metric.name, evidence),
        "score": three(metrics["score"]),
        "interval": f"{three(low)} to {three(high)}",
        "confidence": f"{100 * metrics['confidence']:.0f} %",
        "how": how(evidence),
        "baseline": three(base),
        "baseline_name": constant_words(evidence),
        "training": three(learnt),
        "training_name": "at its training, on rows left out" if evidence.fresh else "on the rows it learnt: optimistic",
        "procedure": whole_procedure(evidence),
        "picture": picture(evidence),
        "verdict": verdict(evidence),
        "scores": scores(evidence),
    }


def how(evidence: Evidence) -> str:
    if evidence.nested is None:
        return f"{shown(len(evidence.rows))} fresh rows, asked of the finished model; interval by resampling rows"
    words = evidence.nested.problem.scheme.words()
    sample = evidence.metrics.get("sample")
    if sample is not None:
        return (
            f"{shown(sample['scored'])} rows that were not learnt, {words}; the model was chosen on a sample of "
            f"{shown(sample['rows'])} other rows, since the table is larger than memory"
        )
    return f"rows that were not learnt: {words}{correction(evidence)}"


def correction(evidence: Evidence) -> str:
    """What was taken off because the saved model is the best of several."""
    taken = abs(evidence.metrics.get("optimism") or 0.0)
    what = "the best of several scores is too good by chance"
    return "" if three(taken) == three(0.0) else f"; corrected by {three(taken)}, since {what}"


def whole_procedure(evidence: Evidence) -> dict[str, str] | None:
    """The score of choosing anew within every split, beside that of the model that was saved."""
    score, interval = ((evidence.metrics.get("procedure") or {}).get(key) for key in ("score", "interval"))
    if score is None:
        return None
    span = "" if interval is None or interval[0] is None else f", {three(interval[0])} to {three(interval[1])}"
    why = [check["text"] for check in evidence.metrics["checks"] if check["code"] == "procedure-differs"]
    return {"score": three(score), "span": span, "why": "".join(f"{text[0].upper()}{text[1:]}." for text in why)}


def constant_words(evidence: Evidence) -> str:
    if not evidence.classify:
        return "always the mean"
    values, counts = np.unique(evidence.target.values, return_counts=True)
    if evidence.nested is not None:
        from ..product.nested_answers import BASELINE

        return f"always {quoted(evidence.nested.training[BASELINE].labels[0])}"
    return f"always {quoted(values[counts.argmax()])}"


def verdict(evidence: Evidence) -> str:
    """One sentence: is it better than a constant answer, as far as these rows can tell?"""
    metrics, metric = evidence.metrics, evidence.metric
    base = metrics["baseline"].get(metric.name)
    low, high = metrics["interval"]
    worst, best = (low, high) if metric.larger_is_better else (high, low)
    if base is None or low is None:
        return ""
    if metric.gain(worst) > metric.gain(base):
        return "Better than a constant answer: the whole interval is on the good side of the baseline."
    if metric.gain(best) < metric.gain(base):
        return "Worse than a constant answer: the whole interval is on the bad side of the baseline."
    return "Not shown to be better than a constant answer: the interval reaches the baseline."


def picture(evidence: Evidence) -> dict[str, Any]:
    """Positions, from 0 to 1, on a scale that holds baseline, interval, training score and the best possible."""
    metrics, metric = evidence.metrics, evidence.metric
    base, learnt = metrics["baseline"].get(metric.name), metrics["training"].get(metric.name)
    best = metric.limits[1] if metric.larger_is_better else metric.limits[0]
    known = [v for v in (base, learnt, metrics["score"], *metrics["interval"], best) if v is not None]
    left, right = scale(known)
    at = {"base": base, "learnt": learnt, "score": metrics["score"]}
    at |= {"low": metrics["interval"][0], "high": metrics["interval"][1]}
    places = {name: None if v is None else place(v, left, right) for name, v in at.items()}
    return places | {"left": three(left), "right": three(right)}


def scale(values: list[float]) -> tuple[float, float]:
    """Ends that hold all values, with a little room.

    >>> scale([0.5, 1.0])
    (0.5, 1.0)
    """
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def place(value: float, left: float, right: float) -> float:
    return float(np.clip((value - left) / (right - left), 0.0, 1.0))


def scores(evidence: Evidence) -> Grid:
    """All scores with their intervals, beside the constant answer and the rows learnt."""
    from ..product.metrics import metrics_for

    metrics = evidence.metrics
    known = metrics_for(evidence.target)
    rows = []
    for name, estimate in metrics["scores"].items():
        title = known[name].title if name in known else name
        low, high = estimate["interval"]
        span = "–" if low is None else f"{three(low)} to {three(high)}"
        values = [
            three(estimate["score"]),
            span,
            three(metrics["baseline"].get(name)),
            three(metrics["training"].get(name)),
        ]
        rows.append([title, *values, meaning(name, evidence)])
    last = "at its training" if evidence.fresh else "rows learnt (optimistic)"
    confidence = f"{100 * metrics['confidence']:.0f} % interval"
    return Grid(["score", "not learnt", confidence, constant_words(evidence), last, "what it is"], rows)


def interval_bar(estimate: dict[str, Any], left: float, right: float, base: float | None) -> Bar | None:
    """An interval as a cell of a table."""
    if estimate["score"] is None:
        return None
    low, high = (None if v is None else place(v, left, right) for v in estimate["interval"])
    return Bar(place(estimate["score"], left, right), low, high, None if base is None else place(base, left, right))
