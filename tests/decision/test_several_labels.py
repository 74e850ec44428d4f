"""Several labels of a row: one against the rest learns columns of 0 and 1, from sums and from rows."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
from sklearn import multiclass, svm
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB

import sumlearn as sl

RNG = np.random.default_rng(5)
X = RNG.standard_normal((240, 4)) + 1e6
Y = ((X - 1e6) @ RNG.standard_normal((4, 5)) + 0.5 * RNG.standard_normal((240, 5)) > 0.4).astype(int)
PAIRS = [
    (sl.LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis()),
    (sl.GaussianNB(var_smoothing=1e-12), GaussianNB(var_smoothing=1e-12)),
    (sl.LinearRegression(), LinearRegression()),
    (LogisticRegression(), LogisticRegression()),
]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=lambda learner: type(learner).__module__.split(".")[0])
def test_answers_are_those_of_scikit_learn(ours, theirs):
    a, b = sl.OneVsRestClassifier(ours).fit(X, Y), multiclass.OneVsRestClassifier(theirs).fit(X - 1e6, Y)
    assert a.multilabel_ and a.classes_.tolist() == list(range(5)) and a.n_classes_ == 5
    if type(ours) is type(theirs):
        b.fit(X, Y)
    asked = X if type(ours) is type(theirs) else X - 1e6
    assert (a.predict(X) == b.predict(asked)).mean() > 0.999 and a.predict(X).shape == Y.shape
    if hasattr(theirs, "predict_proba"):
        np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(asked), atol=2e-6)
    assert a.score(X, Y) == pytest.approx(b.score(asked, Y), abs=0.01)


def close(a, b):
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("base", [sl.LinearDiscriminantAnalysis(), sl.QuadraticDiscriminantAnalysis(), sl.Ridge()])
def test_sums_of_labels_add_up(base, tmp_path):
    whole, new = sl.OneVsRestClassifier(base).fit(X, Y), lambda: sl.OneVsRestClassifier(clone(base))
    order = RNG.permutation(240)
    close(new().fit(X[order], Y[order]), whole)
    close(new().fit(X[:90], Y[:90]) + new().fit(X[90:], Y[90:]), whole)
    close(new().partial_fit(X[:7], Y[:7]).partial_fit(X[7:], Y[7:]), whole)
    close(new().fit(X, Y).forget(X[:90], Y[:90]), new().fit(X[90:], Y[90:]))
    weight = RNG.integers(0, 3, 240)
    close(new().fit(X, Y, weight), new().fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight, axis=0)))
    close(new().fit(X, Y).decay(0.25), new().fit(X, Y, np.full(240, 0.25)))
    cut = whole.restrict([0, 3])
    np.testing.assert_allclose(
        cut.decision_function(X[:, [0, 3]]),
        new().fit(X[:, [0, 3]], Y).decision_function(X[:, [0, 3]]), rtol=1e-6, atol=1e-6,
    )  # fmt: skip
    sl.save(whole, tmp_path / "model")
    again = sl.load(tmp_path / "model")
    close(again, whole)
    close(again + new().fit(X, Y), new().fit(np.tile(X, (2, 1)), np.tile(Y, (2, 1))))


@pytest.mark.parametrize("base", [sl.LinearDiscriminantAnalysis(), svm.SVC()], ids=["sums", "rows"])
def test_every_form_of_the_columns(base, tmp_path):
    model = sl.OneVsRestClassifier(base).fit(X, Y)
    names = [f"label {j}" for j in range(5)]
    for same in (Y.astype(bool), Y.astype(float), Y.tolist(), pd.DataFrame(Y, columns=names)):
        found = clone(model).fit(X, same)
        np.testing.assert_array_equal(found.decision_function(X), model.decision_function(X))
        assert isinstance(found.predict(X), np.ndarray)
    for form in (sparse.csr_array, sparse.coo_array, sparse.lil_array):
        found = clone(model).fit(X, form(Y))
        assert sparse.issparse(found.predict(X)) and (found.predict(X).toarray() == model.predict(X)).all()
    sl.save(found, tmp_path / "model")
    assert sparse.issparse(sl.load(tmp_path / "model").predict(X))
    assert isinstance(found.fit(X, Y).predict(X), np.ndarray)
    assert found.fit(X, np.arange(240) % 3).predict(X).shape == (240,) and not found.multilabel_


@pytest.mark.parametrize("base", [sl.LinearDiscriminantAnalysis(), LogisticRegression()], ids=["sums", "rows"])
def test_labels_that_all_rows_have_or_none(base):
    few = Y.copy()
    few[:, 1], few[:, 3] = 1, 0
    with pytest.warns(UserWarning, match="Label 1 is present|Label not 3 is present"):
        model = sl.OneVsRestClassifier(base).fit(X, few)
    assert (model.predict_proba(X)[:, [1, 3]] == [1.0, 0.0]).all()
    assert (model.predict(X)[:, [1, 3]] == [1, 0]).all()
    assert (sl.OneVsRestClassifier(sl.Ridge()).fit(X, few).predict(X)[:, [1, 3]] == [1, 0]).all()


def test_a_label_may_come_later():
    first = np.flatnonzero(Y[:, 0] == 0)[:40]
    rest = np.setdiff1d(np.arange(240), first)
    with pytest.warns(UserWarning, match="Label not 0 is present"):
        model = sl.OneVsRestClassifier().fit(X[first], Y[first])
    close(model.partial_fit(X[rest], Y[rest]), sl.OneVsRestClassifier().fit(X, Y))


def test_what_is_refused_leaves_the_model():
    model = sl.OneVsRestClassifier().fit(X, Y)
    before = model.predict(X)
    for bad, said in (
        (Y[:, :3], "5 labels on one side and 3 on the other"),
        (2 * Y, "y holds 2 in row .*, column"),
        (np.where(Y == 1, np.nan, 0.0), "y holds nan in row"),
        (np.array(["a", "b"])[Y], "y holds '.' in row 0, column 0"),
        (Y[:, 0], "fit anew"),
    ):
        with pytest.raises(ValueError, match=said):
            model.partial_fit(X, bad)
        np.testing.assert_array_equal(model.predict(X), before)
    with pytest.raises(ValueError, match="use 'rest'"):
        sl.OneVsRestClassifier(contrast="common").fit(X, Y)
    with pytest.raises(ValueError, match="1d array"):
        sl.OneVsOneClassifier().fit(X, Y)
    with pytest.raises(ValueError, match="5 labels on one side and 2 on the other"):
        model + sl.OneVsRestClassifier().fit(X, Y[:, :2])


def test_labels_of_different_kinds_are_named():
    with pytest.raises(ValueError, match="labels of different kinds: 'a' in row 0 and 7 in row 2"):
        sl.OneVsRestClassifier().fit(X[:4], ["a", "b", 7, "a"])


def test_draws_have_a_column_for_each_label():
    model = sl.OneVsRestClassifier().fit(X, Y)
    drawn = model.sample(X, 0, n=400)
    assert drawn.shape == (400, 240, 5)
    np.testing.assert_allclose(drawn.mean(axis=0), model.predict_proba(X), atol=0.12)


@pytest.mark.parametrize("kind", [sl.OneVsRestClassifier, sl.OneVsOneClassifier, sl.OutputCodeClassifier])
def test_kernels_that_were_computed_are_cut_by_problem(kind, tmp_path):
    y = np.arange(240) % 3
    rows = X - 1e6 + np.eye(4)[y]
    linear, given = kind(svm.SVC(kernel="linear")).fit(rows, y), kind(svm.SVC(kernel="precomputed"))
    weight = np.where(np.arange(240) % 7 == 0, 0.0, 1.0)
    K = rows @ rows.T
    np.testing.assert_allclose(
        given.fit(K, y).decision_function(K), linear.decision_function(rows), rtol=1e-6, atol=1e-6
    )
    np.testing.assert_allclose(
        given.fit(K, y, weight).decision_function(K),
        linear.fit(rows, y, weight).decision_function(rows), rtol=1e-6, atol=1e-6,
    )  # fmt: skip
    with pytest.raises(ValueError, match="240 rows of them and 9 columns"):
        kind(svm.SVC(kernel="precomputed")).fit(K[:, :9], y)


@pytest.mark.parametrize("kind", [sl.OneVsRestClassifier, sl.OneVsOneClassifier, sl.OutputCodeClassifier])
def test_a_learner_that_learns_on_somehow_does_so_in_every_problem(kind):
    y, base = np.arange(240) % 3, SGDClassifier(random_state=0)
    rows = X - 1e6 + 2.0 * np.eye(4)[y]
    model = kind(base)
    assert not list(sl.abilities(model)) and sl.abilities(model).inexact == ("partial_fit",)
    for part in np.array_split(np.arange(240), 6):
        model.partial_fit(rows[part], y[part], classes=range(3))
    assert model.score(rows, y) > 0.6 and model.classes_.tolist() == [0, 1, 2]
    before = model.decision_function(rows)
    with pytest.raises(ValueError, match="must be subset of"):
        model.partial_fit(rows[:3], [0, 1, 7])
    np.testing.assert_array_equal(model.decision_function(rows), before)
    with pytest.raises(ValueError, match="classes must be given at the first call"):
        kind(base).partial_fit(rows, y)
    assert not hasattr(kind(svm.SVC()), "partial_fit")


def test_several_labels_learnt_on_row_by_row():
    model = sl.OneVsRestClassifier(SGDClassifier(random_state=0))
    for part in np.array_split(np.arange(240), 6):
        model.partial_fit((X - 1e6)[part], Y[part])
    assert (model.predict(X - 1e6) == Y).mean() > 0.8 and model.multilabel_
    with pytest.raises(ValueError, match="another number of them"):
        model.partial_fit(X, Y[:, :2])
    with pytest.raises(ValueError, match="y was 5 columns of labels, and now it is one"):
        model.partial_fit(X, Y[:, 0])


def test_blocks_of_dask_arrays():
    da = pytest.importorskip("dask.array")
    rows, columns = da.from_array(X, chunks=(70, 4)), da.from_array(Y, chunks=(70, 5))
    close(sl.OneVsRestClassifier().fit(rows, columns), sl.OneVsRestClassifier().fit(X, Y))
    for other in (sl.OneVsOneClassifier(), sl.LinearDiscriminantAnalysis(), sl.LogisticRegression()):
        with pytest.raises(ValueError, match="y should be a 1d array, got 5 columns"):  # it was one long column once
            other.fit(rows, columns)
