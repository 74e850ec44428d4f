"""Files with many parts, and fits over them that are broken off."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from sumlearn.data.files import FileSource


def table(rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 4)) + np.array([0.0, 3.0, 1e3, -1e6])
    columns = {f"x{j}": X[:, j] for j in range(4)}
    return pa.table(columns | {"y": X[:, 0] - X[:, 1] + rng.standard_normal(rows), "label": labels(X)})


def labels(X):
    return np.where(X[:, 0] > X[:, 1] - 3.0, "p", "n")


def parquet(path, rows, group=7_000, seed=0):
    pyarrow.parquet.write_table(table(rows, seed), path, row_group_size=group)
    return path


def csv(path, rows, seed=0):
    pyarrow.csv.write_csv(table(rows, seed), path)
    return path


class Broken(Exception):
    """Somebody pulled the plug."""


def breaking(monkeypatch, every, draw=None):
    """Reading breaks off at every so many parts, counted over all passes and runs; with `draw` at so many or fewer."""
    parts, left = FileSource.parts, [every]

    def cut(self, factor=1, patterns=None, begin=0):
        for part in parts(self, factor, patterns, begin):
            left[0] -= 1
            if left[0] <= 0:
                left[0] = every if draw is None else int(draw.integers(2, every + 1))
                raise Broken("pulled")
            yield part

    monkeypatch.setattr(FileSource, "parts", cut)
