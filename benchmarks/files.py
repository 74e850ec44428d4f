"""Fits on files: peak memory, throughput, linearity; `python -m benchmarks.files` is the fresh process of one fit.

The Parquet file holds `FILE` times the rows of the array, row by row the same, so that a pass over the one can be held
against a pass over the other. It is written without dictionaries, which real numbers do not profit from; what a file
with them costs (pyarrow's default) is said beside it. Times are from the page cache, unless it says otherwise.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.agreement import Tolerance, compare
from benchmarks.data import Data
from benchmarks.memory import status_mib
from benchmarks.results import Row
from benchmarks.tasks import Field, Task
from benchmarks.timing import Effort, timed

FILE = 2.7  # rows of the Parquet file for each row of the array: more than 2 GB for a million rows of 101 columns
CSV_SHARE = 9  # a ninth of the rows as text: some 200 MB
LIMIT = 500e6 / 2**20  # MiB of a whole process
TARGET = "y"
TOLERANCE = Tolerance(reals=1e-8, labels=0.0)


def race_files(task: Task, data: Data, field: Field, effort: Effort) -> list[Row]:
    """One row for each question: memory, throughput, linearity, text."""
    if field.ours is None:
        return []
    import pyarrow  # noqa: F401  missing: the task fails with a word, before anything is written

    with tempfile.TemporaryDirectory() as folder:
        return parquet_rows(task, data, effort, Path(folder)) + csv_rows(task, data, effort, Path(folder))


# -- Parquet ----------------------------------------------------------------------------------------------------------


def parquet_rows(task: Task, data: Data, effort: Effort, folder: Path) -> list[Row]:
    rows = int(FILE * len(data.X))
    whole, half = folder / "whole.parquet", folder / "half.parquet"
    write_parquet(whole, data, rows)
    write_parquet(half, data, rows // 2)
    expected = in_memory(data, rows)
    passes: dict[str, list[dict[str, Any]]] = {"whole": [], "half": [], "memory": []}
    for _ in range(effort.repeat):  # interleaved, each in a fresh process
        passes["whole"].append(alone(str(whole), folder))
        passes["half"].append(alone(str(half), folder))
        passes["memory"].append(alone(len(data.X), folder, data.X.shape[1]))
    seconds = {name: min(run["seconds"] for run in runs) for name, runs in passes.items()}
    peak = max(run["MiB"] for run in passes["whole"])
    width = 8 * (data.X.shape[1] + 1)
    rate = {"whole": rows, "half": rows // 2, "memory": len(data.X)}
    rate = {name: width * count / seconds[name] / 1e6 for name, count in rate.items()}  # MB/s
    forget(whole)
    cold = alone(str(whole), folder)
    forget(whole)
    raw = os.path.getsize(whole) / timed(lambda: read_all(whole))[0] / 1e6
    size = f"{os.path.getsize(whole) / 1e9:.2f} GB, {rows:,} rows"
    write_parquet(half, data, rows // 2, dictionaries=True)
    coded = alone(str(half), folder)

    row = Row(
        task=task.name,
        dtype=str(data.X.dtype),
        rival="",
        setting="",
        runs=effort.repeat,
        agreement=compare({"coef": passes["whole"][0]["coef"]}, {"coef": expected}, TOLERANCE),
    )
    return [
        replace(
            row,
            task=f"{task.name}/memory",
            rival="limit",
            setting=f"peak of the process, file of {size}",
            ours=peak,
            theirs=LIMIT,
            unit="MiB",
            target=1.0,
            best=True,
            tried=(f"half the rows, with dictionaries: {coded['MiB']:,.0f} MiB in {coded['seconds']:.2f} s",),
        ),
        replace(
            row,
            task=f"{task.name}/throughput",
            rival="in memory",
            setting="time for a GB of numbers",
            ours=1e6 / rate["whole"],
            theirs=1e6 / rate["memory"],
            unit="ms/GB",
            target=task.target("in memory"),
            best=True,
            tried=(
                f"file {rate['whole']:,.0f} MB/s in {seconds['whole']:.2f} s, array {rate['memory']:,.0f} MB/s",
                f"from the disk {width * rows / cold['seconds'] / 1e6:,.0f} MB/s, plain reading of it {raw:,.0f} MB/s",
            ),
        ),
        replace(
            row,
            task=f"{task.name}/linearity",
            rival="half the rows",
            setting="twice their time",
            ours=1e3 * seconds["whole"],
            theirs=2e3 * seconds["half"],
            target=task.target("half the rows"),
            best=True,
        ),
    ]


def write_parquet(file: Path, data: Data, rows: int, dictionaries: bool = False) -> None:
    """The rows of the array over and over; compression and row groups as pyarrow has them by default."""
    import pyarrow as pa
    import pyarrow.parquet

    schema = pa.schema([(name, pa.float64()) for name in [*names(data), TARGET]])
    with pa.parquet.ParquetWriter(file, schema, use_dictionary=dictionaries) as writer:
        for part in portions(len(data.X), rows):
            writer.write_table(table(data, part, schema))


def portions(length: int, rows: int) -> list[slice]:
    """`rows` rows of an array of `length` rows, over and over."""
    return [slice(0, min(length, rows - start)) for start in range(0, rows, length)]


def names(data: Data) -> list[str]:
    return [f"x{j}" for j in range(data.X.shape[1])]


def table(data: Data, part: slice, schema: Any) -> Any:
    import pyarrow as pa

    columns = [*data.X[part].T, data.target[part]]
    return pa.table([pa.array(np.ascontiguousarray(column)) for column in columns], schema=schema)


def in_memory(data: Data, rows: int) -> np.ndarray:
    """Coefficients for the rows of the file, learnt from the array."""
    from sumlearn import LinearRegression

    model = LinearRegression()
    for part in portions(len(data.X), rows):
        model.partial_fit(data.X[part], data.target[part])
    return np.append(model.coef_, model.intercept_)


def forget(file: Path) -> None:
    """Out of the page cache, where the system can be asked."""
    with open(file, "rb") as stream:
        os.fsync(stream.fileno())
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_all(file: Path) -> None:
    with open(file, "rb", buffering=0) as stream:
        while stream.read(1 << 22):
            pass


# -- text -------------------------------------------------------------------------------------------------------------


def csv_rows(task: Task, data: Data, effort: Effort, folder: Path) -> list[Row]:
    """Ours against pandas and scikit-learn, which hold the whole table."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.csv
    from sklearn.linear_model import LinearRegression as Rival

    from sumlearn import LinearRegression

    file = folder / "table.csv"
    schema = pa.schema([(name, pa.float64()) for name in [*names(data), TARGET]])
    pa.csv.write_csv(table(data, slice(0, len(data.X) // CSV_SHARE), schema), file)
    size = os.path.getsize(file) / 1e6

    def rival(engine: str) -> Any:
        frame = pd.read_csv(file, engine=engine)
        return Rival().fit(frame.drop(columns=TARGET).to_numpy(), frame[TARGET].to_numpy())

    runs = {
        "ours": lambda: LinearRegression().fit(file, TARGET),
        "c": lambda: rival("c"),
        "pyarrow": lambda: rival("pyarrow"),
    }
    best: dict[str, float] = {}
    coef: dict[str, np.ndarray] = {}
    for _ in range(effort.repeat):
        for name, run in runs.items():
            seconds, model = timed(run)
            best[name] = min(seconds, best.get(name, seconds))
            coef[name] = np.append(model.coef_, model.intercept_)
    engine = min(("c", "pyarrow"), key=best.__getitem__)
    return [
        Row(
            task=f"{task.name}/csv",
            dtype=str(data.X.dtype),
            rival="pandas + scikit-learn",
            setting=f"read_csv(engine={engine!r}), {size:,.0f} MB",
            ours=1e3 * best["ours"],
            theirs=1e3 * best[engine],
            target=task.target("pandas + scikit-learn"),
            best=True,
            runs=effort.repeat,
            agreement=compare({"coef": coef["ours"]}, {"coef": coef[engine]}, TOLERANCE),
            tried=tuple(f"{name}: {size / seconds:,.0f} MB/s" for name, seconds in best.items()),
        )
    ]


# -- the fresh process ------------------------------------------------------------------------------------------------


def alone(what: str | int, folder: Path, columns: int = 0) -> dict[str, Any]:
    """Seconds, peak and coefficients of one fit in a process of its own: on a file, or on an array of so many rows."""
    order = {"what": what, "columns": columns, "answer": str(folder / "answer.npy")}
    command = [sys.executable, "-m", "benchmarks.files", json.dumps(order)]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(printed.splitlines()[-1]) | {"coef": np.load(order["answer"])}


def main(order: dict[str, Any]) -> None:
    from sumlearn import LinearRegression

    from benchmarks.data import make

    if isinstance(order["what"], str):
        X: Any = order["what"]
        y: Any = TARGET
        import pyarrow.parquet  # noqa: F401  imports are not timed, on either side
    else:
        data = make(order["what"], order["columns"])
        X, y = data.X, data.target
    few = np.random.default_rng(0).standard_normal((10_000, 3))
    LinearRegression().fit(few, few[:, 0] + few[:, 1] ** 2)  # compiled before
    start = time.perf_counter()
    model = LinearRegression().fit(X, y)
    seconds = time.perf_counter() - start
    np.save(order["answer"], np.append(model.coef_, model.intercept_))
    print(json.dumps({"seconds": seconds, "MiB": status_mib("VmHWM")}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
