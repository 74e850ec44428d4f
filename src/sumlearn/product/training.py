"""train: from a table and a column name to a model and an honest account of it."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from ..data.dialect import Dialect
from ..engines import one_blas_thread
from ..statistics.row_checks import available_memory
from .budget import TimePlan, and_done, in_words, plain_plan, plan_of, planned
from .candidates import ABILITIES
from .checks import checks_of
from .clock import Clock
from .large import SAMPLE, check_scheme, finished, sample_of
from .metrics import metrics_for
from .metrics_json import account_of, facts_of, rows_learnt
from .nested_answers import BASELINE, PROCEDURE, NestedAnswers, choice_on_all, constant, nested_answers
from .opened_table import OpenedTable
from .options import Options
from .predictions import out_of_fold
from .problems import UsageProblem
from .procedure import Tuned, TunedChoice
from .progress import Listener, Progress, nobody
from .reading import PLAIN
from .row_ledger import RowLedger
from .saved_score import FEWEST, MOST_SPLITS, REFITS, Estimate, interval, optimism, reweighted, share_learnt, spread
from .table_blocks import CELL, Blocks
from .tables import as_table, open_table
from .targets import TargetRows
from .trained import TrainedModel
from .training_problem import Problem, problem_of
from .trials import training_sets
from .unfinished import Unfinished
from .workers import workers_of

Tell = Callable[[str, str], None]
COPIES = 16  # of a table that a training holds at its peak, or so: coded for every split, answers, the report
LIBRARIES = 4.2e8  # bytes that are taken besides, for libraries and for a block of a file


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
    progress: Listener = nobody,
    tell: Tell = lambda label, text: None,
    unfinished: Unfinished | None = None,
    **options: Any,
) -> Training:
    """Choose and fit a model for a table, and score it on rows that it has not seen.

        every split: on the training rows, tune all candidates by rows left out of them, choose; score the rows left out
        at last: the same with all rows

    Scaling, imputation, hyperparameters and the threshold are learnt without the rows that are scored. The best score
    wins; a model that can update, forget and merge is preferred at practical equality (0.005 of AUC, accuracy or R2).
    The headline is the score of the model that is saved, corrected for the choice among the candidates; the score of
    the whole procedure, choice included, stands beside it.

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
    cost : (false acceptance, false rejection), {(true label, said label): cost}, or a CSV table
        Of two classes labels are then decided by the cheapest threshold, of more by the least expected cost, where the
        model has probabilities.
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
    budget : str
        Such as "60s" or "5min": candidates that it has no room for are dropped, and named; "none" drops nothing.
    dropped : names of models
        That are not tried: those that an earlier run had no time for.
    refits : int
        With other weights of the rows, behind the interval; by default as many as there is time for, up to 40.
    encoding : str
        Of text files; by default found out: UTF-8, UTF-16, else cp1252.
    dates : {"dmy", "mdy", "ymd"}
        The order of day, month and year in text files, where their columns leave several.
    decimal : {"point", "comma"}
        The decimal sign of text files, where their columns leave both.
    missing : texts
        Cells that count as gaps; numbers by their value, and "inf" for infinite ones.
    max_levels : int
        A column of text with more different values is left out; 100 by default.
    precision : {"double", "exact"}
        "exact": only models whose sums carry no rounding, so that one that has forgotten rows is, to the bit, the one
        that never saw them. Slower.
    engine : "local", "dask", "dask:ADDRESS"
        Who fits the candidates that do not add up: this process, or the workers of a Dask scheduler, at an address, of
        the client that is there, or else of this machine. The same bits.
    device : {"cpu", "cuda"}, or as torch names it
        Where networks are learnt. What is saved answers without it.
    progress : callable
        Called with (what, done, total), often.
    tell : callable
        Called with (label, text) for what is known early: how long it will take, what was dropped.
    unfinished : Unfinished
        Keeps the steps that are done, so that an interrupted training goes on.

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
    2010; Tsamardinos, Greasidou & Borboudakis, "Bootstrapping the out-of-sample predictions for efficient and accurate
    cross-validation", 2018; Bates, Hastie & Tibshirani, "Cross-validation: what does it estimate and how well does it
    do it?", 2023.
    """
    asked, counter = Options.given({"target": target, **options}), Progress(progress)
    table = data if isinstance(data, OpenedTable | Blocks) else opened(data, asked.memory, asked.dialect)
    steps = unfinished or Unfinished()
    if isinstance(table, OpenedTable):
        return trained(table, asked, counter, tell, steps)
    check_scheme(asked.scheme)
    sample = sample_of(table, sample_rows(table, asked.memory), asked.seed, steps, counter)
    if sample.share == 1.0:  # few rows: all of them are the sample, and their own folds score it
        return trained(replace(sample.table, digest=table.digest), asked, counter, tell, steps)
    tell("note", f"{table.name} is larger than memory: models that add up, chosen on a sample of its rows; three reads")
    chosen = trained(sample.table, replace(asked, can=ABILITIES, row_hashes=False), counter, tell, steps, False)
    return finished(chosen, sample, table, asked.row_hashes, steps)


def opened(data: Any, memory: str | None, dialect: Dialect = PLAIN) -> OpenedTable | Blocks:
    """A table in memory, or in blocks if it is named and too large for the memory that may be used."""
    if isinstance(data, str | os.PathLike):
        return open_table(data, for_table(memory), dialect=dialect)
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


def for_table(memory: str | None) -> float:
    """Bytes that a table may take, if it is to be trained on within that memory: libraries take a part beforehand."""
    whole = memory_of(memory)
    return max(whole - LIBRARIES, whole / 10) / COPIES


def sample_rows(table: Blocks, memory: str | None) -> int:
    return int(min(SAMPLE, max(1000, for_table(memory) / (CELL * len(table.columns)))))


def trained(
    table: OpenedTable, options: Options, progress: Progress, tell: Tell, steps: Unfinished, barred: bool = True
) -> Training:
    """Choose, fit and score on a table in memory; candidates that are `barred` from being chosen are shown, or not."""
    clock = Clock(options.seconds)
    problem, dropped = problem_of(table, options, progress)
    room = problem.room if options.memory is None else min(problem.room, for_table(options.memory))
    problem = replace(problem, candidates=[c for c in problem.candidates if barred or not c.barred], room=room)
    with warnings.catch_warnings(record=True) as caught, one_blas_thread(), workers_of(options.engine) as workers:
        warnings.simplefilter("always")
        problem = replace(problem, workers=workers)
        sets = training_sets(problem)
        plan = steps.step(
            f"plan-{clock.seconds:g}", partial(planned, problem, sets, clock), plain_plan, partial(plan_of, problem)
        )
        plan = and_done(plan, problem, [c.name for c in problem.candidates if steps.has(f"model-{c.name}")])
        tell("estimate", estimate_of(problem, plan, options))
        nested = nested_answers(problem, sets, plan, clock, tell, steps)
        nested.dropped = dict.fromkeys(options.dropped, "named by --dropped") | nested.dropped
        rows = np.arange(len(problem.target.values))
        nested.training[BASELINE] = constant(problem, rows, rows)
        if problem.scheme.kind == "boot632":  # it takes the error on rows learnt into account
            final_models(problem, list(nested.tuned.values()), rows, nested)
        choice = choice_on_all(nested)
        wanted = [choice.winner] if choice.winner.candidate.can_all else [choice.winner, choice.rival]
        final = final_models(problem, [t for t in wanted if t is not None], rows, nested)
        nested.training[PROCEDURE] = nested.training[choice.winner.candidate.name]
        scores, refits = scores_of_saved(
            nested, choice, REFITS if options.refits is None else options.refits, clock, steps
        )
    facts = facts_of(table, problem, choice, final, options.weights)
    rival = None if choice.winner.candidate.can_all or choice.rival is None else final[choice.rival.candidate.name]
    model = TrainedModel(final[choice.winner.candidate.name], rival, facts)
    account = account_of(table, problem, choice, nested, model, dropped, scores, refits)
    account["checks"] = checks_of(problem, account, nested, model, caught)
    facts |= {"metric": account["metric"], "score": account["score"], "interval": account["interval"]}
    if options.row_hashes:
        model.ledger = RowLedger.empty(facts["columns"]).added(rows_learnt(problem, facts).words).as_dict()
    predictions = out_of_fold(problem, nested, choice.winner.candidate.name, options.ids)
    return Training(model, account, predictions, problem.target, problem, nested)


def estimate_of(problem: Problem, plan: TimePlan, options: Options) -> str:
    """What lies ahead."""
    count = len(plan.kept)
    ahead = in_words(plan.seconds) if np.isfinite(plan.seconds) else "without a limit"
    return f"{count} model{'s' if count > 1 else ''}, {problem.scheme.words()}: {ahead}   --budget {options.budget}"


def final_models(problem: Problem, wanted: Sequence[Tuned], rows: np.ndarray, nested: NestedAnswers) -> dict[str, Any]:
    """Models of all rows, and their answers to them."""
    models = {}
    for tuned in wanted:
        name = tuned.candidate.name
        models[name] = anywhere(problem.fit(tuned.candidate, tuned.params, rows))
        nested.training[name] = problem.answers(models[name], rows).decided(problem.target, tuned.threshold)
    return models


def anywhere(model: Any) -> Any:
    """The model, which answers on NumPy wherever it was learnt."""
    if "device" in model.learner_.get_params(deep=False):
        model.set_params(learner__device=None)
        model.learner_.set_params(device=None)
    return model


def scores_of_saved(
    nested: NestedAnswers, choice: TunedChoice, refits: int, clock: Clock, steps: Unfinished
) -> tuple[dict[str, Estimate], int]:
    """All scores of the model that is saved, corrected for the choice, and the refits behind their intervals.

    A held-out part had no choice in it. Where the clock has no room for all refits there are none, so that their number
    does not vary with the machine.
    """
    problem, name = nested.problem, choice.winner.candidate.name
    known = list(metrics_for(problem.target, problem.costs).values())
    weighed = has_fit_parameter(choice.winner.candidate.learner(), "sample_weight")
    refits = refits if weighed and refits >= FEWEST else 0
    if problem.scheme.kind == "holdout":
        return {metric.name: nested.estimate(name, metric) for metric in known}, refits
    splits, tuned = nested.splits, nested.by_split[name]
    if len(splits) > MOST_SPLITS:
        rows = np.arange(len(problem.target.values))
        splits = problem.scheme.inner(problem.target, rows, problem.groups, problem.seed)
        tuned = [nested.tuned[name]] * len(splits)
    others: dict[str, np.ndarray] = {}
    if refits:
        work = partial(reweighted, problem, tuned, splits, refits, known, clock)
        others = steps.step(f"refits-{name}-{clock.seconds:g}", work)
    refits, shared = refits if others else 0, 0.0
    if refits:
        shared = share_learnt(problem.metric, others[problem.metric.name], nested.sampled(name, problem.metric))
    taken = optimism(problem, {n: nested.left(n) for n in nested.tuned}, name, known, shared)
    found = {}
    for metric in known:
        left = nested.left(name)
        value = float(np.clip(left.value(metric) - taken[metric.name], *metric.limits))
        scores, counted = nested.sampled(name, metric), 1.0
        if refits:
            scores, counted = others[metric.name], spread(metric, others[metric.name], scores)
        ends = interval(metric, value, scores, counted, len(problem.target.values))
        found[metric.name] = Estimate(value, ends, tuple(left.each(metric)), taken[metric.name])
    return found, refits
