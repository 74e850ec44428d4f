"""`sumlearn select`: which columns of a table, together, do best."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .interrupts import stop_if_interrupted
from .options import Data, Dates, Debug, Decimal, Encoding, Force, Json, MaxLevels, Missing, Quiet, names
from .output import Output

if TYPE_CHECKING:
    from ..product.columns.nested_selection import HonestScore
    from ..product.columns.select_question import Question
    from ..product.columns.selection_plan import Features, Plan, Selection

Text = str | None
METHODS = "sfs, sbe, sffs, sbfs, pta:2,1, gsfs:2, gpta:2,1, bnb, astar, exhaustive, fcbf[:delta], rank:mi|f|pearson|..."
SIZES = 30  # lines of the table
SHOWN = 10  # columns in a line of the table; all of what is chosen is below it
CRITERIA = "accuracy, auc, mahalanobis, bhattacharyya, trace, likelihood, nearest; r2, mse, loo, aic, bic."


def select(
    data: Data,
    target: Annotated[Text, typer.Option("--target", "-t", help="The column to predict.")] = None,
    method: Annotated[str, typer.Option("--method", "-m", help=METHODS)] = "sffs",
    criterion: Annotated[Text, typer.Option(help=CRITERIA)] = None,
    size: Annotated[str, typer.Option("-k", help="How many columns: a number, best or parsimonious.")] = "best",
    task: Annotated[str, typer.Option(help="auto, classify or regress.")] = "auto",
    cv: Annotated[int, typer.Option(min=2, help="Folds of the criterion.")] = 5,
    seed: Annotated[int, typer.Option(help="Of the folds.")] = 0,
    outer: Annotated[int | None, typer.Option(min=2, help="Outer folds, for an honest score of the choice.")] = None,
    fixed: Annotated[Text, typer.Option(help="Columns that are always chosen.")] = None,
    drop: Annotated[Text, typer.Option(help="Columns that are not to be chosen from.")] = None,
    weights: Annotated[Text, typer.Option(help="A column of weights.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="End a search then, with the best so far.")] = None,
    memory: Annotated[Text, typer.Option(help="4GB: a larger table of numbers is read in blocks.")] = None,
    encoding: Encoding = None,
    dates: Dates = None,
    decimal: Decimal = None,
    missing: Missing = None,
    max_levels: MaxLevels = None,
    output: Annotated[Text, typer.Option("-o", "--output", metavar="FILE", help="Write the sizes as CSV.")] = None,
    as_json: Json = False,
    force: Force = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Choose the columns that do best together.

    The criterion J of a subset is the cross-validated accuracy of linear discriminants, or R2 of least squares, unless
    another is named. It is optimistic, since the same rows choose the columns: --outer 5 repeats the choice without
    each fold in turn.
    """
    from ..product.columns.nested_selection import honest_score
    from ..product.columns.select_methods import MONOTONE, Method, criterion_of, size_of
    from ..product.columns.select_question import opened_question
    from ..product.columns.selecting import selected, work_ahead
    from ..product.columns.selection_plan import Plan
    from ..product.options import Options
    from ..product.problems import UsageProblem
    from ..product.training import opened

    how = Method.parse(method)
    if max_seconds is not None and not max_seconds > 0:
        raise UsageProblem(f"--max-seconds {max_seconds:g}: seconds above zero")
    place = None if output is None else free_place(output, force)
    out = Output(as_json, quiet)
    spelled = {"encoding": encoding, "dates": dates, "decimal": decimal, "missing": names(missing)}
    asked = {"drop": names(drop), "weights": weights, "seed": seed, "max_levels": max_levels}
    options = Options(target, task, **asked, **spelled)  # type: ignore[arg-type]
    table = opened(data, memory, options.dialect)
    out.reading_notes(table)
    question = opened_question(table, options, names(fixed), out.note)
    features = question.features
    k = size_of(size, len(features.columns), len(features.fixed))
    plan = Plan(how, question.task, criterion_of(criterion, how, question.task, k), k, cv, max_seconds, seed=seed)
    if outer is not None and question.rows is None:
        raise UsageProblem("--outer splits rows within splits, which needs the table in memory (--memory)")
    if plan.criterion == "nearest" and question.rows is not None:
        note_levels(out, features)
    if how.name in MONOTONE:
        out.note("work", work_ahead(features, plan))
    start = time.perf_counter()
    selection = selected(features, plan)
    stop_if_interrupted()  # the search itself would be content with the best so far
    seconds = time.perf_counter() - start
    honest = None
    if outer is not None and question.rows is not None:
        honest = honest_score(question.rows, plan, outer, out.progress)
    tell(out, selection, honest, features, plan, seconds)
    if place is not None:
        write_sizes(place, selection)
        out.result("wrote", str(place))
    out.document(document_of(selection, honest, question, plan, method, seconds))


def note_levels(out: Output, features: Features) -> None:
    """Neighbours differ in whole columns: of numbers that hardly repeat, all rows are equally far away."""
    import numpy as np

    for j, name in enumerate(features.owners):
        values = len(np.unique(features.X[:, j]))
        if 2 * values > len(features.X):
            out.note("column", f"{name!r} has {values} values in {len(features.X)} rows, each a level of its own")


def free_place(output: str, force: bool) -> Path:
    from ..product.problems import UsageProblem

    path = Path(output)
    if path.exists() and not force:
        raise UsageProblem(f"the file {output!r} exists; --force overwrites it, -o names another")
    if not path.absolute().parent.is_dir():
        raise UsageProblem(f"there is no folder {str(path.parent)!r}; -o names another")
    return path


def tell(
    out: Output, selection: Selection, honest: HonestScore | None, features: Features, plan: Plan, seconds: float
) -> None:
    """The way, the choice and how far its score can be believed."""
    from ..product.columns.selecting import in_words

    if selection.dependent:
        out.note("column", f"{in_words(selection.dependent)} others, or rows are too few to tell: not judged with them")
    sizes = sizes_shown(selection)
    out.table(("columns", "J", ""), [(size, f"{score:.4f}", listed(chosen)) for size, score, chosen in sizes])
    if len(sizes) < len(selection.sizes):
        out.note("sizes", f"{len(sizes)} of {len(selection.sizes)} are shown; -o FILE and --json have all")
    out.result("chosen", f"{len(selection.columns)} of {len(features.columns)} columns: {', '.join(selection.columns)}")
    error = "" if selection.standard_error is None else f" +- {selection.standard_error:.4f}"
    advice = "" if honest is not None else "; --outer 5 gives an honest score"
    value = f"{plan.criterion} {selection.score:.4f}{error}"
    out.result("J", f"{value}, optimistic: the same rows chose the columns{advice}")
    if honest is not None:
        low, high = honest.interval
        shown = f"{honest.score:.4f} [{low:.4f}, {high:.4f}]"
        out.result("honest", f"{honest.name} {shown} on rows left out, {len(honest.scores)} outer folds")
        out.result("stability", f"{honest.stability:.2f} of two folds' columns are the same")
    proof = "; no subset of the sizes in question is better" if selection.proven else ""
    count = f"{selection.evaluations} evaluation{'' if selection.evaluations == 1 else 's'}"
    out.result("work", f"{count}, {seconds:.2f} s{proof}")


def sizes_shown(selection: Selection) -> list[Any]:
    """The sizes around the one that was chosen, where there are many."""
    place = next((i for i, (size, _, _) in enumerate(selection.sizes) if size == len(selection.columns)), 0)
    first = max(0, min(place - SIZES // 2, len(selection.sizes) - SIZES))
    return selection.sizes[first : first + SIZES]


def listed(columns: list[str]) -> str:
    """
    >>> listed(list("abcdefghijkl"))
    'a, b, c, d, e, f, g, h, i, j, ... (12)'
    """
    return ", ".join(columns[:SHOWN]) + ("" if len(columns) <= SHOWN else f", ... ({len(columns)})")


def write_sizes(path: Path, selection: Selection) -> None:
    """A line for every size: number of columns, J, whether it was chosen, the columns."""
    from ..product.predictions import csv_text
    from ..saving.atomic import replace_file

    lines: dict[str, list[Any]] = {
        "size": [size for size, _, _ in selection.sizes],
        "J": [score for _, score, _ in selection.sizes],
        "chosen": [int(set(columns) == set(selection.columns)) for _, _, columns in selection.sizes],
        "columns": [";".join(columns) for _, _, columns in selection.sizes],
    }
    replace_file(path, csv_text(lines).encode())


def document_of(
    selection: Selection, honest: HonestScore | None, question: Question, plan: Plan, method: str, seconds: float
) -> dict[str, Any]:
    from ..product.metrics_json import plain_notes

    document: dict[str, Any] = {
        "data": question.name,
        "target": question.target,
        "weights": question.options.weights,
        "fixed": question.features.fixed,
        "task": question.task,
        "method": method,
        "criterion": plan.criterion,
        "k": plan.k,
        "cv": plan.cv,
        "seed": plan.seed,
        "chosen": selection.columns,
        "score": selection.score,
        "standard_error": selection.standard_error,
        "optimistic": True,
        "sizes": [{"size": size, "score": score, "columns": columns} for size, score, columns in selection.sizes],
        "evaluations": selection.evaluations,
        "seconds": seconds,
        "proven": selection.proven,
        "interrupted": selection.interrupted,
        "dependent": list(selection.dependent),
        "columns_left_out": plain_notes(question.notes),
    }
    if honest is not None:
        document["honest"] = {
            "metric": honest.name,
            "score": honest.score,
            "interval": list(honest.interval),
            "scores": honest.scores.tolist(),
            "stability": honest.stability,
            "counts": honest.counts,
        }
    return document
