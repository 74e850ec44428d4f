"""An honest score of chosen columns: the choice is repeated without each outer fold, and scored there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring

from ..evaluation.comparison.corrected_test import corrected_t_test
from ..evaluation.resampling.splits import splits_of
from ..selection.nested import jaccard, model_score
from .selecting import selected
from .selection_plan import Plan, Rows


@dataclass(frozen=True, eq=False)
class HonestScore:
    """The score over the outer folds, and how much the choices of the folds have in common."""

    score: float
    interval: tuple[float, float]
    scores: np.ndarray
    stability: float
    counts: dict[str, int]
    name: str


def honest_score(rows: Rows, plan: Plan, folds: int, progress: Callable[[str, int, int], None]) -> HonestScore:
    """Codes, choice and model without each fold in turn, scored on the fold; `progress` hears of every fold.

    >>> import pyarrow as pa
    >>> from sumlearn.product.select_methods import Method
    >>> rng = np.random.default_rng(0)
    >>> table = pa.table({f"x{j}": rng.standard_normal(200) for j in range(20)})
    >>> rows = Rows(table, rng.integers(0, 2, 200), None, [], [])
    >>> plan = Plan(Method.parse("sfs"), "classify", "accuracy", 3)
    >>> found = honest_score(rows, plan, 5, lambda what, done, total: None)  # of labels that no column knows
    >>> found.interval[0] < 0.5 < found.interval[1]
    True
    """
    model = plan.model()
    name = model_score(plan.criterion)
    scorer = check_scoring(model, scoring=name)
    outer = splits_of(model, np.empty((len(rows.y), 1)), rows.y, None, folds)
    scores, subsets = [], []
    for number, (train, test) in enumerate(outer, 1):
        learnt, asked = rows.take(train), rows.take(test)
        features, encoder = learnt.coded()
        chosen = selected(features, plan).columns
        numbers = sorted(j for column in chosen for j in features.numbers(column))
        fitted = clone(model).fit(features.X[:, numbers], learnt.y, learnt.weight)
        weighing = {} if asked.weight is None else {"sample_weight": asked.weight}
        scores.append(float(scorer(fitted, encoder.transform(asked.frame)[:, numbers], asked.y, **weighing)))
        subsets.append(chosen)
        progress("outer fold", number, len(outer))
    outcome = corrected_t_test(scores, *np.array([(len(train), len(test)) for train, test in outer]).T)
    columns = [column for column in rows.frame.column_names if column not in rows.drop]
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
