"""What happened to the model since its training: rows learnt and forgotten, and its score over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...product.certificate import digits_of
from ...product.metrics import METRICS
from ..blocks import Block, Chart, Grid, Prose, Section
from ..evidence import Evidence
from ..numbers import shown, three
from ..plots.figure import Figure, Item, Line, Panel, Points

MOST_STEPS = 40


def history(evidence: Evidence) -> Section | None:
    lines = evidence.model.facts["history"]
    if len(lines) < 2:
        return None
    blocks: list[Block] = [steps(evidence), *[Prose(text) for text in sentences(evidence)]]
    over_time = scores_over_time(evidence)
    if over_time is not None:
        caption = (
            "The first is of the training, on rows left out. Every update is scored on its own rows before they are "
            "learnt, so no score is of rows known before; the last is of this report. Rows differ from step to step."
        )
        blocks.append(Chart("history-scores", over_time, caption))
    lead = "Updates and deletions are exact: the model is the one that a fit on the remaining rows would give."
    return Section("history", "What happened since the training", lead, blocks)


def steps(evidence: Evidence) -> Grid:
    lines, rows, held = evidence.model.facts["history"], [], 0
    for line in lines:
        held += -line["rows"] if line["what"] == "forget" else line["rows"]
        rows.append([line["what"], line["source"], line["rows"], held, before(line)])
    headers = ["what", "rows from", "rows", "rows held afterwards", "score before they were learnt"]
    return Grid(headers, rows[-MOST_STEPS:], left_out=max(0, len(rows) - MOST_STEPS))


def before(line: dict[str, Any]) -> str | None:
    """The score of rows that were not known yet; none where that could not be told."""
    told = "score" in line and line.get("held", 0) is not None
    return f"{METRICS[line['metric']].title} {three(line['score'])}" if told else None


def sentences(evidence: Evidence) -> list[str]:
    """Effective sample size, digits, and the distance from a refit where one can be made."""
    statistic = getattr(evidence.model.model, "statistic_", None)
    weight = getattr(statistic, "weight", None)
    lines = []
    if weight is not None:
        rows = evidence.model.facts["rows"]
        same = abs(weight - rows) <= 1e-9 * max(1.0, rows)
        lines.append(
            f"Effective sample size: {shown(float(weight))}, the weight of the {shown(rows)} rows that the model holds"
            + ("; each counts once." if same else ".")
        )
    digits = digits_of(statistic)
    if digits is not None:
        lines.append(f"Rounding has left at least {digits:.0f} decimal digits in the sums of the model.")
    return [*lines, against_a_refit(evidence)]


def against_a_refit(evidence: Evidence) -> str:
    """How far the model is from a fit to its rows, where these are they."""
    off = evidence.metrics.get("refit")
    if off is not None:
        far = f"differ from those of the refit by {off:.1g}, relative to the largest" if off else "are the same"
        return f"These are all rows that the model holds, so it was fitted to them again: its answers {far}."
    if evidence.metrics.get("rows_learnt") is None:
        return "The model keeps no hashes of its rows, so nobody can tell whether these are they, to fit it again."
    return "How far the model is from a refit can be told on a table of all rows that it holds, and this is another."


def scores_over_time(evidence: Evidence) -> Figure | None:
    """Scores of one metric: of the training, of every update, of this report."""
    facts, metric = evidence.model.facts, evidence.metric
    told = [
        (f"+{shown(line['rows'])}", line["score"], None, None)
        for line in facts["history"][1:]
        if line.get("metric") == metric.name and before(line) is not None
    ]
    scored = facts.get("metric") == metric.name and evidence.model.is_scored
    first = [("training", facts["score"], *facts["interval"])] if scored else []
    last = [("now", evidence.metrics["score"], *evidence.metrics["interval"])] if evidence.fresh else []
    points = [point for point in [*first, *told[-MOST_STEPS:], *last] if point[1] is not None]
    if not told or len(points) < 2:
        return None
    x, y = np.arange(float(len(points))), np.array([point[1] for point in points])
    limits = ([y[k] if p[end] is None else p[end] for k, p in enumerate(points)] for end in (2, 3))
    low, high = (np.array(values, dtype=float) for values in limits)
    items: tuple[Item, ...] = (Line(x, y, "", "quiet", "dash", 1.2), Points(x, y, metric.title, 0, low, high))
    ticks = tuple((float(k), point[0]) for k, point in enumerate(points))
    panel = Panel(items, "rows learnt since", metric.title, x_range=(-0.5, len(points) - 0.5), x_ticks=ticks)
    return Figure((panel,), "", size=(6.4, 3.8))
