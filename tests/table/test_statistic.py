"""Sums of coded rows keep the laws, and recoding them is recoding the rows."""

from functools import partial

import numpy as np
import pytest

from sumlearn.data import Chunk
from sumlearn.data.column_kinds import decide
from sumlearn.data.mixed import MixedRows
from sumlearn.data.table import table_of
from sumlearn.features.table.sums import TableSums
from sumlearn.statistics import Grouped, Moments, Pooled
from sumlearn.testing import assert_same_statistic

from tests.table.tables import mixed_table, together

SUMMARIES = {
    "moments": lambda c: Moments.of(c.X, c.y, c.weight),
    "diagonal moments": lambda c: Moments.of(c.X, c.y, c.weight, form="diagonal"),
    "grouped": lambda c: Grouped.of(c.X, c.y > 3.0, c.weight),
    "grouped diagonal": lambda c: Grouped.of(c.X, c.y > 3.0, c.weight, form="diagonal"),
    "pooled": lambda c: Pooled.of(c.X, c.y > 3.0, c.weight),
}
each_summary = pytest.mark.parametrize("name", SUMMARIES)


def table_sums(name, frame):
    table = table_of(frame[["size", "rooms", "city", "garden", "when"]])
    schema = decide(table, [], [], 100)
    chunk = Chunk(MixedRows(table, schema), frame["y"].to_numpy())
    return TableSums.of(chunk, schema, SUMMARIES[name])


def disjoint_rows(n=400, seed=0):
    """A value with a flag for where it is missing, and the flags of three levels."""
    rng = np.random.default_rng(seed)
    missing, level = rng.random(n) < 0.3, rng.integers(0, 3, n)
    value = np.where(missing, 0.0, rng.standard_normal(n) + 2.0)
    X = np.column_stack([value, missing, level == 0, level == 1, level == 2]).astype(float)
    return X, rng.standard_normal(n) + 3


def assert_same_sums(a, b):
    """Values may be counted from other origins, which is no difference."""
    assert a.parts == b.parts and a.schema.names == b.schema.names
    assert_same_statistic(a.sums, b.aligned(a.schema, a.parts), 1e-9)


@each_summary
@pytest.mark.parametrize("n", [12, 400, 6000])
def test_recoded_sums_are_sums_of_recoded_rows(name, n):
    X, y = disjoint_rows(n)
    A = np.array([[1.0, 0.5, 0.0], [2.1, 1.05, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    offset = np.array([-1.0, 0.0, 3.0])
    weight = np.random.default_rng(1).random(n) + 0.5
    found = SUMMARIES[name](Chunk(X, y, weight)).recode(A, offset)
    assert_same_statistic(found, SUMMARIES[name](Chunk(X @ A + offset, y, weight)), 1e-11)


@each_summary
def test_the_sums_of_tables_keep_the_laws(name):
    frames = [mixed_table(40, 1), mixed_table(30, 2, ("Rome", "Lima")), mixed_table(25, 3, ("Bern",), missing=0.0)]
    a, b, c = (table_sums(name, frame) for frame in frames)
    whole = table_sums(name, together(*frames))
    for left, right in (
        (a + b, b + a),
        ((a + b) + c, a + (b + c)),
        (a + b + c, whole),
        (a + a.zero(), a),
        ((a + b) - b, a),
        (a.decay(0.5) + b.decay(0.5), (a + b).decay(0.5)),
        ((a + b).restrict([2, 0]), a.restrict([2, 0]) + b.restrict([2, 0])),
    ):
        assert_same_sums(left, right)
    assert (a - a).rows == 0
    with pytest.raises(ValueError, match="cannot remove"):
        a - whole


@each_summary
def test_a_level_that_nobody_has_any_more_is_gone(name):
    """Also where rounding leaves something of its scatter: forgetting must not fail on it."""
    for n in (300, 6000):
        frame = mixed_table(n, 4)
        frame.loc[n // 2 :, "city"] = "Lima"
        frame.loc[n // 2 :, "garden"] = True
        frame.loc[: n // 2 - 1, "garden"] = False
        kept, gone = frame[: n // 2], frame[n // 2 :]
        pieces = [gone[i::3] for i in range(3)]
        rest = table_sums(name, frame)
        for piece in pieces:
            rest = rest.remove(table_sums(name, piece))
        expected = table_sums(name, kept)
        assert ("city", "=Lima") not in rest.parts
        assert_same_sums(rest, expected)


def test_flags_that_are_constant_are_exactly_so():
    X = np.column_stack([np.ones(10_000), np.zeros(10_000), np.arange(10_000) % 2]).astype(float)
    flags = np.ones(3, dtype=bool)
    sums = Moments.of(X).recode(np.eye(3), np.zeros(3)).settle(flags)
    assert sums.mean.tolist() == [1.0, 0.0, 0.5]
    assert sums.scatter.diagonal().tolist() == [0.0, 0.0, 2500.0]
    for settle in (partial(Grouped.settle, Grouped.of(X, X[:, 2])), partial(Pooled.settle, Pooled.of(X, X[:, 2]))):
        parts = settle(flags)
        groups = parts.groups if isinstance(parts, Grouped) else parts.groups.groups
        assert groups[0.0].diagonal.tolist() == [0.0, 0.0, 0.0]


def test_a_wrong_matrix_is_refused():
    with pytest.raises(ValueError, match="broadcast|rows"):
        Moments.of([[1.0, 2.0]]).recode(np.eye(3))
