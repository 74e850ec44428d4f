"""`sumlearn select`: which columns of a table, together, do best."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .interrupts import stop_if_interrupted
from .options import Data, Debug, Force, Json, Quiet, names
from .output import Output

if TYPE_CHECKING:
    from ..product.selecting import Features, HonestScore, Plan, Selection

Text = str | None
METHODS = "sfs, sbe, sffs, sbfs, pta:2,1, gsfs:2, gpta:2,1, bnb, astar, exhaustive, fcbf[:delta], rank:mi|f|pearson|..."
CRITERIA = "accuracy, auc, mahalanobis, bhattacharyya, trace, likelihood, nearest; r2, mse, loo, aic, bic."


def select(
    data: Data,
    target: Annotated[Text, typer.Option("--target", "-t", help="The column to predict.")] = None,
    method: Annotated[str, typer.Option("--method", "-m", help=METHODS)] = "sffs",
    criterion: Annotated[Text, typer.Option(help=CRITERIA)] = None,
    size: Annotated[str, typer.Option("-k", help="How many columns: a number, best or parsimonious.")] = "best",
    task: Annotated[str, typer.Option(help="auto, classify or regress.")] = "auto",
    cv: Annotated[int, typer.Option(min=2, help="Folds of the criterion.")] = 5,
    outer: Annotated[int | None, typer.Option(min=2, help="Outer folds, for an honest score of the choice.")] = None,
    drop: Annotated[Text, typer.Option(help="Columns that are not to be chosen from.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="End a search then, with the best so far.")] = None,
    memory: Annotated[Text, typer.Option(help="4GB: a larger table of numbers is read in blocks.")] = None,
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
    from ..product.problems import UsageProblem
    from ..product.select_methods import Method, criterion_of, size_of
    from ..product.selecting import Plan, honest_score, selected

    how = Method.parse(method)
    if max_seconds is not None and not max_seconds > 0:
        raise UsageProblem(f"--max-seconds {max_seconds:g}: seconds above zero")
    place = None if output is None else free_place(output, force)
    out = Output(as_json, quiet)
    question = Question.opened(data, target, task, names(drop), memory, out)
    features = question.features
    k = size_of(size, len(features.columns))
    plan = Plan(how, question.task, criterion_of(criterion, how, question.task, k), k, cv, max_seconds)
    if outer is not None and question.frame is None:
        raise UsageProblem("--outer splits rows within splits, which needs the table in memory (--memory)")
    start = time.perf_counter()
    found = selected(features, plan)
    stop_if_interrupted()  # the search itself would be content with the best so far
    seconds = time.perf_counter() - start
    honest = None
    if outer is not None:
        honest = honest_score(question.frame, features.y, names(drop), plan, outer, out.progress)
    tell(out, found, honest, features, plan, seconds)
    if place is not None:
        write_sizes(place, found)
        out.result("wrote", str(place))
    out.document(document_of(found, honest, question, plan, method, seconds))


class Question:
    """The table, its target and what there is to choose from; `frame` is None where the table stays in its files."""

    def __init__(self, name: str, target: str, task: str, features: Features, frame: Any, notes: list[Any]) -> None:
        self.name, self.target, self.task = name, target, task
        self.features, self.frame, self.notes = features, frame, notes

    @classmethod
    def opened(cls, data: str, target: str | None, task: str, drop: list[str], memory: str | None, out: Output) -> Any:
        from ..product.problems import UsageProblem
        from ..product.selecting import coded
        from ..product.tables import Table
        from ..product.targets import target_of
        from ..product.training import opened

        if task not in ("auto", "classify", "regress"):
            raise UsageProblem(f"--task {task!r}: auto, classify or regress")
        table = opened(data, memory)
        target = target or table.target
        if target is None:
            columns = ", ".join(map(repr, table.columns))
            raise UsageProblem(f"which column is to be predicted? --target, one of {columns}")
        if target in drop:
            raise UsageProblem(f"--drop names the target {target!r}")
        check_columns(table, [target], "--target")
        check_columns(table, drop, "--drop")
        if not isinstance(table, Table):
            return cls.in_files(table, target, task, drop, out)
        answer = target_of(table, target, task)
        frame = table.frame.drop_columns([target]).take(answer.rows)
        features, encoder = coded(frame, answer.values, drop)
        out.note("reading", f"{table.name}  {len(answer.rows)} rows x {len(table.columns)} columns")
        if len(answer.rows) < table.rows:
            out.note("dropped", f"{table.rows - len(answer.rows)} rows without {target!r}")
        for note in encoder.report_:
            out.note("column", f"{note.column!r} {note.what}: {note.why}")
        return cls(table.name, target, answer.task, features, frame, encoder.report_)

    @classmethod
    def in_files(cls, table: Any, target: str, task: str, drop: list[str], out: Output) -> Any:
        """A table of numbers that is larger than memory: sums are taken from its files."""
        import pyarrow as pa

        from ..data.files import STDIN
        from ..product.problems import DataProblem
        from ..product.selecting import Features
        from ..selection.targets import holds_labels

        for name, kind in table.types.items():
            if name != target and not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
                raise DataProblem(f"the column {name!r} holds no numbers: a larger table has only those (--memory)")
        if table.origin == STDIN:
            raise DataProblem("standard input is larger than memory and can be read only once: put it into a file")
        if task == "auto":
            task = "classify" if holds_labels(table.origin, target) else "regress"
        owners = [name for name in table.columns if name != target]
        out.note("reading", f"{table.name}  in blocks x {len(table.columns)} columns; it is larger than memory")
        return cls(table.name, target, task, Features(table.origin, target, owners, drop), None, [])


def check_columns(table: Any, columns: list[str], option: str) -> None:
    from ..product.problems import DataProblem, suggested

    for name in columns:
        if name not in table.columns:
            raise DataProblem(f"no column {name!r} in {table.origin!r}{suggested(name, table.columns)} ({option})")


def free_place(output: str, force: bool) -> Path:
    from ..product.problems import UsageProblem

    path = Path(output)
    if path.exists() and not force:
        raise UsageProblem(f"the file {output!r} exists; --force overwrites it, -o names another")
    if not path.absolute().parent.is_dir():
        raise UsageProblem(f"there is no folder {str(path.parent)!r}; -o names another")
    return path


def tell(
    out: Output, found: Selection, honest: HonestScore | None, features: Features, plan: Plan, seconds: float
) -> None:
    """The way, the choice and how far its score can be believed."""
    out.table(("columns", "J", ""), [(size, f"{score:.4f}", ", ".join(chosen)) for size, score, chosen in found.sizes])
    out.result("chosen", f"{len(found.columns)} of {len(features.columns)} columns: {', '.join(found.columns)}")
    error = "" if found.standard_error is None else f" +- {found.standard_error:.4f}"
    advice = "" if honest is not None else "; --outer 5 gives an honest score"
    out.result("J", f"{plan.criterion} {found.score:.4f}{error}, optimistic: the same rows chose the columns{advice}")
    if honest is not None:
        low, high = honest.interval
        shown = f"{honest.score:.4f} [{low:.4f}, {high:.4f}]"
        out.result("honest", f"{honest.name} {shown} on rows left out, {len(honest.scores)} outer folds")
        out.result("stability", f"{honest.stability:.2f} of two folds' columns are the same")
    proof = "; no subset of the sizes in question is better" if found.proven else ""
    out.result("work", f"{found.evaluations} evaluations, {seconds:.2f} s{proof}")


def write_sizes(path: Path, found: Selection) -> None:
    """A line for every size: number of columns, J, whether it was chosen, the columns."""
    from ..product.predictions import csv_text
    from ..saving.atomic import replace_file

    lines: dict[str, list[Any]] = {
        "size": [size for size, _, _ in found.sizes],
        "J": [score for _, score, _ in found.sizes],
        "chosen": [int(set(columns) == set(found.columns)) for _, _, columns in found.sizes],
        "columns": [";".join(columns) for _, _, columns in found.sizes],
    }
    replace_file(path, csv_text(lines).encode())


def document_of(
    found: Selection, honest: HonestScore | None, question: Question, plan: Plan, method: str, seconds: float
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "data": question.name,
        "target": question.target,
        "task": question.task,
        "method": method,
        "criterion": plan.criterion,
        "k": plan.k,
        "cv": plan.cv,
        "chosen": found.columns,
        "score": found.score,
        "standard_error": found.standard_error,
        "optimistic": True,
        "sizes": [{"size": size, "score": score, "columns": columns} for size, score, columns in found.sizes],
        "evaluations": found.evaluations,
        "seconds": seconds,
        "proven": found.proven,
        "interrupted": found.interrupted,
        "columns_left_out": [{"column": n.column, "what": n.what, "why": n.why} for n in question.notes],
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
