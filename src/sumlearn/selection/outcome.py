"""What a search ends with: the size that is chosen, and the fitted attributes."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .dependent_columns import CannotJudge
from .evaluations import Evaluations, Found
from .judges.judge import Judge
from .search_options import PROVEN, Sizes

BUDGET_SPENT = "the budget was spent"
BY_HAND = "the search was interrupted"


def outcome_of(search: Any, evaluations: Evaluations, sizes: Sizes, ended: str | None) -> dict[str, Any]:
    """Fitted attributes by name; `ended` says what ended the search before its time, if anything did."""
    met = {size + evaluations.base: found for size, found in evaluations.best.items() if found.score > -np.inf}
    wanted = sizes_met(search, met, sizes, ended)
    judge = None if ended == BY_HAND else evaluations.judge  # one that was interrupted is not asked again
    chosen, error = chosen_size(search, evaluations, judge, met, wanted)
    if ended is not None:
        warnings.warn(
            f"{ended} after {evaluations.count} evaluations: the result is the best subset so far, of {chosen} "
            "features",
            ConvergenceWarning,
            stacklevel=4,
        )
    trace = evaluations.recorder.trace()
    best = trace.best(search.n_best, wanted)
    return {
        "subset_": columns_of(evaluations, met[chosen]),
        "score_": met[chosen].score,
        "path_": {size: columns_of(evaluations, met[size]) for size in sorted(met)},
        "scores_by_size_": {size: met[size].score for size in sorted(met)},
        "best_subsets_": [np.array(trace.subset(number), dtype=np.intp) for number in best],
        "best_scores_": trace.score[best],
        "trace_": trace,
        "evaluations_": evaluations.count,
        "standard_error_": error,
        "approximate_": search.method not in PROVEN or search.prophet is not None or ended is not None,
        "interrupted_": ended is not None,
    }


def sizes_met(search: Any, met: dict[int, Found], sizes: Sizes, ended: str | None) -> list[int]:
    """The sizes in question of which a subset was judged; after an early end the nearest one will do."""
    if not met:
        raise CannotJudge("no subset can be judged: the criterion is -inf for all that were asked about")
    wanted = [size for size in sizes.wanted if size in met]
    if not wanted and ended is None:
        raise CannotJudge(
            f"no subset of {sizes.wanted[0]} features was judged: columns depend on each other, or the steps of method "
            f"{search.method!r} pass over that size"
        )
    return wanted or [min(met, key=lambda size: abs(size - sizes.wanted[0]))]


def chosen_size(
    search: Any, evaluations: Evaluations, judge: Judge | None, met: dict[int, Found], wanted: list[int]
) -> tuple[int, float | None]:
    """The size of the answer, and the standard error of its score."""
    top = max(met[size].score for size in wanted)
    chosen = next(size for size in sorted(wanted) if not evaluations.better(top, met[size].score))
    error = standard_error(judge, evaluations.columns(met[chosen].units))
    if search.k != "parsimonious" or judge is None:
        return chosen, error
    if error is None:
        raise ValueError("k='parsimonious' needs a criterion that is a mean over folds, such as 'r2' or 'accuracy'")
    chosen = next(size for size in sorted(wanted) if met[size].score >= met[chosen].score - error)
    return chosen, standard_error(judge, evaluations.columns(met[chosen].units))


def standard_error(judge: Judge | None, columns: tuple[int, ...]) -> float | None:
    """Of a mean over folds, as if folds were independent; None where J is no mean."""
    folds = None if judge is None else judge.folds(columns)
    if folds is None or len(folds) < 2:
        return None
    apart = folds - folds.mean()
    return math.sqrt(float(apart @ apart) / (len(folds) - 1) / len(folds))


def columns_of(evaluations: Evaluations, found: Found) -> np.ndarray:
    return np.array(evaluations.columns(found.units), dtype=np.intp)
