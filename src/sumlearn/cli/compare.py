"""`sumlearn compare`: several models on several tables, Weka's way."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .options import Dates, Debug, Decimal, Encoding, Json, MaxLevels, Missing, Quiet, names
from .output import Output

SCORING = {
    "auc": "roc_auc",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
    "r2": "r2",
    "rmse": "neg_root_mean_squared_error",
    "mae": "neg_mean_absolute_error",
}


def compare(
    data: Annotated[list[str], typer.Argument(metavar="DATA...", help="Tables: paths, globs, folders, bundled names.")],
    target: Annotated[str | None, typer.Option("--target", "-t", help="The column to predict, in all tables.")] = None,
    models: Annotated[str, typer.Option(help="Names, the baseline first; see `sumlearn models`.")] = "lda,logistic",
    task: Annotated[str, typer.Option(help="auto, classify or regress.")] = "auto",
    cv: Annotated[int | None, typer.Option(help="Folds; ten times ten by default.")] = None,
    metric: Annotated[str | None, typer.Option(help=", ".join(SCORING))] = None,
    alpha: Annotated[float, typer.Option(help="Level of the tests.")] = 0.05,
    seed: Annotated[int, typer.Option(help="Of the folds.")] = 0,
    encoding: Encoding = None,
    dates: Dates = None,
    decimal: Decimal = None,
    missing: Missing = None,
    max_levels: MaxLevels = None,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Compare models on several tables.

    At their default hyperparameters, by the corrected paired t-test: v better, * worse than the first.
    """
    from ..evaluation.comparison.comparison import compare as run
    from ..product.catalogue import named_candidates
    from ..product.options import Options
    from ..product.problems import UsageProblem, suggested
    from ..product.table_columns import features_beside, with_target
    from ..product.tables import read_table

    if metric is not None and metric not in SCORING:
        raise UsageProblem(f"no metric {metric!r}{suggested(metric, SCORING)} (--metric)")
    out = Output(as_json, quiet)
    spelled = {"encoding": encoding, "dates": dates, "decimal": decimal, "missing": names(missing)}
    options = Options(target, task, max_levels=max_levels, **spelled)  # type: ignore[arg-type]
    tables, kind = {}, ""
    for where in data:
        table, answer = with_target(read_table(where, dialect=options.dialect), options)
        out.reading_notes(table)
        if kind and answer.task != kind:
            raise UsageProblem(f"{where!r} is not the same task as {data[0]!r} (--task)")
        kind = answer.task
        tables[table.name] = (features_beside(table, answer, options)[0], answer.values)
        out.note("reading", f"{table.name}  {len(answer.rows)} rows x {len(table.columns)} columns")
    candidates = [c for name in names(models) for c in named_candidates([name, *fallback(kind)], kind)[:1]]
    if len(candidates) < 2:
        raise UsageProblem("compare takes a baseline and at least one other model (--models)")
    scoring = None if metric is None else SCORING[metric]
    estimators = {c.name: c.estimator(max_levels=max_levels) for c in candidates}
    comparison = run(estimators, tables, cv=cv, scoring=scoring, alpha=alpha, random_state=seed)
    if not as_json:
        print(comparison)
    out.document(document_of(comparison))


def fallback(task: str) -> list[str]:
    """A model of the library beside a yardstick, which is not taken alone elsewhere."""
    return ["lda" if task == "classify" else "ridge"]


def document_of(comparison: Any) -> dict[str, Any]:
    lines = []
    for dataset in comparison.datasets:
        for model in comparison.models:
            scores = comparison.scores[dataset, model]
            line = {"data": dataset, "model": model, "mean": float(scores.mean()), "sd": float(scores.std(ddof=1))}
            if (dataset, model) in comparison.tests:
                line |= {"p_value": comparison.tests[dataset, model].p_value, "mark": comparison.marks[dataset, model]}
            lines.append(line)
    return {"metric": comparison.score_name, "alpha": comparison.alpha, "results": lines}
