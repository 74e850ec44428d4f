"""Rows that are held in the place of their scatter: the same laws, and the same answers as from the scatter itself."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings

from sumlearn.statistics import Grouped, Moments, Pooled, held_rows
from sumlearn.testing import assert_same_bits, assert_same_statistic, check_statistic

from tests.laws.strategies import pieces, together

OF_ROWS = {
    "moments": lambda p: Moments.of(p.X, weight=p.weight),
    "moments with a target": lambda p: Moments.of(p.X, p.y, p.weight),
    "grouped": lambda p: Grouped.of(p.X, p.labels, p.weight),
    "pooled": lambda p: Pooled.of(p.X, p.labels, p.weight),
}
FLAGS = np.arange(140) % 7 == 3


@pytest.mark.parametrize("summarise", OF_ROWS.values(), ids=OF_ROWS)
@settings(max_examples=12)
@given(parts=pieces())
def test_laws_hold_whatever_is_called_wide(summarise, parts):
    """Few columns are held like many here, so that parts and sums lie on both sides of the border."""
    with patch.object(held_rows, "WIDE", 0):
        check_statistic([summarise(p) for p in parts], summarise(together(parts)))


def rows_of(n, seed, offset=0.0):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4096, 4096, (n, 140)) / 1024.0 + offset
    X[:, FLAGS] = rng.integers(0, 2, (n, FLAGS.sum()))
    return X, rng.integers(-50, 50, n) / 4.0, rng.choice([0.5, 1.0, 3.0], n), np.arange(n) % 3


def moments(n, seed, offset=0.0):
    X, y, weight, _ = rows_of(n, seed, offset)
    return Moments.of(X, y, weight)


def pooled(n, seed, offset=0.0):
    X, _, weight, labels = rows_of(n, seed, offset)
    return Pooled.of(X, labels, weight)


MAP = np.random.default_rng(5).integers(-2, 3, (140, 150)) / 2.0
OPERATIONS = {
    "merge": lambda a, b: a + b,
    "merge to as many rows as columns": lambda a, b: a + b + b.decay(0.5) + b + a + a,
    "remove": lambda a, b: (a + b) - a,
    "decay": lambda a, b: (a + b.decay(0.3)).decay(0.7),
    "restrict to many": lambda a, b: (a + b).restrict(np.arange(5, 138)),
    "restrict to few": lambda a, b: (a + b).restrict([3, 70, 9]),
    "recode to many": lambda a, b: (a + b).recode(MAP, np.arange(150.0)),
    "recode to few": lambda a, b: (a + b).recode(MAP[:, :4]),
}


@pytest.mark.parametrize("make", [moments, pooled])
@pytest.mark.parametrize("offset", [0.0, 1e9])
@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_held_and_squared_rows_give_the_same(operation, make, offset):
    a, b = make(30, 0, offset), make(20, 1, offset)
    assert a.holds_rows and not a.squared().holds_rows
    if "recode" in str(operation.__code__.co_names):
        a, b = (a, b) if make is moments else (a.moments(), b.moments())  # of diagonals A may combine no columns
    from_rows = operation(a, b)
    assert_same_statistic(from_rows.squared(), operation(a.squared(), b.squared()), 1e-11)
    assert_same_statistic(from_rows, operation(a, b.squared()).squared() if make is moments else from_rows, 1e-11)


def test_a_projection_is_that_of_the_scatter():
    a, A = moments(30, 0, 1e6), np.random.default_rng(2).standard_normal((141, 2))
    assert_same_statistic(a.project(A), a.squared().project(A))
    assert_same_statistic(a.shift(np.arange(141.0)), a.squared().shift(np.arange(141.0)))
    assert_same_statistic(a.with_targets(np.array([2.0])), a.squared().with_targets(np.array([2.0])))
    B = a.factor()
    np.testing.assert_allclose(B.T @ B, a.squared().scatter, atol=1e-9)
    assert a.squared().factor() is None


def test_flags_that_are_constant_stay_so():
    X, y, weight, _ = rows_of(30, 0)
    X[:, 3], X[1:, 10], X[0, 10] = 1.0, 0.0, 1.0
    a, flags = Moments.of(X, y, weight), np.append(FLAGS, False)
    for some in (a, a.squared()):
        rest = some.remove(Moments.of(X[:1], y[:1], weight[:1]), flags).settle(flags)
        assert (rest.diagonal[[3, 10]] == 0).all() and rest.mean[3] == 1.0 and rest.mean[10] == 0.0


def test_what_is_held_follows_from_rows_and_columns_alone():
    """Two sites with few rows each become what one site with all rows is."""
    X, y, weight, _ = rows_of(150, 0)
    for n in (100, 140, 141, 150):
        one = Moments.of(X[:n], y[:n], weight[:n])
        two = Moments.of(X[:60], y[:60], weight[:60]) + Moments.of(X[60:n], y[60:n], weight[60:n])
        assert one.holds_rows == two.holds_rows == (n < 141)
        assert_same_statistic(one, two)
    assert not Moments.of(X[:50, :128]).holds_rows
    assert Moments.empty(200).holds_rows and Moments.empty(200).count == 0


def test_rows_go_without_a_trace():
    """What is left is to the bit what the other rows are: nothing was added, so nothing is rounded."""
    X, y, weight, labels = rows_of(60, 0, 1e9)
    all_rows, some = Moments.of(X, y, weight), Moments.of(X[20:], y[20:], weight[20:])
    assert_same_bits(all_rows - some, Moments.of(X[:20], y[:20], weight[:20]))
    assert (all_rows - all_rows).count == 0
    pieces = [some.decay(f) for f in (0.5, 0.25, 0.125, 0.125)]
    left = all_rows
    for piece in pieces:
        left = left - piece
    assert_same_bits(left, Moments.of(X[:20], y[:20], weight[:20]))
    classes = Pooled.of(X, labels, weight) - Pooled.of(X[20:], labels[20:], weight[20:])
    assert_same_statistic(classes, Pooled.of(X[:20], labels[:20], weight[:20]))


def test_rows_that_are_not_there_are_refused():
    X, y, _, _ = rows_of(30, 0)
    held = Moments.of(X, y)
    with pytest.raises(ValueError, match="not all merged"):
        held - Moments.of(100.0 + X[:5], y[:5])
    with pytest.raises(ValueError, match="cannot remove"):
        held - Moments.of(np.tile(X, (2, 1)), np.tile(y, 2))


def test_columns_out_of_the_range_of_squares():
    X, y, weight, _ = rows_of(30, 0)
    X[:, 1] *= 1e-160
    X[:, 2] *= 1e150
    a, b = Moments.of(X[:20], y[:20], weight[:20]), Moments.of(X[20:], y[20:], weight[20:])
    assert_same_statistic(a + b, Moments.of(X, y, weight))
    assert_same_statistic(a + b, a.squared() + b.squared())
    assert_same_statistic((a + b) - b, a)
    assert_same_statistic((a + b).restrict([1, 2, 4]), Moments.of(X[:, [1, 2, 4]], y, weight))


def test_a_part_of_the_weight_goes():
    X, y, weight, labels = rows_of(60, 0)
    less = weight * np.where(np.arange(60) < 20, 0.25, 1.0)
    rest = Moments.of(X, y, weight) - Moments.of(X[:20], y[:20], 0.75 * weight[:20])
    assert_same_statistic(rest, Moments.of(X, y, less))
    rest = Pooled.of(X, labels, weight) - Pooled.of(X[:20], labels[:20], 0.75 * weight[:20])
    assert_same_statistic(rest, Pooled.of(X, labels, less))


def test_a_light_row_beside_a_heavy_one_is_not_dropped():
    """Half of its weight goes; what is left is far below the rounding of all weights."""
    X = np.random.default_rng(5).normal(size=(3, 200))
    weight = np.array([1e16, 1.0, 2.0])
    left = Moments.of(X, weight=weight).remove(Moments.of(X[1:2], weight=[0.5]))
    assert left.holds_rows and left.spread.mass.hi.tolist() == [1e16, 0.5, 2.0]
    for _ in range(1000):
        left = left.remove(Moments.of(X[2:], weight=[0.002]))
    assert left.spread.mass.hi.tolist() == [1e16, 0.5]  # parts that add up to all of a row leave nothing of it
