"""A model is what it holds, however it came to hold it: drawn histories equal a refit."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import is_classifier

import sumlearn as sl
from sumlearn.evaluation import BinnedRoc
from sumlearn.features import Polynomial, RadialBasis, RandomBasis, RandomFourierBasis, SigmoidBasis
from sumlearn.learners.lazy.parts.kept_rows import KeptRows
from sumlearn.statistics import Counts, Grouped, LevelCounts, Moments, Pooled
from sumlearn.testing import assert_same_model, assert_same_statistic
from sumlearn.testing.same_statistic import assert_close

from tests.laws.discovered import LEARNERS, reads_tables, supervised
from tests.laws.histories import History

ABLE = {"update", "merge", "forget", "decay"}
ALIVE = [kind for kind in LEARNERS if set(sl.abilities(kind())) >= ABLE and not reads_tables(kind)]
each_learner = pytest.mark.parametrize("kind", ALIVE, ids=lambda kind: kind.__name__)


def check_history(learner, seed, bits=False, **more):
    target = "label" if is_classifier(learner) else "number" if supervised(type(learner)) else "none"
    history = History(learner, target, seed, **more)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = history.lived()
        if model is None:
            return
        try:
            expected = history.refit()
        except ValueError as error:  # too few rows for the method: so they are, however they came
            with pytest.raises(ValueError) as refused:
                model.solved() if hasattr(model, "solved") else model.predict(history.X)
            assert str(refused.value) == str(error)
            return
        if bits:
            assert_same_model(model, expected, history.X, 0.0)
        if hasattr(model, "decision_function"):  # of classes that tie exactly, rounding chooses one
            if hasattr(expected, "classes_"):  # outlier detectors have none
                assert list(model.classes_) == list(expected.classes_)
            assert_close(model.decision_function(history.X), expected.decision_function(history.X), 1e-6)
        else:
            rows = history.X if hasattr(model, "predict") else history.X[sorted(history.held)]
            assert_same_model(model, expected, rows, 1e-6)


@each_learner
@settings(max_examples=6)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_history_of_parts_decays_and_classes_equals_a_refit(kind, seed):
    check_history(kind(), seed)


BASES = {
    "sigmoids": SigmoidBasis(9),
    "cosines": RandomFourierBasis(20),
    "drawn": RandomBasis(20),
    "powers": Polynomial(3),
}


def check_terms(basis, seed, **more):
    """Of nearly dependent terms sums tell less than rows: equal to a refit, or it is said."""
    history = History(sl.LinearRegression(basis=basis), "number", seed, **more)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = history.lived()
        expected = None if model is None else history.refit().predict(history.X)
    if expected is None:
        return
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = model.predict(history.X)
    try:
        assert_close(found, expected, 1e-6)
    except AssertionError:
        if not any(issubclass(warning.category, sl.IllConditionedWarning) for warning in said):
            raise


@pytest.mark.parametrize("basis", BASES.values(), ids=BASES)
@settings(max_examples=3)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_history_of_terms_equals_a_refit_or_says_that_it_may_not(basis, seed):
    check_terms(basis, seed, columns=1 + seed % 3)


def test_terms_that_rounding_hides_are_counted():
    rows = np.linspace(-1, 1, 14)[:, None]
    model = sl.LinearRegression(basis=RandomFourierBasis(20)).fit(rows, rows[:, 0] ** 2)
    model.forget(rows[:4], rows[:4, 0] ** 2)
    with pytest.warns(sl.IllConditionedWarning, match=r"rows that were forgotten .* hides \d of the columns"):
        model.predict(rows)


@pytest.mark.parametrize("learner", [sl.Ridge(), sl.LinearDiscriminantAnalysis()], ids=str)
@settings(max_examples=2)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_history_of_a_table_equals_a_refit(learner, seed):
    check_history(sl.TableModel(learner), seed, table=True)


@pytest.mark.parametrize("kind", [sl.LinearRegression, sl.LinearDiscriminantAnalysis])
@settings(max_examples=2)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_history_of_fewer_rows_than_columns_equals_a_refit(kind, seed):
    check_history(kind(), seed, columns=130)


RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(12, 3)) * 64) / 64
Y = X @ [1.0, 2.0, -1.0] + np.arange(12) / 8
LABELS = np.array(list("abc") * 4)
THIRDS = (1 / 3, 1 / 3, 1 / 3)


@pytest.mark.parametrize("rows", [2, 3, 5])
def test_a_regression_stays_one_when_a_row_goes_in_parts(rows):
    model = sl.LinearRegression().fit(X[:rows], Y[:rows])
    for _ in range(3):
        model.forget(X[:1], Y[:1], [0.25])
    expected = sl.LinearRegression().fit(X[:rows], Y[:rows], np.append(0.25, np.ones(rows - 1)))
    assert_same_model(model, expected, X)
    assert model.rank_ == expected.rank_ and model.coef_.any()


@pytest.mark.parametrize(
    "learner", [sl.LinearDiscriminantAnalysis(), sl.FisherDiscriminant(), sl.QuadraticDiscriminantAnalysis()], ids=str
)
def test_discriminants_do_not_count_pieces(learner):
    model = learner.fit(X, LABELS)
    for part in THIRDS[:2]:
        model.forget(X, LABELS, np.full(12, part))
    assert_same_model(model, type(learner)().fit(X, LABELS, np.full(12, 1 / 3)), X)


@pytest.mark.parametrize("whole_first", [True, False])
@pytest.mark.parametrize(
    "learner", [sl.GaussianNB(), sl.LinearDiscriminantAnalysis(), sl.PolynomialClassifier()], ids=str
)
def test_no_ghost_of_a_class_is_left(learner, whole_first):
    others, pieces = LABELS != "c", [np.full(4, part) for part in (0.1, 0.2, 0.7)]
    came, went = ([None], pieces) if whole_first else (pieces, [None])
    model = learner.fit(X[others], LABELS[others])
    for weight in came:
        model.partial_fit(X[~others], LABELS[~others], sample_weight=weight)
    for weight in went:
        model.forget(X[~others], LABELS[~others], weight)
    assert list(model.classes_) == ["a", "b"]
    assert_same_model(model, type(learner)().fit(X[others], LABELS[others]), X)


def test_a_level_that_goes_in_parts_is_gone():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"x": X[:, 0], "place": LABELS})
    model, gone = sl.TableModel(sl.Ridge()).fit(table, Y), LABELS == "c"
    for part in (0.1, 0.2, 0.7):
        model.forget(table[gone], Y[gone], np.full(4, part))
    assert ("place", "=c") not in model.statistic_.parts
    assert_same_model(model, sl.TableModel(sl.Ridge()).fit(table[~gone], Y[~gone]), table[~gone])


STATISTICS = {
    "moments": lambda w: Moments.of(X, Y, w),
    "grouped": lambda w: Grouped.of(X, LABELS, w),
    "pooled": lambda w: Pooled.of(X, LABELS, w),
    "counts": lambda w: Counts.of(LABELS, Y > 0, weight=w),
    "levels": lambda w: LevelCounts.of(np.sign(X), LABELS, w, form="pairs"),
    "scores": lambda w: BinnedRoc.of(LABELS == "a", Y, w, grid=[-1.0, 0.0, 1.0], positive=True),
}


@pytest.mark.parametrize("summarise", STATISTICS.values(), ids=STATISTICS)
def test_what_goes_in_parts_is_gone(summarise):
    ones = np.ones(12)
    left = summarise(ones)
    for part in THIRDS[:2]:
        left = left.remove(summarise(part * ones))
    third = summarise(ones / 3)
    assert left.weight == pytest.approx(third.weight, rel=1e-15) and left.rows >= 1
    nothing = left.remove(third)
    assert (nothing.weight, nothing.rows) == (0.0, 0)
    together = summarise(ones / 3) + summarise(ones / 3) + summarise(ones / 3)
    assert together.remove(summarise(None)).rows == 0
    with pytest.raises(ValueError, match="cannot remove"):
        left.remove(summarise(ones / 2))


def test_half_of_the_weight_of_all_rows_may_go():
    left = Moments.of(X) - Moments.of(X, weight=np.full(12, 0.5))
    expected = Moments.of(X, weight=np.full(12, 0.5))
    assert np.allclose(left.scatter, expected.scatter, rtol=1e-14) and left.weight == 6.0
    assert np.allclose(left.mean, expected.mean, rtol=1e-14)


def test_weights_that_are_no_pieces_are_kept():
    """The bound is of the weights there were, so a small weight that is no rounding stays."""
    heavy, light = np.full(6, 1e6), np.full(6, 1e-3)
    groups = Grouped.of(X[:6], ["a"] * 6, heavy) + Grouped.of(X[6:], ["b"] * 6, light)
    left = groups - Grouped.of(X[:6], ["a"] * 6, heavy)
    assert_same_statistic(left, Grouped.of(X[6:], ["b"] * 6, light))
    moments = Moments.of(X, weight=np.append(heavy, light)) - Moments.of(X[:6], weight=heavy)
    assert moments.weight == pytest.approx(6e-3, rel=1e-9)


def test_a_light_cell_beside_a_heavy_one_is_not_dropped():
    heavy = Counts.of(["a"], weight=[1e16 / 3])
    assert (Counts.of(["a", "b"], weight=[1e16, 0.1]) - heavy).table.tolist() == [1e16 - 1e16 / 3, 0.1]


@pytest.mark.parametrize("summarise", [Moments.of, lambda X, weight: Grouped.of(X, ["a"] * 3, weight)])
def test_rows_too_light_to_be_told_from_rounding_are_said(summarise):
    weight = np.array([1e16, 1.0, 2.0])
    with pytest.warns(sl.IllConditionedWarning, match=r"of the weight 1e\+16 3 is left, .* counts as nothing"):
        left = summarise(X[:3], weight=weight).remove(summarise(X[:3], weight=weight * [1, 0, 0]))
    assert left.rows == 0


@pytest.mark.parametrize("columns, share, said", [(1, 1e-10, 0), (1, 1e-13, 1), (200, 1e-13, 0), (200, 4e-15, 1)])
def test_a_small_share_of_a_row_stays_or_is_said(columns, share, said):
    rows, y = np.random.default_rng(0).normal(size=(3, columns)), np.arange(3.0)
    make = Moments.of if columns > 1 else KeptRows.of
    weight = np.array([2.0**40, 1.0, 1.0])
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        left = make(rows, y, weight).remove(make(rows[:1], y[:1], weight[:1] * (1 - share)))
    assert [str(warning.message)[:8] for warning in found] == ["of 1 row"] * said
    assert left.weight == pytest.approx(2.0 + (not said) * 2.0**40 * share, rel=1e-2)


@pytest.mark.parametrize("seed", [*range(12), 627131000])  # the last: products that are small beside what made them
def test_a_polynomial_of_few_rows_does_not_depend_on_its_history(seed):
    rng = np.random.default_rng(seed)
    d, degree, n = 1 + seed % 3, 2 + seed % 2, 3 + seed % 4
    rows = rng.normal(size=(n + 4, d)) * 10 ** rng.uniform(-2, 2, d) + rng.choice([0.0, 5.0, 1e3], d)
    labels = np.arange(n + 4) % 2
    expected = sl.PolynomialClassifier(degree).fit(rows[:n], labels[:n])
    for model in (
        sl.PolynomialClassifier(degree).fit(rows, labels).forget(rows[n:], labels[n:]),
        sl.PolynomialClassifier(degree)
        .fit(rows[: n - 1], labels[: n - 1])
        .partial_fit(rows[n - 1 : n], labels[n - 1 : n]),
    ):
        assert model.rank_ == expected.rank_
        assert_close(model.decision_function(rows), expected.decision_function(rows), 1e-6)


@pytest.mark.filterwarnings("ignore:removing these rows leaves only")
@pytest.mark.parametrize(
    "basis, dtype",
    [(RadialBasis(5), np.float64), (RadialBasis(5), np.float32), (RandomBasis(20, random_state=0), np.float64)],
    ids=str,
)
def test_terms_that_differ_in_the_last_bit_leave_no_ghost(basis, dtype):
    """Outputs that are a product depend on the rows beside them, in their last bit."""
    for seed in range(8):
        rows = np.random.default_rng(seed).normal(size=(9, 4)).astype(dtype)
        y = rows[:, 0]
        model = sl.LinearRegression(basis=basis).fit(rows, y)
        expected = sl.LinearRegression(basis=basis).with_look(model.look_).fit(rows[:4], y[:4])
        for i in range(4, 9):
            model.forget(rows[i : i + 1], y[i : i + 1])
        assert model.rank_ == expected.rank_ == 3
        assert_same_model(model, expected, rows, 1e-6 if dtype == np.float64 else 1e-2)


def test_a_row_that_came_in_parts_is_left_out_whole():
    """Of weight 1 + 2e-16, all but a bit: the bit would be the nearest neighbour, and the least bandwidth the best."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((14, 2)), rng.standard_normal(14)
    whole, parts = (sl.NadarayaWatson().fit(X, y, np.full(14, weight)) for weight in (1.0, 1.0 + 2.0**-52))
    assert np.allclose(parts.bandwidth_, whole.bandwidth_, rtol=1e-9)
