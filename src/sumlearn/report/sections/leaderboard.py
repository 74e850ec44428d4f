"""The models that were tried, and whether they differ from the chosen one."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..blocks import Block, Grid, Section
from ..evidence import Evidence
from ..headline import correction, interval_bar, scale
from ..numbers import three


def leaderboard(evidence: Evidence) -> Section | None:
    lines, metric = evidence.metrics["leaderboard"], evidence.metric
    if len(lines) < 2:
        return None
    base = evidence.metrics["baseline"].get(metric.name)
    ends = [v for line in lines for v in (line["score"], *line["interval"]) if v is not None]
    left, right = scale([*ends, *([] if base is None else [base])])
    rows = [row(line, evidence, left, right, base) for line in lines]
    headers = ["model", metric.title, "interval", "", "against the chosen one", "afterwards it can"]
    picked = Counter(evidence.metrics["chosen_in_splits"])
    titles = {line["model"]: line["title"] for line in lines}
    times = ", ".join(f"{titles.get(name, name)} {count} ×" for name, count in picked.most_common())
    caption = f"Chosen within the splits: {times}. The thin line is the constant answer."
    blocks: list[Block] = [Grid(headers, rows, caption)]
    if evidence.metrics["failed"]:
        failed = [[name, reason] for name, reason in evidence.metrics["failed"].items()]
        blocks.append(Grid(["model that failed", "why"], failed))
    dropped = evidence.nested.dropped if evidence.nested is not None else {}
    if dropped:
        blocks.append(Grid(["model left out for time", "why"], [list(line) for line in dropped.items()]))
    lead = (
        f"Each model was tuned and scored on the same rows left out. The best {metric.title} wins; a model that can "
        "update, forget and merge is preferred where it is practically as good. Whether a difference is more than "
        "chance is told by a corrected t-test (p at most 0.05)."
    )
    if own := correction(evidence):
        lead += f" The headline is that of the chosen one{own.replace(';', ',')}."
    return Section("leaderboard", f"{len(lines)} models compared", lead, blocks)


def row(line: dict[str, Any], evidence: Evidence, left: float, right: float, base: float | None) -> list[Any]:
    chosen = line["model"] == evidence.metrics["chosen"]["model"]
    low, high = line["interval"]
    span = "–" if low is None else f"{three(low)} to {three(high)}"
    unable = "a yardstick, never chosen" if line["yardstick"] else "none of update, forget, merge"
    picture = interval_bar(line, left, right, base)
    last = ["chosen" if chosen else mark(line, evidence), ", ".join(line["can"]) or unable]
    return [line["title"], three(line["score"]), span, picture, *last]


def mark(line: dict[str, Any], evidence: Evidence) -> str:
    """Whether the difference is significant, and in which direction."""
    p = f"p = {line['p_value']:.2g}"
    if not line["differs"]:
        return f"no significant difference ({p})"
    chosen, gain = evidence.metrics["chosen"]["model"], evidence.metric.gain
    winner = [other for other in evidence.metrics["leaderboard"] if other["model"] == chosen]
    ahead = bool(winner) and gain(line["score"]) > gain(winner[0]["score"])
    return f"significantly {'better ▲' if ahead else 'worse ▼'} ({p})"
