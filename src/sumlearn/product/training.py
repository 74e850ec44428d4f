"""train: from a table and a column name to a model and an honest account of it."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..engines import one_blas_thread
from ..statistics.row_checks import available_memory
from .candidates import ABILITIES
from .checks import checks_of
from .forecast import forecast, in_words
from .large import SAMPLE, check_scheme, finished, sample_of
from .metrics_json import account_of, facts_of, rows_learnt
from .nested_answers import BASELINE, PROCEDURE, NestedAnswers, constant, nested_answers
from .predictions import out_of_fold
from .problems import UsageProblem
from .procedure import TunedChoice, choose
from .progress import Listener, Progress, nobody
from .row_ledger import RowLedger
from .tables import CELL, Blocks, OpenedTable, as_table, open_table
from .targets import TargetRows
from .trained import TrainedModel
from .training_options import TrainingOptions
from .training_problem import Problem, problem_of

Tell = Callable[[str, str], None]
COPIES = 4  # of a table that a training holds at its peak, or so


@dataclass(frozen=True, eq=False)
class Training:
    """The outcome of `train`.

    Attributes
    ----------
    model : TrainedModel
        Fitted to all rows: what is saved.
    metrics : dict
        The honest account, as in ``metrics.json``.
    predictions : dict {column: list}
        Answers to rows that were left out, as in ``predictions.csv``.
    target : TargetRows
    problem : Problem
    nested : NestedAnswers
        All answers, for those who want to look further.
    """

    model: TrainedModel
    metrics: dict[str, Any]
    predictions: dict[str, list[Any]]
    target: TargetRows
    problem: Problem
    nested: NestedAnswers

    @property
    def constant(self) -> Any:
        """What the baseline always answers."""
        return self.nested.training[BASELINE].labels[0]


def train(
    data: Any,
    target: str | None = None,
    *,
    task: str = "auto",
    models: str | Sequence[Any] = "auto",
    can: Sequence[str] = (),
    positive: str | None = None,
    cost: Sequence[float] | None = None,
    cv: str | int = "5",
    metric: str | None = None,
    features: str | None = None,
    drop: Sequence[str] = (),
    ids: Sequence[str] = (),
    weights: str | None = None,
    seed: int = 0,
    row_hashes: bool = True,
    memory: str | None = None,
    progress: Listener = nobody,
    tell: Tell = lambda label, text: None,
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
    models : "auto", names, classes that offer themselves, or candidates
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
    features : str
        How columns are chosen, inside the training rows: "all", "sffs:10", "sfs", "sfs:parsimonious", "fcbf:0.1".
    drop, ids : names of columns
        That are no features; ids go into the predictions.
    weights : str
        A column of weights: how many rows a row stands for.
    seed : int
        Of the folds.
    row_hashes : bool
        Whether the model keeps salted hashes of its rows, so that `forget` can refuse others.
    memory : str
        Such as "4GB": a file that takes more is not read into memory; by default half of what is free. Its model is
        then one that adds up, chosen on a sample of the rows, with sums and score of all rows.
    progress : callable
        Called with (what, done, total), often.
    tell : callable
        Called with (label, text) for what is known early: how long it will take.

    Returns
    -------
    Training
        ``model``, ``metrics``, ``predictions``.

    Examples
    --------
    >>> from sumlearn.product import train
    >>> training = train("iris", models="lda,qda")
    >>> training.metrics["chosen"]["model"], round(training.metrics["score"], 2)
    ('lda', 0.98)

    References
    ----------
    Cawley & Talbot, "On over-fitting in model selection and subsequent selection bias in performance evaluation",
    2010; Nadeau & Bengio, "Inference for the generalization error", 2003.
    """
    options = TrainingOptions(
        target, task, models, can, positive, cost, cv, metric, features, drop, ids, weights, seed, row_hashes, memory
    )
    counter = Progress(progress)
    table = data if isinstance(data, OpenedTable | Blocks) else opened(data, memory)
    if isinstance(table, OpenedTable):
        return trained(table, options, counter, tell)
    check_scheme(options.scheme)
    sample = sample_of(table, sample_rows(table, memory), seed)
    if sample.share == 1.0:  # few rows: all of them are the sample, and their own folds score it
        return trained(replace(sample.table, digest=table.digest), options, counter, tell)
    tell("note", f"{table.name} is larger than memory: models that add up, chosen on a sample of its rows; three reads")
    chosen = trained(sample.table, replace(options, can=ABILITIES, row_hashes=False), counter, tell)
    return finished(chosen, sample, table, row_hashes)


def opened(data: Any, memory: str | None) -> OpenedTable | Blocks:
    """A table in memory, or in blocks if it is named and too large for the memory that may be used."""
    if isinstance(data, str | os.PathLike):
        return open_table(data, memory_of(memory) / COPIES)
    return as_table(data)


def memory_of(text: str | None) -> float:
    """Bytes of memory that a training may use: as named, else half of what is free.

    >>> memory_of("500MB"), memory_of("1.5 GB")
    (500000000.0, 1500000000.0)
    """
    if text is None:
        return available_memory() / 2
    match = re.fullmatch(r"\s*([0-9.]+)\s*([kMGT]?)i?B?\s*", text, re.IGNORECASE)
    try:
        assert match is not None
        return float(match[1]) * 1000.0 ** " kmgt".index(match[2].lower() or " ")
    except (AssertionError, ValueError):
        raise UsageProblem(f"--memory {text!r} is no size such as 500MB or 4GB") from None


def sample_rows(table: Blocks, memory: str | None) -> int:
    fitting = memory_of(memory) / COPIES / (CELL * len(table.columns))
    return int(min(SAMPLE, max(1000, fitting)))


def trained(table: OpenedTable, options: TrainingOptions, progress: Progress, tell: Tell) -> Training:
    """Choose, fit and score on a table in memory."""
    problem, dropped = problem_of(table, options, progress)
    with warnings.catch_warnings(record=True) as caught, one_blas_thread():  # many small fits: more would wait
        warnings.simplefilter("always")
        tell("estimate", estimate_of(problem))
        nested = nested_answers(problem)
        rows = np.arange(len(problem.target.values))
        choice = choose(problem, rows)
        final = final_models(problem, choice, rows, nested)
    facts = facts_of(table, problem, choice, final, options.weights)
    model = TrainedModel(final[choice.winner.candidate.name], rival_model(choice, final), facts)
    account = account_of(table, problem, choice, nested, model, dropped)
    account["checks"] = checks_of(problem, account, nested, model, caught)
    facts |= {"metric": account["metric"], "score": account["score"], "interval": account["interval"]}
    if options.row_hashes:
        model.ledger = RowLedger.empty(facts["columns"]).added(rows_learnt(problem, facts).words).as_dict()
    return Training(model, account, out_of_fold(problem, nested, options.ids), problem.target, problem, nested)


def estimate_of(problem: Problem) -> str:
    """What lies ahead."""
    count = len(problem.candidates)
    return f"{count} model{'s' if count > 1 else ''}, {problem.scheme.words()}: {in_words(forecast(problem))}"


def final_models(problem: Problem, choice: TunedChoice, rows: np.ndarray, nested: NestedAnswers) -> dict[str, Any]:
    """The winner and its rival on all rows; every candidate where the .632 bootstrap needs the error on rows learnt."""
    wanted = [choice.winner, *([choice.rival] if choice.rival is not None else [])]
    if problem.scheme.kind == "boot632":
        wanted = [t for name, t in choice.tuned.items() if name in nested.answers]
    models = {}
    for tuned in wanted:
        model = problem.fit(tuned.candidate, tuned.params, rows)
        models[tuned.candidate.name] = model
        nested.training[tuned.candidate.name] = problem.answers(model, rows).decided(problem.target, tuned.threshold)
    nested.training[PROCEDURE] = nested.training[choice.winner.candidate.name]
    nested.training[BASELINE] = constant(problem, rows, rows)
    return models


def rival_model(choice: TunedChoice, final: dict[str, Any]) -> Any:
    if choice.winner.candidate.can_all or choice.rival is None:
        return None
    return final[choice.rival.candidate.name]
