"""train: from a table and a column name to a model and an honest account of it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .account import account_of, facts_of, rows_learnt
from .checks import checks_of
from .nested import BASELINE, PROCEDURE, Nested, constant, nested
from .pace import Pace, Progress
from .predictions import out_of_fold
from .procedure import Choice, Problem, choose
from .row_ledger import RowLedger
from .scores import Costs
from .setting_up import problem_of
from .tables import as_table
from .targets import Target
from .trained import TrainedModel


@dataclass(frozen=True, eq=False)
class Training:
    """What `train` found.

    Attributes
    ----------
    model : TrainedModel
        Fitted to all rows: what is saved.
    metrics : dict
        The honest account, as in ``metrics.json``.
    predictions : dict {column: list}
        Answers to rows that were left out, as in ``predictions.csv``.
    target : Target
    problem : Problem
    nested : Nested
        All answers, for those who want to look further.
    """

    model: TrainedModel
    metrics: dict[str, Any]
    predictions: dict[str, list[Any]]
    target: Target
    problem: Problem
    nested: Nested

    @property
    def constant(self) -> Any:
        """What the baseline always answers."""
        return self.nested.training[BASELINE].labels[0]


def train(
    data: Any,
    target: str | None = None,
    *,
    task: str = "auto",
    models: str | Sequence[str] = "auto",
    can: Sequence[str] = (),
    positive: str | None = None,
    cost: Sequence[float] | None = None,
    cv: str | int = "5",
    metric: str | None = None,
    drop: Sequence[str] = (),
    ids: Sequence[str] = (),
    weights: str | None = None,
    seed: int = 0,
    row_hashes: bool = True,
    progress: Progress = lambda what, done, total: None,
) -> Training:
    """Choose and fit a model for a table, and score the whole procedure on rows that it has not seen.

        outer split: on the training rows, tune all candidates by inner folds, choose, refit; score the rows left out
        at last: the same with all rows

    Scaling, imputation, hyperparameters, the choice among models and the threshold are learnt without the rows that are
    scored. A model that adds up is chosen unless another is significantly better (corrected t-test over inner folds).

    Parameters
    ----------
    data : path, glob, folder, bundled name, Table, or a pyarrow, pandas or polars table
    target : str
        Column to predict; a bundled table knows its own.
    task : {"auto", "classify", "regress"}
    models : "auto" or names
        See ``sumlearn models``.
    can : names of abilities
        Of "update", "forget", "merge": only models that can.
    positive : str
        The positive one of two classes; by default the greater.
    cost : (false acceptance, false rejection)
        Labels are then decided by the cheapest threshold.
    cv : "5", "loo", "group:COL", "time:COL", "holdout:0.2", "boot632:100"
    metric : str
        What decides and is shown first: auc, accuracy, balanced_accuracy, f1, error, eer, cost; r2, rmse, mae.
    drop, ids : names of columns
        That are no features; ids go into the predictions.
    weights : str
        A column of weights: how many rows a row stands for.
    seed : int
        Of the folds.
    row_hashes : bool
        Whether the model keeps salted hashes of its rows, so that `forget` can refuse others.
    progress : callable
        Called with (what, done, total), often.

    Returns
    -------
    Training
        ``model``, ``metrics``, ``predictions``.

    Examples
    --------
    >>> from sumlearn.product import train
    >>> found = train("iris", models="lda,qda")
    >>> found.metrics["chosen"]["model"], round(found.metrics["score"], 2)
    ('lda', 0.98)

    References
    ----------
    Cawley & Talbot, "On over-fitting in model selection and subsequent selection bias in performance evaluation",
    2010; Nadeau & Bengio, "Inference for the generalization error", 2003.
    """
    table = as_table(data)
    costs = None if cost is None else Costs(*cost)
    problem, dropped = problem_of(
        table, target, task, models, can, positive, costs, str(cv), metric, drop, ids, weights, seed, Pace(progress)
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = nested(problem)
        rows = np.arange(len(problem.target.values))
        choice = choose(problem, rows)
        final = final_models(problem, choice, rows, found)
    facts = facts_of(table, problem, choice, final, weights)
    model = TrainedModel(final[choice.winner.candidate.name], rival_model(choice, final), facts)
    account = account_of(table, problem, choice, found, model, dropped)
    account["checks"] = checks_of(problem, account, found, model, caught)
    facts |= {"metric": account["metric"], "score": account["score"], "interval": account["interval"]}
    if row_hashes:
        model.ledger = RowLedger.empty(facts["columns"]).added(rows_learnt(problem, facts).words).as_dict()
    return Training(model, account, out_of_fold(problem, found, ids), problem.target, problem, found)


def final_models(problem: Problem, choice: Choice, rows: np.ndarray, found: Nested) -> dict[str, Any]:
    """The winner and its rival on all rows; every candidate where the .632 bootstrap needs the error on rows learnt."""
    wanted = [choice.winner, *([choice.rival] if choice.rival is not None else [])]
    if problem.scheme.kind == "boot632":
        wanted = [t for name, t in choice.tuned.items() if name in found.answers]
    models = {}
    for tuned in wanted:
        model = problem.fit(tuned.candidate, tuned.params, rows)
        models[tuned.candidate.name] = model
        found.training[tuned.candidate.name] = problem.answers(model, rows).decided(problem.target, tuned.threshold)
    found.training[PROCEDURE] = found.training[choice.winner.candidate.name]
    found.training[BASELINE] = constant(problem, rows, rows)
    return models


def rival_model(choice: Choice, final: dict[str, Any]) -> Any:
    if choice.winner.candidate.adds_up or choice.rival is None:
        return None
    return final[choice.rival.candidate.name]
