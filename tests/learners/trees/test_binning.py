"""Bins of trees: what shares a bin, where thresholds lie, and what a gap or a level becomes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sumlearn.data.source import open_source
from sumlearn.learners.trees.parts.binning import BinEdges

WIDTHS = {np.float32: 32, np.float64: 64}


@given(st.data(), st.sampled_from([np.float32, np.float64]), st.sampled_from([2, 3, 7, 255]))
def test_thresholds_separate_what_codes_separate(data, dtype, bins):
    """x <= threshold(b) exactly where code(x) <= b, also for extreme and neighbouring numbers."""
    values = st.floats(allow_nan=True, allow_infinity=False, width=WIDTHS[dtype])
    column = data.draw(arrays(dtype, st.integers(1, 30), elements=values))
    edges = BinEdges.of(column[:, None], [0], max_bins=bins)
    codes = edges.codes(column[:, None])[:, 0]
    known = ~np.isnan(column)
    assert (codes[~known] == 255).all() and (codes[known] < edges.counts[0]).all()
    for b in range(edges.counts[0] - 1):
        threshold = edges.threshold(0, b)
        np.testing.assert_array_equal(column[known] <= threshold, codes[known] <= b)
        np.testing.assert_array_equal(column[known] <= dtype(threshold), codes[known] <= b)
    distinct = np.unique(column[known])
    if 0 < len(distinct) <= bins:
        assert edges.counts[0] == len(distinct)
        np.testing.assert_array_equal(codes[known], np.searchsorted(distinct, column[known]))
    if known.any() and bins < len(distinct):
        assert edges.counts[0] <= bins and len(np.unique(codes[known])) == edges.counts[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours_far_from_zero(dtype):
    start = dtype(1e9)
    values = [start]
    for _ in range(20):
        values.append(np.nextafter(values[-1], dtype(np.inf)))
    X = np.array(values, dtype)[:, None]
    edges = BinEdges.of(X, [0])
    assert edges.counts[0] == 21
    np.testing.assert_array_equal(edges.codes(X)[:, 0], np.arange(21))


def test_halfway_without_overflow():
    largest = np.finfo(np.float64).max
    edges = BinEdges.of(np.array([[-largest], [largest], [1.0]]), [0])
    assert np.isfinite(edges.thresholds[0, :2]).all()
    assert BinEdges.of(np.array([[-largest], [largest]]), [0]).threshold(0, 0) == 0.0
    assert BinEdges.of(np.array([[1.0], [2.0]]), [0]).threshold(0, 0) == 1.5


def test_many_values_have_bins_of_equal_weight():
    X = np.random.default_rng(0).normal(size=(51_000, 1))
    edges = BinEdges.of(X, [0])
    assert edges.counts[0] == 255
    assert np.bincount(edges.codes(X)[:, 0], minlength=255).tolist() == [200] * 255


def test_a_heavy_value_leaves_the_bins_to_the_others():
    """Nine tenths are zero: quantiles alone would leave 26 bins for the rest."""
    rng = np.random.default_rng(1)
    column = np.where(rng.random(20_000) < 0.9, 0.0, rng.normal(size=20_000))
    edges = BinEdges.of(column[:, None], [0])
    assert edges.counts[0] > 240
    sizes = np.bincount(edges.codes(column[:, None])[:, 0])
    assert np.sort(sizes)[-2] < 20


def test_rows_of_weight_zero_have_no_part_and_two_is_twice():
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=2000), rng.integers(0, 400, 2000), rng.integers(0, 9, 2000)]).astype(float)
    weight = rng.integers(0, 3, 2000).astype(float)
    repeated = np.repeat(X, weight.astype(int), axis=0)
    for max_bins in (40, 255):
        weighted = BinEdges.of(X, [0, 400, 9], weight, max_bins)
        assert weighted == BinEdges.of(repeated, [0, 400, 9], None, max_bins)
        assert weighted == BinEdges.of(X, [0, 400, 9], 0.5 * weight, max_bins)


def test_no_order_of_rows_and_no_number_of_threads_changes_a_bit():
    rng = np.random.default_rng(3)
    X, weight = rng.normal(size=(70_000, 11)).round(3), rng.random(70_000)
    order = rng.permutation(len(X))
    edges = BinEdges.of(X, [0] * 11, weight, n_jobs=1)
    assert edges == BinEdges.of(X[order], [0] * 11, weight[order], n_jobs=2)
    codes = edges.codes(X, n_jobs=1)
    np.testing.assert_array_equal(codes, edges.codes(X, n_jobs=2))
    np.testing.assert_array_equal(codes[100:70_000:7], edges.codes(np.asfortranarray(X[100:70_000:7])))
    out = np.zeros((70_100, 11), np.uint8)
    edges.codes(X, out=out[100:])
    np.testing.assert_array_equal(out[100:], codes)


def test_levels_have_bins_and_the_rarest_share_one():
    column = np.repeat(np.arange(300), np.where(np.arange(300) % 2, 3, 1)).astype(float)[:, None]
    edges = BinEdges.of(column, [300], max_bins=100)
    codes = edges.codes(np.arange(300.0)[:, None])[:, 0]
    assert edges.counts[0] == 100 and np.bincount(codes).tolist() == [1] * 99 + [201]
    assert codes[1] == 0 and codes[0] == 99  # odd levels are frequent
    assert edges.levels(0, 0).tolist() == [1] and len(edges.levels(0, 99)) == 201


def test_a_level_of_no_row_and_what_is_no_level_is_a_gap():
    column = np.array([0.0, 2.0, np.nan])[:, None]
    asked = np.array([0.0, 1.0, 2.0, 3.0, -1.0, np.nan])[:, None]
    assert BinEdges.of(column, [4]).codes(asked)[:, 0].tolist() == [0, 255, 2, 255, 255, 255]
    assert BinEdges.of(column, [4], complete=False).codes(asked)[:, 0].tolist() == [0, 1, 2, 3, 255, 255]


def test_columns_of_gaps_and_constants():
    X = np.array([[np.nan, 5.0], [np.nan, 5.0]])
    edges = BinEdges.of(X, [0, 0])
    assert edges.counts.tolist() == [1, 1]
    assert edges.codes(np.array([[1.0, 9.0], [np.nan, 5.0]])).tolist() == [[0, 0], [255, 0]]
    assert edges.threshold(1, 0) == np.inf
    with pytest.raises(ValueError, match="column 0 has levels"):
        BinEdges.of(np.zeros((2, 1)), [1]).threshold(0, 0)


def test_edges_of_a_source_are_those_of_its_sample():
    X = np.random.default_rng(4).normal(size=(5000, 3))
    assert BinEdges.of_source(open_source(X), [0, 0, 0]) == BinEdges.of(X, [0, 0, 0])
    few = BinEdges.of_source(open_source(X), [0, 0, 0], rows=1000)
    assert few != BinEdges.of(X, [0, 0, 0]) and few.counts.tolist() == [255] * 3


def test_wide_tables_of_few_rows_take_little_memory():
    X = np.random.default_rng(5).normal(size=(20, 3000))
    edges = BinEdges.of(X, [0] * 3000)
    assert edges.thresholds.shape == (3000, 31)
    assert edges.codes(X).max() == 19


def test_refusals():
    edges = BinEdges.of(np.zeros((2, 2)), [0, 0])
    with pytest.raises(ValueError, match="max_bins must be between 2 and 255"):
        BinEdges.of(np.zeros((2, 1)), [0], max_bins=256)
    with pytest.raises(ValueError, match="X must have 2 columns"):
        edges.codes(np.zeros((2, 3)))
    for broken in (replace(edges, thresholds=np.zeros((2, 2))), replace(edges, level_starts=np.array([0, 5, 5]))):
        with pytest.raises(ValueError, match="do not fit together"):
            broken.codes(np.zeros((1, 2)))
