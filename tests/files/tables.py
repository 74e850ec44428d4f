"""A table, and ways to write it to files."""

import gzip
import json
from dataclasses import fields, is_dataclass
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import scipy.sparse as sparse
from sklearn.base import BaseEstimator

from sumlearn.statistics import Removable, Statistic
from sumlearn.testing import assert_same_bits

rng = np.random.default_rng(7)
ROWS = 70_001  # more than two chunks of every learner, and no multiple of anything
NAMES = ["a", "b", "c"]
X = rng.standard_normal((ROWS, 3)) * [1.0, 30.0, 0.01] + [0.0, 1e4, -3.0]
SCORE = X @ [1.0, 0.1, 50.0] + 0.5 * rng.standard_normal(ROWS)
NUMBERS = {"number": SCORE}
CLASS = np.digitize(SCORE, np.quantile(SCORE, [0.3, 0.7]))
LABELS = {"text": np.array(["low", "mid", "top"])[CLASS], "whole": CLASS * 5 - 3, "truth": CLASS > 0}
WEIGHT = rng.integers(0, 4, ROWS) / 2.0
FRAME = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "weight": WEIGHT, "c": X[:, 2], **NUMBERS, **LABELS})


def columns(target=None, weight=False, rows=slice(None)):
    """The features in their order, with the target and the weights between them."""
    wanted = ["a", "b", *(["weight"] if weight else []), *([target] if target else []), "c"]
    return FRAME.loc[:, wanted].iloc[rows].reset_index(drop=True)


def write_csv(frame, path, **options):
    frame.to_csv(path, index=False, **options)


def write_gzip(frame, path):
    with gzip.open(path, "wt", newline="", compresslevel=1) as file:
        frame.to_csv(file, index=False)


def write_parquet(frame, path, **options):
    pa.parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, **options)


def write_arrow(frame, path, rows=10_000):
    pa.feather.write_feather(pa.Table.from_pandas(frame, preserve_index=False), path, chunksize=rows)


def write_stream(frame, path):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=9_000)


def write_json(frame, path):
    with open(path, "w") as file:
        for row in frame.to_dict("records"):
            file.write(json.dumps(row) + "\n")


WRITERS = {
    "table.csv": write_csv,
    "table.csv.gz": write_gzip,
    "table.tsv": lambda frame, path: write_csv(frame, path, sep="\t"),
    "table.txt": write_csv,  # an ending that nobody knows is read as CSV
    "table.parquet": write_parquet,
    "table.pq": lambda frame, path: write_parquet(frame, path, row_group_size=5_000, compression="zstd"),
    "table.arrow": write_arrow,
    "table.feather": write_arrow,
    "table.ipc": write_stream,
    "table.jsonl": write_json,
}


def assert_same_fit(found, wanted):
    """The same statistic and the same fitted attributes, bit by bit."""
    assert isinstance(found.statistic_, Removable)
    assert_same_bits(found.statistic_, wanted.statistic_)
    assert list(found.solved()) == list(wanted.solved())
    for name, value in wanted.solved().items():
        assert_same_value(found.solved()[name], value, name)


def assert_same_value(found, wanted, name):
    assert type(found) is type(wanted), name
    if isinstance(wanted, list | tuple):
        assert len(found) == len(wanted), name
        for a, b in zip(found, wanted, strict=True):
            assert_same_value(a, b, name)
    elif isinstance(wanted, Statistic):
        assert_same_bits(found, wanted)
    elif isinstance(wanted, BaseEstimator) and not hasattr(wanted, "statistic_"):  # it knows one answer
        assert vars(found).keys() == vars(wanted).keys(), name
        for inner, value in vars(wanted).items():
            assert_same_value(vars(found)[inner], value, inner)
    elif isinstance(wanted, BaseEstimator):
        assert_same_fit(found, wanted)
    elif isinstance(wanted, partial):
        assert_same_value((found.func, *found.args), (wanted.func, *wanted.args), name)
    elif is_dataclass(wanted):
        assert_same_value(*([getattr(one, f.name) for f in fields(one)] for one in (found, wanted)), name)
    elif sparse.issparse(wanted):
        parts = [(one.shape, one.data, one.indices, one.indptr) for one in (found, wanted)]
        assert_same_value(*parts, name)
    elif isinstance(wanted, np.ndarray):
        assert found.dtype == wanted.dtype, name
        assert np.array_equal(found, wanted), name
    elif type(wanted).__eq__ is object.__eq__ and hasattr(wanted, "__dict__"):
        assert vars(found).keys() == vars(wanted).keys(), name
        assert_same_value(list(vars(found).values()), list(vars(wanted).values()), name)
    else:
        assert found == wanted, name


def text_file(folder, text, name="table.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)
