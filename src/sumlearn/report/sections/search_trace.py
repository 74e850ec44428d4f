"""The way of a subset search: J against size and against steps, and the best subset of every size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...selection import SubsetSearch
from ..blocks import Grid, grid_of
from ..numbers import shown
from ..plots.figure import Figure, Item, Line, Mark, Panel, Points, thinned

MOST_POINTS = 800  # evaluations that are drawn
MOST_STEPS = 1500
MOST_LINES = 40


def by_size(search: SubsetSearch) -> Figure:
    """J of all subsets that were asked about, the best of every size, and the chosen one."""
    trace = search.trace_
    judged = np.flatnonzero(np.isfinite(trace.score))
    some = np.sort(np.random.default_rng(0).permutation(judged)[:MOST_POINTS])
    sizes = np.array(list(search.scores_by_size_), dtype=float)
    best = np.array(list(search.scores_by_size_.values()))
    size = chosen_size(search)
    items: tuple[Item, ...] = (
        Points(trace.size[some].astype(float), trace.score[some], "subsets asked about", "quiet", small=True),
        Line(sizes, best, "best of each size", 0),
        Mark(float(size), search.score_, f"chosen: {size}, J {search.score_:.4g}", 1, "below"),
    )
    return Figure((Panel(items, "Number of features", "J", legend="above"),), "", size=(6.4, 4.4))


def chosen_size(search: SubsetSearch) -> int:
    """Units of the chosen subset; columns that enter together count once."""
    chosen = set(search.subset_.tolist())
    return next(size for size, path in search.path_.items() if set(path.tolist()) == chosen)


def size_words(search: SubsetSearch) -> str:
    count = int(np.isfinite(search.trace_.score).sum())
    some = f"{MOST_POINTS:,} of {count:,}, drawn by lot" if count > MOST_POINTS else f"all {count:,}"
    return (
        f"J, the score that chose, over the number of columns. Dots are {some} subsets that the search asked about. "
        "The curve rises as columns help and falls where they only add variance."
    )


def by_step(search: SubsetSearch) -> Figure:
    """The way of the search: J of the subsets that it went on with, and their sizes, which a floating search pulses."""
    trace = search.trace_
    x, height, size = thinned(
        trace.move_step.astype(float), trace.move_score.astype(float), trace.move_size.astype(float), most=MOST_STEPS
    )
    steps, best, sizes = best_of_steps(trace)
    upper: tuple[Item, ...] = (
        Line(steps, best, "best subset of the step", "quiet", "dot", 1.4),
        Line(x, height, "subset it went on with", 0),
    )
    lower: tuple[Item, ...] = (
        Line(steps, sizes, "asked about", "quiet", "dot", 1.4),
        Line(x, size, "number of features", 1),
    )
    panels = (
        Panel(upper, "Step of the search", "J", legend="above", share=1.4),
        Panel(lower, "Step of the search", "Features", legend="above"),
    )
    return Figure(panels, "", stacked=True, size=(6.4, 5.2))


def best_of_steps(trace: Any) -> tuple[np.ndarray, ...]:
    """Steps, counted from one, the best J of each, and the largest size that it asked about."""
    judged = np.isfinite(trace.score)
    steps, which = np.unique(trace.step[judged], return_inverse=True)
    best, sizes = np.full(len(steps), -np.inf), np.zeros(len(steps))
    np.maximum.at(best, which, trace.score[judged])
    np.maximum.at(sizes, which, trace.size[judged].astype(float))
    return thinned(steps + 1.0, best, sizes, most=MOST_STEPS)


def step_words(search: SubsetSearch) -> str:
    floating = search.method in ("sffs", "sbfs")
    back = int((np.diff(search.trace_.move_size) < 0).sum()) if len(search.trace_.move_size) > 1 else 0
    steps = int(search.trace_.step.max(initial=-1)) + 1
    text = f"{shown(search.evaluations_)} subsets were judged in {shown(steps)} steps."
    if floating:
        paid = f"{back} did here" if back else "none did here"
        text += f" A floating search looks back after every step and goes back as long as that pays ({paid})."
    if search.interrupted_:
        text += " It ended before its time."
    return text


def path_table(search: SubsetSearch, names_of: Callable[[Any], list[str]]) -> Grid:
    """The best subset of every size."""
    rows: list[list[Any]] = []
    before: set[str] = set()
    size = chosen_size(search)
    for number, path in search.path_.items():
        names = names_of(path)
        change = [*(f"+ {n}" for n in names if n not in before), *(f"− {n}" for n in sorted(before - set(names)))]
        mark = "chosen" if number == size else ""
        rows.append([number, search.scores_by_size_[number], ", ".join(change), mark])
        before = set(names)
    return grid_of(["features", "J", "against the size before", ""], rows, "The best subset of every size", MOST_LINES)
