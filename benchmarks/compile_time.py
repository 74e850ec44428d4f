"""What our first calls cost: tasks on few rows in a fresh process, first call less second call."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

from benchmarks import rivals
from benchmarks.data import make
from benchmarks.timing import timed

ROWS, COLUMNS = 20_000, 20


def measure(tasks: list[str]) -> tuple[float, float]:
    """Seconds with an empty compilation cache, then with the cache that this filled."""
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-m", "benchmarks.compile_time", *tasks]
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}
        answers = [
            subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
            for _ in range(2)
        ]
    empty, full = (json.loads(answer.splitlines()[-1])["seconds"] for answer in answers)
    return empty, full


def main(tasks: list[str]) -> None:
    """Print by how much the first calls exceed the second ones."""
    ours = rivals.load(rivals.OURS)
    seconds = 0.0
    for dtype in ("float64", "float32"):
        data = make(ROWS, COLUMNS, dtype)
        for task in tasks:
            (candidate,) = ours.candidates(task, data.binary())
            first, _ = timed(candidate.run)
            second, _ = timed(candidate.run)
            seconds += first - second
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main(sys.argv[1:])
