"""Least squares and logistic regression on a CSV file and on Parquet, beside polars + scikit-learn: seconds of CPU.

    python -m benchmarks.text_files [--rows 1000000] [--columns 20] [--runs 3]

Ours read the file as a stream, block by block; polars reads the whole of it. Each run is a process of its own, whose
imports are not counted; loops are compiled before. Coefficients are compared before a ratio is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

C = 1.0
TOLERANCE = 1e-3  # of the largest coefficient; solvers end at tolerances of their own


def made(folder: Path, rows: int, columns: int) -> None:
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    score = X @ rng.standard_normal(columns) / np.sqrt(columns)
    names = [f"x{j}" for j in range(columns)]
    label = (score + rng.logistic(size=rows) > 0).astype(int)
    table = pa.table(dict(zip(names, X.T, strict=True)) | {"number": score + rng.normal(size=rows), "label": label})
    for target in ("number", "label"):
        part = table.select([*names, target])
        pa.csv.write_csv(part, folder / f"{target}.csv")
        pa.parquet.write_table(part, folder / f"{target}.parquet", row_group_size=100_000)


def ours(file: str, target: str) -> Any:
    import sumlearn as sl

    learner = sl.LogisticRegression(C=C) if target == "label" else sl.LinearRegression()
    few = np.random.default_rng(0).standard_normal((200, 3))
    type(learner)().fit(few, few[:, 0] > 0)  # compiled before
    import pyarrow.csv
    import pyarrow.parquet  # noqa: F401

    return lambda: learner.fit(file, target)


def theirs(file: str, target: str) -> Any:
    import polars as pl
    from sklearn.linear_model import LinearRegression, LogisticRegression

    def fitted(learner: Any) -> Any:
        frame = pl.read_csv(file) if file.endswith("csv") else pl.read_parquet(file)
        return learner.fit(frame.drop(target).to_numpy(), frame[target].to_numpy())

    if target == "number":
        return lambda: fitted(LinearRegression())
    solver = os.environ["RIVAL_SOLVER"]
    return lambda: fitted(LogisticRegression(C=C, solver=solver, tol=1e-6))


def alone(who: str, file: Path, target: str, solver: str = "lbfgs") -> tuple[float, np.ndarray]:
    """Seconds of CPU of one fit in a process of its own, and its coefficients."""
    command = [sys.executable, "-m", "benchmarks.text_files", "--alone", who, str(file), target]
    setting = os.environ | {"OPENBLAS_NUM_THREADS": "1", "RIVAL_SOLVER": solver}
    told = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=setting).stdout)
    return told["seconds"], np.array(told["coefficients"])


def answer(who: str, file: str, target: str) -> None:
    work: Callable[[], Any] = {"ours": ours, "theirs": theirs}[who](file, target)
    start = time.process_time()
    model = work()
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "coefficients": np.append(model.coef_, model.intercept_).tolist()}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--alone", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        answer(*given.alone)
        return
    with tempfile.TemporaryDirectory() as folder:
        made(Path(folder), given.rows, given.columns)
        print("fit                     ours   polars + scikit-learn   ratio")
        for target, ending in ((t, e) for t in ("number", "label") for e in ("csv", "parquet")):
            file = Path(folder, f"{target}.{ending}")
            solvers = ("lbfgs", "newton-cholesky") if target == "label" else ("lbfgs",)
            own: list[float] = []
            rival: dict[str, list[float]] = {solver: [] for solver in solvers}
            for _ in range(given.runs):
                seconds, coefficients = alone("ours", file, target)
                own.append(seconds)
                for solver in solvers:
                    seconds, other = alone("theirs", file, target, solver)
                    rival[solver].append(seconds)
                    assert np.abs(other - coefficients).max() <= TOLERANCE * np.abs(coefficients).max()
            solver = min(rival, key=lambda name: min(rival[name]))
            best, mine = min(rival[solver]), min(own)
            what = f"{'logistic' if target == 'label' else 'least squares'}, {ending}"
            how = f" ({solver})" if target == "label" else ""
            print(f"{what:22} {mine:6.2f} s {best:6.2f} s   x {best / mine:.2f}{how}", flush=True)


if __name__ == "__main__":
    main()
