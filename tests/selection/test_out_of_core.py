"""Filters of a table in files: as many reads as they say, and the bits of a table in memory."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

from sumlearn.data.files import FileSource
from sumlearn.selection import FCBF, Ranker

N, D = 70_000, 7  # several chunks, several groups of rows
rng = np.random.default_rng(3)
LABELS = rng.integers(0, 3, N)
X = rng.standard_normal((N, D)) + np.outer(LABELS == 1, np.linspace(0.0, 1.0, D))
LEVELS = np.clip(np.floor(2.0 * X), -4, 3)
WEIGHT = rng.integers(0, 3, N).astype(float)
EDGES = np.tile([-1.0, 0.0, 0.5, 2.0], (D, 1))

FILTERS = {
    "f": (Ranker("f", k=3), X, 1),
    "pearson": (Ranker("pearson", k=3, task="regression"), X, 1),
    "information": (Ranker("mutual_information", k=3), LEVELS, 1),
    "information between edges": (Ranker("mutual_information", k=3, bins=EDGES), X, 1),
    "information in quantiles": (Ranker("mutual_information", k=3, bins=6), X, 2),
    "fcbf": (FCBF(0.001), LEVELS, 1),
    "fcbf in quantiles": (FCBF(0.001, bins=6), X, 2),
}
each = pytest.mark.parametrize("selector, rows, reads", FILTERS.values(), ids=FILTERS)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")

    def of(rows):
        file = folder / f"{id(rows)}.parquet"
        if not file.exists():
            columns = {f"x{j}": rows[:, j] for j in range(D)}
            pq.write_table(pa.table({**columns, "w": WEIGHT, "y": LABELS}), file, row_group_size=30_000)
        return str(file)

    return of


@each
def test_reads_and_bits(selector, rows, reads, path, monkeypatch):
    seen, cut = [], FileSource.cut
    monkeypatch.setattr(FileSource, "cut", lambda self, *given: seen.append(given[0]) or cut(self, *given))
    file = clone(selector).fit(path(rows), "y", sample_weight="w")
    assert len(seen) == reads
    memory = clone(selector).fit(rows, LABELS, sample_weight=WEIGHT)
    assert file.scores_.tolist() == memory.scores_.tolist()
    assert file.get_support().tolist() == memory.get_support().tolist()
    assert 0 < file.get_support().sum() < D


@each
def test_parts_in_files_add_up(selector, rows, reads, path):
    """Edges that are taken from rows are shared first."""
    whole = clone(selector).fit(path(rows), "y", sample_weight="w")
    if reads == 2:
        selector = clone(selector).set_params(bins=whole.edges_)
    parts = [clone(selector).fit(rows[i::2], LABELS[i::2], WEIGHT[i::2]) for i in range(2)]
    joined = parts[0] + parts[1]
    np.testing.assert_allclose(joined.scores_, whole.scores_, rtol=1e-12)
    less = clone(selector).fit(path(rows), "y", sample_weight="w").forget(rows[1::2], LABELS[1::2], WEIGHT[1::2])
    np.testing.assert_allclose(less.scores_, parts[0].scores_, rtol=1e-11)
    assert less.get_support().tolist() == parts[0].get_support().tolist()


@pytest.mark.parametrize(
    "levels, classes, rows, columns",
    [(2, 2, 97, 3), (8, 3, 1013, 5), (24, 5, 2000, 1030), (25, 2, 500, 4), (3, 40, 90, 6), (256, 2, 700, 2)],
)
def test_few_levels_are_counted_in_bytes_and_many_one_by_one(levels, classes, rows, columns):
    """Runs of rows of a class that are no multiple of four, that overflow a byte, classes without rows, wide tables."""
    draw = np.random.default_rng(levels)
    codes = draw.integers(0, levels, (rows, columns)).astype(np.uint8)
    y = draw.integers(0, classes, rows)
    y[: 2 * rows // 3] = 0
    counts = Ranker("mutual_information").fit(codes, y).statistic_
    expected = np.zeros((columns, 256, classes))
    np.add.at(expected, (np.arange(columns)[None, :], codes, y[:, None]), 1.0)
    present = expected.any(axis=2)
    labels = np.flatnonzero(np.bincount(y, minlength=classes))
    np.testing.assert_array_equal(counts.table, expected[present][:, labels])
    np.testing.assert_array_equal(counts.values, np.nonzero(present)[1])
