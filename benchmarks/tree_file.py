"""`python -m benchmarks.tree_file`: a tree on a Parquet file larger than memory should need; its time and its memory.

A file of 15 million rows of 20 numbers (2.3 GB, nothing that packs) is written, a tree of depth 5 grows from it by
histograms in a process of its own, and the peak of that process is printed, beside what it needs for a twentieth of the
rows: what is bounded stays. The file is deleted in the end.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

COLUMNS, BLOCK = 20, 250_000
STATUS = Path("/proc/self/status")


def write(path: Path, rows: int) -> None:
    """Rows of two classes, some thousand at a time."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    writer = None
    for block in range(0, rows, BLOCK):
        rng = np.random.default_rng(block)
        X = rng.standard_normal((min(BLOCK, rows - block), COLUMNS))
        score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.standard_normal(len(X))
        table = pa.table({f"x{j}": X[:, j] for j in range(COLUMNS)} | {"y": (score > 0).astype(np.int8)})
        writer = writer or parquet.ParquetWriter(path, table.schema, compression="none")
        writer.write_table(table)
    assert writer is not None
    writer.close()


def peak() -> float:
    """Most memory of this process so far, in MB."""
    return next(int(line.split()[1]) for line in STATUS.read_text().splitlines() if line.startswith("VmHWM")) / 1024


def grow(path: str) -> None:
    """In a process of its own: the tree, its time and the peak."""
    import sumlearn as sl

    small = np.random.default_rng(0).random((500, COLUMNS))
    sl.DecisionTreeClassifier(method="histogram", max_depth=2).fit(small, small[:, 0] > 0.5)  # compiled
    before, start = peak(), time.perf_counter()
    model = sl.DecisionTreeClassifier(method="histogram", max_depth=5).fit(path, "y")
    seconds = time.perf_counter() - start
    rows = int(model.tree_.n_node_samples[0])
    print(
        f"{Path(path).stat().st_size / 1e9:.2f} GB, {rows} rows: {seconds:.1f} s, {model.get_n_leaves()} leaves, "
        f"peak {peak():.0f} MB, {before:.0f} before the fit",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tree_file", description=__doc__)
    parser.add_argument("--rows", type=int, default=15_000_000)
    parser.add_argument("--grow", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.grow:
        grow(options.grow)
        return
    with tempfile.TemporaryDirectory() as folder:
        for rows in (options.rows // 20, options.rows):
            path = Path(folder) / f"{rows}.parquet"
            write(path, rows)
            subprocess.run([sys.executable, "-m", "benchmarks.tree_file", "--grow", str(path)], check=True)


if __name__ == "__main__":
    main()
