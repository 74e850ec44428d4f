"""Tables larger than memory: the model is chosen on a sample of the rows, and its sums are taken over all of them.

    read 1: a sample, drawn by a hash of the row numbers; the procedure chooses on it among the models that add up
    read 2: sums of every fold over all rows; the model is the sum of all, a fold's model the sum of the others
    read 3: each fold's model answers for the rows of its fold that are not in the sample

So no row is scored that had a part in the choice or in the sums of the model that answers.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..engines import all_but_one, merge_all
from .labelled_rows import LabelledRows, labelled_rows
from .left_out import together
from .metrics import Answers, answers_of, metrics_for
from .metrics_json import constant_score, left_out, told
from .nested_answers import BASELINE, PROCEDURE, NestedAnswers, constant
from .opened_table import OpenedTable
from .problems import DataProblem, UsageProblem
from .progress import Progress
from .row_ledger import MOST_ROWS, RowLedger
from .schemes import Scheme
from .table_blocks import Blocks
from .targets import TargetRows
from .trained import TrainedModel
from .training_problem import Problem
from .unfinished import Unfinished

if TYPE_CHECKING:
    from .training import Training

SAMPLE = 50_000  # rows on which the choice is made, at most
SCORED = 1_000_000  # rows that are scored, at most, or so
SCORED_TOGETHER = 100_000  # the same where the interval comes from resampling


class TableSample(NamedTuple):
    """Rows drawn from a table: those whose draw is below `share`."""

    table: OpenedTable
    share: float
    rows: int  # of the whole table


def draws(numbers: np.ndarray, seed: int) -> np.ndarray:
    """A number from 0 to 1 for every row number, uniform and always the same: Steele's splitmix64.

    >>> draws(np.arange(100_000), 0).mean().round(2), draws(np.array([7]), 0) == draws(np.array([5, 7]), 0)[1]
    (np.float64(0.5), array([ True]))
    """
    with np.errstate(over="ignore"):
        z = numbers.astype(np.uint64) + np.uint64((seed + 1) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF)
        z *= np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return (z ^ (z >> np.uint64(31))).astype(np.float64) / 2.0**64


def numbers_of(table: OpenedTable) -> np.ndarray:
    return table.first + np.arange(table.rows)


def sample_of(
    blocks: Blocks, most: int, seed: int, steps: Unfinished | None = None, progress: Progress | None = None
) -> TableSample:
    """At most so many rows, every row with the same chance: while there are too many, half of them go.

    It is taken from the steps of an interrupted training, if it is there.
    """
    import pyarrow as pa

    frame, told = (None, None) if steps is None else (steps.table("sample"), steps.read("sample"))
    if frame is not None and told is not None and told["rows"] and digest_of_frame(frame) == told["digest"]:
        table = OpenedTable(frame, blocks.name, blocks.origin, "", blocks.target, found=blocks.found)
        return TableSample(table, told["share"], told["rows"])
    kept: list[tuple[Any, np.ndarray]] = []
    share, rows, held = 1.0, 0, 0
    for block in watched(blocks, "blocks sampled", progress or Progress()):
        drawn = draws(numbers_of(block), seed)
        kept.append((block.frame.filter(pa.array(drawn < share)), drawn[drawn < share]))
        rows, held = rows + block.rows, held + len(kept[-1][1])
        while held > most:
            share /= 2
            kept = [(frame.filter(pa.array(drawn < share)), drawn[drawn < share]) for frame, drawn in kept]
            held = sum(len(drawn) for _, drawn in kept)
    if not rows:
        raise DataProblem(f"there are no rows in {blocks.origin!r}")
    frame = pa.concat_tables([frame for frame, _ in kept]).combine_chunks()
    table = OpenedTable(frame, blocks.name, blocks.origin, "", blocks.target, found=blocks.found)
    if steps is not None:
        steps.keep_table("sample", frame)
        steps.keep("sample", {"share": share, "rows": rows, "digest": digest_of_frame(frame)})
    return TableSample(table, share, rows)


def digest_of_frame(frame: Any) -> str:
    """A digest of a table as it lies in an Arrow file."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, frame.schema) as writer:
        writer.write_table(frame)
    return hashlib.sha256(sink.getvalue()).hexdigest()


def watched(blocks: Blocks, what: str, progress: Progress) -> Iterator[OpenedTable]:
    """The blocks; whoever listens hears of every one, and of about how many there are."""
    expected = blocks.expected_blocks()
    progress.begin(what, expected)
    for block in blocks:
        yield block
        progress.total = max(progress.total, progress.done + 1)
        progress.step()
    progress.end()


def check_scheme(scheme: Scheme) -> None:
    if scheme.kind not in ("folds", "holdout"):
        raise UsageProblem(
            f"--cv {scheme} needs the table in memory, and this one is too large; --cv 5, or a larger --memory"
        )


def pattern_of(drawn: np.ndarray, scheme: Scheme) -> np.ndarray:
    """Which part of the rows each belongs to: its fold, or 0 if held out and 1 if not."""
    if scheme.kind == "holdout":
        return (drawn >= scheme.number).astype(int)
    return (drawn * scheme.number).astype(int)


def finished(chosen: Training, sample: TableSample, blocks: Blocks, row_hashes: bool, steps: Unfinished) -> Training:
    """The training of a sample, continued over all rows."""
    from .training import Training

    problem, facts = chosen.problem, chosen.model.facts
    blocks = blocks.read_as(chosen.model.reading(labelled=True))
    empty = copy.deepcopy(chosen.model.model)
    empty.statistic_ = empty.statistic_.zero()
    sums = PartSums.over(blocks, empty, chosen, sample.rows, row_hashes, steps)
    total = solved(empty, merge_all(sums.statistics))
    facts |= {"rows": sums.rows, "columns": [column.name for column in total.schema_.used]}
    facts["history"] = [{**facts["history"][0], "rows": sums.rows, "sha256": blocks.digest}]
    if problem.target.task == "classify":
        facts["classes"] = total.classes_.tolist()
        check_classes(problem.target, facts["classes"])
    model = TrainedModel(total, None, facts, sums.ledger)
    nested = scored(blocks, empty, sums, chosen, sample)
    account = account_of_all(chosen, nested, model, sums, sample, blocks)
    facts |= {"score": account["score"], "interval": account["interval"]}
    return Training(model, account, chosen.predictions, chosen.target, problem, chosen.nested)


def check_classes(target: TargetRows, classes: Sequence[Any]) -> None:
    strange = [label for label in classes if label not in target.classes.tolist()]
    if strange and target.two_classes:
        raise DataProblem(
            f"the class {strange[0]!r} of {target.name!r} is too rare for the sample of rows that chooses a model; "
            "leave its rows out, or a larger --memory"
        )


def solved(empty: Any, statistic: Any) -> Any:
    """A model with these sums."""
    model = copy.deepcopy(empty)
    return model.solve(statistic)


class PartSums(NamedTuple):
    """One pass: sums of every part, rows with a target, rows without, classes, and hashes of the rows."""

    statistics: list[Any]
    rows: int
    without: int
    counts: dict[str, int]
    ledger: dict[str, Any] | None

    @classmethod
    def over(
        cls, blocks: Blocks, empty: Any, chosen: Training, total: int, hashes: bool, steps: Unfinished
    ) -> PartSums:
        scheme, facts, seed = chosen.problem.scheme, chosen.model.facts, chosen.problem.seed
        models = [copy.deepcopy(empty) for _ in range(2 if scheme.kind == "holdout" else int(scheme.number))]
        ledger = RowLedger.empty(facts["columns"]) if hashes and total <= MOST_ROWS else None
        rows = done = 0
        counts: dict[str, int] = {}
        state = steps.read("sums")
        if state is not None:
            rows, done, counts = state["rows"], state["blocks"], state["counts"]
            ledger = None if state["ledger"] is None else RowLedger.of_dict(state["ledger"])
            for model, statistic in zip(models, state["sums"], strict=True):
                model.statistic_ = statistic
                model.unsolved()
        for numbers, part in labelled_blocks(blocks, facts, "blocks added up", chosen.problem.progress, done):
            rows += len(part.values)
            pattern = pattern_of(draws(numbers, seed + 1), scheme)
            for k, model in enumerate(models):
                where = np.flatnonzero(pattern == k)
                if len(where):
                    model.partial_fit(part.features.take(where), part.values[where], part_of(part.weight, where))
            if facts["task"] == "classify":
                for label, count in zip(*np.unique(part.values, return_counts=True), strict=True):
                    counts[str(label)] = counts.get(str(label), 0) + int(count)
            ledger = None if ledger is None else ledger.added(part.words)
            done += 1
            if steps.due():
                kept = None if ledger is None else ledger.as_dict()
                told = {"rows": rows, "blocks": done, "counts": counts, "ledger": kept}
                steps.keep("sums", told | {"sums": [model.statistic_ for model in models]})
        hashed = None if ledger is None else ledger.as_dict()
        return cls([m.statistic_ for m in models], rows, total - rows, counts, hashed)


def labelled_blocks(
    blocks: Blocks, facts: dict[str, Any], what: str, progress: Progress, begin: int = 0
) -> Iterator[tuple[np.ndarray, LabelledRows]]:
    """Row numbers and rows of every block from one on, without the rows that have no target."""
    import pyarrow as pa

    for block in islice(watched(blocks, what, progress), begin, None):
        column = block.frame.column(facts["target"]).combine_chunks()
        present = ~np.asarray(column.is_null(nan_is_null=True))
        table = replace(block, frame=block.frame.filter(pa.array(present)))
        yield numbers_of(block)[present], labelled_rows(table, facts)


def part_of(weight: np.ndarray | None, where: np.ndarray) -> np.ndarray | None:
    return None if weight is None else weight[where]


def scored(blocks: Blocks, empty: Any, sums: PartSums, chosen: Training, sample: TableSample) -> NestedAnswers:
    """Answers to rows that are neither in the sample nor in the sums of the model that answers."""
    problem, facts = chosen.problem, chosen.model.facts
    scheme, seed = problem.scheme, problem.seed
    without = sums.statistics[1:] if scheme.kind == "holdout" else list(all_but_one(sums.statistics))
    models = [solved(empty, statistic) for statistic in without]
    classes = np.asarray(facts["classes"]) if facts["task"] == "classify" else np.array([])
    form = replace(problem.target, classes=classes)
    most = SCORED_TOGETHER if scheme.pooled else SCORED
    share = min(1.0, most / max(1, sums.rows))
    answers: list[list[Answers]] = [[] for _ in models]
    truth: list[list[np.ndarray]] = [[] for _ in models]
    weight: list[list[np.ndarray]] = [[] for _ in models]
    for numbers, part in labelled_blocks(blocks, facts, "blocks scored", problem.progress):
        fresh = draws(numbers, seed) >= sample.share
        pattern = pattern_of(draws(numbers, seed + 1), scheme)
        wanted = fresh & (draws(numbers, seed + 2) < share)
        for k, model in enumerate(models):
            where = np.flatnonzero(wanted & (pattern == k))
            if len(where):
                features = model.features_of(part.features.take(where))
                answers[k].append(answers_of(model.learner_, features, form).decided(form, facts["threshold"]))
                truth[k].append(part.values[where])
                weight[k].append(np.ones(len(where)) if part.weight is None else part.weight[where])
    values = np.concatenate([np.concatenate(t) for t in truth])
    weights = None if problem.target.weight is None else np.concatenate([np.concatenate(w) for w in weight])
    numbers = np.arange(len(values))
    target = TargetRows(form.name, form.task, values, numbers, classes, form.positive, weights, form.costs)
    return as_nested(replace(problem, target=target), [together(a) for a in answers], sums.rows)


def as_nested(problem: Problem, answers: Sequence[Answers], rows: int) -> NestedAnswers:
    """The answers as those of splits; a training part is told by its size alone."""
    ends = np.cumsum([len(a.labels) for a in answers])
    tests = [np.arange(end - len(a.labels), end) for end, a in zip(ends, answers, strict=True)]
    nobody = np.empty(0, dtype=np.intp)
    learnt = [rows - rows * len(test) // max(1, int(ends[-1])) for test in tests]
    everything = np.arange(int(ends[-1]))
    base = [constant(problem, everything, test) for test in tests]
    given = {PROCEDURE: list(answers), BASELINE: base}
    return NestedAnswers(problem, [(nobody, test) for test in tests], given, learnt=learnt)


def account_of_all(
    chosen: Training, nested: NestedAnswers, model: TrainedModel, sums: PartSums, sample: TableSample, blocks: Blocks
) -> dict[str, Any]:
    """The account of the sample, with the scores of all rows."""
    problem = chosen.problem
    known = metrics_for(problem.target, problem.costs)
    rows = np.arange(len(problem.target.values))
    learnt = problem.answers(model.model, rows).decided(problem.target, model.facts["threshold"])
    scale = {"name": blocks.name, "sha256": blocks.digest, "rows": sample.rows, "columns": len(blocks.columns)}
    return chosen.metrics | {
        "data": scale,
        "classes": sums.counts,
        "rows_without_target": sums.without,
        "columns_left_out": left_out(model.model, problem),
        "splits": len(nested.splits),
        **told(nested.estimate(PROCEDURE, problem.metric)),
        "scores": {name: told(nested.estimate(PROCEDURE, m)) for name, m in known.items()},
        "baseline": {name: constant_score(nested, m) for name, m in known.items()},
        "training": {name: problem.score(learnt, rows, m) for name, m in known.items()},
        "sample": {
            "rows": sample.table.rows,
            "scored": len(nested.problem.target.values),
            "score": chosen.metrics["score"],
            "interval": chosen.metrics["interval"],
        },
    }
