"""Columns of a table that do best together, with the way there.

`sumlearn select` and `sumlearn train --features` choose here.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import comb
from time import perf_counter
from typing import Any

import numpy as np

from ...selection import FCBF
from ...selection.dependent_columns import CannotJudge, DependentColumnsWarning
from ...selection.evaluations import Evaluations
from ...selection.judging import case_for
from ...selection.outcome import standard_error
from ...selection.search_options import field_of, sizes_of
from ...selection.workflow_steps.choosing import BINS, INFORMATION, ranking_of
from ..budget import in_words as in_time
from ..problems import DataProblem, UsageProblem
from .select_methods import MONOTONE, WITHOUT_FOLDS
from .selection_plan import Features, Plan, Selection

LONG, TOO_LONG = 60.0, 1e6  # seconds, from which on the option that ends a search is named, and no time is


def chosen_columns(features: Features, plan: Plan) -> list[str]:
    """Names of the chosen columns, in the order of the table; a filter's own choice is not judged."""
    chosen = ordered(features, plan) if plan.method.name == "fcbf" else selected(features, plan).columns
    return [name for name in features.columns if name in chosen]


def selected(features: Features, plan: Plan) -> Selection:
    """Choose columns, and judge the choice."""
    check_rows(features, plan)
    return filtered(features, plan) if plan.method.is_filter else searched(features, plan)


def check_rows(features: Features, plan: Plan) -> None:
    """Folds that no class has rows for, and a criterion for two classes; files are not read for that."""
    if plan.criterion in WITHOUT_FOLDS or isinstance(features.y, str):
        return
    counts = np.unique(features.y, return_counts=True)[1]
    most = int(counts.max()) if plan.task == "classify" else len(features.y)
    if most < plan.cv:
        whose = "the largest class has" if plan.task == "classify" else "there are"
        raise DataProblem(f"{whose} {most} rows: too few for {plan.cv} folds (--cv)")
    if plan.criterion == "auc" and len(counts) != 2:
        raise UsageProblem(f"auc is for two classes, the target has {len(counts)}: accuracy will do (--criterion)")


def searched(features: Features, plan: Plan) -> Selection:
    search, dependent = plan.search(features), []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            search.fit(features.X, features.y, features.weight)
        except CannotJudge as error:
            raise explained(error, features, plan) from None
    for warning in caught:
        if issubclass(warning.category, DependentColumnsWarning):  # by number: here columns have names
            dependent = independent(features, plan)[1]
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    sizes = [(size, search.scores_by_size_[size], features.chosen(path)) for size, path in search.path_.items()]
    return Selection(
        features.chosen(search.subset_),
        search.score_,
        search.standard_error_,
        sizes,
        search.evaluations_,
        not search.approximate_,
        search.interrupted_,
        dependent,
    )


def work_ahead(features: Features, plan: Plan) -> str:
    """How many subsets of one size may be looked at, and for how long, at the pace of those around two sets."""
    search, judge = plan.search(features), judge_of(features, plan)
    field = field_of(search, judge.size, None)
    board = Evaluations(judge, field.units, field.always)
    units, size = len(field.units), sizes_of(search, field).least
    seconds = []
    for first in (0, 1):
        start = perf_counter()
        board.grown(tuple(range(first, min(first + size - 1, units))))
        seconds.append(perf_counter() - start)
    # a tree may have been tried in vain before all subsets are looked at
    longest = 2.0 * min(seconds) * comb(units, max(size - 1, 0))
    count = f"up to {comb(units, size):,} subsets"
    if longest < LONG:
        return f"{count}, at most {in_time(longest)}"
    how_long = f"at most {in_time(longest)}" if longest < TOO_LONG else "too many for all of them"
    return f"{count}, {how_long}; --max-seconds ends it with the best so far"


def explained(error: CannotJudge, features: Features, plan: Plan) -> ValueError:
    """The error of a search; where columns depend on others, with their names."""
    kept, dependent = independent(features, plan)
    if not dependent:
        return error
    advice = f"--drop {','.join(dependent)}"
    if isinstance(plan.k, int) and plan.method.name not in MONOTONE:
        advice += f", or -k {len(kept)} at most"
    return DataProblem(f"{in_words(dependent)} those before, or rows are too few to tell: {advice}")


def in_words(dependent: Sequence[str]) -> str:
    """
    >>> in_words(["a"]), in_words(["a", "b"])
    ("the column 'a' depends on", "the columns 'a', 'b' depend on")
    """
    names = ", ".join(map(repr, dependent))
    return f"the column {names} depends on" if len(dependent) == 1 else f"the columns {names} depend on"


def independent(features: Features, plan: Plan) -> tuple[list[str], list[str]]:
    """Columns that can be judged together, the earlier ones first, and the others."""
    ways, _, others = walked(features, features.columns, judge_of(features, plan))
    return ways[-1] if ways else [], others


def judge_of(features: Features, plan: Plan) -> Any:
    return case_for(plan.search(features), features.X, features.y, features.weight, None).judge


def walked(features: Features, order: list[str], judge: Any) -> tuple[list[list[str]], list[float], list[str]]:
    """Ever longer lists of columns in this order with their scores; columns that depend on the list are passed over."""
    ways, scores, others = [], [], []
    way: list[str] = []
    for name in order:
        score = float(judge.score(features.together([*way, name])))
        if score > -np.inf:
            way = [*way, name]
            ways.append(way)
            scores.append(score)
        else:
            others.append(name)
    return ways, scores, others


def filtered(features: Features, plan: Plan) -> Selection:
    """A filter gives the order, the criterion is asked along it."""
    judge = judge_of(features, plan)
    order = ordered(features, plan)
    ways, scores, dependent = walked(features, order, judge)
    if set(features.fixed) & set(dependent) or not ways:
        raise DataProblem(f"{in_words(dependent)} those before: --drop {','.join(dependent)}")
    least = max(1, len(features.fixed))
    ways, scores = ways[least - 1 :], scores[least - 1 :]
    place = chosen_place(ways, np.array(scores), features, judge, plan)
    error = standard_error(judge, features.together(ways[place]))
    sizes = [(len(way), score, way) for way, score in zip(ways, scores, strict=True)]
    return Selection(ways[place], scores[place], error, sizes, len(order), dependent=dependent)


def chosen_place(ways: list[list[str]], scores: np.ndarray, features: Features, judge: Any, plan: Plan) -> int:
    """Which of the ways; "best" of a filter that drops columns itself is all that it leaves."""
    if isinstance(plan.k, int):
        return min(plan.k, len(ways[-1])) - len(ways[0])
    if plan.method.name == "fcbf" and plan.k == "best":
        return len(scores) - 1
    best = int(scores.argmax())
    if plan.k == "parsimonious":
        error = standard_error(judge, features.together(ways[best])) or 0.0
        return int((scores >= scores[best] - error).argmax())
    return best


def ordered(features: Features, plan: Plan) -> list[str]:
    """Columns, those that are fixed and then the best first; a category is as good as the best of its flags."""
    task = "classification" if plan.task == "classify" else "regression"
    if plan.method.name == "fcbf":
        order = FCBF(plan.method.delta or 0.0, bins=BINS).fit(features.X, features.y, features.weight).order_
    elif isinstance(features.y, str) and task == "regression" and plan.method.score in INFORMATION:
        raise UsageProblem(f"--method {plan.method} with numbers needs the table in memory (--memory)")
    else:
        ranker, y = ranking_of(plan.method.score, task, features.y, features.weight)
        order = ranker.fit(features.X, y, features.weight).order_
    names = [name for name in features.chosen(order) if name not in features.excluded]
    names = [*features.fixed, *(name for name in names if name not in features.fixed)]
    if not names and plan.method.delta:
        raise DataProblem(
            f"no column has a symmetric uncertainty above {plan.method.delta:g}; {plan.option} fcbf:0 has no threshold"
        )
    if not names:
        raise DataProblem(f"no column says anything about the target: there is nothing to choose ({plan.option})")
    return names
