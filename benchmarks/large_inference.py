"""Least squares with all its inference on a file; `python -m benchmarks.large_inference` is the process of one side.

Both sides start from the path of a Parquet file and end with the same numbers: estimates, standard errors, t and p
values, R2, F, likelihood, criteria, and standard errors of the four kinds that hold where the noise varies. Ours reads
the file chunk by chunk, five times; statsmodels holds it in memory. Time and peak memory are those of a fresh process,
imports among them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.agreement import compare
from benchmarks.candidates import Numbers
from benchmarks.data import Data
from benchmarks.files import write_parquet
from benchmarks.memory import status_mib
from benchmarks.results import Row
from benchmarks.tasks import Field, Task
from benchmarks.timing import Effort

ROBUST = ("HC0", "HC1", "HC2", "HC3")
TARGET = "y"


def race_large_inference(task: Task, data: Data, field: Field, effort: Effort) -> list[Row]:
    """A row for the time and one for the memory; the file is removed at the end."""
    if field.ours is None or "statsmodels" not in [rival.name for rival in field.rivals]:
        return []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write_parquet(path, data, len(data.X))
        (ours, found), (theirs, wanted) = (alone(side, path) for side in SIDES)
    common: dict[str, Any] = {
        "task": task.name,
        "dtype": str(data.X.dtype),
        "rival": "statsmodels",
        "setting": f"OLS, {len(data.X):,} rows of a file",
        "runs": 1,
        "agreement": compare(found, wanted, task.tolerance(data.X.dtype)),
    }
    return [
        Row(**common, ours=1e3 * ours["seconds"], theirs=1e3 * theirs["seconds"], best=True),
        Row(**common, ours=ours["MiB"], theirs=theirs["MiB"], unit="MiB"),
    ]


def alone(side: str, path: Path) -> tuple[dict[str, float], Numbers]:
    """Seconds, peak memory in MiB, and the numbers of one side in a process of its own."""
    file = path.with_name(f"{side}.npz")
    command = [sys.executable, "-m", "benchmarks.large_inference", side, str(path), str(file)]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    with np.load(file) as numbers:
        return json.loads(answer.splitlines()[-1]), dict(numbers)


def with_sumlearn(path: str) -> Numbers:
    import sumlearn as sl

    model = sl.LinearRegression().fit(path, TARGET)
    found = model.inference()
    return numbers_of(
        found, found.estimates, found.standard_errors, found.t_values, found.p_values, found.r2, found.adjusted_r2,
        found.f_test.statistic, found.log_likelihood,
    ) | {
        kind: np.sqrt(model.robust_covariance(path, TARGET, kind=kind).diagonal()) for kind in ROBUST
    }  # fmt: skip


def with_statsmodels(path: str) -> Numbers:
    import pyarrow.parquet as parquet
    import statsmodels.api as sm

    table = parquet.read_table(path)
    y = table.column(TARGET).to_numpy()
    X = np.column_stack([table.column(name).to_numpy() for name in table.column_names if name != TARGET])
    del table
    fit = sm.OLS(y, sm.add_constant(X)).fit()
    return numbers_of(
        fit, fit.params, fit.bse, fit.tvalues, fit.pvalues, fit.rsquared, fit.rsquared_adj, fit.fvalue, fit.llf
    ) | {kind: getattr(fit, f"{kind}_se") for kind in ROBUST}


def numbers_of(fit: Any, *values: Any) -> dict[str, np.ndarray]:
    names = ("estimates", "standard errors", "t", "p", "R2", "adjusted R2", "F", "log-likelihood")
    found = dict(zip(names, values, strict=True)) | {"AIC": fit.aic, "BIC": fit.bic}
    return {name: np.atleast_1d(value) for name, value in found.items()}


SIDES = {"ours": with_sumlearn, "statsmodels": with_statsmodels}


def main(side: str, path: str, file: str) -> None:
    start = time.perf_counter()
    found = SIDES[side](path)
    seconds = time.perf_counter() - start
    np.savez(file, **found)
    print(json.dumps({"seconds": seconds, "MiB": status_mib("VmHWM")}))


if __name__ == "__main__":
    main(*sys.argv[1:])
