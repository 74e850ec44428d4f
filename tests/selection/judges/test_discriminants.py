"""Gaussian classifiers on subsets, against refitting every subset: counts are equal, not only close."""

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

import sumlearn as sl
from sumlearn.data import open_source
from sumlearn.learners.validation import rows_by_number, training_source
from sumlearn.selection.judges.discriminants import DiscriminantJudge

KINDS = [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, GaussianNB]
OURS = {kind: getattr(sl, kind.__name__) for kind in KINDS}  # with weights, and for nearly flat classes
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def table(rows=240, columns=8, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.array(["ash", "elm", "fir", "oak"])[:classes][rng.integers(0, classes, rows)]
    codes = np.unique(labels, return_inverse=True)[1]
    mixing = np.eye(columns) + 0.3 * rng.standard_normal((columns, columns))
    X = (rng.standard_normal((rows, columns)) * (1 + 0.3 * codes[:, None])) @ mixing
    X += 0.6 * rng.standard_normal((classes, columns))[codes]
    return X * 10.0 ** rng.integers(-1, 2, columns), labels


def refitted(estimator, X, y, subset, splits, weight=None, judge=None):
    """The score of each split by fitting and predicting; `judge` maps (truth, model, rows, weights) to a score."""
    X, found = X[:, list(subset)], []
    for train, test in splits:
        given = {} if weight is None else {"sample_weight": weight[train]}
        model = clone(estimator).fit(X[train], y[train], **given)
        w = np.ones(len(test)) if weight is None else weight[test]
        found.append(
            np.average(model.predict(X[test]) == y[test], weights=w)
            if judge is None
            else judge(y[test], model, X[test], w)
        )
    return np.array(found)


def subsets(columns, seed, count=4):
    rng = np.random.default_rng(seed)
    return [tuple(sorted(rng.choice(columns, rng.integers(1, columns), replace=False).tolist())) for _ in range(count)]


def neighbours(judge, subset):
    """(neighbour, its score by the step from the subset)."""
    others = [j for j in range(judge.size) if j not in subset]
    yield from zip([tuple(sorted((*subset, j))) for j in others], judge.with_each(subset, others), strict=True)
    yield from zip(
        [tuple(i for i in subset if i != j) for j in subset], judge.without_each(subset, subset), strict=True
    )


@pytest.mark.thinned(3)
@each_kind
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(
    "cv",
    [StratifiedKFold(5), ShuffleSplit(3, random_state=0), RepeatedStratifiedKFold(n_splits=3, n_repeats=2,
                                                                                random_state=1)],
    ids=lambda cv: type(cv).__name__,
)  # fmt: skip
def test_counts_equal_refitting(kind, classes, cv):
    X, y = table(classes=classes)
    splits = list(cv.split(X, y))
    judge = DiscriminantJudge.of(open_source(X, y), kind(), "accuracy", splits)
    for subset in subsets(8, classes):
        np.testing.assert_array_equal(judge.folds(subset), refitted(kind(), X, y, subset, splits))
        for neighbour, score in neighbours(judge, subset):
            if neighbour:
                assert score == refitted(kind(), X, y, neighbour, splits).mean(), neighbour
                assert score == judge.score(neighbour)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "estimator",
    [
        sl.LinearDiscriminantAnalysis(priors=[0.2, 0.5, 0.3]),
        sl.LinearDiscriminantAnalysis(solver="lsqr", priors=[0.2, 0.5, 0.3]),
        sl.LinearDiscriminantAnalysis(unbiased=True),
        sl.LinearDiscriminantAnalysis(tol=1e-2),
        sl.QuadraticDiscriminantAnalysis(reg_param=0.3),
        sl.QuadraticDiscriminantAnalysis(priors=[0.2, 0.5, 0.3]),
        sl.GaussianNB(var_smoothing=0.5),
        sl.GaussianNB(var_smoothing=1e-3, priors=[0.2, 0.5, 0.3]),
    ],
    ids=repr,
)
@pytest.mark.parametrize("weighted", [False, True])
def test_options_are_honoured(estimator, weighted):
    X, y = table(rows=150, columns=6)
    weight = np.random.default_rng(0).integers(1, 5, len(y)) / 2 if weighted else None
    splits = list(StratifiedKFold(3).split(X, y))
    judge = DiscriminantJudge.of(open_source(X, y, weight), estimator, "accuracy", splits)
    for subset in subsets(6, 1):
        for neighbour, score in neighbours(judge, subset):
            if neighbour:
                expected = refitted(estimator, X, y, neighbour, splits, weight)
                assert score == pytest.approx(expected.mean(), abs=1e-13)
                np.testing.assert_allclose(judge.folds(neighbour), expected, atol=1e-13)


@pytest.mark.parametrize(
    "estimator",
    [
        sl.LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1),
        sl.LinearDiscriminantAnalysis(n_components=1),
        sl.QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.1),
        sl.GaussianNB(var_smoothing=0.0),
        sl.LogisticRegression(),
    ],
    ids=lambda e: type(e).__name__,
)
def test_what_cannot_be_honoured_has_no_judge(estimator):
    X, y = table()
    assert DiscriminantJudge.of(open_source(X, y), estimator, "accuracy", list(StratifiedKFold(3).split(X, y))) is None


@pytest.mark.thinned(3)
@each_kind
@pytest.mark.parametrize("weighted", [False, True])
def test_area_under_the_curve(kind, weighted):
    X, y = table(classes=2)
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float) if weighted else None
    splits = list(StratifiedKFold(4).split(X, y))
    judge = DiscriminantJudge.of(open_source(X, y, weight), kind(), "auc", splits)

    def area(truth, model, rows, w):
        return roc_auc_score(truth, model.predict_log_proba(rows) @ [-1.0, 1.0], sample_weight=w)

    for subset in subsets(8, 5, 3):
        for neighbour, score in neighbours(judge, subset):
            if neighbour:
                expected = refitted(OURS[kind]() if weighted else kind(), X, y, neighbour, splits, weight, area).mean()
                assert score == pytest.approx(expected, abs=1e-12)
                assert judge.score(neighbour) == pytest.approx(expected, abs=1e-12)


@each_kind
def test_cost(kind):
    X, y = table()
    splits = list(StratifiedKFold(4).split(X, y))
    costs = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 0.5], [1.0, 3.0, -1.0]])
    judge = DiscriminantJudge.of(open_source(X, y), kind(), "cost", splits, costs)
    names = np.unique(y)

    def cost(truth, model, rows, w):
        decided = np.searchsorted(names, model.predict(rows))
        return -np.average(costs[np.searchsorted(names, truth), decided], weights=w)

    for subset in subsets(8, 6, 3):
        for neighbour, score in neighbours(judge, subset):
            if neighbour:
                assert score == pytest.approx(refitted(kind(), X, y, neighbour, splits, judge=cost).mean(), abs=1e-13)


def test_false_acceptance_and_rejection():
    X, y = table(classes=2)
    splits = list(StratifiedKFold(4).split(X, y))
    judge = DiscriminantJudge.of(open_source(X, y), GaussianNB(), "cost", splits, (5.0, 2.0))

    def cost(truth, model, rows, w):
        decided = model.predict(rows)
        return -np.mean(5.0 * ((truth == "ash") & (decided == "elm")) + 2.0 * ((truth == "elm") & (decided == "ash")))

    assert judge.score((1, 2)) == pytest.approx(refitted(GaussianNB(), X, y, (1, 2), splits, judge=cost).mean())
    plain = DiscriminantJudge.of(open_source(X, y), GaussianNB(), "cost", splits)
    right = DiscriminantJudge.of(open_source(X, y), GaussianNB(), "accuracy", splits)
    assert 1.0 + plain.score((0, 3)) == pytest.approx(right.score((0, 3)))


@each_kind
def test_offset_changes_nothing(kind):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    X = rng.integers(-99, 99, (300, 5)) + 40.0 * rng.integers(-1, 2, (3, 5))[y]
    splits = list(StratifiedKFold(5).split(X, y))
    near = DiscriminantJudge.of(open_source(X, y), kind(), "accuracy", splits)
    far = DiscriminantJudge.of(open_source(X + 1e9, y), kind(), "accuracy", splits)
    np.testing.assert_array_equal(far.with_each((1, 2), [0, 3, 4]), near.with_each((1, 2), [0, 3, 4]))
    np.testing.assert_array_equal(far.without_each((0, 1, 2), (0, 1, 2)), near.without_each((0, 1, 2), (0, 1, 2)))


@each_kind
def test_ties_are_decided_by_the_refitted_model(kind):
    """Discrete columns and classes that mirror each other: leads of exactly zero, in exact arithmetic."""
    rng = np.random.default_rng(0)
    half = rng.integers(0, 3, (60, 5)).astype(float)
    half[:, 0] += 1.0
    X, y = np.vstack([half, -half]), np.repeat([0, 1], 60)
    X[::7] = 0.0
    splits = [(np.arange(120), np.arange(120))] * 2
    estimator = OURS[kind]()
    judge = DiscriminantJudge.of(open_source(X, y), estimator, "accuracy", splits)
    for subset in ((0,), (1, 3), (0, 2, 4)):
        for neighbour, score in neighbours(judge, subset):
            if neighbour:
                assert score == refitted(estimator, X, y, neighbour, splits).mean(), neighbour


@each_kind
def test_many_rows_in_threads(kind):
    """More rows than one thread takes, and a lead that single precision cannot tell."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 6000)
    X = rng.standard_normal((6000, 6)) + 0.02 * rng.standard_normal((3, 6))[y]
    X[:, 5] = X[:, 0] + 1e-3 * X[:, 5]  # nearly dependent: large coefficients
    splits = list(StratifiedKFold(3).split(X, y))
    judge = DiscriminantJudge.of(open_source(X, y), kind(), "accuracy", splits)
    for subset in ((0, 1), (0, 2, 3, 4)):
        for neighbour, score in neighbours(judge, subset):
            assert score == refitted(OURS[kind](), X, y, neighbour, splits).mean(), neighbour


def test_constant_and_dependent_columns_are_minus_infinity():
    X, y = table(columns=3)
    X = np.column_stack([X, np.full(len(y), 1e3), X[:, 0] + X[:, 1]])
    splits = list(StratifiedKFold(3).split(X, y))
    for kind in KINDS[:2]:
        judge = DiscriminantJudge.of(open_source(X, y), kind(), "accuracy", splits)
        np.testing.assert_array_equal(np.isinf(judge.with_each((0, 1), [2, 3, 4])), [False, True, True])
        assert judge.score((0, 1, 4)) == -np.inf
        assert judge.folds((0, 1, 4)) is None
        assert np.isfinite(judge.without_each((0, 1, 4), (0, 1, 4))).all()
    judge = DiscriminantJudge.of(open_source(X, y), GaussianNB(), "accuracy", splits)
    np.testing.assert_array_equal(np.isinf(judge.with_each((0, 1), [2, 3, 4])), [False, True, False])


def test_a_class_that_a_split_does_not_train_on():
    X, y = table()
    train, test = np.flatnonzero(y != "fir")[:100], np.arange(150, 240)
    splits = [(train, test), (np.arange(150), test)]
    for kind in KINDS:
        judge = DiscriminantJudge.of(open_source(X, y), kind(), "accuracy", splits)
        for subset in subsets(8, 9):
            for neighbour, score in neighbours(judge, subset):
                if neighbour:
                    assert score == refitted(kind(), X, y, neighbour, splits).mean()


@each_kind
def test_sources_agree(kind, tmp_path):
    import dask.array
    import pandas as pd
    import polars as pl

    X, y = table(rows=90, columns=4)
    names = [f"c{j}" for j in range(4)]
    frame = pd.DataFrame(X, columns=names).assign(target=y)
    frame.to_parquet(tmp_path / "t.parquet")
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    codes = np.unique(y, return_inverse=True)[1]
    given = [
        (frame[names], y),
        (pl.from_pandas(frame[names]), y),
        (sparse.csr_array(X), y),
        (np.asfortranarray(X), y),
        (str(tmp_path / "t.parquet"), "target"),
        (dask.array.from_array(X, chunks=(40, 4)), dask.array.from_array(codes, chunks=40)),
    ]
    expected = DiscriminantJudge.of(open_source(X, y), kind(), "accuracy", splits).with_each((1,), [0, 2, 3])
    for table_, target in given:
        probe = sl.GaussianNB()
        source = rows_by_number(training_source(probe, table_, target, None, target="label", reset=True))
        judge = DiscriminantJudge.of(source, kind(), "accuracy", splits)
        np.testing.assert_array_equal(judge.with_each((1,), [0, 2, 3]), expected)


def test_long_paths_stay_exact():
    X, y = table(rows=300, columns=8)
    splits = list(StratifiedKFold(3).split(X, y))
    rng = np.random.default_rng(0)
    for kind in KINDS:
        judge = DiscriminantJudge.of(open_source(X, y), kind(), "accuracy", splits)
        subset = set()
        for _ in range(120):
            subset ^= {int(rng.integers(8))}
            judge.score(tuple(sorted(subset)))
        here = tuple(sorted(subset | {3}))
        for neighbour, score in neighbours(judge, here):
            if neighbour:
                assert score == refitted(kind(), X, y, neighbour, splits).mean()


def test_bad_input_is_named():
    X, y = table()
    splits = list(StratifiedKFold(3).split(X, y))
    source = open_source(X, y)
    with pytest.raises(ValueError, match="criterion must be one of accuracy, auc, cost"):
        DiscriminantJudge.of(source, GaussianNB(), "r2", splits)
    with pytest.raises(ValueError, match="'auc' needs two classes, y holds 3"):
        DiscriminantJudge.of(source, GaussianNB(), "auc", splits)
    with pytest.raises(ValueError, match="y holds 1 class"):
        DiscriminantJudge.of(open_source(X, np.zeros(len(y), int)), GaussianNB(), "accuracy", splits)
    with pytest.raises(ValueError, match="costs must have one row"):
        DiscriminantJudge.of(source, GaussianNB(), "cost", splits, np.ones((2, 2)))
    with pytest.raises(ValueError, match="costs must be finite"):
        DiscriminantJudge.of(source, GaussianNB(), "cost", splits, np.full((3, 3), np.nan))
    with pytest.raises(ValueError, match="priors"):
        DiscriminantJudge.of(source, sl.LinearDiscriminantAnalysis(priors=[0.5, 0.5]), "accuracy", splits)
    with pytest.raises(ValueError, match="splits must hold at least one pair"):
        DiscriminantJudge.of(source, GaussianNB(), "accuracy", [])
    two = np.where(y == "ash", 0, 1)
    one_sided = [(np.arange(240), np.flatnonzero(two == 1))]
    with pytest.raises(ValueError, match="both classes in training and test rows: split 0"):
        DiscriminantJudge.of(open_source(X, two), GaussianNB(), "auc", one_sided)
    lonely = [(np.append(np.flatnonzero(y != "fir"), np.flatnonzero(y == "fir")[0]), np.arange(240))]
    with pytest.raises(ValueError, match="trains on 1 row of class 'fir'"):
        DiscriminantJudge.of(source, QuadraticDiscriminantAnalysis(), "accuracy", lonely)
    X[5, 1] = np.inf
    with pytest.raises(ValueError, match="infinity: first at row 5, column 1"):
        DiscriminantJudge.of(open_source(X, y), GaussianNB(), "accuracy", splits)
