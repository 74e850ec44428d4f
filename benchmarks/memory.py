"""Peak memory of one fit above the data; `python -m benchmarks.memory` is the fresh process it runs in."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import rivals
from benchmarks.agreement import compare
from benchmarks.candidates import Numbers, Rival
from benchmarks.data import Data, make
from benchmarks.results import Row
from benchmarks.tasks import Field, Task
from benchmarks.timing import Effort, warm_up

STATUS = Path("/proc/self/status")
RESET = Path("/proc/self/clear_refs")  # writing 5 restarts the highest figure from the present one
WARM_UP_ROWS = 2_000  # few, since what warming up frees would be used again unseen
SMALLEST = 1.0  # MiB; less than this cannot be told from nothing


def race_memory(task: Task, data: Data, field: Field, effort: Effort) -> list[Row]:
    """For each rival the setting that needs least; one run each, so `effort` is not used."""
    if not STATUS.exists():
        raise RuntimeError("peak memory is read from /proc, which only Linux has")
    ours = fit_alone(field.ours, task.model, 0, data) if field.ours else None
    rows = []
    for rival in field.rivals:
        settings = [candidate.setting for candidate in rival.candidates(task.model, data)]
        peaks = [fit_alone(rival, task.model, position, data) for position in range(len(settings))]
        if peaks:
            rows.append(row_of(task, data, rival, settings, peaks, ours))
    rows.sort(key=lambda row: row.theirs or 0.0)
    return [replace(row, best=place == 0) for place, row in enumerate(rows)]


def row_of(
    task: Task,
    data: Data,
    rival: Rival,
    settings: list[str],
    peaks: list[tuple[float, Numbers]],
    ours: tuple[float, Numbers] | None,
) -> Row:
    """Ours against the setting of one rival that needs least."""
    least = min(range(len(peaks)), key=lambda position: peaks[position][0])
    theirs, numbers = peaks[least]
    row = Row(
        task=task.name,
        dtype=str(data.X.dtype),
        rival=rival.name,
        setting=settings[least],
        theirs=theirs,
        unit="MiB",
        runs=1,
        tried=tuple(f"{name}: {peak:,.0f} MiB" for name, (peak, _) in zip(settings, peaks, strict=True)),
    )
    if ours is None:
        return row
    return replace(row, ours=ours[0], agreement=compare(ours[1], numbers, task.tolerance(data.X.dtype)))


def fit_alone(rival: Rival, model: str, position: int, data: Data) -> tuple[float, Numbers]:
    """Peak in MiB, and the numbers to compare, of one candidate in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "numbers.npz")
        order = {
            "module": rival.module,
            "model": model,
            "position": position,
            "shape": data.X.shape,
            "dtype": str(data.X.dtype),
            "file": file,
        }
        command = [sys.executable, "-m", "benchmarks.memory", json.dumps(order)]
        answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        with np.load(file) as numbers:
            return max(json.loads(answer.splitlines()[-1])["MiB"], SMALLEST), dict(numbers)


def status_mib(key: str) -> float:
    """A memory figure of this process: VmRSS (now) or VmHWM (highest)."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(key))
    return int(line.split()[1]) / 1024


def main(order: dict[str, Any]) -> None:
    """Make the data, warm up, fit once; print the peak above what was held before."""
    rival = rivals.load(order["module"])
    data = make(*order["shape"], order["dtype"])
    warm_up(rival, order["model"], data.head(WARM_UP_ROWS))
    candidate = rival.candidates(order["model"], data)[order["position"]]
    gc.collect()
    RESET.write_text("5")
    before = status_mib("VmRSS")
    result = candidate.run()
    peak = status_mib("VmHWM") - before
    np.savez(order["file"], **candidate.numbers(result))
    print(json.dumps({"MiB": peak}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
