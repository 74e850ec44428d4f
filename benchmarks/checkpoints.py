"""What checkpoints cost: a fit over files with and without, and what it takes to go on. Prints a line for each file.

    python -m benchmarks.checkpoints [--rows 400000] [--files 20] [--every 1]

A state is written every second here, thirty times as often as by default. BLAS has one thread; the best of five.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

import sumlearn as sl
from sumlearn.saving import checkpoints

COLUMNS = 40


def table(rows: int) -> pa.Table:
    X = np.random.default_rng(0).standard_normal((rows, COLUMNS))
    return pa.table({f"x{j}": X[:, j] for j in range(COLUMNS)} | {"y": X.sum(axis=1)})


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def line(name: str, learner: Callable[[], sl.Ridge], file: Path, place: Path, every: float) -> str:
    def plain() -> None:
        learner().fit(file, "y")

    def kept() -> None:
        with checkpoints(place, every=every):
            learner().fit(file, "y")

    plain()  # compiled, and in the cache of the system
    pairs = [(seconds(plain), seconds(kept)) for _ in range(5)]  # in turn: others use the machine too
    without, with_them = (min(side) for side in zip(*pairs, strict=True))
    return f"{name:24} {without:8.2f} s   {with_them:8.2f} s   x {with_them / without:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=400_000, help="of a file")
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--every", type=float, default=1.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        whole = table(given.rows)
        pyarrow.parquet.write_table(whole, folder / "t.parquet", row_group_size=100_000)
        pyarrow.csv.write_csv(whole.slice(0, given.rows // 4), folder / "t.csv")
        print(f"{'file, learner':24} {'without':>10}   {'with':>10}   ratio")
        for name in ("parquet", "csv"):
            (folder / name).mkdir()
            for number in range(given.files if name == "parquet" else max(1, given.files // 5)):
                os.link(folder / f"t.{name}", folder / name / f"{number:03}.{name}")
            print(line(f"{name}, ridge", sl.Ridge, folder / name, folder / "kept", given.every))


if __name__ == "__main__":
    main()
