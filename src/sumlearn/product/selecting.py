"""Columns of a table that do best together, with the way there, and an honest score of the choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring

from ..evaluation.corrected_test import corrected_t_test
from ..evaluation.splits import splits_of
from ..features import TableEncoder
from ..learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ..learners.regression.linear_regression import LinearRegression
from ..selection import FCBF, SubsetSearch
from ..selection.judging import case_for
from ..selection.nested import jaccard, model_score
from ..selection.outcome import standard_error
from ..selection.workflow_steps.choosing import BINS, INFORMATION, ranking_of
from .problems import DataProblem, UsageProblem
from .select_methods import Method


@dataclass(frozen=True)
class Plan:
    """What is asked for: k is a number, "best" or "parsimonious"."""

    method: Method
    task: str
    criterion: str
    k: int | str
    cv: int
    max_seconds: float | None = None

    def model(self) -> Any:
        return LinearDiscriminantAnalysis() if self.task == "classify" else LinearRegression()

    def search(self, groups: list[list[int]] | None, excluded: list[str] | None = None) -> SubsetSearch:
        with_model = self.criterion not in ("nearest", "mahalanobis", "bhattacharyya", "trace", "likelihood")
        return SubsetSearch(
            "sfs" if self.method.is_filter else self.method.name,
            self.model() if with_model else None,
            self.criterion,
            k="best" if self.method.is_filter else self.k,
            cv=self.cv,
            column_groups=groups,
            excluded=excluded,
            max_seconds=self.max_seconds,
            **self.method.parameters,
        )


@dataclass(frozen=True, eq=False)
class Features:
    """Numbers to choose from, in memory or in files, and the column of the table that each comes from."""

    X: Any
    y: Any
    owners: list[str]
    excluded: list[str]

    @property
    def columns(self) -> list[str]:
        return [name for name in dict.fromkeys(self.owners) if name not in self.excluded]

    def numbers(self, column: str) -> list[int]:
        return [j for j, owner in enumerate(self.owners) if owner == column]

    def chosen(self, numbers: Any) -> list[str]:
        return list(dict.fromkeys(self.owners[j] for j in numbers))


@dataclass(frozen=True, eq=False)
class Selection:
    """The chosen columns, their score, and the best subset of every size that was met."""

    columns: list[str]
    score: float
    standard_error: float | None
    sizes: list[tuple[int, float, list[str]]]
    evaluations: int
    proven: bool = False
    interrupted: bool = False


@dataclass(frozen=True, eq=False)
class HonestScore:
    """The choice repeated without each outer fold, scored on the fold."""

    score: float
    interval: tuple[float, float]
    scores: np.ndarray
    stability: float
    counts: dict[str, int]
    name: str


def coded(frame: Any, y: np.ndarray, drop: list[str]) -> tuple[Features, TableEncoder]:
    """A table in memory as numbers; flags of a category, and of gaps, belong to their column."""
    encoder = TableEncoder(drop=drop or None).fit(frame)
    owners = [feature.column for feature in encoder.design_.features]
    if owners == [""]:
        raise DataProblem("no column varies: there is nothing to choose from")
    return Features(encoder.transform(frame), y, owners, []), encoder


def selected(features: Features, plan: Plan) -> Selection:
    """Choose columns."""
    return filtered(features, plan) if plan.method.is_filter else searched(features, plan)


def searched(features: Features, plan: Plan) -> Selection:
    groups = [features.numbers(name) for name in dict.fromkeys(features.owners)]
    grouped = any(len(group) > 1 for group in groups)
    search = plan.search(groups if grouped else None, features.excluded or None).fit(features.X, features.y)
    sizes = [(size, search.scores_by_size_[size], features.chosen(path)) for size, path in search.path_.items()]
    chosen = features.chosen(search.subset_)
    return Selection(
        chosen,
        search.score_,
        search.standard_error_,
        sizes,
        search.evaluations_,
        not search.approximate_,
        search.interrupted_,
    )


def filtered(features: Features, plan: Plan) -> Selection:
    """A filter gives the order, the criterion is asked along it."""
    order = ordered(features, plan)
    judge = case_for(plan.search(None), features.X, features.y, None, None).judge
    subsets = [tuple(sorted(j for name in order[:n] for j in features.numbers(name))) for n in range(1, len(order) + 1)]
    scores = np.array([judge.score(subset) for subset in subsets])
    if not (scores > -np.inf).any():
        raise DataProblem("no subset of the ranked columns can be judged: they depend on each other")
    size = chosen_size(scores, subsets, judge, plan)
    sizes = [(n, float(s), order[:n]) for n, s in enumerate(scores, 1) if s > -np.inf]
    error = standard_error(judge, subsets[size - 1])
    return Selection(order[:size], float(scores[size - 1]), error, sizes, len(scores))


def chosen_size(scores: np.ndarray, subsets: list[tuple[int, ...]], judge: Any, plan: Plan) -> int:
    """How many of the ranked columns; "best" of a filter that drops columns itself is all that it leaves."""
    if isinstance(plan.k, int):
        return min(plan.k, len(scores))
    if plan.method.name == "fcbf" and plan.k == "best":
        return len(scores)
    best = int(scores.argmax())
    if plan.k == "parsimonious":
        return int((scores >= scores[best] - (standard_error(judge, subsets[best]) or 0.0)).argmax()) + 1
    return best + 1


def ordered(features: Features, plan: Plan) -> list[str]:
    """Columns, best first; a category is as good as the best of its flags."""
    task = "classification" if plan.task == "classify" else "regression"
    if plan.method.name == "fcbf":
        order = FCBF(plan.method.delta or 0.0, bins=BINS).fit(features.X, features.y).order_
    elif isinstance(features.y, str) and task == "regression" and plan.method.score in INFORMATION:
        raise UsageProblem(f"--method {plan.method} with numbers needs the table in memory (--memory)")
    else:
        ranker, y = ranking_of(plan.method.score, task, features.y)
        order = ranker.fit(features.X, y).order_
    found = [name for name in features.chosen(order) if name not in features.excluded]
    if not found:
        raise DataProblem("no column says anything about the target; --method fcbf:0 has no threshold")
    return found


def honest_score(
    frame: Any, y: np.ndarray, drop: list[str], plan: Plan, folds: int, progress: Callable[[str, int, int], None]
) -> HonestScore:
    """Codes, choice and model without each fold in turn, scored on the fold; `progress` hears of every fold."""
    model = plan.model()
    name = model_score(plan.criterion)
    scorer = check_scoring(model, scoring=name)
    outer = splits_of(model, np.empty((len(y), 1)), y, None, folds)
    scores, subsets = [], []
    for number, (train, test) in enumerate(outer, 1):
        features, encoder = coded(frame.take(train), y[train], drop)
        chosen = selected(features, plan).columns
        numbers = sorted(j for column in chosen for j in features.numbers(column))
        fitted = clone(model).fit(features.X[:, numbers], y[train])
        scores.append(float(scorer(fitted, encoder.transform(frame.take(test))[:, numbers], y[test])))
        subsets.append(chosen)
        progress("outer fold", number, len(outer))
    outcome = corrected_t_test(scores, *np.array([(len(train), len(test)) for train, test in outer]).T)
    columns = [column for column in frame.column_names if column not in drop]
    counts = {column: sum(column in subset for subset in subsets) for column in columns}
    stability = jaccard([np.array(subset) for subset in subsets])
    return HonestScore(
        outcome.mean,
        outcome.interval(),
        np.array(scores),
        stability,
        counts,
        name or ("accuracy" if plan.task == "classify" else "r2"),
    )
