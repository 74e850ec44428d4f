"""The report of one class."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ...product.acceptance.learning import OneClass
from ..blocks import Section
from ..numbers import quoted, shown, three
from ..page import rendered
from .one_class_ending import data, limits, provenance, use
from .one_class_scores import negatives, phantoms, scores, typical

OPEN = 4  # sections that are not folded
MEANINGS = {
    "gauss": "The rows are taken to be normal; a row is accepted where the density reaches a threshold, set by the law "
    "of the distances of new rows.",
    "phantom": "Phantoms are drawn around the rows, and a classifier tells the two apart; the threshold is a quantile "
    "of scores of rows that were left out.",
    "svm": "The rows lie on one side of a plane in the space of a Gaussian kernel, but for the share that may lie "
    "outside.",
}


def one_class_report(found: OneClass, command: str = "", now: datetime | None = None) -> str:
    """The page of one class; `command` is what repeats it.

    >>> from sumlearn.product import one_class
    >>> page = one_class_report(one_class("iris", normal="setosa"))
    >>> "<title>One class of iris" in page, "Against real negatives" in page
    (True, True)
    """
    sections: list[Section | None] = [section(found) for section in (scores, negatives, phantoms, typical, data, use)]
    sections += [provenance(found, command), limits(found)]
    return rendered("one_class", card(found), [section for section in sections if section is not None], OPEN, now)


def card(found: OneClass) -> dict[str, Any]:
    metrics = found.metrics
    data, others = metrics["data"], metrics["negatives"]
    low, high = metrics["interval"]
    more = [f"{shown(metrics['rows'])} rows of the class" + of_label(metrics)]
    if others is not None:
        share = f"{others['accepted']:.1%} of {shown(others['rows'])} real negatives are accepted"
        more.append(f"{share}, AUC {three(others['auc'])}")
    if metrics["phantom_auc"] is not None:
        more.append(f"AUC against phantoms {three(metrics['phantom_auc'])}")
    return {
        "title": f"One class of {data['name']}",
        "data": f"{data['name']}, {shown(data['rows'])} rows × {shown(data['columns'])} columns",
        "accepted": f"{metrics['accepted']:.1%}",
        "interval": f"{low:.1%} to {high:.1%}",
        "wanted": f"{metrics['acceptance']:.1%}",
        "more": more,
        "verdict": verdict(metrics),
        "model": metrics["title"],
        "meaning": MEANINGS[metrics["method"]],
    }


def of_label(metrics: dict[str, Any]) -> str:
    return (
        "" if metrics["normal"] is None else f", those with {quoted(metrics['normal'])} in {quoted(metrics['target'])}"
    )


def verdict(metrics: dict[str, Any]) -> str:
    low, high = metrics["interval"]
    if low <= metrics["acceptance"] <= high:
        return "Of rows that were not learnt, as many are accepted as was asked for."
    if metrics["accepted"] < metrics["acceptance"]:
        return "Of rows that were not learnt, fewer are accepted than was asked for: the method does not fit them well."
    return "Of rows that were not learnt, more are accepted than was asked for: the border is wide."
