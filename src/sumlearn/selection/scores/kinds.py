"""The scores of a ranker by name: what each is a function of, and which targets and estimators it knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import information, moment_scores
from .moment_scores import RankScores

TASKS = ("classification", "regression")


@dataclass(frozen=True)
class Kind:
    """A score: the sums that it is a function of (None: it needs rows), and the tasks that it knows."""

    function: Callable[[Any], RankScores] | None
    sums: str | None
    tasks: tuple[str, ...]  # the first is the default
    estimators: tuple[str, ...] = ()  # the first is the default


KINDS = {
    "pearson": Kind(moment_scores.pearson, "moments", ("regression", "classification")),
    "f": Kind(moment_scores.f_test, "moments", ("classification", "regression")),
    "fisher": Kind(moment_scores.fisher, "moments", ("classification",)),
    "mutual_information": Kind(information.mutual_information, "levels", ("classification",), ("counts", "knn")),
    "symmetric_uncertainty": Kind(information.symmetric_uncertainty, "levels", ("classification",)),
    "one_feature": Kind(None, None, ("classification", "regression"), ("lda", "naive_bayes")),
}
NEIGHBOURS = Kind(None, None, ("classification", "regression"), ("counts", "knn"))


def kind_of(score: Any, estimator: Any) -> Kind:
    """The score that is meant; the default for a name that is none, which `check_options` refuses."""
    known = KINDS.get(score if isinstance(score, str) else "", KINDS["pearson"])
    return NEIGHBOURS if known.sums == "levels" and estimator == "knn" else known


def check_options(score: Any, task: Any, estimator: Any) -> None:
    """Refuse names that are none, and combinations that do not suit each other."""
    if not isinstance(score, str) or score not in KINDS:
        raise ValueError(f"score must be one of {', '.join(KINDS)}, got {score!r}")
    estimators, tasks = KINDS[score].estimators, kind_of(score, estimator).tasks
    if estimator is not None and estimator not in estimators:
        known = f"{' or '.join(map(repr, estimators))}, or None" if estimators else "None"
        raise ValueError(f"estimator must be {known} for score={score!r}, got {estimator!r}")
    if task is not None and task not in tasks:
        advice = ": use estimator='knn'" if score == "mutual_information" and task in TASKS else ""
        raise ValueError(f"task={task!r} does not suit score={score!r}{advice}; it knows {', '.join(tasks)}")
    if score == "one_feature" and task == "regression" and estimator is not None:
        raise ValueError(f"estimator={estimator!r} is a classifier: use None with task='regression'")
