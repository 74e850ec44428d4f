"""Every statistic keeps the laws, on rows that reach every edge."""

import inspect
import re
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sumlearn.statistics
from sumlearn.data import Chunk
from sumlearn.objectives import Frame, Logistic, Softmax
from sumlearn.objectives.loss_sums import expand_rows
from sumlearn.statistics import (
    ClassTotals,
    Counts,
    ExactMoments,
    Grouped,
    IllConditionedWarning,
    Ledger,
    LevelCounts,
    Moments,
    Pooled,
    RowError,
    RowSample,
    Statistic,
    Strips,
    Total,
    Words,
    capabilities,
)
from sumlearn.testing import assert_same_bits, assert_same_statistic, check_statistic

from tests.laws.strategies import SCALES, Piece, exact_errors, exact_moments, pieces, together

LINE = Frame(np.zeros(1), np.ones(1), True, standardised=False)


def expansion(p, loss, y, order):
    """About a point, of losses that all slope the same way, so that sums lose no digits."""
    outputs = 3 if loss.coding == "class" else 1
    point = np.linspace(0.1, -0.1, 2 * outputs).reshape(outputs, 2)
    return expand_rows(Chunk(1.0 + np.abs(p.y[:, None]), y, p.weight), loss, LINE, point, order, margins=True)


STATISTICS = {
    "moments": lambda p: Moments.of(p.X, weight=p.weight),
    "moments with a target": lambda p: Moments.of(p.X, p.y, p.weight),
    "moments with two targets": lambda p: Moments.of(p.X, np.column_stack([p.y, -p.y]), p.weight),
    "diagonal moments": lambda p: Moments.of(p.X, weight=p.weight, form="diagonal"),
    "diagonal moments with a target": lambda p: Moments.of(p.X, p.y, p.weight, form="diagonal"),
    "exact moments": lambda p: ExactMoments.of(p.X, weight=p.weight),
    "exact moments with two targets": lambda p: ExactMoments.of(p.X, np.column_stack([p.y, -p.y]), p.weight),
    "exact diagonal moments": lambda p: ExactMoments.of(p.X, p.y, p.weight, form="diagonal"),
    "grouped exact": lambda p: Grouped.of(p.X, p.labels, p.weight, exact=True),
    "grouped": lambda p: Grouped.of(p.X, p.labels, p.weight),
    "grouped diagonal": lambda p: Grouped.of(p.X, p.labels, p.weight, form="diagonal"),
    "grouped counts": lambda p: Grouped({k: Counts.of(p.y[p.labels == k]) for k in sorted(set(p.labels))}),
    "pooled": lambda p: Pooled.of(p.X, p.labels, p.weight),
    "counts": lambda p: Counts.of(p.labels, weight=p.weight),
    "counts of two columns": lambda p: Counts.of(p.labels, p.y > 0, weight=p.weight),
    "counts of levels": lambda p: LevelCounts.of(np.sign(p.X), p.labels, p.weight),
    "counts of pairs of levels": lambda p: LevelCounts.of(np.sign(p.X), p.labels, p.weight, form="pairs"),
    "counts of bins": lambda p: LevelCounts.of(p.X, p.labels, p.weight, edges=np.tile([-1.0, 2.0], (p.X.shape[1], 1))),
    "totals of classes": lambda p: ClassTotals.of(1.0 + np.sign(p.X), p.labels, p.weight),
    "counts within classes": lambda p: ClassTotals.of(p.X, p.labels, p.weight, above=0.0),
    "expansion": lambda p: expansion(p, Logistic(), np.ones(len(p.y)), 2),
    "expansion without a Hessian": lambda p: expansion(p, Logistic(), np.ones(len(p.y)), 1),
    "expansion for classes": lambda p: expansion(p, Softmax(), np.ones(len(p.y), int), 2),
    "strips": lambda p: Strips.of(np.tile(p.X, 9), p.y, p.weight),
    "ledger": lambda p: Ledger.of(p.X, p.labels, p.weight),
    "row sample": lambda p: RowSample.of(p.X, p.weight, size=5),
    "total": lambda p: Total(np.array([p.y.sum(), (p.y**2).sum()]), float(len(p.y)), len(p.y)),
}


ROW = Piece(np.ones((1, 1)), np.ones(1), np.array(["a"]), None)


def test_no_statistic_is_missing():
    public = [getattr(sumlearn.statistics, name) for name in sumlearn.statistics.__all__]
    kinds = {v for v in public if inspect.isclass(v) and issubclass(v, Statistic) and not inspect.isabstract(v)}
    assert kinds == {type(summarise(ROW)) for summarise in STATISTICS.values()}


each_statistic = pytest.mark.parametrize("summarise", STATISTICS.values(), ids=STATISTICS)


@each_statistic
@settings(max_examples=20)
@given(parts=pieces())
def test_laws_hold(summarise, parts):
    check_statistic([summarise(p) for p in parts], summarise(together(parts)))


@each_statistic
def test_laws_hold_for_large_chunks(summarise):
    """Chunks that are summed by a product, of different sizes and with different first rows."""
    rng = np.random.default_rng(0)
    parts = []
    for n in (3000, 5000, 1, 7000):
        X = rng.integers(-4096, 4096, (n, 6)) / 1024.0 + [0.0, 1e3, -1e6, 1e9, 0.0, 5.0]
        labels = rng.choice(list("abc"), n)
        parts.append(Piece(X, rng.integers(-50, 50, n) / 4.0, labels, rng.choice([0.0, 0.5, 1.0, 3.0], n)))
    check_statistic([summarise(p) for p in parts], summarise(together(parts)))


@each_statistic
@settings(max_examples=10)
@given(parts=pieces(most=2))
def test_statistics_are_immutable_under_the_algebra(summarise, parts):
    a, b = (summarise(p) for p in (parts * 2)[:2])
    before = summarise(parts[0])
    a.merge(b)
    if "decay" in capabilities(a):
        a.decay(0.5)
    if "remove" in capabilities(a):
        a.remove(a)
    if hasattr(a, "restrict"):
        a.restrict([0])
    assert_same_bits(a, before)


# -- against rational arithmetic ------------------------------------------------------------------------------------


def check_against_exact(statistic, Z, weight, within=0.0):
    W, mean, S = exact_moments(Z, weight)
    assert statistic.weight == pytest.approx(float(W), rel=1e-15)
    means, squares = exact_errors(statistic, mean, S)
    for j, error in enumerate(means):
        assert float(error) <= float(abs(mean[j])) * 2.0**-52 + 1e-15 * statistic.deviation[j] + np.max(
            2.0**-96 * within
        )
    for error, bound in squares:
        assert error <= bound, "the rounding bound is smaller than the error"


@pytest.mark.parametrize("form", ["full", "diagonal"])
@settings(max_examples=40)
@given(parts=pieces())
def test_rounding_bound_covers_the_error_of_sums_and_merges(form, parts):
    whole = together(parts)
    rows = np.ones(len(whole.X), bool) if whole.weight is None else whole.weight > 0
    assume(rows.any())
    weight = None if whole.weight is None else whole.weight[rows]
    once = Moments.of(whole.X, weight=whole.weight, form=form)
    merged = sum(Moments.of(p.X, weight=p.weight, form=form) for p in parts)
    for statistic in (once, merged):
        check_against_exact(statistic, whole.X[rows], weight)


@pytest.mark.parametrize("form", ["full", "diagonal"])
@settings(max_examples=60)
@given(parts=pieces(most=3))
def test_rounding_bound_covers_the_error_of_removal(form, parts):
    first, others = parts[0], parts[1:]
    assume(others and (first.weight is None or (first.weight > 0).any()) and len(first.X))
    summary = [Moments.of(p.X, weight=p.weight, form=form) for p in parts]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IllConditionedWarning)
            left = sum(summary) - sum(summary[1:])
    except ValueError as error:
        assert re.search(r"would leave fewer than 3 digits in column \d", str(error))
        return
    rows = slice(None) if first.weight is None else first.weight > 0
    weight = None if first.weight is None else first.weight[rows]
    whole = sum(summary)
    check_against_exact(left, first.X[rows], weight, within=np.abs(whole.mean) + whole.deviation)


@pytest.mark.parametrize("form", ["full", "diagonal"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
@pytest.mark.parametrize("offset", [0, 3, 4000])
@pytest.mark.parametrize("weighted", [False, True])
def test_rounding_bound_covers_the_error_of_a_product(form, dtype, offset, weighted):
    """Chunks beyond the size that is summed in two words, in exact integers."""
    rng = np.random.default_rng(1)
    n, p = 5000, 5
    integers = rng.integers(-300, 300, (n, p)) + offset
    weight = rng.integers(1, 4, n) if weighted else np.ones(n, int)
    Z, w = integers.astype(object), weight.astype(object)
    sums, raw, W = (w @ Z), (Z.T * w) @ Z, int(weight.sum())
    mean = [Fraction(int(s), W) for s in sums]
    S = [[int(raw[i, j]) - mean[i] * int(sums[j]) for j in range(p)] for i in range(p)]
    moments = Moments.of(integers.astype(dtype), weight=weight if weighted else None, form=form)
    means, squares = exact_errors(moments, mean, S)
    assert all(error <= bound for error, bound in squares)
    last_bit = np.finfo(np.float32).eps if dtype == np.float32 and form == "full" else 1e-15
    assert (np.array(means, dtype=float) <= last_bit * moments.deviation).all()


def test_bound_is_not_idle():
    """A bound that says nothing would cover everything."""
    rng = np.random.default_rng(2)
    for n in (100, 50_000):
        X = rng.standard_normal((n, 6)) + 1e6
        assert (Moments.of(X).digits > 12).all()
        assert (Moments.of(X, form="diagonal").digits > 12).all()
        assert (sum(Moments.of(part) for part in np.array_split(X, 30)).digits > 12).all()


@settings(max_examples=60)
@given(parts=pieces(most=1), data=st.data())
def test_project_is_the_moments_of_the_projected_rows(parts, data):
    p = parts[0]
    assume(len(p.X) and p.X.dtype == np.float64)
    A = np.array(
        data.draw(st.lists(st.integers(-3, 3), min_size=2 * p.X.shape[1], max_size=2 * p.X.shape[1])), dtype=float
    )
    A = A.reshape(-1, 2)
    _, mean, S = exact_moments(p.X)
    projected = Moments.of(p.X).project(A)
    B = [[Fraction(v) for v in row] for row in A.tolist()]
    d = range(len(B))
    expected_mean = [sum(B[i][k] * mean[i] for i in d) for k in range(2)]
    expected = [[sum(B[i][k] * S[i][j] * B[j][m] for i in d for j in d) for m in range(2)] for k in range(2)]
    means, squares = exact_errors(projected, expected_mean, expected)
    assert all(error <= bound for error, bound in squares)
    for k in range(2):
        size = sum(abs(B[i][k] * mean[i]) for i in d)
        assert means[k] <= size * Fraction(2) ** -52


@settings(max_examples=30)
@given(parts=pieces(most=3), data=st.data())
def test_project_commutes_with_merge(parts, data):
    largest = max(np.abs(p.X).max(initial=0.0) for p in parts)
    kept = [np.where(np.abs(p.X) < 2.0**-100 * largest, 0.0, p.X) for p in parts]  # two words hold no more of a sum
    moments = [Moments.of(X, weight=p.weight) for X, p in zip(kept, parts, strict=True) if len(X)]
    assume(len(moments) > 1 and parts[0].X.dtype == np.float64)
    d = moments[0].columns
    A = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=2 * d, max_size=2 * d)), dtype=float).reshape(d, 2)
    assert_same_statistic(sum(moments).project(A), sum(m.project(A) for m in moments))


def test_a_sum_that_is_near_its_mean_varies_after_a_merge():
    """x + y with x = -1.1e18 and y of 0 or 2^-10: no number of one word is so near to its mean."""
    a, b = (Moments.of(np.array([[-(2.0**60), y]] * 3)) for y in (0.0, 2.0**-10))
    A = np.array([[0.0, 1.0], [1.0, 1.0]])
    merged = a.project(A) + b.project(A)
    assert_same_statistic((a + b).project(A), merged)
    assert merged.scatter[1, 1] == pytest.approx(1.5 * 2.0**-20, rel=1e-6) and merged.digits.min() > 6


@pytest.mark.parametrize("power", [60, 75, 80])
def test_a_sum_that_is_nearer_still_does_not_vanish_in_merges(power):
    """x + y with x = 2^80 and y of 0 or 2^-10, row by row: two words tell the means apart, if nothing more."""
    rows = [Moments.of(np.array([[2.0**power, y]]), weight=np.array([0.1])) for y in (0.0, 2.0**-10, 0.0)]
    A = np.array([[0.0, 1.0], [1.0, 1.0]])
    assert_same_statistic(sum(rows).project(A), sum(row.project(A) for row in rows))


def test_projection_onto_columns_is_restriction():
    m = Moments.of(np.random.default_rng(0).standard_normal((50, 4)) + 1e9)
    assert_same_statistic(m.project(np.eye(4)[:, [2, 0]]), m.restrict([2, 0]))


def test_shift_moves_the_mean_alone():
    X = np.random.default_rng(0).integers(-1000, 1000, (50, 3)) / 1024.0
    offset = np.array([1e12, -3.0, 0.0])
    assert_same_statistic(Moments.of(X).shift(offset), Moments.of(X + offset))


def test_values_too_small_for_the_units_of_an_offset_vanish_beside_it():
    """Bumps far from every row of a class are some 1e-300 there."""
    tiny = Moments.of([[1e-305, 1.0], [3e-305, 2.0]])
    for form in (tiny, Moments.of(np.full((2, 200), 2e-305))):
        moved = form.shift(np.full(form.columns, 1e9))
        assert (moved.mean[0], moved.scatter[0, 0]) == (1e9, 0.0) and np.isfinite(moved.mean).all()
    assert tiny.shift([0.0, 1e9]).mean[0] == tiny.mean[0]


# -- restrict -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [[0], [3, 1], [2, 1, 0], np.array([True, False, True, False]), []])
def test_restrict_is_the_statistic_of_those_columns(columns):
    rng = np.random.default_rng(0)
    X, y, labels = rng.standard_normal((40, 4)) + 100.0, rng.standard_normal(40), rng.choice(list("ab"), 40)
    cut = X[:, columns] if len(columns) else X[:, :0]
    assert_same_statistic(Moments.of(X, y).restrict(columns), Moments.of(cut, y))
    if len(columns):
        assert_same_statistic(Moments.of(X, form="diagonal").restrict(columns), Moments.of(cut, form="diagonal"))
        assert_same_statistic(Grouped.of(X, labels).restrict(columns), Grouped.of(cut, labels))
        assert_same_statistic(Pooled.of(X, labels).restrict(columns), Pooled.of(cut, labels))


@pytest.mark.parametrize("columns", [[0], [1], [2], [2, 0], [1, 2, 0], [0, 1, 2]])
def test_restricted_counts_are_the_counts_of_those_columns(columns):
    rng = np.random.default_rng(0)
    table = [rng.choice(list("ab"), 60), rng.integers(0, 3, 60), rng.choice([True, False], 60)]
    assert_same_statistic(Counts.of(*table).restrict(columns), Counts.of(*(table[j] for j in columns)))


# -- removal --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["full", "diagonal"])
def test_thousand_cycles_of_adding_and_removing_at_offset_1e9(form):
    rng = np.random.default_rng(0)
    X = rng.integers(-3000, 3000, (200, 4)) / 1024.0 + 1e9
    start = Moments.of(X, form=form)
    statistic = start
    for k in range(1000):
        other = Moments.of(rng.integers(-3000, 3000, (1 + k % 40, 4)) / 1024.0 + 1e9, form=form)
        statistic = (statistic + other) - other
    size = np.sqrt(np.outer(start.diagonal, start.diagonal)) if form == "full" else start.diagonal
    assert (np.abs(statistic.scatter - start.scatter) <= 1e-12 * size).all()
    assert (np.abs((statistic.centre.hi - start.centre.hi) + (statistic.centre.lo - start.centre.lo)) <= 1e-12).all()
    assert (statistic.rows, statistic.weight) == (200, 200.0)


@pytest.mark.parametrize("summarise", [Grouped.of, Pooled.of])
def test_thousand_cycles_by_class(summarise):
    rng = np.random.default_rng(0)
    X, labels = rng.integers(-3000, 3000, (200, 3)) / 1024.0 + 1e9, rng.choice(list("abc"), 200)
    start = statistic = summarise(X, labels)
    for k in range(1000):
        n = 1 + k % 40
        other = summarise(rng.integers(-3000, 3000, (n, 3)) / 1024.0 + 1e9, rng.choice(list("abcd"), n))
        statistic = (statistic + other) - other
    assert_same_statistic(statistic, start)


@pytest.mark.parametrize("ratio", [1e2, 1e3])
def test_removing_rows_up_to_a_thousand_times_larger_is_precise(ratio):
    rng = np.random.default_rng(0)
    small, large = rng.standard_normal((5000, 4)), ratio * rng.standard_normal((5000, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        left = (Moments.of(small) + Moments.of(large)) - Moments.of(large)
    assert_same_statistic(left, Moments.of(small))
    assert (left.digits >= 6).all()


def test_removal_warns_below_six_digits():
    rng = np.random.default_rng(0)
    small, large = rng.standard_normal((5000, 4)), 1e5 * rng.standard_normal((5000, 4))
    whole = Moments.of(small) + Moments.of(large)
    with pytest.warns(IllConditionedWarning, match=r"digits in column \d"):
        left = whole - Moments.of(large)
    assert ((left.digits >= 3) & (left.digits < 6)).any()


@pytest.mark.parametrize("ratio", [1e7, 1e9, 1e11])
@pytest.mark.parametrize("rows", [2, 3, 5000])
def test_removal_refuses_below_three_digits(ratio, rows):
    """What stays drowns in the rounding of what goes: never a silent zero."""
    rng = np.random.default_rng(0)
    small, large = rng.standard_normal((rows, 4)), ratio * rng.standard_normal((5000, 4))
    whole = Moments.of(small) + Moments.of(large)
    with pytest.raises(ValueError, match=r"digits in column \d"):
        whole - Moments.of(large)


def removed_or_none(whole, part):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IllConditionedWarning)
            return whole - part
    except ValueError as error:
        assert re.search(r"would leave fewer than 3 digits in column \d", str(error))
        return None


@pytest.mark.parametrize("ratio", [1e11, 1e12, 1e13])
def test_few_rows_are_left_right_or_refused(ratio):
    """Small chunks are summed in two words: what they leave is right to three digits, or refused."""
    small, large = np.array([[1.0], [2.0], [4.0]]), ratio * np.array([[1.0], [-3.0], [2.0], [5.0]])
    left = removed_or_none(Moments.of(small) + Moments.of(large), Moments.of(large))
    if left is not None:
        assert left.scatter[0, 0] == pytest.approx(Moments.of(small).scatter[0, 0], rel=1e-3)
        assert left.mean[0] == pytest.approx(7 / 3, rel=1e-3)


@pytest.mark.parametrize("ratio", [1e12, 1e13, 1e14, 1e16, 1e20, 1e30])
@pytest.mark.parametrize("rows", [60, 5000])
def test_what_cannot_be_told_from_a_constant_says_so(ratio, rows):
    """Beyond the range of two words a small variance looks like none: refused, or none with no digit claimed."""
    rng = np.random.default_rng(0)
    small, large = rng.standard_normal((3, 6)), ratio * rng.standard_normal((rows, 6))
    left = removed_or_none(Moments.of(small) + Moments.of(large), Moments.of(large))
    if left is not None:
        assert (np.abs(left.diagonal - Moments.of(small).diagonal) <= left.rounding).all()
        assert ((left.digits < 3) | (left.diagonal > 0)).all(), "no variance, and sure of it"


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("ratio", [1e6, 1e12, 1e20])
def test_mean_of_equal_rows_that_stay_is_right(rows, ratio):
    """One row, or equal rows, have no variance to judge the digits by; their mean counts."""
    small, large = np.full((rows, 1), 1.5), ratio * np.array([[1.0], [-3.0], [2.0], [5.0]])
    left = (Moments.of(small) + Moments.of(large)) - Moments.of(large)
    assert left.mean[0] == pytest.approx(1.5, rel=1e-3)
    assert left.deviation[0] <= 1e-15 * ratio


@pytest.mark.parametrize("rows", [30, 6000])
def test_a_flag_may_be_forgotten_altogether(rows):
    """All rows that bear a flag go: what is left is constant, and exactly so, however the chunks were summed."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal((rows, 3)), rng.integers(0, 2, rows)])
    X[:, 2] += 1e6
    flagged = X[:, 3] == 1
    left = Moments.of(X) - Moments.of(X[flagged])
    assert_same_statistic(left, Moments.of(X[~flagged]), within=Moments.of(X))
    assert not left.scatter[3].any()


def test_constant_column_survives_removal():
    X = np.column_stack([np.arange(10.0), np.full(10, 3.0)])
    left = Moments.of(X) - Moments.of(X[6:])
    assert_same_statistic(left, Moments.of(X[:6]))
    assert (left.scatter[1] == 0).all()


class TestRowsNeverSeen:
    X = np.arange(12.0).reshape(6, 2)

    def test_more_rows_than_there_are(self):
        with pytest.raises(ValueError, match="cannot remove 6 rows .* from 2 rows"):
            Moments.of(self.X[:2]) - Moments.of(self.X)

    def test_more_weight_than_there_is(self):
        with pytest.raises(ValueError, match="cannot remove"):
            Moments.of(self.X, weight=np.ones(6)) - Moments.of(self.X[:3], weight=np.full(3, 5.0))

    @pytest.mark.parametrize("form", ["full", "diagonal"])
    def test_rows_that_spread_wider(self, form):
        with pytest.raises(ValueError, match="negative variance in column 0"):
            Moments.of(self.X, form=form) - Moments.of(100.0 * self.X[:3], form=form)

    def test_rows_of_a_label_that_never_came(self):
        for kind in (Grouped, Pooled):
            with pytest.raises(ValueError, match="cannot remove rows labelled 'c': none were merged"):
                kind.of(self.X, list("aabbab")) - kind.of(self.X[:1], ["c"])

    def test_more_rows_of_a_label(self):
        for kind in (Grouped, Pooled):
            with pytest.raises(ValueError, match="cannot remove"):
                kind.of(self.X, list("aabbab")) - kind.of(self.X[:4], list("aaaa"))

    def test_counts_never_made(self):
        table = Counts.of(["x", "y", "y"], [0, 1, 1])
        with pytest.raises(ValueError, match="more rows"):
            table - Counts.of(["x"], [1])
        with pytest.raises(ValueError, match="'z' in column 0"):
            table - Counts.of(["z"], [1])

    def test_rows_far_off_the_mean(self):
        """As many rows as stay and as wide, but elsewhere: what is left would have a negative variance."""
        with pytest.raises(ValueError, match="negative variance"):
            Moments.of(self.X) - Moments.of(self.X[:3] + 1e3)


def test_removal_of_one_row_leaves_one_row_exactly():
    X = np.array([[1.0, 1e12], [5.0, 1e12 + 3.0]])
    left = Moments.of(X) - Moments.of(X[1:])
    assert_same_statistic(left, Moments.of(X[:1]))
    assert not left.scatter.any()


# -- merging what does not belong together --------------------------------------------------------------------------


def test_moments_that_differ_are_not_merged():
    X, y = np.arange(12.0).reshape(6, 2), np.arange(6.0)
    for other, name in (
        (Moments.of(X[:, :1]), "columns"),
        (Moments.of(X[:, :1], y), "targets"),
        (Moments.of(X, form="diagonal"), "form"),
    ):
        for combine in (Moments.merge, Moments.remove):
            with pytest.raises(ValueError, match=f"moments differ in {name}: "):
                combine(Moments.of(X), other)
            with pytest.raises(ValueError, match=f"moments differ in {name}: "):
                combine(Moments.of(X), other.zero())


def test_groups_that_differ_are_not_merged():
    X = np.arange(12.0).reshape(6, 2)
    labels = list("aabbab")
    for kind in (Grouped, Pooled):
        with pytest.raises(ValueError, match="moments differ in columns: 2 and 1"):
            kind.of(X, labels) + kind.of(X[:, :1], labels)
        with pytest.raises(ValueError, match="moments differ in columns: 2 and 1"):
            kind.of(X, labels) + kind.of(X[:1, :1], ["new"])
    with pytest.raises(ValueError, match="moments differ in form: full and diagonal"):
        Grouped.of(X, labels) + Grouped.of(X, labels, form="diagonal")
    with pytest.raises(ValueError, match="Moments and Counts"):
        Grouped.of(X, labels) + Grouped({"a": Counts.of([1, 2])})


def test_labels_of_different_kinds_are_not_merged():
    X = np.arange(6.0).reshape(3, 2)
    with pytest.raises(ValueError, match="labels of different kinds cannot be sorted: int, str"):
        Grouped.of(X, [0, 1, 1]) + Grouped.of(X, ["a", "b", "b"])
    with pytest.raises(ValueError, match="labels of different kinds cannot be sorted: int, str"):
        Counts.of([0, 1]) + Counts.of(["a"])


def test_counts_and_totals_that_differ_are_not_merged():
    with pytest.raises(ValueError, match="1 and 2 columns"):
        Counts.of([1]) + Counts.of([1], [2])
    with pytest.raises(ValueError, match=r"totals differ in shape: \(2,\) and \(3,\)"):
        Total(np.zeros(2), 0.0, 0) + Total(np.zeros(3), 0.0, 0)
    with pytest.raises(ValueError, match="expansions differ in shape: "):
        STATISTICS["expansion"](ROW) + STATISTICS["expansion without a Hessian"](ROW)


def test_statistics_of_different_kinds_are_not_added():
    with pytest.raises(TypeError, match="unsupported operand"):
        Counts.of([1]) + Moments.of([[1.0]])
    with pytest.raises(TypeError, match="unsupported operand"):
        Moments.of([[1.0]]) - Counts.of([1])
    with pytest.raises(TypeError, match="unsupported operand"):
        Moments.of([[1.0]]) + 1


# -- what each statistic holds --------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(parts=pieces(most=3))
def test_pooled_holds_the_groups_and_the_whole(parts):
    parts = [p for p in parts if len(p.X) and (p.weight is None or (p.weight > 0).any())]
    assume(parts)
    pooled = sum(Pooled.of(p.X, p.labels, p.weight) for p in parts)
    whole = together(parts)
    assert_same_statistic(pooled.moments(), Moments.of(whole.X, weight=whole.weight))
    assert_same_statistic(pooled.groups, Grouped.of(whole.X, whole.labels, whole.weight, form="diagonal"))
    assert_same_statistic(pooled, Pooled.from_groups(Grouped.of(whole.X, whole.labels, whole.weight), whole.X.shape[1]))


def test_pooled_by_product_is_pooled_by_groups():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((6000, 5)) + np.array([0.0, 1e3, 1e6, -1e9, 7.0])
    labels = rng.choice(list("abc"), 6000)
    weight = rng.choice([0.0, 0.5, 2.0], 6000)
    assert_same_statistic(Pooled.of(X, labels, weight), Pooled.from_groups(Grouped.of(X, labels, weight), 5))


def test_moments_with_labels_are_the_moments_of_both():
    rng = np.random.default_rng(0)
    X, labels = rng.standard_normal((50, 3)), rng.integers(0, 3, 50)
    expected = Moments.of(X, labels)
    for kind in (Grouped, Pooled):
        assert_same_statistic(kind.of(X, labels).moments(labels=True), expected)


@settings(max_examples=40)
@given(parts=pieces(most=1, dtypes=(np.float64,)))
def test_weight_two_is_the_row_twice(parts):
    p = parts[0]
    assume(p.weight is None)
    weight = np.arange(len(p.X)) % 3.0
    twice = np.repeat(np.arange(len(p.X)), weight.astype(int))
    for summarise in (STATISTICS["moments"], STATISTICS["diagonal moments"]):
        a, b = summarise(p._replace(weight=weight)), summarise(p._replace(X=p.X[twice]))
        assert_same_statistic(replace(a, count=b.count), b)
    assert Counts.of(p.labels, weight=weight).table.tolist() == Counts.of(p.labels[twice]).table.tolist()


def test_input_of_other_kinds_gives_the_same_bits():
    X = np.arange(-20, 20, dtype=np.int8).reshape(10, 4)
    for dtype in (np.int64, np.float64, np.float32, np.float16):
        assert_same_bits(Moments.of(X.astype(dtype)), Moments.of(X))


@pytest.mark.parametrize("form", ["full", "diagonal"])
@pytest.mark.parametrize("exponent", sorted({e for e in SCALES if e}))
def test_scaling_by_a_power_of_two_is_exact(form, exponent):
    X = np.random.default_rng(0).integers(-1000, 1000, (30, 3)) / 64.0
    plain, scaled = Moments.of(X, form=form), Moments.of(np.ldexp(X, exponent), form=form)
    assert np.array_equal(scaled.mean, np.ldexp(plain.mean, exponent))
    assert np.allclose(np.ldexp(scaled.deviation, -exponent), plain.deviation, rtol=1e-15, atol=0)


def test_values_are_checked():
    with pytest.raises(RowError, match="row 1, column 0"):
        Moments.of([[1.0], [np.nan]])
    with pytest.raises(RowError, match="y contains infinity: first at row 0"):
        Moments.of([[1.0], [2.0]], [np.inf, 0.0])
    with pytest.raises(RowError, match="row 2, column 1"):
        Grouped.of([[1.0, 2.0], [1.0, 2.0], [3.0, np.inf]], ["b", "a", "a"])
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`: -1, first at row 0"):
        Moments.of([[1.0]], weight=[-1.0])
    with pytest.raises(ValueError, match="X has 1 rows and y has 2"):
        Moments.of([[1.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="two-dimensional"):
        Moments.of([1.0])
    with pytest.raises(ValueError, match="X must hold real numbers, got dtype"):
        Moments.of([["1"]])


def test_checks_can_fail():
    """The published checks notice a statistic that breaks a law."""

    class Lossy(Moments):
        def merge(self, other):
            return replace(super().merge(other), centre=Words(self.centre.hi, self.centre.lo))

    X = np.arange(8.0).reshape(4, 2)
    with pytest.raises(AssertionError, match="sum\\(parts\\) = whole"):
        check_statistic([Lossy.of(X[:2]), Lossy.of(X[2:])], Lossy.of(X))

    class Grown(Moments):
        def decay(self, factor):
            return self

    with pytest.raises(AssertionError, match=r"decay\(0.0\) is refused: it was not refused"):
        check_statistic([Grown.of(X[:2]), Grown.of(X[2:])])
