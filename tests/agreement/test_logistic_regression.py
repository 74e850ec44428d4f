"""Logistic regression against scikit-learn and statsmodels, in memory, from files and on Dask."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
import sklearn.linear_model
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from sumlearn import IllConditionedWarning, LogisticRegression, PerfectSeparationWarning
from sumlearn.data import load_example

from tests.agreement.problems import CLASSES, classes, distance, whole_weights

SAME = 1e-7  # of the rival's coefficients, whose gradient is zero to 1e-10


def reference(C, ratio=0.0, **more):
    """scikit-learn at a tolerance that leaves seven digits."""
    solver = "newton-cg" if ratio == 0.0 else "saga"
    return sklearn.linear_model.LogisticRegression(
        C=C, l1_ratio=ratio, solver=solver, tol=1e-10 if ratio == 0 else 1e-9, max_iter=100_000, **more
    )


@settings(max_examples=40)
@given(
    shape=st.sampled_from(sorted(CLASSES)),
    C=st.floats(1e-3, 1e2),
    intercept=st.booleans(),
    weighted=st.booleans(),
    balanced=st.booleans(),
)
def test_agrees_with_scikit_learn(shape, C, intercept, weighted, balanced):
    X, y = classes(*CLASSES[shape])
    weight = np.random.default_rng(1).uniform(0.1, 3.0, len(y)) if weighted else None
    more = {"fit_intercept": intercept, "class_weight": {0: 2.0, 1: 0.5} if balanced else None}
    ours = LogisticRegression(C=C, **more).fit(X, y, weight)
    theirs = reference(C, **more).fit(X, y, weight)
    assert distance(ours.coef_, theirs.coef_) < SAME
    assert np.abs(ours.intercept_ - theirs.intercept_).max() < SAME * (1 + np.abs(theirs.intercept_).max())
    assert np.abs(ours.predict_proba(X) - theirs.predict_proba(X)).max() < SAME
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize("ratio", [1.0, 0.4])
@pytest.mark.parametrize("shape", ["two", "three"])
def test_penalties_with_kinks(shape, ratio):
    X, y = classes(*CLASSES[shape])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours, theirs = LogisticRegression(C=0.05, l1_ratio=ratio).fit(X, y), reference(0.05, ratio).fit(X, y)
    assert np.abs(ours.coef_ - theirs.coef_).max() < 2e-6
    assert (np.abs(ours.coef_) < 1e-12).sum() == (np.abs(theirs.coef_) < 1e-7).sum()  # the same ones are zero
    assert (ours.coef_ == 0).any() or ratio < 1


def test_maximum_likelihood_against_statsmodels():
    """Newton on Pima, coefficients and log-likelihood."""
    pima = load_example("pima")
    y = (pima.y == np.unique(pima.y)[1]).astype(float)
    fit = sm.Logit(y, sm.add_constant(pima.X)).fit(disp=0, tol=1e-14, maxiter=100)
    ours = LogisticRegression(C=np.inf).fit(pima.X, pima.y)
    assert distance(np.append(ours.intercept_, ours.coef_), fit.params) < 1e-10
    assert abs(ours.solutions_[0].objective + fit.llf) < 1e-9


def test_multinomial_maximum_likelihood_against_statsmodels():
    X, y = classes(*CLASSES["three"])
    fit = sm.MNLogit(y, sm.add_constant(X)).fit(disp=0, method="newton", maxiter=100, tol=1e-14)
    ours = LogisticRegression(C=np.inf).fit(X, y)
    against_first = np.column_stack([ours.intercept_, ours.coef_])[1:] - np.append(ours.intercept_[0], ours.coef_[0])
    assert distance(against_first, fit.params.T) < 1e-8
    assert abs(ours.intercept_.sum()) < 1e-9 and np.abs(ours.coef_.sum(axis=0)).max() < 1e-9  # the common shift


@pytest.mark.parametrize("solver", ["lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga", "newton"])
def test_foreign_names_are_one_road(solver):
    X, y = classes(*CLASSES["three"])
    assert np.array_equal(LogisticRegression(solver=solver).fit(X, y).coef_, LogisticRegression().fit(X, y).coef_)


@pytest.mark.parametrize("solver", ["barzilai_borwein", "gradient", "sgd"])
def test_every_road_ends_at_the_same_place(solver):
    X, y = classes(*CLASSES["three"])
    found = LogisticRegression(solver=solver, max_iter=20_000, random_state=0).fit(X, y)
    wanted = LogisticRegression().fit(X, y)
    assert distance(found.coef_, wanted.coef_) < 1e-4
    assert abs(found.solutions_[0].objective / wanted.solutions_[0].objective - 1) < 1e-8
    assert found.solutions_[0].converged


@pytest.mark.parametrize("offset", [1e6, 1e9])
@pytest.mark.parametrize("shape", ["two", "three"])
def test_offsets_change_no_prediction(shape, offset):
    X, y = classes(*CLASSES[shape])
    X = np.round(X * 2**20) / 2**20  # exact at the offset, but for the last bits at 1e9
    found = LogisticRegression().fit(X + offset, y).predict_proba(X + offset)
    assert np.abs(found - LogisticRegression().fit(X, y).predict_proba(X)).max() < 1e-6


def test_weights_are_repetitions():
    X, y = classes(*CLASSES["three"])
    weight = whole_weights(len(y))
    found = LogisticRegression().fit(X, y, weight)
    wanted = LogisticRegression().fit(X.repeat(weight, 0), y.repeat(weight))
    assert distance(found.coef_, wanted.coef_) < 1e-10


def test_balanced_classes_count_the_same():
    X, y = classes(*CLASSES["three"])
    share = np.bincount(y)
    expected = LogisticRegression().fit(X, y, (len(y) / 3 / share)[y])
    assert distance(LogisticRegression(class_weight="balanced").fit(X, y).coef_, expected.coef_) < 1e-10


def test_sparse_rows():
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 40), density=0.1, rng=rng, format="csr")
    y = (X.sum(axis=1) + 0.3 * rng.standard_normal(300) > 2).astype(int)
    ours, dense = LogisticRegression().fit(X, y), LogisticRegression().fit(X.toarray(), y)
    assert distance(ours.coef_, dense.coef_) < 1e-9
    assert np.abs(ours.predict_proba(X) - dense.predict_proba(X.toarray())).max() < 1e-10


def test_many_sparse_columns_by_conjugate_gradients():
    """Text-like: more numbers than a Hessian is formed for."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((400, 5000), density=0.01, rng=rng, format="csr")
    y = (X[:, :50].sum(axis=1) + 0.1 * rng.standard_normal(400) > 0.25).astype(int)
    ours = LogisticRegression(C=10.0).fit(X, y)
    theirs = reference(10.0).fit(X, y)
    assert ours.solutions_[0].converged
    assert distance(ours.coef_, theirs.coef_) < 1e-6


# -- sources ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["two", "three"])
def table(request):
    _, _, k = CLASSES[request.param]
    X, y = classes(9000, 3, k, seed=5)
    return X, np.array(["no", "yes", "maybe"])[y]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_give_the_fit_in_memory(table, tmp_path, suffix):
    X, y = table
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(label=y)
    path = tmp_path / f"rows.{suffix}"
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    ours, wanted = LogisticRegression().fit(str(path), "label"), LogisticRegression().fit(X, y)
    assert distance(ours.coef_, wanted.coef_) < 1e-9
    assert distance(ours.intercept_, wanted.intercept_) < 1e-9
    assert list(ours.classes_) == list(wanted.classes_) and list(ours.feature_names_in_) == ["a", "b", "c"]


def test_dask_gives_the_fit_in_memory(table):
    da = pytest.importorskip("dask.array")
    X, y = table
    ours = LogisticRegression().fit(da.from_array(X, chunks=(2000, 3)), da.from_array(y, chunks=2000))
    wanted = LogisticRegression().fit(X, y)
    assert distance(ours.coef_, wanted.coef_) < 1e-9
    assert distance(ours.intercept_, wanted.intercept_) < 1e-9


def test_a_sample_of_many_rows_misleads_nobody():
    """Above 100,000 rows the start and the first Hessian come from a sample: the minimum is the same."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120_000, 5))
    y = (X @ [1.0, -1.0, 0.5, 0.0, 2.0] + rng.logistic(size=len(X)) > 0).astype(int)
    order = np.argsort(y, kind="stable")  # all of one class first
    rare = (X @ [1.0, -1.0, 0.5, 0.0, 2.0] + rng.logistic(size=len(X)) > 11).astype(int)
    assert 5 < rare.sum() < 300
    for rows, labels in ((X, y), (X[order], y[order]), (X, rare)):
        ours = LogisticRegression().fit(rows, labels)
        theirs = sklearn.linear_model.LogisticRegression(solver="newton-cholesky", tol=1e-12).fit(rows, labels)
        assert distance(ours.coef_, theirs.coef_) < 1e-8
        assert ours.solutions_[0].converged


# -- what cannot be ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3])
def test_dependent_columns_without_a_penalty(k):
    """One warning that names them, the same scores, and the shortest coefficients."""
    X, y = classes(300, 3, k)
    A = np.column_stack([X, 2 * X[:, 0] + X[:, 2], np.full(len(X), 7.0)])
    with pytest.warns(IllConditionedWarning, match=r"rank 3 of 5: column\(s\) 3, 4 are") as caught:
        found = LogisticRegression(C=np.inf).fit(A, y)
    plain = LogisticRegression(C=np.inf).fit(X, y)
    assert len(caught) == 1 and found.aliased_.tolist() == [3, 4] and plain.aliased_.tolist() == []
    assert distance(found.decision_function(A), plain.decision_function(X)) < 1e-9
    blind = np.array([[2.0, 0.0, 1.0, -1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0]])  # directions that change no score
    assert np.abs(found.coef_ @ blind.T).max() < 1e-9


def test_fewer_rows_than_columns():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((8, 20)), np.arange(8) % 2
    assert distance(LogisticRegression().fit(X, y).coef_, reference(1.0).fit(X, y).coef_) < SAME
    with pytest.warns(PerfectSeparationWarning):
        assert LogisticRegression(C=np.inf).fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("k", [2, 3])
def test_separated_classes_are_named(k):
    rng = np.random.default_rng(0)
    y = np.arange(90) % k
    X = rng.uniform(-1, 1, (90, 2)) + 5.0 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    with pytest.warns(PerfectSeparationWarning, match="perfectly separated"):
        model = LogisticRegression(C=np.inf).fit(X, y)
    assert np.isfinite(model.coef_).all() and model.score(X, y) == 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LogisticRegression().fit(X, y)  # a penalty is enough


def test_nearly_separated_classes_are_named():
    """Quasi-complete separation: one value of x has both classes, beyond it there is only one."""
    X = np.array([[0.0], [0.0], [0.0], [0.0], [1.0], [1.0]])
    with pytest.warns(PerfectSeparationWarning):
        model = LogisticRegression(C=np.inf).fit(X, [0, 1, 0, 1, 1, 1])
    assert np.isfinite(model.coef_).all()
    assert model.predict_proba([[0.0]])[0] == pytest.approx([0.5, 0.5], abs=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0.0}, "C must be positive"),
        ({"C": -1.0}, "C must be positive"),
        ({"l1_ratio": 2.0}, "l1_ratio must lie between 0 and 1"),
        ({"penalty": "l3"}, "penalty must be"),
        ({"solver": "magic"}, "solver must be"),
        ({"tol": 0.0}, "tol must be positive"),
        ({"class_weight": "even"}, "class_weight must be"),
        ({"class_weight": {9: 1.0}}, "class_weight names a class that is not in y: 9"),
        ({"class_weight": {0: 0.0}}, "class_weight of (class )?0 must be positive"),
        ({"solver": "gradient", "l1_ratio": 1.0}, "'barzilai_borwein' and 'coordinate' and .* can"),
    ],
)
def test_bad_parameters_are_named(options, message):
    X, y = classes(*CLASSES["two"])
    with pytest.raises(ValueError, match=message):
        LogisticRegression(**options).fit(X, y)


def test_one_class_is_predicted():
    model = LogisticRegression().fit([[0.0], [1.0]], ["a", "a"])
    assert model.predict([[5.0]]).tolist() == ["a"] and model.predict_proba([[5.0]]).tolist() == [[1.0]]


def test_a_failed_fit_changes_nothing():
    X, y = classes(*CLASSES["two"])
    model = LogisticRegression().fit(X, y)
    before = dict(vars(model))
    X = X.copy()
    X[7, 1] = np.nan
    with pytest.raises(ValueError, match="NaN: first at row 7, column 1"):
        model.fit(X, y)
    assert vars(model) == before


@pytest.mark.parametrize("solver", ["newton", "barzilai_borwein", "gradient"])
def test_sparse_columns_of_unequal_scale(solver):
    """Columns are taken in units of their own: no road is longer for it, and the penalty stays in natural units."""
    rng = np.random.default_rng(1)
    X = sparse.random_array((400, 6), density=0.4, rng=rng, format="csr") * np.array([1e-4, 1.0, 1e4, 1.0, 10.0, 0.1])
    X = sparse.csr_array(X)
    y = (X @ [1e4, 1.0, -1e-4, 0.0, 0.1, 0.0] + 0.5 * rng.logistic(size=400) > 0.3).astype(int)
    found = LogisticRegression(C=1e6, solver=solver, max_iter=20_000).fit(X, y)
    wanted = LogisticRegression(C=1e6).fit(X.toarray(), y)
    assert found.solutions_[0].converged
    assert abs(found.solutions_[0].objective / wanted.solutions_[0].objective - 1) < 1e-8
    assert np.abs(found.predict_proba(X) - wanted.predict_proba(X.toarray())).max() < 1e-4
