"""How to use the model, where the numbers come from, and what they do not say."""

from __future__ import annotations

from ..blocks import Block, Code, Grid, Prose, Section
from ..evidence import Evidence
from ..numbers import quoted, shown


def use(evidence: Evidence) -> Section:
    code = "\n".join(
        [
            "import sumlearn as sl",
            "",
            'model = sl.load("model.skops")      # runs no code from the file',
            "labels = model.predict(table)       # a pandas, polars or pyarrow table with the same columns",
        ]
    )
    shell = ["sumlearn predict model.skops new.csv -o answers.csv"]
    if "update" in evidence.model.can:
        shell += [
            "sumlearn update  model.skops more.csv      # new rows came",
            "sumlearn forget  model.skops gone.csv      # these rows must go",
            "sumlearn merge   model.skops other.skops -o both.skops",
        ]
    shell.append("sumlearn report  model.skops fresh.csv     # is it still as good?")
    lead = "The model lies beside this report, in a file that needs no pickle."
    return Section("use", "How to use the model", lead, [Code(code), Code("\n".join(shell))])


def provenance(evidence: Evidence) -> Section:
    metrics = evidence.metrics
    rows = [
        ["data", f"{metrics['data']['name']}, SHA-256 {metrics['data']['sha256'] or 'of no file: a table in memory'}"],
        ["rows left out by", metrics["cv"]],
        ["seed", str(metrics["seed"])],
        *[[name, version] for name, version in metrics["versions"].items()],
    ]
    blocks: list[Block] = [Grid(["", ""], rows)]
    if evidence.command:
        blocks = [Code(evidence.command), *blocks]
    lead = "The same command on the same data with the same versions gives the same numbers."
    return Section("provenance", "Where the numbers come from", lead, blocks)


def limits(evidence: Evidence) -> Section:
    """What this report cannot tell."""
    target = evidence.target.name
    points = [
        f"Whether rows of tomorrow are like these {shown(len(evidence.target.values))}: scores hold for such rows.",
        f"Whether changing a column changes {quoted(target)}: the model knows what goes together, not what causes it.",
        "Whether the target was measured rightly: a model learns the mistakes of its labels too.",
        "Whether a column is known in time: one that is filled in afterwards makes every score too good.",
        "Whether the answers are fair to groups that the table does not name.",
        "Whether rows that belong together were kept together: unless they were named (--cv group:COL), nobody knows.",
    ]
    if evidence.metrics["cv"].isdigit() or evidence.fresh:
        points.append("How the score moves with time: rows were left out by lot (--cv time:COL goes forward only).")
    if "sample" in evidence.metrics:
        points.insert(0, "How all rows look: tables, comparisons and pictures but the headline are of the sample.")
    points.append("More than the interval says: it holds the chance of the rows, not that of the questions above.")
    return Section("limits", "What this report cannot tell you", "", [Prose(point) for point in points])
