"""`python -m benchmarks`: time sumlearn against its rivals and print the table of ratios."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path
from typing import Any

from benchmarks import compile_time, environment, rivals, table
from benchmarks.candidates import Rival
from benchmarks.data import make
from benchmarks.files import race_files
from benchmarks.large_inference import race_large_inference
from benchmarks.memory import race_memory
from benchmarks.race import race, race_five
from benchmarks.results import Row
from benchmarks.tasks import TASKS, Field, Task
from benchmarks.timing import Effort

RUNNERS = {
    "race": race,
    "five": race_five,
    "memory": race_memory,
    "files": race_files,
    "large inference": race_large_inference,
}
QUICK = 10  # --quick divides the rows by this


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--task", nargs="+", default=[], metavar="NAME", help="tasks or groups of tasks (default: all)")
    parser.add_argument("--quick", action="store_true", help=f"a {QUICK}th of the rows; targets are for all rows")
    parser.add_argument("--repeat", type=int, default=3, help="rounds (default: 3); the best time counts")
    parser.add_argument(
        "--budget", type=float, default=Effort.budget, help="seconds a rival may try settings, per task"
    )
    parser.add_argument("--whole", action="store_true", help="run all penalties: nothing is extrapolated (slow)")
    parser.add_argument("--rivals-only", action="store_true", help="time the rivals without ours")
    parser.add_argument("--strict", action="store_true", help="refuse to start on a busy machine")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows and the machine to this file")
    parser.add_argument("--list", action="store_true", help="name the tasks and stop")
    options = parser.parse_args()
    known = {name for task in TASKS for name in (task.name, task.name.partition("/")[0])}
    unknown = set(options.task) - known
    if unknown:
        parser.error(f"unknown task: {', '.join(sorted(unknown))} (known: {', '.join(sorted(known))})")
    return options


def load_field(rivals_only: bool) -> Field:
    """Ours, and every rival whose library is there; the others are named."""
    found: list[Rival] = []
    for module in rivals.module_names():
        try:
            found.append(rivals.load(module))
        except ImportError as missing:
            print(f"rival skipped: {module.rpartition('.')[2]} ({missing})")
    return Field(None if rivals_only else rivals.load(rivals.OURS), found)


def run_task(task: Task, field: Field, effort: Effort, rows: int, whole: bool) -> list[Row]:
    """All dtypes of a task; an error is a failed row, so that the other tasks still run."""
    result: list[Row] = []
    for dtype in task.dtypes:
        try:
            data = make(rows, task.columns, dtype, whole)
            measured = RUNNERS[task.kind](task, data, field, effort)
        except Exception as error:
            measured = [Row(task.name, dtype, "-", "-", best=True, error=f"{type(error).__name__}: {error}")]
        for row in measured:
            print(table.progress(row), file=sys.stderr, flush=True)
        result += measured
    return result


def announce(machine: dict[str, Any]) -> None:
    """Print the machine and the versions, and warn where other work would spoil the times."""
    print(f"{machine['cpu']}, {machine['cores']} cores, load average {machine['load']:.2f}")
    print(", ".join(f"{package} {version}" for package, version in machine["versions"].items()))
    if machine["load"] > environment.BUSY:
        print(f"WARNING: load average above {environment.BUSY}: other work runs here, times are doubtful")


def main() -> int:
    options = arguments()
    if options.list:
        print("\n".join(task.name for task in TASKS))
        return 0
    machine = environment.describe()
    announce(machine)
    if options.strict and machine["load"] > environment.BUSY:
        return 2

    warnings.filterwarnings("ignore")  # rivals warn of ill conditioning on the few rows for warming up
    field = load_field(options.rivals_only)
    wanted = [task for task in TASKS if not options.task or any(map(task.is_in, options.task))]
    if field.ours is not None:
        ours = [name for name in field.ours.builders if any(name == task.model for task in wanted)]
        empty, full = compile_time.measure(ours)
        machine["first_calls"] = {"empty cache": empty, "full cache": full}
        print(f"first calls of ours, with imports, not in the table: {empty:.2f} s compiling, {full:.2f} s cached")

    shrink = QUICK if options.quick else 1
    effort = Effort(options.repeat, options.budget, Effort.affordable / shrink)
    rows: list[Row] = []
    for task in wanted:
        rows += run_task(task, field, effort, task.rows // shrink, options.whole)
    table.show(rows)
    if options.quick:
        print(f"(quick: a {QUICK}th of the rows; the targets are for all rows)")
    if options.json:
        report = {"machine": machine, "quick": options.quick, "rows": [row.as_dict() for row in rows]}
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    return int(any(row.failed for row in rows))


if __name__ == "__main__":
    sys.exit(main())
