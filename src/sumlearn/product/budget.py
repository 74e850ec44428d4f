"""Time: which of the candidates the budget has room for.

Every candidate is tried on a sample first. Where there is no room for all, those that may win on the sample come before
the others, and cheap ones before dear ones; what finds no room is dropped, and named.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from .candidates import Candidate
from .clock import Clock
from .forecast import FOR_FITS, PROBE, QUARTER, Forecast, Sample, forecast, grown
from .left_out import LeftOutAnswers
from .procedure import margin
from .resampling import samples
from .saved_score import REFITS
from .training_problem import Problem
from .trials import TrainingSet

DRAWN, MAY_WIN = 100, 0.05  # samples of the rows that are asked, and the share of them in which a winner leads


class TimePlan(NamedTuple):
    """The candidates that there is time for, in the order of their cost, seconds in all, and words about the others."""

    kept: list[Candidate]
    seconds: float
    dropped: dict[str, str]


def plain_plan(plan: TimePlan) -> dict[str, Any]:
    return {
        "kept": [candidate.name for candidate in plan.kept],
        "seconds": float(plan.seconds),
        "dropped": plan.dropped,
    }


def plan_of(problem: Problem, plain: dict[str, Any]) -> TimePlan:
    """The plan of a run that was interrupted."""
    known = {candidate.name: candidate for candidate in problem.candidates}
    return TimePlan([known[name] for name in plain["kept"]], plain["seconds"], plain["dropped"])


def and_done(plan: TimePlan, problem: Problem, done: Collection[str]) -> TimePlan:
    """The plan with what another one has finished already: that costs nothing."""
    kept = {candidate.name for candidate in plan.kept}
    more = [c for c in problem.candidates if c.name in done and c.name not in kept]
    dropped = {name: why for name, why in plan.dropped.items() if name not in done}
    return TimePlan([*more, *plan.kept], plan.seconds, dropped)


def planned(problem: Problem, sets: Sequence[TrainingSet], clock: Clock) -> TimePlan:
    """What there is time for; an endless clock is not looked at."""
    if clock.endless:
        return TimePlan(list(problem.candidates), np.inf, {})
    quarter, sample = Sample.of(problem, sets, PROBE // QUARTER), Sample.of(problem, sets)
    known = {}
    problem.progress.begin("models tried on a sample", len(problem.candidates))
    for candidate in problem.candidates:
        known[candidate.name] = forecast(problem, candidate, sample, quarter, clock)
        problem.progress.step()
    winners = may_win(problem, sample.asked, known)
    total = time.perf_counter() - clock.start + grown(sample.coding, quarter.coding, sample.growth) * len(sets)
    cheapest, *others = sorted(problem.candidates, key=lambda c: (c.only_shown, known[c.name].seconds))
    kept, dropped = [cheapest], {}  # the first is always tried
    total += known[cheapest.name].seconds
    for candidate in sorted(others, key=lambda c: (c.only_shown, c.name not in winners)):
        seconds = known[candidate.name].seconds
        if total + seconds > FOR_FITS * clock.seconds:
            dropped[candidate.name] = why(problem, known, candidate)
        else:
            total += seconds
            kept.append(candidate)
    kept.sort(key=lambda c: (c.only_shown, known[c.name].seconds))
    likely = [known[c.name].once for c in kept if c.name in winners and not c.only_shown]
    ends = [total + REFITS * once for once in (min(likely, default=0.0), max(likely, default=0.0))]
    few, many = (end if end < clock.seconds else total for end in ends)  # all refits or none
    return TimePlan(kept, float(np.sqrt(few * many)), dropped)  # off by the least factor, whoever wins


def may_win(problem: Problem, asked: np.ndarray, known: dict[str, Forecast]) -> set[str]:
    """Candidates that are best, or practically equal to it, in some samples of the rows that the sample was asked."""
    scorers = {
        name: LeftOutAnswers(problem, [asked], [f.answers]).scorer(problem.metric)
        for name, f in known.items()
        if f.answers is not None and np.isfinite(f.gain)
    }
    lead, weight = dict.fromkeys(scorers, 0), np.zeros(len(problem.target.values))
    for drawn in samples(problem.target, problem.target.values[asked], DRAWN, problem.seed):
        weight[asked] = drawn
        gains = {name: problem.metric.gain(score(weight)) for name, score in scorers.items()}
        best = max((gain for gain in gains.values() if np.isfinite(gain)), default=np.inf)
        for name, gain in gains.items():
            lead[name] += gain >= best - margin(problem.metric, best)
    return {name for name, count in lead.items() if count >= MAY_WIN * DRAWN}


def why(problem: Problem, known: dict[str, Forecast], candidate: Candidate) -> str:
    """One sentence: how long, and whether it might have won."""
    seconds, gain, *_ = known[candidate.name]
    if np.isinf(seconds):
        return "there was no time to try it on a sample of the rows (--budget)"
    best = max(f.gain for name, f in known.items() if name != candidate.name)
    ahead = "ahead" if gain > best + margin(problem.metric, best) else "not ahead"
    return f"it would take {in_words(seconds)}, and was {ahead} on a sample of the rows (--budget)"


def in_words(seconds: float) -> str:
    """
    >>> in_words(3.4), in_words(47), in_words(400), in_words(9000)
    ('a few seconds', 'about 50 s', 'about 7 min', 'about 2.5 h')
    """
    if seconds < 10:
        return "a few seconds"
    if seconds < 100:
        return f"about {round(seconds, -1):.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"
