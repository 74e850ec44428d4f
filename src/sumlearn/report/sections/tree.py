"""A tree, drawn, with its leaves as rules; or the rules of a list."""

from __future__ import annotations

from typing import Any

from ..blocks import Block, Code, Drawing, Prose, Section
from ..evidence import Evidence

MOST_LEAVES = 24  # of a tree that is drawn to its leaves
DEEPEST = 3  # questions that are drawn of a larger one
MOST_LINES = 60  # of rules


def tree(evidence: Evidence) -> Section | None:
    """Of a model that is a tree, or rules of one."""
    learner: Any = evidence.model.model.learner_
    if hasattr(learner, "rules_") and hasattr(learner, "text"):
        lead = "The first rule that applies decides. In brackets: the weight of rows it applies to / of other classes."
        return Section("tree", "The rules", lead, lines(learner.text()))
    if not (hasattr(learner, "tree_") and hasattr(learner, "svg")):
        return None
    leaves, depth = learner.get_n_leaves(), learner.get_depth()
    whole = leaves <= MOST_LEAVES
    caption = "A box tells the answer and the weight of its rows; answers lead from question to question."
    if not whole:
        caption += f" Shown are {DEEPEST} of {depth} questions on the way to a leaf."
    blocks: list[Block] = [Drawing(learner.svg(None if whole else DEEPEST), caption)]
    if hasattr(learner, "rules"):
        blocks += [Prose("Every leaf as a rule:"), *lines(learner.rules().text())]
    else:
        blocks += lines(learner.text())
    return Section("tree", "The tree", f"{leaves} leaves, at most {depth} questions deep.", blocks)


def lines(text: str) -> list[Block]:
    """Lines, the first ones of many."""
    every = text.splitlines()
    blocks: list[Block] = [Code("\n".join(every[:MOST_LINES]))]
    if len(every) > MOST_LINES:
        blocks.append(Prose(f"... and {len(every) - MOST_LINES} more lines: text() of the model has them all."))
    return blocks
