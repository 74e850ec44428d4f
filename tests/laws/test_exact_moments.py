"""Exact moments against rational arithmetic, on numbers as large and as small as there are."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sumlearn.statistics import ExactMoments, Grouped, RowError, capabilities, exact_products
from sumlearn.testing import assert_same_bits

ANY = st.floats(allow_nan=False, allow_infinity=False)
WEIGHTS = st.floats(min_value=0.0, max_value=1e300) | st.integers(0, 5).map(float)


@st.composite
def tables(draw):
    """Rows, and weights or none; zeros of both signs, subnormal numbers and 1e300 in one column."""
    n, d = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    numbers = draw(st.sampled_from([ANY, st.integers(-99, 99).map(float), st.floats(-1.0, 1.0, width=32)]))
    X = np.array(draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n)))
    weight = draw(st.none() | st.lists(WEIGHTS, min_size=n, max_size=n).map(np.array))
    return X, weight


def rationals(sums):
    """Weight, sums and products (or squares) as fractions."""
    weight, totals, squares = sums._integers()
    unit = Fraction(2) ** (32 * sums.unit)
    return weight * unit, [value * unit for value in totals], [value * unit for value in squares]


def expected(X, weight, form):
    rows = [[Fraction(v) for v in row] for row in X.tolist()]
    mass = [Fraction(1)] * len(rows) if weight is None else [Fraction(v) for v in weight.tolist()]
    d = X.shape[1]
    pairs = [(i, j) for i in range(d) for j in range(i, d) if form == "full" or i == j]
    return (
        sum(mass),
        [sum(w * row[j] for w, row in zip(mass, rows, strict=True)) for j in range(d)],
        [sum(w * row[i] * row[j] for w, row in zip(mass, rows, strict=True)) for i, j in pairs],
    )


@pytest.mark.parametrize("sliced", [False, True])
@pytest.mark.parametrize("form", ["full", "diagonal"])
@settings(max_examples=40)
@given(table=tables())
def test_sums_are_those_of_fractions(sliced, form, table):
    with pytest.MonkeyPatch.context() as patch:
        if sliced:
            patch.setattr(exact_products, "ONE_BY_ONE", 0.0)
        found = ExactMoments.of(*table[:1], weight=table[1], form=form)
    assert rationals(found) == expected(*table, form)


@settings(max_examples=40)
@given(table=tables())
def test_moments_are_the_exact_ones_rounded_once(table):
    X, weight = table
    sums = ExactMoments.of(X, weight=weight)
    W, totals, products = expected(X, weight, "full")
    if not W:
        assert sums.rows == 0 and sums.moments.weight == 0.0
        return
    moments = sums.moments
    d = X.shape[1]
    units = [Fraction(2) ** int(e) for e in moments.exponent]
    rounded(moments.total.hi, moments.total.lo, W)
    for j in range(d):
        rounded(moments.centre.hi[j], moments.centre.lo[j], totals[j] / W / units[j])
    place = 0
    for i in range(d):
        for j in range(i, d):
            exact = (products[place] - totals[i] * totals[j] / W) / units[i] / units[j]
            rounded(moments.spread.hi[i, j], moments.spread.lo[i, j], exact)
            assert moments.spread.hi[i, j] == moments.spread.hi[j, i]
            place += 1


def rounded(high, low, exact):
    """The first word is the nearest double, and both say what is exact, where that is in the normal range."""
    if exact and abs(exact) < Fraction(2) ** -900:
        assert abs(Fraction(high) + Fraction(low) - exact) <= Fraction(2) ** -1070
        return
    assert high == float(exact)
    assert abs(Fraction(high) + Fraction(low) - exact) <= abs(exact) / 2**106


def hard_rows(rng, n):
    """Columns of whole numbers, of few digits, of doubles, of wide range, constant, and with a few tiny numbers."""
    wide = rng.standard_normal(n) * 10.0 ** rng.integers(-30, 30, n)
    tiny = np.where(rng.random(n) < 0.01, 1e-200, 1e9 + rng.standard_normal(n))
    plain = [rng.integers(-999, 999, n), rng.integers(0, 99, n) / 8, rng.standard_normal(n)]
    return np.column_stack([*plain, wide, np.full(n, 0.1), tiny])


@pytest.mark.parametrize("weights", ["none", "whole", "any", "tiny"])
def test_slices_leave_the_same_bits_as_one_product_at_a_time(weights, monkeypatch):
    rng = np.random.default_rng(0)
    X = hard_rows(rng, 5000)
    weight = {
        "none": None,
        "whole": rng.integers(0, 4, len(X)).astype(float),
        "any": rng.random(len(X)),
        "tiny": rng.random(len(X)) * 1e-200,
    }[weights]
    sliced = ExactMoments.of(X, weight=weight)
    monkeypatch.setattr(exact_products, "ONE_BY_ONE", np.inf)
    assert_same_bits(sliced, ExactMoments.of(X, weight=weight))
    diagonal = ExactMoments.of(X, weight=weight, form="diagonal")
    np.testing.assert_array_equal(diagonal.moments.spread.hi, sliced.moments.spread.hi.diagonal())


@pytest.mark.parametrize("power", range(-40, 41, 20))
@pytest.mark.parametrize("weighted", [False, True])
def test_the_last_slice_may_reach_below_the_last_bit(power, weighted, monkeypatch):
    rng = np.random.default_rng(power + 40)
    X = np.ldexp(rng.uniform(1.0, 2.0, (300, 3)), [power, power - 1, -power])
    weight = np.ldexp(rng.uniform(1.0, 2.0, 300), power) if weighted else None
    forms = [exact_products.ONE_BY_ONE, 0.0, np.inf]
    found = []
    for limit in forms:
        monkeypatch.setattr(exact_products, "ONE_BY_ONE", limit)
        found.append([ExactMoments.of(X, weight=weight, form=form).digest for form in ("full", "diagonal")])
    assert found[0] == found[1] == found[2]


def test_any_order_and_any_pieces_leave_the_same_bits():
    rng = np.random.default_rng(1)
    X = hard_rows(rng, 3000)
    whole = ExactMoments.of(X)
    for cuts in ([1], [7, 1500], [100, 101, 2999]):
        order = rng.permutation(len(X))
        parts = [ExactMoments.of(part) for part in np.split(X[order], cuts)]
        rng.shuffle(parts)
        assert sum(parts).digest == whole.digest
        rest = whole - parts[0]
        assert_same_bits(rest, sum(parts[1:]))
        assert_same_bits(rest.restrict([5, 2]), sum(parts[1:]).restrict([5, 2]))
    assert_same_bits(whole.restrict([4, 1, 0]), ExactMoments.of(X[:, [4, 1, 0]]))
    wide = ExactMoments.of(X, X[:, 3], form="diagonal")
    assert_same_bits(wide.restrict([4, 1]), ExactMoments.of(X[:, [4, 1]], X[:, 3], form="diagonal"))


def test_weight_two_is_the_row_twice_and_weight_zero_is_no_row():
    X = hard_rows(np.random.default_rng(2), 50)
    twice, weighted = ExactMoments.of(np.concatenate([X, X])), ExactMoments.of(X, weight=np.full(50, 2.0))
    np.testing.assert_array_equal(twice.digits, weighted.digits)
    some = np.arange(50) % 3 == 0
    assert_same_bits(ExactMoments.of(X, weight=some.astype(float)), ExactMoments.of(X[some]))
    assert_same_bits(ExactMoments.of(-np.zeros((2, 2))), ExactMoments.of(np.zeros((2, 2))))


def test_parts_of_a_weight_go_until_nothing_is_left():
    sums = ExactMoments.of([[0.1, 3.0]], weight=[3.0])
    third = ExactMoments.of([[0.1, 3.0]], weight=[1.0])
    left = sums - third - third
    np.testing.assert_array_equal(left.digits, third.digits)
    assert left.rows == 1
    assert_same_bits(left - third, third.zero())
    with pytest.raises(ValueError, match="cannot remove 1 rows of weight 1 from 0 rows of weight 0"):
        (left - third).remove(third)


def test_rows_that_were_not_there_are_refused():
    sums = ExactMoments.of([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(ValueError, match="not the rows that were merged"):
        sums.remove(ExactMoments.of([[1.0, 2.0], [3.0, np.nextafter(4.0, 5.0)]]))
    with pytest.raises(ValueError, match="negative variance in column 1"):
        sums.remove(ExactMoments.of([[1.0, np.nextafter(2.0, 1.0)]]))
    with pytest.raises(ValueError, match="cannot remove 3 rows of weight 3 from 2 rows of weight 2"):
        sums.remove(ExactMoments.of(np.ones((3, 2))))
    with pytest.raises(ValueError, match="differ in columns: 2 and 1"):
        sums.merge(ExactMoments.of([[1.0]]))
    with pytest.raises(ValueError, match="differ in form: full and diagonal"):
        sums.merge(ExactMoments.of([[1.0, 2.0]], form="diagonal"))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_refused_with_its_place(value):
    X = np.ones((9, 2))
    X[7, 1] = value
    with pytest.raises(RowError) as found:
        ExactMoments.of(X)
    assert (found.value.name, found.value.row, found.value.column) == ("X", 7, 1)
    with pytest.raises(RowError) as found:
        ExactMoments.of(np.ones((9, 1)), X[:, 1])
    assert (found.value.name, found.value.row) == ("y", 7)
    with pytest.raises(RowError) as found:
        Grouped.of(X, np.arange(9) % 2, exact=True)
    assert (found.value.row, found.value.column) == (7, 1)


def test_what_it_can_do():
    assert sorted(capabilities(ExactMoments)) == ["merge", "recode", "remove", "restrict"]
    assert sorted(capabilities(Grouped[ExactMoments])) == ["merge", "recode", "remove", "restrict"]


def test_digits_grow_only_where_they_are_needed():
    rng = np.random.default_rng(3)
    assert ExactMoments.of(rng.integers(0, 99, (4000, 5))).digits.shape[1] == 1
    assert ExactMoments.of(rng.standard_normal((4000, 5))).digits.shape[1] <= 7
    wide = ExactMoments.of([[1e300, 5e-324], [1e-300, 1.0]])
    assert wide.digits.shape[1] > 100
    assert (wide - ExactMoments.of([[1e300, 5e-324]])).digits.shape[1] < 70


@pytest.mark.parametrize("form", ["full", "diagonal"])
def test_columns_made_of_others_have_the_sums_of_their_rows(form):
    rng = np.random.default_rng(6)
    X = np.eye(4)[rng.integers(0, 4, 30)] * rng.integers(1, 9, (30, 1))  # products of two columns vanish
    A, offset, weight = (
        rng.choice([-1.0, 0.0, 0.5, 2.0**60], (4, 6)),
        np.array([0.0, 1.0, -3.25, 0.0, 2.0, 7.0]),
        X.sum(axis=1),
    )
    A[:, 0] = 0.0
    rows = X @ A  # without rounding: one number of each row is not zero
    y = None if form == "diagonal" else rng.standard_normal(30)
    found = ExactMoments.of(X, y, weight, form=form)
    assert found.recode(A).digest == ExactMoments.of(rows, y, weight, form=form).digest
    few = np.array([1, 2]) if form == "full" else np.arange(6)
    A[:, 3:] = np.round(np.minimum(A[:, 3:], 2.0))
    moved = found.recode(A[:, few % 3 + 3], offset[few])
    assert moved.digest == ExactMoments.of(X @ A[:, few % 3 + 3] + offset[few], y, weight, form=form).digest
    assert found.zero().recode(A).digest == ExactMoments.of(rows, y, weight, form=form).zero().digest
