"""Least squares and ridge on subsets, from sums, against refitting every subset."""

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit, TimeSeriesSplit, cross_val_score

import sumlearn as sl
from sumlearn.data import open_source
from sumlearn.learners.validation import rows_by_number, training_source
from sumlearn.selection.judges.least_squares import LeastSquaresJudge

NAMES = {"r2": "r2", "mse": "neg_mean_squared_error"}


def table(rows=120, columns=9, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns)) @ (np.eye(columns) + 0.4 * rng.standard_normal((columns, columns)))
    X = X * 10.0 ** rng.integers(-1, 2, columns) + offset * rng.standard_normal(columns)
    signal = (X[:, ::2] - X[:, ::2].mean(axis=0)) / X[:, ::2].std(axis=0)
    y = signal @ rng.standard_normal(signal.shape[1]) + rng.standard_normal(rows) + offset
    return X, y


def reference(X, y, subset, alpha, intercept, criterion, splits, weight=None):
    """Mean score over the splits of scikit-learn's estimator, refitted; it ignores columns of tiny scale."""
    model = Ridge(alpha, fit_intercept=intercept) if alpha else LinearRegression(fit_intercept=intercept)
    given = {} if weight is None else {"params": {"sample_weight": weight}}
    X = X[:, list(subset)]
    if weight is None:
        return cross_val_score(model, X, y, cv=splits, scoring=NAMES[criterion], **given).mean()
    scores = []
    for train, test in splits:
        f = model.fit(X[train], y[train], sample_weight=weight[train]).predict(X[test])
        w, t = weight[test], y[test]
        sse = w @ (t - f) ** 2
        spread = w @ (t - np.average(t, weights=w)) ** 2
        scores.append(1 - sse / spread if criterion == "r2" else -sse / w.sum())
    return np.mean(scores)


def subsets(columns, seed, count=6):
    rng = np.random.default_rng(seed)
    return [tuple(sorted(rng.choice(columns, rng.integers(1, columns), replace=False).tolist())) for _ in range(count)]


def check_neighbours(judge, subset, **close):
    """with_each and without_each are the scores of the neighbours."""
    others = [j for j in range(judge.size) if j not in subset]
    one_by_one = [judge.score(tuple(sorted((*subset, j)))) for j in others]
    np.testing.assert_allclose(judge.with_each(subset, others), one_by_one, **close)
    one_by_one = [judge.score(tuple(i for i in subset if i != j)) for j in subset]
    np.testing.assert_allclose(judge.without_each(subset, subset), one_by_one, **close)


@pytest.mark.parametrize("criterion", ["r2", "mse"])
@pytest.mark.parametrize("alpha", [0.0, 3.0])
@pytest.mark.parametrize(
    "cv",
    [KFold(5), KFold(4, shuffle=True, random_state=1), ShuffleSplit(3, random_state=0), TimeSeriesSplit(3),
     RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)],
    ids=lambda cv: type(cv).__name__,
)  # fmt: skip
def test_equals_refitting(criterion, alpha, cv):
    X, y = table()
    splits = list(cv.split(X))
    judge = LeastSquaresJudge.of(open_source(X, y), alpha, True, criterion, splits)
    for subset in subsets(9, 1):
        expected = reference(X, y, subset, alpha, True, criterion, splits)
        assert judge.score(subset) == pytest.approx(expected, rel=1e-9, abs=1e-10)
        assert judge.folds(subset).mean() == pytest.approx(expected, rel=1e-9, abs=1e-10)
        check_neighbours(judge, subset, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("alpha", [0.0, 0.7])
def test_without_intercept(alpha):
    X, y = table(offset=2.0)
    splits = list(KFold(4).split(X))
    judge = LeastSquaresJudge.of(open_source(X, y), alpha, False, "r2", splits)
    for subset in subsets(9, 2):
        assert judge.score(subset) == pytest.approx(reference(X, y, subset, alpha, False, "r2", splits), abs=1e-9)
        check_neighbours(judge, subset, atol=1e-10)


@pytest.mark.parametrize("criterion", ["r2", "mse"])
def test_weights(criterion):
    X, y = table(seed=3)
    weight = np.random.default_rng(0).integers(0, 4, len(y)) + 0.5
    splits = list(KFold(5).split(X))
    judge = LeastSquaresJudge.of(open_source(X, y, weight), 2.0, True, criterion, splits)
    for subset in subsets(9, 3):
        expected = reference(X, y, subset, 2.0, True, criterion, splits, weight)
        assert judge.score(subset) == pytest.approx(expected, rel=1e-9)


def test_weight_is_a_number_of_rows():
    X, y = table(rows=40)
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    fold = np.arange(40) % 4
    again, fold_again = np.repeat(np.arange(40), weight), np.repeat(fold, weight)
    plain = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(4)]
    repeated = [(np.flatnonzero(fold_again != k), np.flatnonzero(fold_again == k)) for k in range(4)]
    for criterion in ("r2", "mse", "loo", "aic", "bic"):
        weighted = LeastSquaresJudge.of(open_source(X, y, weight.astype(float)), 1.0, True, criterion, plain)
        copied = LeastSquaresJudge.of(open_source(X[again], y[again]), 1.0, True, criterion, repeated)
        assert weighted.score((1, 4, 5)) == pytest.approx(copied.score((1, 4, 5)), rel=1e-10), criterion


@pytest.mark.parametrize("offset", [1e6, 1e9])
def test_offset_changes_nothing(offset):
    rng = np.random.default_rng(0)
    X = rng.integers(-50, 50, (200, 6)).astype(float)  # whole numbers: nothing is rounded when they are moved
    y = X @ [1.0, 2.0, 0.0, 0.0, -1.0, 0.0] + rng.integers(-80, 80, 200)
    splits = list(KFold(5).split(X))
    for criterion in ("r2", "mse", "loo", "aic"):
        near = LeastSquaresJudge.of(open_source(X, y), 1.0, True, criterion, splits)
        far = LeastSquaresJudge.of(open_source(X + offset, y - offset), 1.0, True, criterion, splits)
        for subset in subsets(6, 0):
            assert far.score(subset) == pytest.approx(near.score(subset), rel=1e-11), criterion


def test_units_change_nothing():
    X, y = table()
    scale = 2.0 ** np.array([0, 300, -300, 100, -100, 5, 0, 1, 2])
    splits = list(KFold(5).split(X))
    for criterion in ("r2", "aic"):
        a = LeastSquaresJudge.of(open_source(X, y), 0.0, True, criterion, splits)
        b = LeastSquaresJudge.of(open_source(X * scale, y), 0.0, True, criterion, splits)
        for subset in subsets(9, 4):
            assert b.score(subset) == pytest.approx(a.score(subset), rel=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 5.0])
@pytest.mark.parametrize("intercept", [True, False])
def test_leave_one_out(alpha, intercept):
    X, y = table(rows=30, columns=5)
    judge = LeastSquaresJudge.of(open_source(X, y), alpha, intercept, "loo")
    for subset in subsets(5, 5):
        expected = reference(X, y, subset, alpha, intercept, "mse", list(LeaveOneOut().split(X)))
        assert judge.score(subset) == pytest.approx(expected, rel=1e-8)
        check_neighbours(judge, subset, rtol=1e-9)
    assert judge.folds((1,)) is None


@pytest.mark.parametrize("weighted", [False, True])
def test_information_criteria_are_those_of_statsmodels(weighted):
    import statsmodels.api as sm

    X, y = table(rows=60, columns=6)
    weight = np.random.default_rng(1).integers(1, 4, 60).astype(float) if weighted else None
    again = np.repeat(np.arange(60), 1 if weight is None else weight.astype(int))
    for subset in subsets(6, 6):
        fit = sm.OLS(y[again], sm.add_constant(X[again][:, list(subset)])).fit()
        for criterion in ("aic", "bic"):
            judge = LeastSquaresJudge.of(open_source(X, y, weight), 0.0, True, criterion)
            assert judge.score(subset) == pytest.approx(-getattr(fit, criterion), rel=1e-10)
            check_neighbours(judge, subset, rtol=1e-10)
            assert judge.folds(subset) is None


def test_degrees_of_freedom_of_ridge():
    """With a penalty the trace of the hat matrix counts."""
    X, y = table(rows=50, columns=6)
    judge = LeastSquaresJudge.of(open_source(X, y), 7.0, True, "aic")
    for subset in subsets(6, 7):
        Z = X[:, list(subset)] - X[:, list(subset)].mean(axis=0)
        S = Z.T @ Z
        freedom = 1 + np.trace(np.linalg.solve(S + 7.0 * np.eye(len(S)), S))
        residual = y - Ridge(7.0).fit(X[:, list(subset)], y).predict(X[:, list(subset)])
        expected = -(50 * np.log(2 * np.pi * np.mean(residual**2)) + 50 + 2 * freedom)
        assert judge.score(subset) == pytest.approx(expected, rel=1e-9)
        check_neighbours(judge, subset, rtol=1e-10)


@pytest.mark.parametrize("correlation", [0.0, 0.9999])
def test_long_paths_stay_exact(correlation):
    """Two hundred columns in and out, also nearly dependent ones."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 12))
    X[:, 6:] = correlation * X[:, :6] + np.sqrt(1 - correlation**2) * X[:, 6:]
    y = X @ rng.standard_normal(12) + rng.standard_normal(300)
    splits = list(KFold(5).split(X))
    judge = LeastSquaresJudge.of(open_source(X, y), 0.0, True, "r2", splits)
    subset = set()
    for step in range(200):
        subset ^= {int(rng.integers(12))}
        here = tuple(sorted(subset))
        others = [j for j in range(12) if j not in subset]
        judge.with_each(here, others)
        judge.without_each(here, here)
        if subset and step % 10 == 0:
            assert judge.score(here) == pytest.approx(reference(X, y, here, 0.0, True, "r2", splits), abs=1e-9)
            fresh = LeastSquaresJudge.of(open_source(X, y), 0.0, True, "r2", splits)
            np.testing.assert_allclose(judge.with_each(here, others), fresh.with_each(here, others), atol=1e-10)


def test_answers_depend_on_the_subset_alone():
    X, y = table()
    splits = list(KFold(3).split(X))
    judge = LeastSquaresJudge.of(open_source(X, y), 0.0, True, "mse", splits)
    first = {subset: judge.score(subset) for subset in subsets(9, 8, 20)}
    for subset, score in reversed(first.items()):
        assert judge.score(subset) == pytest.approx(score, rel=1e-12)


def test_empty_subset_is_the_mean():
    X, y = table()
    splits = list(KFold(5).split(X))
    judge = LeastSquaresJudge.of(open_source(X, y), 0.0, True, "mse", splits)
    expected = -np.mean([np.mean((y[test] - y[train].mean()) ** 2) for train, test in splits])
    assert judge.score(()) == pytest.approx(expected, rel=1e-12)


def test_constant_and_dependent_columns_are_minus_infinity():
    X, y = table(columns=4)
    X = np.column_stack([X, np.full(len(y), 3.7), X[:, 0] * 2 - X[:, 1], X[:, 2]])
    for criterion in ("r2", "loo", "aic"):
        judge = LeastSquaresJudge.of(open_source(X, y), 0.0, True, criterion, list(KFold(5).split(X)))
        np.testing.assert_array_equal(np.isinf(judge.with_each((0, 1, 2), [3, 4, 5, 6])), [False, True, True, True])
        assert judge.score((0, 1, 5)) == -np.inf
        assert np.isfinite(judge.without_each((0, 1, 5), (0, 1, 5))).all()  # two of three are independent
        assert np.isfinite(judge.score((0, 5)))


def test_a_column_that_is_constant_in_one_training_set_has_no_coefficient_there():
    X, y = table(columns=3)
    X[:, 1] = 0.0
    X[3:6, 1] = 1.0  # varies in the first fold alone
    splits = list(KFold(5).split(X))
    judge = LeastSquaresJudge.of(open_source(X, y), 0.0, True, "r2", splits)
    for subset in ((1,), (0, 1), (0, 1, 2)):
        assert judge.score(subset) == pytest.approx(reference(X, y, subset, 0.0, True, "r2", splits), abs=1e-10)


def test_constant_target_in_a_fold():
    X, y = table(rows=40)
    y[:10] = 2.0
    splits = list(KFold(4).split(X))
    judge = LeastSquaresJudge.of(open_source(X, y), 0.0, True, "r2", splits)
    assert judge.score((0, 3)) == pytest.approx(reference(X, y, (0, 3), 0.0, True, "r2", splits), abs=1e-10)


def test_sources_agree(tmp_path):
    import dask.array
    import pandas as pd
    import polars as pl

    X, y = table(rows=90, columns=5)
    X[X < 0] = 0.0
    names = [f"c{j}" for j in range(5)]
    frame = pd.DataFrame(X, columns=names).assign(target=y)
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv", index=False)
    splits = list(KFold(5, shuffle=True, random_state=0).split(X))
    given = [
        (frame[names], y),
        (pl.from_pandas(frame[names]), y),
        (sparse.csr_array(X), y),
        (str(tmp_path / "t.parquet"), "target"),
        (str(tmp_path / "t.csv"), "target"),
        (dask.array.from_array(X, chunks=(40, 5)), dask.array.from_array(y, chunks=40)),
    ]
    for criterion in ("r2", "mse", "loo", "bic"):
        expected = LeastSquaresJudge.of(open_source(X, y), 1.0, True, criterion, splits).with_each((1,), [0, 2, 3, 4])
        for table_, target in given:
            source = rows_by_number(training_source(sl.Ridge(), table_, target, None, target="number", reset=True))
            judge = LeastSquaresJudge.of(source, 1.0, True, criterion, splits)
            np.testing.assert_allclose(judge.with_each((1,), [0, 2, 3, 4]), expected, rtol=1e-9)


def test_bad_input_is_named():
    X, y = table()
    splits = list(KFold(3).split(X))
    with pytest.raises(ValueError, match="criterion must be one of r2, mse, loo, aic, bic"):
        LeastSquaresJudge.of(open_source(X, y), 0.0, True, "r3", splits)
    with pytest.raises(ValueError, match="splits must be given"):
        LeastSquaresJudge.of(open_source(X, y), 0.0, True, "r2")
    with pytest.raises(ValueError, match="alpha must be finite and not negative"):
        LeastSquaresJudge.of(open_source(X, y), -1.0, True, "r2", splits)
    with pytest.raises(ValueError, match="one target"):
        LeastSquaresJudge.of(open_source(X, np.column_stack([y, y])), 0.0, True, "r2", splits)
    with pytest.raises(ValueError, match="split 0 has one"):
        LeastSquaresJudge.of(open_source(X, y), 0.0, True, "r2", list(LeaveOneOut().split(X)))
    weight = np.ones(len(y))
    weight[splits[1][1]] = 0.0
    with pytest.raises(ValueError, match="split 1 has no row of positive weight to test on"):
        LeastSquaresJudge.of(open_source(X, y, weight), 0.0, True, "r2", splits)
    X[7, 2] = np.nan
    with pytest.raises(ValueError, match="NaN: first at row 7, column 2"):
        LeastSquaresJudge.of(open_source(X, y), 0.0, True, "r2", splits)
