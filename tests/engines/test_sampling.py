"""A sample of rows is the same from memory, files and Dask, for any chunks, blocks and workers."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse

from sumlearn.data import open_source
from sumlearn.data.collections import DaskSource
from sumlearn.data.files import FileSource
from sumlearn.data.levels import Levels
from sumlearn.data.mapped import mapped
from sumlearn.data.mixed_sources import open_mixed
from sumlearn.engines import sample_of
from sumlearn.features import Polynomial
from sumlearn.statistics import RowSample
from sumlearn.testing import check_statistic

dask_array = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

ROWS = 20_000
rng = np.random.default_rng(0)
X = rng.standard_normal((ROWS, 2))
Y = np.arange(ROWS, dtype=float)
WEIGHT = rng.integers(0, 3, ROWS) / 2.0
FRAME = pd.DataFrame(X, columns=["a", "b"]).assign(y=Y, w=WEIGHT)


def sources(folder):
    FRAME[:7000].to_parquet(folder / "1.parquet", row_group_size=1234)
    FRAME[7000:].to_parquet(folder / "2.parquet")
    FRAME.to_csv(folder / "t.csv", index=False)
    yield "array", open_source(X, Y, WEIGHT)
    yield "frame", open_source(FRAME[["a", "b"]], Y, WEIGHT)
    for name in ("*.parquet", "t.csv"):
        yield name, FileSource(str(folder / name), "y", "number", "w", None)
    for rows in (900, 6000):
        blocks = [dask_array.from_array(v, chunks=(rows, 2)[: v.ndim]) for v in (X, Y, WEIGHT)]
        yield f"blocks of {rows}", DaskSource(*blocks, "number")
    for parts in (1, 7):
        yield f"{parts} parts", DaskSource(dd.from_pandas(FRAME, npartitions=parts), "y", "w", "number")


@pytest.mark.parametrize("size", [1, 50, 5000, ROWS])
def test_every_source_has_the_same_sample(size, tmp_path):
    whole = sample_of(open_source(X, Y, WEIGHT), size)
    assert len(whole.X) == min(size, (WEIGHT > 0).sum())
    rows = whole.y.astype(int)
    assert (np.diff(rows) > 0).all() and (WEIGHT[rows] > 0).all()
    assert (X[rows] == whole.X).all() and (whole.weight == WEIGHT[rows]).all()
    for name, source in sources(tmp_path):
        found = sample_of(source, size)
        np.testing.assert_array_equal(found.y, whole.y, err_msg=name)
        np.testing.assert_array_equal(found.X, whole.X, err_msg=name)
        np.testing.assert_array_equal(found.weight, whole.weight, err_msg=name)


def test_the_number_of_workers_changes_nothing(tmp_path):
    FRAME.to_parquet(tmp_path / "t.parquet")
    source = FileSource(tmp_path / "t.parquet", "y", "number", None, ["a", "b"])
    one, four = (sample_of(source, 300, workers=n) for n in (1, 4))
    assert (one.y == four.y).all() and one.weight is None


def test_every_row_has_the_same_chance():
    counts = np.zeros(100)
    for seed in range(400):
        counts[sample_of(open_source(X[:100], Y[:100]), 20, seed=seed).y.astype(int)] += 1
    assert abs(counts.mean() - 80) < 1e-9
    assert abs(counts - 80).max() < 5 * np.sqrt(400 * 0.2 * 0.8)
    taken = sample_of(open_source(X, Y), 2000).y
    assert abs(taken.mean() - ROWS / 2) < 4 * ROWS / np.sqrt(12 * 2000)


def test_a_basis_and_sparse_rows_are_sampled(tmp_path):
    basis = Polynomial(2).fit(X[:1])
    FRAME.to_parquet(tmp_path / "t.parquet")
    stream = FileSource(tmp_path / "t.parquet", "y", "number", "w", None)
    a, b = sample_of(mapped(open_source(X, Y, WEIGHT), basis), 40), sample_of(mapped(stream, basis), 40)
    assert (a.X == b.X).all() and a.X.shape[1] == basis.size(2)
    found = sample_of(open_source(sparse.csr_array(X), Y, WEIGHT), 40)
    assert (found.X.toarray() == sample_of(open_source(X, Y, WEIGHT), 40).X).all()


def test_mixed_columns_are_sampled(tmp_path):
    frame = FRAME.assign(city=np.array(["Rome", "Oslo", None, "Bern"], dtype=object)[np.arange(ROWS) // 5000])
    frame.to_parquet(tmp_path / "t.parquet")
    whole = sample_of(open_mixed(frame, "y", "w", target="number"), 200)
    for given in (tmp_path / "t.parquet", dd.from_pandas(frame, npartitions=3)):
        found = sample_of(open_mixed(given, "y", "w", target="number"), 200)
        np.testing.assert_array_equal(found.y, whole.y)
        np.testing.assert_array_equal(found.X.numbers("a"), whole.X.numbers("a"))
        levels, expected = found.X.levels("city"), whole.X.levels("city")
        assert isinstance(levels, Levels) and set(levels.names) == {"Rome", "Oslo", "Bern"}
        np.testing.assert_array_equal(levels.among(expected.names).codes, expected.codes)


def test_bad_rows_are_named(tmp_path):
    bad = FRAME.copy()
    bad.loc[12_345, "b"] = np.inf
    bad.loc[12_344, ["a", "w"]] = [np.nan, 0.0]  # not there
    bad.loc[12_345, "w"] = 1.0
    bad.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="Input X contains infinity: first at row 12345 of .*, column 'b'"):
        sample_of(FileSource(tmp_path / "t.parquet", "y", "number", "w", None), 10)
    with pytest.raises(ValueError, match="Input X contains infinity: first at row 12345, column 'b'"):
        sample_of(open_source(bad[["a", "b"]], Y, bad["w"].to_numpy()), ROWS)
    for weight, message in ((np.zeros(ROWS), "sample_weight is zero for every row"), (-np.ones(ROWS), "Negative")):
        with pytest.raises(ValueError, match=message):
            sample_of(open_source(X, Y, weight), 10)
    FRAME.assign(w=0.0).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="sample_weight is zero for every row"):
        sample_of(FileSource(tmp_path / "t.parquet", "y", "number", "w", None), 10)


@pytest.mark.parametrize("size", [3, 60, 1000])
@pytest.mark.parametrize("weighted", [False, True])
def test_numbered_samples_keep_the_laws(size, weighted):
    weight = WEIGHT if weighted else None

    def part(rows):
        return RowSample.numbered(rows, X[rows], Y[rows], None if weight is None else weight[rows], size=size)

    cuts = [np.arange(0, 40), np.arange(40, 41), np.arange(41, 300), np.arange(300, 300)]
    check_statistic([part(rows) for rows in cuts], part(np.arange(300)))
    with pytest.raises(ValueError, match="samples of different sizes or kinds"):
        part(cuts[0]) + RowSample.of(X, size=size)
