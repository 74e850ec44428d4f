"""Search in the graph of neighbouring subsets, where a prophet says what to judge next."""

from __future__ import annotations

import numpy as np

from ..evaluations import Evaluations, Found, Units, with_unit, without_unit
from ..prophet import Prophet
from ..trace import listed
from .sequential import forward


def guided(evaluations: Evaluations, prophet: Prophet) -> None:
    """Judge the subsets that the prophet thinks most of, teach it the answers, and so on until nothing gets better.

    It begins with what forward selection and some subsets drawn at random have taught it. Candidates are the neighbours
    (a unit in, out, or exchanged) of the best subsets known, and of those that the prophet thinks best among them, some
    steps ahead. A fifth of what is judged is drawn at random from the candidates: what the prophet has never seen it
    cannot know. What is found need not be the best there is.
    """
    draw = np.random.default_rng(prophet.random_state)
    forward(evaluations)
    known = everything_judged(evaluations)
    judge(evaluations, drawn_sets(evaluations, draw, 2 * prophet.batch), known)
    rounds_without = 0
    while rounds_without < prophet.patience:
        taught(prophet, known, len(evaluations.all))
        candidates = ahead(evaluations, prophet, known)
        if not candidates:
            break
        chosen = sorted(candidates, key=lambda units: -candidates[units])[: prophet.batch - prophet.batch // 5]
        rest = [units for units in candidates if units not in set(chosen)]
        chosen += [rest[i] for i in draw.permutation(len(rest))[: prophet.batch // 5]]
        rounds_without = 0 if judge(evaluations, chosen, known) else rounds_without + 1


def judge(evaluations: Evaluations, sets: list[Units], known: dict[Units, float]) -> bool:
    """Ask about sets; whether one of them is better than all of a size of interest before."""
    best = max((score for units, score in known.items() if wanted(evaluations, units)), default=-np.inf)
    before = best
    for units in sets:
        known[units] = evaluations.score(units)
        if wanted(evaluations, units) and evaluations.better(known[units], best):
            best = known[units]
            evaluations.move(Found(units, best))
    return best > before


def ahead(evaluations: Evaluations, prophet: Prophet, known: dict[Units, float]) -> dict[Units, float]:
    """Subsets not judged yet, and what the prophet says of them: neighbours of the best, and of the best guesses."""
    guesses: dict[Units, float] = {}
    eligible = [units for units in known if wanted(evaluations, units) and known[units] > -np.inf]
    leaders = sorted(eligible, key=lambda units: -known[units])[: prophet.beam]
    for _ in range(prophet.steps):
        new = [units for units in neighbours(evaluations, leaders) if units not in known and units not in guesses]
        if not new:
            break
        guess = prophet.predict(rows_of(new, len(evaluations.all)))
        guesses.update(zip(new, guess.tolist(), strict=True))
        leaders = [new[place] for place in np.argsort(-guess, kind="stable")[: prophet.beam]]
    return guesses


def neighbours(evaluations: Evaluations, leaders: list[Units]) -> dict[Units, None]:
    """Sets of a size of interest that are one unit in, out or exchanged away."""
    sets: dict[Units, None] = {}
    for units in leaders:
        others = evaluations.others(units)
        around = [with_unit(units, j) for j in others] if len(units) < evaluations.most else []
        around += [without_unit(units, i) for i in units] if len(units) > evaluations.least else []
        around += [with_unit(without_unit(units, i), j) for i in units for j in others]
        sets.update(dict.fromkeys(around))
    return sets


def drawn_sets(evaluations: Evaluations, draw: np.random.Generator, count: int) -> list[Units]:
    """Sets of sizes of interest, at random."""
    sizes = draw.integers(max(evaluations.least, 1), max(evaluations.most, 1), endpoint=True, size=count)
    return [tuple(sorted(draw.choice(len(evaluations.all), size, replace=False).tolist())) for size in sizes]


def wanted(evaluations: Evaluations, units: Units) -> bool:
    return evaluations.least <= len(units) <= evaluations.most


def everything_judged(evaluations: Evaluations) -> dict[Units, float]:
    """Subsets of units that were asked about so far, with their scores."""
    number = {unit[0]: j for j, unit in enumerate(evaluations.units)}
    known = {}
    for _, _, _, subsets, scores in evaluations.recorder.blocks:
        for subset, score in zip(listed(subsets), scores.tolist(), strict=True):
            known[tuple(sorted(number[column] for column in subset if column in number))] = score
    return known


def taught(prophet: Prophet, known: dict[Units, float], width: int) -> None:
    """Fit on what was judged: the best half of the memory, and as many spread evenly over the rest."""
    judged = sorted((units for units in known if known[units] > -np.inf), key=lambda units: -known[units])
    half = prophet.memory // 2
    if len(judged) > prophet.memory:
        rest = judged[half:]
        judged = judged[:half] + [rest[i] for i in np.linspace(0, len(rest) - 1, prophet.memory - half).astype(int)]
    prophet.fit(rows_of(judged, width), [known[units] for units in judged])


def rows_of(sets: list[Units], width: int) -> np.ndarray:
    rows = np.zeros((len(sets), width))
    for row, units in zip(rows, sets, strict=True):
        row[list(units)] = 1.0
    return rows
