"""Clusters of files and of Dask collections: the answers of the table in memory, in little memory."""

import numpy as np
import pytest

import sumlearn as sl

RNG = np.random.default_rng(3)
X = np.concatenate([RNG.standard_normal((900, 5)) + 4.0 * RNG.standard_normal(5) for _ in range(10)])
RNG.shuffle(X)
MOST = 400.0  # MiB
KINDS = [
    sl.KMeans(20, max_iter=300),
    sl.KMeans(3, metric="mahalanobis"),
    sl.LBG(9, split=2),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    folder = tmp_path_factory.mktemp("rows")
    table = pa.table({f"x{j}": X[:, j] for j in range(5)})
    parquet.write_table(table.slice(0, 4100), folder / "a.parquet", row_group_size=700)
    parquet.write_table(table.slice(4100), folder / "b.parquet", row_group_size=1100)
    return folder


@pytest.mark.parametrize("model", KINDS, ids=repr)
def test_files_are_the_table_in_memory(model, files):
    whole = model.fit(X)
    labels, centres = whole.labels_, whole.cluster_centers_
    read = model.fit(f"{files}/*.parquet")
    np.testing.assert_array_equal(read.labels_, labels)
    np.testing.assert_allclose(read.cluster_centers_, centres, rtol=1e-12)


@pytest.mark.parametrize("model", KINDS, ids=repr)
def test_dask_is_the_table_in_memory(model):
    da = pytest.importorskip("dask.array")
    whole = model.fit(X)
    labels, centres = whole.labels_, whole.cluster_centers_
    spread = model.fit(da.from_array(X, chunks=(1700, 5)))
    np.testing.assert_array_equal(spread.labels_, labels)
    np.testing.assert_allclose(spread.cluster_centers_, centres, rtol=1e-12)


@pytest.mark.slow
def test_a_file_larger_than_the_memory_allowed(tmp_path):
    """800 MB of rows; labels, bounds and a sample are what is held of them."""
    import subprocess
    import sys

    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    rng, path = np.random.default_rng(0), tmp_path / "large.parquet"
    centres = 5.0 * rng.standard_normal((8, 20))
    with parquet.ParquetWriter(path, pa.schema([(f"x{j}", pa.float64()) for j in range(20)])) as writer:
        for _ in range(50):
            rows = centres[rng.integers(0, 8, 100_000)] + rng.standard_normal((100_000, 20))
            writer.write_table(pa.table({f"x{j}": rows[:, j] for j in range(20)}))
    code = f"""
import resource
import numpy as np, sumlearn as sl
sl.KMeans(8).fit(np.random.default_rng(0).standard_normal((5000, 20)))
import pyarrow.parquet
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = sl.KMeans(8).fit({str(path)!r})
taken = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
print(model.labels_.shape[0], round(model.inertia_ / model.labels_.shape[0], 2), taken)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr[-2000:]
    rows, spread, taken = found.stdout.split()
    assert rows == "5000000" and 19.9 < float(spread) < 20.1
    assert float(taken) < MOST
