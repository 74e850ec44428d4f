"""An honest score of chosen columns: the choice is repeated without each outer fold, and scored there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring

from ...evaluation.outer_loop import Listener, ScoredFold, expected_score, outer_loop, outer_splits
from ...evaluation.resampling.scoring import score_limits
from ...features import TableEncoder
from ...selection.nested_scores import jaccard, model_score
from .selecting import selected
from .selection_plan import Features, Plan, TableRows


@dataclass(frozen=True, eq=False)
class HonestScore:
    """The score over the outer folds, and how much the choices of the folds have in common."""

    score: float
    interval: tuple[float, float]
    scores: np.ndarray
    stability: float
    counts: dict[str, int]
    name: str


class CodedChoice(NamedTuple):
    """Training rows as numbers, how other rows become numbers, and the columns that were chosen."""

    features: Features
    encoder: TableEncoder
    columns: list[str]


def honest_score(rows: TableRows, plan: Plan, folds: int, progress: Listener) -> HonestScore:
    """Codes, choice and model without each fold in turn, scored on the fold; `progress` hears of every fold.

    >>> import pyarrow as pa
    >>> from sumlearn.product.columns.select_methods import Method
    >>> rng = np.random.default_rng(0)
    >>> table = pa.table({f"x{j}": rng.standard_normal(200) for j in range(20)})
    >>> rows = TableRows(table, rng.integers(0, 2, 200), None, {}, [])
    >>> plan = Plan(Method.parse("sfs"), "classify", "accuracy", 3)
    >>> honest = honest_score(rows, plan, 5, lambda what, done, total: None)  # of labels that no column knows
    >>> honest.interval[0] < 0.5 < honest.interval[1]
    True
    """
    model = plan.model()
    name = model_score(plan.criterion)
    scorer = check_scoring(model, scoring=name)
    outer = outer_splits(model, np.empty((len(rows.y), 1)), rows.y, None, plan.folds(folds))

    def choose(train: np.ndarray) -> CodedChoice:
        features, encoder = rows.take(train).coded()
        return CodedChoice(features, encoder, selected(features, plan).columns)

    def score(choice: CodedChoice, train: np.ndarray, test: np.ndarray) -> ScoredFold[list[str]]:
        learnt, asked = choice.features, rows.take(test)
        numbers = sorted(j for column in choice.columns for j in learnt.numbers(column))
        fitted = clone(model).fit(learnt.X[:, numbers], learnt.y, learnt.weight)
        weighing = {} if asked.weight is None else {"sample_weight": asked.weight}
        value = scorer(fitted, choice.encoder.transform(asked.frame)[:, numbers], asked.y, **weighing)
        return ScoredFold(choice.columns, float(value))

    scored = outer_loop(outer, choose, score, progress)
    expected = expected_score(scored, outer)
    subsets = [fold.choice for fold in scored]
    columns = [column for column in rows.frame.column_names if column not in (rows.columns.get("drop") or ())]
    counts = {column: sum(column in subset for subset in subsets) for column in columns}
    stability = jaccard([np.array(subset) for subset in subsets])
    return HonestScore(
        expected.mean,
        expected.interval(limits=score_limits(name, model)),
        np.array([fold.score for fold in scored]),
        stability,
        counts,
        name or ("accuracy" if plan.task == "classify" else "r2"),
    )
