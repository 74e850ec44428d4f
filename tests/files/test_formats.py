"""A fit on files has the bits of a fit on the same rows in memory: every format, every way to name files."""

import gzip
import io
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import sumlearn
from sumlearn import PCA, GaussianNB, LinearDiscriminantAnalysis, LinearRegression, Ridge
from sumlearn.data.readers import parquet, reader, reader_of
from sumlearn.data.readers.text import TextReader

from tests.files.tables import (
    FRAME,
    LABELS,
    ROWS,
    SCORE,
    WEIGHT,
    WRITERS,
    X,
    assert_same_fit,
    columns,
    write_arrow,
    write_csv,
    write_json,
    write_parquet,
)
from tests.laws.discovered import CLASSIFIERS
from tests.laws.discovered import MATRIX_LEARNERS as LEARNERS
from tests.laws.discovered import MATRIX_REGRESSORS as REGRESSORS

TARGET = {kind: "number" if kind in REGRESSORS else "text" if kind in CLASSIFIERS else None for kind in LEARNERS}
each_learner = pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Every format, for every kind of target, with and without weights: written when first asked for."""
    return tmp_path_factory.mktemp("tables")


def written(folder, name, target, weight):
    path = folder / f"{target}{'-weighted' if weight else ''}-{name}"
    if not path.exists():
        WRITERS[name](columns(target, weight), path)
    return path


def in_memory(kind, target, weight):
    y = None if target is None else FRAME[target].to_numpy()
    if y is not None and y.dtype == object:
        y = y.astype(str)
    return kind().fit(X, y, WEIGHT if weight else None)


@pytest.mark.thinned(5)
@each_learner
@pytest.mark.parametrize("weight", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", ["table.csv", "table.parquet", "table.jsonl"])
def test_every_learner(folder, name, weight, kind):
    target = TARGET[kind]
    path = written(folder, name, target, weight)
    model = kind().fit(path, target, "weight" if weight else None)
    assert_same_fit(model, in_memory(kind, target, weight))
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert model.n_features_in_ == 3


@pytest.mark.parametrize("name", WRITERS)
def test_every_format(folder, name):
    path = written(folder, name, "number", False)
    assert_same_fit(LinearRegression().fit(str(path), "number"), in_memory(LinearRegression, "number", False))


@pytest.mark.thinned(3)
@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("name", ["table.csv", "table.csv.gz", "table.parquet", "table.arrow", "table.jsonl"])
def test_labels_of_every_kind(folder, name, label):
    model = GaussianNB().fit(written(folder, name, label, False), label)
    expected = in_memory(GaussianNB, label, False)
    assert_same_fit(model, expected)
    assert model.classes_.tolist() == sorted(set(LABELS[label].tolist()))
    assert model.classes_.dtype.kind == LABELS[label].dtype.kind
    assert np.array_equal(model.without_names().predict(X[:50]), expected.predict(X[:50]))


def test_whole_floats_are_labels(tmp_path):
    frame = columns("whole").astype({"whole": float})
    write_parquet(frame, tmp_path / "t.parquet")
    assert_same_fit(
        GaussianNB().fit(tmp_path / "t.parquet", "whole"), GaussianNB().fit(X, LABELS["whole"].astype(float))
    )


SIZE = 8192  # rows of a batch that are asked for


def rows_of_batches(path):
    """The pieces that a file is read in."""
    file = reader_of(str(path))
    return [batch.num_rows for batch in file.read(file.types, SIZE)]


# -- borders ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [999, 4096, 8192, 10_000, 65_536, ROWS])
@pytest.mark.parametrize("write", [write_parquet, write_arrow], ids=["parquet", "arrow"])
def test_borders_of_row_groups_do_not_matter(tmp_path, write, rows):
    path = tmp_path / ("t.parquet" if write is write_parquet else "t.arrow")
    write(columns("number"), path, **{"row_group_size" if write is write_parquet else "rows": rows})
    assert_same_fit(Ridge().fit(path, "number"), in_memory(Ridge, "number", False))


@pytest.mark.parametrize("decoded", [1, 1_000_000, 1 << 30])
@pytest.mark.parametrize("small", [0, 1 << 30], ids=["in batches", "by row group"])
def test_size_of_a_batch_does_not_matter(folder, monkeypatch, decoded, small):
    monkeypatch.setattr(parquet, "DECODED", decoded)
    monkeypatch.setattr(parquet, "SMALL_GROUP", small)
    path = written(folder, "table.parquet", "text", False)
    batch = max(SIZE, decoded // 32 // SIZE * SIZE)  # whole chunks of four columns of eight bytes
    assert rows_of_batches(path)[0] == (ROWS if small else min(ROWS, batch))
    expected = in_memory(LinearDiscriminantAnalysis, "text", False)
    assert_same_fit(LinearDiscriminantAnalysis().fit(path, "text"), expected)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("block", [4_001, 1 << 16, 1 << 21])
@pytest.mark.parametrize("name", ["table.csv", "table.csv.gz", "table.jsonl"])
def test_size_of_a_block_of_text_does_not_matter(folder, monkeypatch, name, block):
    monkeypatch.setattr(TextReader, "AT_A_TIME", block)
    path = written(folder, name, "number", True)
    text = len((gzip.open if name.endswith(".gz") else open)(path, "rb").read())
    assert 0.9 * text / block <= len(rows_of_batches(path)) <= 1.1 * text / block + 1
    model = LinearRegression().fit(path, "number", "weight")
    assert_same_fit(model, in_memory(LinearRegression, "number", True))


# -- several files ----------------------------------------------------------------------------------------------------


CUTS = [0, 1, 5_000, 13_192, 40_000, ROWS]


@pytest.fixture(scope="module")
def pieces(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pieces")
    (folder / "later").mkdir()
    for i, (start, stop) in enumerate(pairwise(CUTS)):
        frame = columns("number", rows=slice(start, stop))
        write_parquet(frame, folder / ("later" if i > 2 else "") / f"part-{i}.parquet")
    return folder


def test_a_list_a_pattern_and_a_folder(pieces):
    """The order of the list, else that of the names; borders of files do not show."""
    expected = in_memory(LinearRegression, "number", False)
    files = [pieces / f"part-{i}.parquet" for i in range(3)] + [pieces / f"later/part-{i}.parquet" for i in (3, 4)]
    assert_same_fit(LinearRegression().fit(files, "number"), expected)
    assert_same_fit(LinearRegression().fit([str(pieces / "part-*.parquet"), pieces / "later"], "number"), expected)
    folder_order = np.concatenate([np.arange(CUTS[3], ROWS), np.arange(CUTS[3])])  # "later" sorts before "part"
    by_folder = LinearRegression().fit(X[folder_order], SCORE[folder_order])
    assert_same_fit(LinearRegression().fit(pieces, "number"), by_folder)
    assert_same_fit(LinearRegression().fit(f"{pieces}/**/*.parquet", "number"), by_folder)


def test_files_of_several_formats(tmp_path):
    cuts = [0, 9_000, 30_000, 30_001, ROWS]
    for i, (write, name) in enumerate(
        [(write_csv, "0.csv"), (write_parquet, "1.parquet"), (write_json, "2.jsonl"), (write_arrow, "3.arrow")]
    ):
        write(columns("text", True, slice(cuts[i], cuts[i + 1])), tmp_path / name)
    assert_same_fit(GaussianNB().fit(tmp_path, "text", "weight"), in_memory(GaussianNB, "text", True))


def test_notes_in_a_folder_are_no_tables(tmp_path):
    write_csv(columns("number"), tmp_path / "t.csv")
    (tmp_path / "readme.md").write_text("not a table")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "._t.csv").write_bytes(b"\0\1\2")
    (tmp_path / ".checkpoints").mkdir()
    (tmp_path / ".checkpoints" / "t.csv").write_text("q\n1\n")
    (tmp_path / "_temporary").mkdir()
    (tmp_path / "_temporary" / "t.csv").write_text("q\n1\n")
    assert_same_fit(LinearRegression().fit(tmp_path, "number"), in_memory(LinearRegression, "number", False))


def test_names_that_look_like_patterns(tmp_path):
    write_csv(columns("number"), tmp_path / "t[1].csv")
    expected = in_memory(LinearRegression, "number", False)
    assert_same_fit(LinearRegression().fit(tmp_path / "t[1].csv", "number"), expected)


def test_other_column_order_in_the_second_file(tmp_path):
    write_csv(columns("number", rows=slice(0, 30_000)), tmp_path / "0.csv")
    write_csv(columns("number", rows=slice(30_000, None))[["number", "c", "b", "a"]], tmp_path / "1.csv")
    assert_same_fit(LinearRegression().fit(tmp_path, "number"), in_memory(LinearRegression, "number", False))


@pytest.mark.parametrize(
    ("first", "second", "classes"),
    [
        (["7", "8"], ["seven", "8"], ["7", "8", "seven"]),
        (["True", "False"], ["maybe", "True"], ["False", "True", "maybe"]),
        (["7", "8"], ["true", "false"], ["7", "8", "false", "true"]),
        (["7", "8"], ["7.0", "9.0"], [7.0, 8.0, 9.0]),
        (["2024-02-29", "2024-03-01"], ["2024-02-29", "2024-03-02"], ["2024-02-29", "2024-03-01", "2024-03-02"]),
        (["2024-02-29", "2024-03-01"], ["spring", "autumn"], ["2024-02-29", "2024-03-01", "autumn", "spring"]),
    ],
    ids=["numbers and text", "booleans and text", "numbers and booleans", "numbers", "dates", "dates and text"],
)
def test_labels_of_several_types(tmp_path, first, second, classes):
    """The narrowest type that holds them all, else text as it is written."""
    for number, labels in enumerate((first, second)):
        (tmp_path / f"{number}.csv").write_text("x,y\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels)))
    found = GaussianNB().fit(tmp_path, "y").classes_
    assert found.tolist() == classes and found.dtype.kind == np.array(classes).dtype.kind


# -- standard input ---------------------------------------------------------------------------------------------------

FROM_STDIN = """
import numpy as np, sys
from sumlearn import LinearRegression
model = LinearRegression().fit("-", "number")
np.save(sys.argv[1], np.append(model.coef_, model.intercept_))
"""


def run_with_stdin(program, data, *arguments):
    environment = os.environ | {"PYTHONPATH": str(Path(sumlearn.__file__).parents[1])}
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], input=data, capture_output=True, env=environment
    )


def test_standard_input(folder, tmp_path):
    data = written(folder, "table.csv", "number", False).read_bytes()
    ended = run_with_stdin(FROM_STDIN, data, tmp_path / "coef.npy")
    assert ended.returncode == 0, ended.stderr.decode()
    expected = in_memory(LinearRegression, "number", False)
    assert np.array_equal(np.load(tmp_path / "coef.npy"), np.append(expected.coef_, expected.intercept_))


def test_a_fault_on_standard_input(monkeypatch):
    monkeypatch.setattr(reader, "standard_input", lambda: io.BytesIO(b"a,number\n1,2\n3,x\n"))
    with pytest.raises(ValueError, match=r"column 'number' of '-' holds text values, not numbers \(line 3: 'x'\)"):
        LinearRegression().fit("-", "number")


# -- learning more, and less ------------------------------------------------------------------------------------------


@pytest.mark.thinned(3)
@each_learner
def test_partial_fit_and_forget_go_by_name(folder, kind):
    """More columns in another order: those of the fit are found, in theirs."""
    target = TARGET[kind]
    before, after = folder / f"{target}-before.csv", folder / "after.parquet"
    if not before.exists():
        write_csv(columns(target, rows=slice(0, 40_000)), before)
    if not after.exists():
        write_parquet(FRAME.iloc[40_000:][["text", "c", "number", "b", "truth", "a"]], after)
    y = None if target is None else FRAME[target].to_numpy()
    if target == "text":
        y = y.astype(str)
    first, second = slice(0, 40_000), slice(40_000, None)
    wanted = kind().fit(X[first], None if y is None else y[first])
    model = kind().fit(before, target)
    assert_same_fit(model, wanted)
    wanted.partial_fit(X[second], None if y is None else y[second])
    model.partial_fit(after, target)
    assert_same_fit(model, wanted)
    wanted.forget(X[second], None if y is None else y[second])
    model.forget(after, target)
    assert_same_fit(model, wanted)


def test_a_ledger_over_files(folder):
    path = written(folder, "table.csv", "number", False)
    model = LinearRegression().keep_ledger().fit(path, "number")
    assert model.verify(path, "number")
    assert model.without_names().verify(X, SCORE)
    assert not model.without_names().verify(X[1:], SCORE[1:])
    assert (
        PCA()
        .keep_ledger()
        .fit(written(folder, "table.parquet", None, False))
        .verify(written(folder, "table.parquet", None, False))
    )
