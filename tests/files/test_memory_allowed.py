"""A file larger than the memory that the system allows: where the table as a whole is refused, models are learnt."""

import subprocess
import sys

import numpy as np
import pytest

ROWS, COLUMNS, BLOCK = 800_000, 40, 50_000  # 256 MB
ALLOWED = 192 * 2**20  # bytes beside what a small fit has taken

SCRIPT = """
import re, resource, sys, warnings
import numpy as np
import pyarrow.parquet
import sumlearn as sl

warnings.simplefilter("ignore")
model, path = {model}, sys.argv[1]
model.fit(sys.argv[2])  # compiled, threads started
rows = {few}
print({shown})
held = 1024 * int(re.search(r"VmData:\\s+(\\d+)", open("/proc/self/status").read())[1])
resource.setrlimit(resource.RLIMIT_DATA, (held + {allowed}, held + {allowed}))
try:
    np.ones(({rows}, {columns}))
except MemoryError:
    print("refused")
model.fit(path)
rows = {rows}
print({shown})
"""
MODELS = {
    "k-means": ("sl.KMeans(4, max_iter=10)", "model.labels_.size, model.inertia_ / rows"),
    "mixture": ("sl.GaussianMixture(4, max_iter=4)", "int(model.n_samples_), model.lower_bound_"),
    "components": ("sl.PCA(3)", "model.n_samples_, model.explained_variance_.sum()"),
    "parts": ("sl.NMF(2, max_iter=6)", "rows, model.reconstruction_err_**2 / rows"),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two tables of four groups around positive centres, one of them large."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("large")
    centres = 5.0 + 4.0 * rng.random((4, COLUMNS))
    names = [f"x{j}" for j in range(COLUMNS)]
    for name, blocks in (("large", ROWS // BLOCK), ("small", 1)):
        schema = pa.schema([(column, pa.float64()) for column in names])
        with parquet.ParquetWriter(folder / f"{name}.parquet", schema) as to:
            for _ in range(blocks):
                X = centres[rng.integers(0, 4, BLOCK)] + 0.5 * rng.standard_normal((BLOCK, COLUMNS))
                to.write_table(pa.table(dict(zip(names, np.abs(X).T, strict=True))), row_group_size=10_000)
    return folder


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_DATA binds memory on Linux alone")
@pytest.mark.parametrize("kind", MODELS)
def test_more_rows_than_memory(kind, files):
    model, shown = MODELS[kind]
    code = SCRIPT.format(model=model, shown=shown, allowed=ALLOWED, rows=ROWS, few=BLOCK, columns=COLUMNS)
    paths = [str(files / f"{name}.parquet") for name in ("large", "small")]
    found = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr[-2000:]
    before, refused, after = found.stdout.splitlines()
    (few, expected), (rows, value) = before.split(), after.split()
    assert refused == "refused" and (int(few), int(rows)) == (BLOCK, ROWS)
    assert float(value) == pytest.approx(float(expected), rel=0.02)  # groups alike, other rows
