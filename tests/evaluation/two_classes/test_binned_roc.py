"""Scores counted on a grid: a statistic, with exact rates at the edges and a bound on the area."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sumlearn.evaluation import BinnedRoc, RocCurve
from sumlearn.testing import check_statistic

GRID = np.linspace(-2.0, 3.0, 11)


@st.composite
def parts(draw):
    """Some pieces of a stream; pieces may be empty or hold one class."""
    weighted = draw(st.booleans())
    found = []
    for n in draw(st.lists(st.sampled_from([0, 1, 2, 5, 9]), min_size=1, max_size=5)):
        y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), dtype=int)
        score = np.array(draw(st.lists(st.integers(-40, 40), min_size=n, max_size=n))) / 8.0
        weight = np.array(draw(st.lists(st.sampled_from([0.0, 0.1, 1.0, 2.5]), min_size=n, max_size=n)))
        found.append((y, score, weight if weighted else None))
    return found


@settings(max_examples=50)
@given(parts())
def test_laws(pieces):
    weight = None if pieces[0][2] is None else np.concatenate([w for _, _, w in pieces])
    y, score = (np.concatenate([piece[i] for piece in pieces]) for i in (0, 1))
    whole = BinnedRoc.of(y, score, weight, grid=GRID)
    check_statistic([BinnedRoc.of(*piece, grid=GRID) for piece in pieces], whole)


def stream(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, rng.standard_normal(n) + y


@settings(max_examples=50)
@given(st.integers(0, 10**6), st.sampled_from([1, 2, 5, 50, 500]), st.booleans())
def test_area_is_within_its_bound(seed, edges, weighted):
    y, score = stream(200, seed)
    weight = np.random.default_rng(seed).uniform(0.1, 2, 200) if weighted else None
    binned = BinnedRoc.of(y, score, weight, grid=np.linspace(-1, 2, edges))
    exact = RocCurve(y, score, weight).auc()
    assert abs(binned.auc() - exact) <= binned.auc_error + 1e-12
    assert binned.auc_error <= 0.5


def test_bound_is_reached():
    """All positives above all negatives, in one bin: taken for ties, off by one half."""
    binned = BinnedRoc.of([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4], grid=[0.0, 1.0])
    assert binned.auc() == 0.5 and binned.auc_error == 0.5


def test_rates_at_the_edges_are_exact():
    y, score = stream()
    score[:5] = GRID[:5]  # a score on an edge is accepted by it
    curve, exact = BinnedRoc.of(y, score, grid=GRID).curve(), RocCurve(y, score)
    assert len(curve.thresholds) == len(GRID) + 2
    for k, threshold in enumerate(curve.thresholds):
        assert curve.point(k) == exact.at(threshold)


def test_fine_grid_gives_the_area():
    y, score = stream()
    grid = np.unique(score)
    binned = BinnedRoc.of(y, score, grid=grid)
    assert binned.auc_error == 0.0
    assert binned.auc() == RocCurve(y, score).auc()
    assert binned.curve().eer == RocCurve(y, score).eer


def test_remove_and_decay():
    y, score = stream()
    whole = BinnedRoc.of(y, score, grid=GRID)
    left = whole - BinnedRoc.of(y[:1000], score[:1000], grid=GRID)
    assert np.array_equal(left.counts, BinnedRoc.of(y[1000:], score[1000:], grid=GRID).counts)
    assert whole.decay(0.5).auc() == pytest.approx(whole.auc(), rel=1e-14)
    assert (whole.rows, whole.weight, whole.decay(0.5).weight) == (3000, 3000.0, 1500.0)


def test_labels():
    y, score = stream(100)
    words = np.array(["neg", "pos"])[y]
    expected = BinnedRoc.of(y, score, grid=GRID).counts
    assert np.array_equal(BinnedRoc.of(words, score, grid=GRID, positive="pos").counts, expected)
    assert np.array_equal(BinnedRoc.of(words, score, grid=GRID, positive="neg").counts, expected[::-1])


def test_bad_input():
    y, score = stream(20)
    good = BinnedRoc.of(y, score, grid=GRID)
    for call, message in (
        (lambda: BinnedRoc.of(y, score, grid=[]), "grid"),
        (lambda: BinnedRoc.of(y, score, grid=[1.0, 1.0]), "grid"),
        (lambda: BinnedRoc.of(y, score, grid=[0.0, np.inf]), "grid"),
        (lambda: BinnedRoc.of(y, np.where(np.arange(20) == 7, np.nan, score), grid=GRID), "score.*NaN.*row 7"),
        (lambda: BinnedRoc.of(y, score[:5], grid=GRID), "score has shape"),
        (lambda: BinnedRoc.of(y, score, -np.ones(20), grid=GRID), "sample_weight"),
        (lambda: good + BinnedRoc.of(y, score, grid=GRID[1:]), "grids differ"),
        (lambda: good + BinnedRoc.of(y, score, grid=GRID, positive=0), "positive labels differ"),
        (lambda: good - (good + good), "more rows than were merged"),
        (lambda: BinnedRoc.of(np.zeros(20), score, grid=GRID).auc(), "no positive row"),
        (lambda: good.zero().auc(), "no positive row"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
