"""Labels on a graph: scikit-learn's answers, the equations of the end, offsets, weights, lonely rows."""

import numpy as np
import pytest
import sklearn.semi_supervised as theirs
from sklearn.datasets import make_moons

import sumlearn as sl
from sumlearn import LabelPropagation, LabelSpreading
from sumlearn.data import load_example

KINDS = (LabelPropagation, LabelSpreading)
both = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def moons(seed, n=160, noise=0.15):
    X, truth = make_moons(n, noise=noise, random_state=seed)
    y = np.where(np.random.default_rng(seed).random(n) < 0.9, -1, truth)
    y[[np.argmax(truth == 0), np.argmax(truth == 1)]] = [0, 1]
    return np.round(X * 2**20) / 2**20, y, truth


@both
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(8))
def test_answers_are_those_of_scikit_learn(kind, seed):
    X, y, _ = moons(seed)
    options = {"kernel": ("rbf", "knn")[seed % 2], "gamma": (20, 2, 100)[seed % 3], "n_neighbors": (7, 4)[seed % 2]}
    options |= {"max_iter": (30, 500)[seed // 2 % 2]}
    options |= {"alpha": (0.2, 0.8)[seed // 4]} if kind is LabelSpreading else {}
    a, b = kind(**options).fit(X, y), getattr(theirs, kind.__name__)(**options).fit(X, y)
    assert a.n_iter_ == b.n_iter_
    assert np.allclose(a.label_distributions_, b.label_distributions_, rtol=0, atol=1e-10)
    assert np.array_equal(a.transduction_, b.transduction_)
    expected = np.nan_to_num(b.predict_proba(X + 0.01), nan=0.5)  # ours where nothing is known; theirs is NaN there
    assert np.allclose(a.predict_proba(X + 0.01), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("kernel", ["rbf", "knn"])
def test_the_exact_end_is_harmonic(kernel):
    X, y, _ = moons(1)
    model = LabelPropagation(kernel, gamma=5.0, n_neighbors=20, solver="exact").fit(X, y)
    P, F, free = model.graph(), model.label_distributions_, y < 0
    P = P.toarray() if kernel == "knn" else P
    inverse = np.linalg.inv(np.eye(free.sum()) - P[np.ix_(free, free)])
    assert np.allclose(F[free], inverse @ P[np.ix_(free, ~free)] @ F[~free], atol=1e-10)
    steps = LabelPropagation(kernel, gamma=5.0, n_neighbors=20, tol=1e-13, max_iter=10**6).fit(X, y)
    assert np.allclose(steps.label_distributions_, F, atol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "knn"])
def test_the_exact_end_of_spreading(kernel):
    X, y, _ = moons(2)
    model = LabelSpreading(kernel, gamma=5.0, n_neighbors=20, alpha=0.7, solver="exact").fit(X, y)
    S = model.graph()
    S = S.toarray() if kernel == "knn" else S
    F = np.linalg.inv(np.eye(len(y)) - 0.7 * S) @ (y[:, None] == [0, 1])
    assert np.allclose(model.label_distributions_, F / F.sum(axis=1, keepdims=True), atol=1e-10)
    steps = LabelSpreading(kernel, gamma=5.0, n_neighbors=20, alpha=0.7, tol=1e-14, max_iter=10**5).fit(X, y)
    assert np.allclose(steps.label_distributions_, model.label_distributions_, atol=1e-10)


@both
@pytest.mark.parametrize("kernel", ["rbf", "knn"])
def test_an_offset_changes_nothing(kind, kernel):
    X, y, _ = moons(3)
    X = (X + 2.0**30) - 2.0**30  # 1e9 keeps 2^-22 of a coordinate
    near, far = (kind(kernel, n_neighbors=20, solver="exact").fit(X + offset, y) for offset in (0.0, 2.0**30))
    assert np.allclose(near.label_distributions_, far.label_distributions_, atol=1e-6)
    assert np.array_equal(near.predict(X), far.predict(X + 2.0**30))


@both
@pytest.mark.parametrize("solver", ["steps", "exact"])
def test_weights_are_numbers_of_rows(kind, solver):
    X, y, _ = moons(4)
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    options = {"solver": solver, "gamma": 5.0, "tol": 1e-13, "max_iter": 10**6}
    a, b = kind(**options).fit(X, y, weight), kind(**options).fit(X[rows], y[rows])
    assert np.allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-8)
    with pytest.raises(ValueError, match="kernel='knn' counts neighbours"):
        kind("knn").fit(X, y, weight)
    if kind is LabelSpreading:
        with pytest.raises(ValueError, match="give 0, 1 or more"):
            kind().fit(X, y, np.full(len(y), 0.5))


def test_rows_that_no_label_reaches_are_told():
    X = np.array([[0.0], [0.1], [5.0], [5.1], [900.0], [901.0]])
    y = np.array([0, -1, 1, -1, -1, -1])
    for solver in ("steps", "exact"):
        with pytest.warns(UserWarning, match=r"2 row\(s\) are joined to no labelled row"):
            model = LabelPropagation(solver=solver).fit(X, y)
        assert model.transduction_[:4].tolist() == [0, 0, 1, 1] and (model.label_distributions_[4:] == 0).all()
        assert model.predict([[-80.0], [70.0]]).tolist() == [0, 1]  # far off, where the kernel is zero in double
        assert np.isfinite(model.predict_proba([[1e6]])).all()


@both
def test_refusals(kind):
    X, y, _ = moons(5)
    with pytest.raises(ValueError, match="no row has a label"):
        kind().fit(X, np.full(len(X), -1))
    with pytest.raises(ValueError, match="Expected n_neighbors <= n_samples_fit"):
        kind("knn", n_neighbors=500).fit(X, y)
    for wrong in ({"kernel": "linear"}, {"gamma": -1.0}, {"n_neighbors": 0}, {"solver": "fast"}, {"max_iter": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            kind(**wrong).fit(X, y)


@both
@pytest.mark.parametrize("kernel", ["rbf", "knn"])
def test_words_one_class_and_files(kind, kernel, tmp_path):
    iris = load_example("iris")
    y = iris.y.astype(object)
    y[np.arange(150) % 10 > 0] = None
    model = kind(kernel, gamma=2.0, solver="exact", compare=5).fit(iris.X, y)
    assert (model.transduction_ == iris.y).mean() > 0.85 and model.comparison_.rows == 15
    sl.save(model, tmp_path / "m.sumlearn")
    assert np.array_equal(sl.load(tmp_path / "m.sumlearn").predict_proba(iris.X), model.predict_proba(iris.X))
    y[iris.y != "setosa"] = None
    assert set(kind(kernel).fit(iris.X[:50], y[:50]).transduction_) == {"setosa"}


def test_steps_that_do_not_suffice_warn():
    X, y, _ = moons(6)
    with pytest.warns(Warning, match="max_iter=3 was reached without convergence"):
        LabelPropagation(max_iter=3).fit(X, y)
