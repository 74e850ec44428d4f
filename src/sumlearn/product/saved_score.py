"""The score of the model that is saved, on rows that it has not learnt.

    score = s(saved) - (1 + f / 2) / sqrt 2 * mean over halves of the rows [s_in(k) - s_out(k)]

s is the score on rows left out; k is what one half of the rows would choose, s_in its score there, s_out that on the
other half. The model that looks best of many owes a part of that to luck: a half that chooses by itself shows on the
other rows how much, and all rows are luckier than a half by 1 / sqrt 2 (Tsamardinos et al. 2018 take bootstrap
samples). But scores of rows are no independent numbers: rows that one model learns are rows that another is asked about
(Bates, Hastie & Tibshirani 2023), so that luck of one half is partly luck of the other. f is the share of a row's
variance that comes from the rows that were learnt: s = sum_i (a_i + sum_j h_ij), f = var h / (var a + var h), and of
the luck f / (2 + f) is shared.

The interval comes from the same score with other weights of the rows, to score by alone and to learn by as well.
Resampled answers alone have the variance a + h where new rows have a + 4 h, or a + 2 h where there is nothing to learn.
Weights to learn by are gamma numbers with mean 1 and variance 1/2; the variance that they cause, times 2, is a + 5 h,
since deviations of two rows are multiplied: three quarters of it and one of the other are a + 4 h. It acts on a scale
without ends: ln(s / (1 - s)), -ln(1 - R^2), ln of an error. On the second the variance grows by 4 R^2 / n: a model that
explains little hardly varies, a stronger one that looks as weak would have. So the ends are the truths under which the
score is just likely (Wilson 1927).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .left_out import LeftOutAnswers
from .metrics import Metric, answers_of
from .procedure import Tuned, few_threads, fitted_to, learner_params, picked, warmed
from .resampling import Scorer
from .schemes import Split
from .training_problem import Problem

CONFIDENCE = 0.95
SAMPLES = 200  # of rows, for intervals of what is not refitted
HALVES = 100  # of the rows, that choose by themselves, and so do the others
REFITS = 40  # with other weights
FEWEST = 3  # values that have a spread
VARIANCE = 0.5  # of a weight: products of two deviations then weigh as much as they should
MOST_SPLITS = 10  # that are refitted so often
NONE_OF = 3.0  # events that may have been missed where none was seen: 95 % of Poisson's law


class Estimate(NamedTuple):
    """A score with its interval; `folds` are the scores of the splits, `optimism` is what was taken off."""

    value: float
    interval: tuple[float, float]
    folds: tuple[float, ...] = ()
    optimism: float = 0.0


def optimism(
    problem: Problem, answers: Mapping[str, LeftOutAnswers], saved: str, known: Sequence[Metric], shared: float
) -> dict[str, float]:
    """By how much each score of the saved model is too kind, because it was chosen by the same rows.

    `shared` is the share of a row's variance that comes from the rows that were learnt.
    """
    candidates = {c.name: c for c in problem.candidates}
    eligible = [name for name in answers if not candidates[name].only_shown]
    lost: dict[str, list[float]] = {metric.name: [] for metric in known}
    if len(eligible) < 2:
        return dict.fromkeys(lost, 0.0)
    scorers = {(name, m.name): steady(problem, answers[name], m) for name in eligible for m in known}
    for half in halves(problem, answers[eligible[0]].tests):
        sides = (half, 1.0 - half)
        gains = [{n: problem.metric.gain(scorers[n, problem.metric.name](w)) for n in eligible} for w in sides]
        if not np.isfinite([list(gain.values()) for gain in gains]).all():
            continue
        chosen = [picked(problem.metric, gain, candidates)[0] for gain in gains]
        for metric in known:
            luck = 0.0
            if chosen[0] != chosen[1]:  # else it is that of one half less that of the other
                first, second = (np.array([scorers[k, metric.name](w) for w in sides]) for k in chosen)
                luck = float(first[0] - first[1] + second[1] - second[0]) / 2.0
            lost[metric.name].append(luck)
    factor = (1.0 + shared / 2.0) / np.sqrt(2.0)
    return {name: factor * float(np.nanmean(gaps)) if np.isfinite(gaps).any() else 0.0 for name, gaps in lost.items()}


def halves(problem: Problem, tests: Sequence[np.ndarray]) -> Iterator[np.ndarray]:
    """Weights of one half of the rows, drawn within the classes of each test: it is scored by itself."""
    target, rng = problem.target, np.random.default_rng(problem.seed)
    stratum = np.zeros(len(target.values), dtype=int)
    for number, test in enumerate(tests):
        stratum[test] = number
    if len(target.classes):
        stratum = stratum * len(target.classes) + np.searchsorted(target.classes, target.values)
    strata = [np.flatnonzero(stratum == number) for number in np.unique(stratum)]
    for _ in range(HALVES):
        weight = np.zeros(len(target.values))
        for rows in strata:
            weight[rng.permutation(rows)[: (len(rows) + int(rng.integers(2))) // 2]] = 1.0
        yield weight


def steady(problem: Problem, left: LeftOutAnswers, metric: Metric) -> Scorer:
    """A score that is linear in the rows: R^2 with the variance of all rows, since that of a few makes it a ratio."""
    if metric.name != "r2":
        return left.scorer(metric)
    target = problem.target
    centre = np.average(target.values, weights=target.weight)
    unit = float(np.abs(target.values - centre).max()) or 1.0
    total = float(np.average(((target.values - centre) / unit) ** 2, weights=target.weight))
    squares = left.scorer(metric._replace(name="mse", function=partial(mean_square, unit=unit)))
    return lambda weight: 1.0 - squares(weight) / total


def share_learnt(metric: Metric, refitted: np.ndarray, resampled: np.ndarray) -> float:
    """Of the variance of a row, the share h / (a + h) from rows learnt: refits have a + 4 h, resampled rows a + h."""
    both = [scale(metric, values) for values in (refitted, resampled)]
    both = [places[np.isfinite(places)] for places in both]
    if min(map(len, both)) < FEWEST or not both[1].std() > 0:
        return 0.0
    ratio = both[0].var(ddof=1) / VARIANCE / both[1].var(ddof=1)
    return float(np.clip((ratio - 1.0) / 3.0, 0.0, 1.0))


def mean_square(target: Any, truth: np.ndarray, answers: Any, weight: np.ndarray, unit: float = 1.0) -> float:
    return float(np.average(((truth - answers.labels) / unit) ** 2, weights=weight))


def scale(metric: Metric, value: Any) -> Any:
    """To a scale without ends."""
    low, high = metric.limits
    with np.errstate(divide="ignore", invalid="ignore"):
        upper = 0.0 if np.isinf(high) else -np.log(high - value)
        return upper + (0.0 if np.isinf(low) else np.log(value - low))


def back(metric: Metric, place: np.ndarray) -> np.ndarray:
    """From that scale.

    >>> from sumlearn.product.metrics import METRICS
    >>> [float(back(METRICS[m], scale(METRICS[m], 0.25)).round(6)) for m in ("auc", "r2", "rmse")]
    [0.25, 0.25, 0.25]
    """
    low, high = metric.limits
    if np.isinf(low):
        return high - np.exp(-place)
    return low + np.exp(place) if np.isinf(high) else 1.0 / (1.0 + np.exp(-place))


def spread(metric: Metric, refitted: np.ndarray, resampled: np.ndarray) -> float:
    """How often the deviations of refits count, so that their variance a + 5 h becomes a + 4 h; samples have a + h."""
    both = [scale(metric, values) for values in (refitted, resampled)]
    both = [places[np.isfinite(places)] for places in both]
    if min(map(len, both)) < FEWEST or not np.ptp(both[0]) > 0:
        return float(1.0 / np.sqrt(VARIANCE))
    return float(np.sqrt(0.75 / VARIANCE + 0.25 * both[1].var(ddof=1) / both[0].var(ddof=1)))


def interval(metric: Metric, value: float, others: np.ndarray, counted: float, rows: int) -> tuple[float, float]:
    """Around a score, from scores of the same thing with other weights, whose deviations are `counted` so often."""
    from scipy.stats import norm

    places = scale(metric, others)
    places = places[np.isfinite(places)]
    at_end = not np.isfinite(scale(metric, value))  # none was wrong
    if at_end or len(places) < FEWEST or np.ptp(places) == 0:
        reach = NONE_OF / rows if metric.limits == (0.0, 1.0) else 0.0
        low, high = np.clip((value - reach, value + reach), *metric.limits)
        return float(low), float(high)
    squared = norm.ppf(0.5 + CONFIDENCE / 2) ** 2
    lean = 4.0 * squared / rows if metric.limits == (-np.inf, 1.0) else 0.0
    root = np.sqrt(lean**2 + 4.0 * squared * counted**2 * places.var(ddof=1))
    low, high = back(metric, scale(metric, value) + np.array([lean - root, lean + root]) / 2.0)
    return float(min(low, value)), float(max(high, value))


def reweighted(
    problem: Problem, tuned: Sequence[Tuned], splits: Sequence[Split], times: int, known: Sequence[Metric], clock: Any
) -> dict[str, np.ndarray]:
    """Scores of the saved model's candidate, learnt and scored with other weights of the rows.

    Nothing where the second of them, for which nothing is compiled, shows that the clock has no room for all.
    """
    candidate, rng = tuned[0].candidate, np.random.default_rng(problem.seed)
    coded = [problem.coded(*split)(candidate) for split in splits]
    learners = [warmed(candidate.learner().set_params(**learner_params(one.params))) for one in tuned]
    scores: dict[str, list[float]] = {metric.name: [] for metric in known}
    start = 0.0
    problem.progress.begin("refits with other weights", times)
    for number in range(times):
        if number == 2 and not clock.has((times - 2) * (time.perf_counter() - start)):
            problem.progress.end()
            return {}
        start = time.perf_counter()
        weight = rng.gamma(1.0 / VARIANCE, VARIANCE, len(problem.target.values))
        answers = []
        for learner, part, one, (train, _) in zip(learners, coded, tuned, splits, strict=True):
            own = weight[train] if part.weight is None else weight[train] * part.weight
            with few_threads(candidate):
                fitted_to(part._replace(weight=own), learner)
            problem.progress.beat()
            answers.append(answers_of(learner, part.asked, problem.target).decided(problem.target, one.threshold))
        left = LeftOutAnswers(problem, [test for _, test in splits], answers)
        for metric in known:
            scores[metric.name].append(left.scorer(metric)(weight))
        problem.progress.step()
    return {name: np.array(values) for name, values in scores.items()}
