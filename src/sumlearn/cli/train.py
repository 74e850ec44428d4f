"""`sumlearn train`: a table and a column name in, a folder with a model and an honest account out."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Dates, Debug, Decimal, Encoding, Force, Json, MaxLevels, Missing, Quiet, names, pairs
from .output import Output
from .running import NOT_MET

if TYPE_CHECKING:
    from ..product.training import Training

Text = str | None
METRICS = "auc, accuracy, balanced_accuracy, f1, error, eer, cost; r2, rmse, mae."


def train(
    data: Annotated[Text, typer.Argument(metavar="DATA", help="A path, glob, folder, bundled name, or -.")] = None,
    target: Annotated[Text, typer.Option("--target", "-t", help="The column to predict.")] = None,
    task: Annotated[Text, typer.Option(help="auto, classify or regress.")] = None,
    models: Annotated[Text, typer.Option(help="auto, all, or names: see `sumlearn models`.")] = None,
    can: Annotated[Text, typer.Option(help="Only models that can update, forget, merge.")] = None,
    positive: Annotated[Text, typer.Option(help="The positive one of two classes.")] = None,
    cost: Annotated[Text, typer.Option(help="FA=1,FR=5: of false acceptance and rejection; or a CSV.")] = None,
    cv: Annotated[Text, typer.Option(help="5, loo, group:COL, time:COL, holdout:0.2 or boot632:100.")] = None,
    metric: Annotated[Text, typer.Option(help=METRICS)] = None,
    features: Annotated[Text, typer.Option(help="How columns are chosen: all, sffs:10, sfs, fcbf:0.1.")] = None,
    drop: Annotated[Text, typer.Option(help="Columns that are no features.")] = None,
    ids: Annotated[Text, typer.Option(help="Columns that name rows: no features, kept in predictions.")] = None,
    weights: Annotated[Text, typer.Option(help="A column of weights.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of the folds.")] = None,
    folder: Annotated[Text, typer.Option("-o", "--output", metavar="DIR", help="Folder to write.")] = None,
    fail_under: Annotated[Text, typer.Option(help="auc=0.8: exit with 4 if the score is worse.")] = None,
    config: Annotated[Text, typer.Option(help="A run.toml; options given here go before it.")] = None,
    row_hashes: Annotated[bool | None, typer.Option(help="Keep salted hashes of the rows, for `forget`.")] = None,
    memory: Annotated[Text, typer.Option(help="4GB: a larger table takes models that add up, block by block.")] = None,
    budget: Annotated[Text, typer.Option(help="60s, 5min or none: what finds no room in it is dropped.")] = None,
    encoding: Encoding = None,
    dates: Dates = None,
    decimal: Decimal = None,
    missing: Missing = None,
    max_levels: MaxLevels = None,
    precision: Annotated[Text, typer.Option(help="exact: sums that can forget rows to the last bit.")] = None,
    engine: Annotated[Text, typer.Option(help="local, dask or dask:ADDRESS: whose workers fit the candidates.")] = None,
    device: Annotated[Text, typer.Option(help="cpu or cuda: where networks are learnt.")] = None,
    dropped: Annotated[Text, typer.Option(hidden=True, help="Models that are not tried.")] = None,
    refits: Annotated[int | None, typer.Option(hidden=True, help="With other weights, for the interval.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where an interrupted run was.")] = False,
    as_json: Json = False,
    force: Force = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> int:
    """Train a model on a table and score it honestly.

    Scaling, imputation, hyperparameters, the choice among models and the threshold are learnt without the rows that are
    scored. The best score wins; a model that can update, forget and merge is preferred at practical equality.
    """
    given = locals()
    from ..product.folder import check_folder, write_folder
    from ..product.options import NAMES, Options, dialect_of
    from ..product.problems import UsageProblem
    from ..product.training import opened
    from ..product.training import train as run
    from ..product.unfinished import Unfinished
    from ..report import report_of

    options = merged({name: READERS.get(name, same)(given[name]) for name in ("data", *NAMES)}, config)
    if options["data"] is None:
        raise UsageProblem("which table? sumlearn train DATA --target COLUMN (`sumlearn datasets` lists bundled ones)")
    bound = None if fail_under is None else bound_of(fail_under)
    out = Output(as_json, quiet)
    start = time.perf_counter()
    table = opened(options["data"], options["memory"], dialect_of(options))
    place = Path(folder or f"{table.name}-report")
    check_folder(place, force)
    out.note("reading", f"{table.name}  {size_of(table)} x {len(table.columns)} columns  ({elapsed(start)})")
    out.reading_notes(table)
    start = time.perf_counter()
    asked = {name: value for name, value in options.items() if name != "data" and value is not None}
    out.spend(Options.given(asked).seconds)
    steps = place.with_name(f"{place.name}.unfinished")
    unfinished = Unfinished.at(steps, asked | {"data": table.origin}, table, resume)
    try:
        with unfinished:
            if resume and not unfinished.exists:
                out.note("resume", "nothing is kept of an interrupted run: this one begins at the beginning")
            training = run(table, **asked, progress=out.progress, tell=out.note, unfinished=unfinished)
            if unfinished.reused:
                out.note("resume", f"{len(unfinished.reused)} steps were done before")
            tell_notes(out, training, elapsed(start))
            tell_results(out, training)
            resolved = options | {"data": table.origin, "target": training.target.name, "task": training.target.task}
            resolved |= {name: training.metrics[name] for name in ("metric", "cv", "seed", "dropped", "refits")}
            resolved["engine"] = None  # wherever it is fitted, it is the same
            resolved["budget"] = "none"  # what there was no time for is named: the run repeats without a clock
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what the learners said of these rows is among the checks
                page = report_of(training, command_of(options)).html
            files = write_folder(training, place, resolved, page, force)
    finally:
        if unfinished.exists:
            out.note("kept", f"what is done is in {unfinished.folder}: the same command with --resume goes on")
    out.result("wrote", f"{place}/  " + "  ".join(file.name for file in files))
    out.document({**training.metrics, "files": [str(file) for file in files]})
    return 0 if bound is None else held_against(bound, training, out)


def same(value: Any) -> Any:
    return value


def command_of(options: dict[str, Any]) -> str:
    """The command that repeats a run.

    >>> command_of({"data": "my table.csv", "target": "y", "drop": ["a", "b"], "cost": [1.0, 5.0], "row_hashes": False})
    "sumlearn train 'my table.csv' --target y --drop a,b --cost FA=1.0,FR=5.0 --no-row-hashes"
    """
    import shlex

    words = ["sumlearn", "train", str(options["data"])]
    for name, value in options.items():
        if name == "data" or value is None:
            continue
        if isinstance(value, bool):
            words.append(f"--{'' if value else 'no-'}{name.replace('_', '-')}")
        elif name == "cost":
            words += ["--cost", value if isinstance(value, str) else f"FA={value[0]},FR={value[1]}"]
        else:
            words += [f"--{name.replace('_', '-')}", ",".join(value) if isinstance(value, list) else str(value)]
    return shlex.join(words)


def size_of(table: Any) -> str:
    """Its rows, or what it would take in memory."""
    return f"{table.rows} rows" if hasattr(table, "rows") else f"about {table.bytes_in_memory / 1e9:.1f} GB"


def merged(given: dict[str, Any], config: str | None) -> dict[str, Any]:
    """Options of the command line before those of a file."""
    if config is None:
        return given
    import tomllib

    from ..product.problems import UsageProblem, suggested

    try:
        saved = tomllib.loads(Path(config).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageProblem(f"{config!r} cannot be read: {error.strerror} (--config)") from None
    except ValueError as error:
        raise UsageProblem(f"{config!r} is no TOML file: {error} (--config)") from None
    for name in saved:
        if name not in given:
            raise UsageProblem(f"no option {name!r} in {config!r}{suggested(name, given)} (--config)")
    return {name: saved.get(name) if value is None else value for name, value in given.items()}


def listed(text: str | None) -> list[str] | None:
    """Names between commas; None where the option was not given."""
    return None if text is None else names(text)


def costs(text: str | None) -> list[float] | str | None:
    """What errors cost, or the file that says so: said labels in its first row, true ones in the first column.

    >>> costs("FR=5"), costs("costs.csv")
    ([1.0, 5.0], 'costs.csv')
    """
    from ..product.problems import UsageProblem

    if text is None or "=" not in text:
        return text
    given = pairs(text, "--cost")
    if not set(given) <= {"FA", "FR"} or min(given.values()) < 0 or sum(given.values()) <= 0:
        raise UsageProblem(f"--cost {text!r} is not FA=NUMBER,FR=NUMBER with numbers above zero")
    return [given.get("FA", 1.0), given.get("FR", 1.0)]


READERS = {
    "can": listed,
    "cost": costs,
    "drop": listed,
    "dropped": listed,
    "ids": listed,
    "missing": listed,
}  # of options that are more than a word


def bound_of(text: str) -> tuple[str, float]:
    from ..product.metrics import METRICS
    from ..product.problems import UsageProblem, suggested

    ((name, value),) = list(pairs(text, "--fail-under").items())[:1]
    if name not in (*METRICS, "cost"):
        raise UsageProblem(f"no metric {name!r}{suggested(name, METRICS)} (--fail-under)")
    return name, value


def held_against(bound: tuple[str, float], training: Training, out: Output) -> int:
    """0 if a score is as good as demanded, else 4."""
    from ..product.metrics import metrics_for
    from ..product.problems import UsageProblem

    name, least = bound
    known = metrics_for(training.target, training.problem.costs)
    value = training.metrics["scores"].get(name, {}).get("score")
    if value is None:
        raise UsageProblem(f"{name!r} has no value for this target (--fail-under)")
    if known[name].gain(value) >= known[name].gain(least):
        return 0
    out.note("failed", f"{known[name].title} {value:.4g} is worse than the {least:g} demanded by --fail-under")
    return NOT_MET


def tell_notes(out: Output, training: Training, seconds: str) -> None:
    """What was done, what was left out, and what a careful reader would ask."""
    from ..product.metrics_json import not_chosen

    metrics, target = training.metrics, training.target
    if target.two_classes:
        share = f"{target.share(target.positive):.1%}"
        text = f'two-class classification, positive = "{target.positive}" ({share})   --positive to change'
    elif target.task == "classify":
        text = f"classification, {len(target.classes)} classes   --task to change"
    else:
        text = "regression   --task to change"
    out.note("task", text)
    if metrics["rows_without_target"]:
        out.note("dropped", f"{metrics['rows_without_target']} rows without {target.name!r}")
    others = not_chosen(training.model.model, training.problem)
    for line in metrics["columns_left_out"]:
        if line["column"] not in others:  # what was chosen is said below
            out.note("column", f"{line['column']!r} {line['what']}: {line['why']}")
    if metrics["features"]:
        out.note("features", f"{', '.join(metrics['features']['chosen'])}   chosen by {metrics['features']['how']}")
    scheme = training.problem.scheme.words()
    count = len(metrics["leaderboard"])
    if "sample" in metrics:
        shown = f"chosen on {metrics['sample']['rows']} rows, sums of {metrics['data']['rows']}"
        out.note("sample", f"{shown}, score on {metrics['sample']['scored']} others; the table is larger than memory")
    out.note("models", f"{count} tried, {scheme}, choice of model and hyperparameters nested  ({seconds})")
    for name, reason in metrics["failed"].items():
        out.note("failed", f"{name}: {reason}")
    for check in metrics["checks"]:
        out.note("check", f"{check['code']}: {check['text']}")


def tell_results(out: Output, training: Training) -> None:
    """The headline beside the baseline and the whole procedure, and what was not chosen."""
    metrics, metric = training.metrics, training.problem.metric
    chosen = metrics["chosen"]
    parts = [chosen["title"], f"{metric.title} {shown(metrics)}"]
    rate = metrics["scores"].get("eer", {})
    if rate.get("score") is not None:
        low, high = (100 * end for end in rate["interval"])
        parts.append(f"EER {100 * rate['score']:.1f} % [{low:.1f}, {high:.1f}]")
    parts += [abilities_of(chosen["can"]), f"({baseline_of(training)})"]
    out.result("best", "   ".join(parts))
    learnt = f"{metrics['training'][metric.name]:.3f} on the rows learnt, which is optimistic"
    procedure = metrics.get("procedure", {}).get("score")
    whole = "" if procedure is None else f"; {procedure:.3f} for the whole procedure, choice included"
    out.result("", f"{metric.title} {learnt}{whole}")
    others = [line for line in metrics["leaderboard"] if line["model"] != chosen["model"]]
    named = [line for line in others if not line["yardstick"]][:1]
    if not chosen["can"]:  # what being able to update, forget and merge would cost
        named += [line for line in others if line["can"] and not line["yardstick"] and line not in named][:1]
    for line in named:
        out.result("also", other_of(line, training) + f"   (--models {line['model']} takes it)")
    barred = [line for line in others if line["yardstick"] and line["model"] in metrics["barred"]]
    for line in barred[:1]:
        out.result("barred", f"{other_of(line, training)}   (--can, --precision)")
    for line in [line for line in others if line["yardstick"] and line not in barred]:
        out.result("yardstick", other_of(line, training))


def better_or_worse(gap: float) -> str:
    return "better" if gap > 0 else "worse"


def shown(estimate: dict[str, Any]) -> str:
    low, high = estimate["interval"]
    return f"{estimate['score']:.3f} [{low:.3f}, {high:.3f}]"


def other_of(line: dict[str, Any], training: Training) -> str:
    """Another model beside the chosen one, both by their scores on rows left out, before any correction."""
    from ..product.procedure import margin

    metric = training.problem.metric
    (own,) = [o for o in training.metrics["leaderboard"] if o["model"] == training.metrics["chosen"]["model"]]
    gap = metric.gain(line["score"]) - metric.gain(own["score"])
    sure = f"{'significantly' if line['differs'] else 'not significantly'} different (p = {line['p_value']:.2g})"
    equal = abs(gap) <= margin(metric, own["score"])
    mark = f"{'practically equal' if equal else f'{abs(gap):.3f} {better_or_worse(gap)}'}, {sure}"
    both = f"{metric.title} {line['score']:.3f} against {own['score']:.3f} before the correction"
    return f"{line['title']}   {both}   {mark}, {abilities_of(line['can'])}"


def abilities_of(can: list[str]) -> str:
    return f"can {', '.join(can)}" if can else "cannot update, forget or merge"


def baseline_of(training: Training) -> str:
    """What a constant answer would score."""
    metric, base = training.problem.metric, training.metrics["baseline"]
    deciding = f"{metric.title} {round(base[metric.name], 2) + 0.0:.2f}"  # no zero below zero
    if training.target.task == "regress":
        return f"always the mean: {deciding}, RMSE {base['rmse']:.3g}"
    return f'always "{training.constant}": {deciding}, error {100 * base["error"]:.1f} %'


def elapsed(start: float) -> str:
    return f"{time.perf_counter() - start:.2f} s"
