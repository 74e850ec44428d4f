"""The transductive machine: its objective falls, small ones against all labels, and it beats few labels."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_moons

import sumlearn as sl
from sumlearn import SVC, TransductiveSVM
from sumlearn.ensembles.parts.label_switching import worth_switching


def moons(seed, labels=5, n=200):
    X, truth = make_moons(n, noise=0.1, random_state=seed)
    y = np.full(n, -1)
    rows = np.concatenate([np.flatnonzero(truth == k)[:labels] for k in (0, 1)])
    y[rows] = truth[rows]
    return X, y, truth, rows


def falls(model):
    same = (np.diff(model.trace_[:, 0]) == 0) & (np.diff(model.trace_[:, 1]) == 0)
    return np.diff(model.trace_[:, 2])[same]


@pytest.mark.parametrize("seed", range(6))
def test_two_moons_with_ten_labels(seed):
    X, y, truth, rows = moons(seed)
    alone = SVC(C=10.0, gamma=2.0).fit(X[rows], y[rows])
    model = TransductiveSVM(C=10.0, kernel="rbf", gamma=2.0).fit(X, y)
    assert model.score(X, truth) >= max(alone.score(X, truth), 0.97)
    assert (model.transduction_ == truth).mean() >= 0.97
    assert np.array_equal(model.transduction_[rows], truth[rows])
    assert (falls(model) < 1e-6 * model.objective_[0]).all()
    known = SVC(C=10.0, gamma=2.0).fit(X, truth)  # the labels that are true are one of the choices
    assert model.objective_[0] <= known.objective_ * 1.001


def test_the_objective_is_that_of_the_machine_and_labels():
    X, y, _, _ = moons(1)
    model = TransductiveSVM(C=4.0, C_unlabelled=0.5, kernel="rbf", gamma=2.0).fit(X, y)
    cost = np.where(y < 0, 0.5, 4.0)
    same = SVC(C=1.0, gamma=2.0).fit(X, model.transduction_, cost)
    assert np.isclose(model.objective_[0], same.objective_, rtol=1e-6)
    assert np.allclose(model.decision_function(X), same.decision_function(X), atol=2e-3)
    assert model.trace_[-1, 2] == model.objective_[0] and model.trace_[-1, 1] == 1.0


@pytest.mark.parametrize("seed", range(4))
def test_small_ones_against_all_labels(seed):
    """Ten unlabelled rows: the lowest objective of all 252 choices is found, or nearly."""
    rng = np.random.default_rng(seed)
    truth = np.arange(14) % 2
    X = rng.standard_normal((14, 2)) + 2.0 * truth[:, None]
    y = np.where(np.arange(14) < 4, truth, -1)
    model = TransductiveSVM(C=1.0, kernel="linear").fit(X, y)
    values = []
    for chosen in combinations(range(4, 14), 5):
        labels = np.where(np.isin(np.arange(14), chosen), 1, 0)
        labels[:4] = truth[:4]
        values.append(SVC(C=1.0, kernel="linear").fit(X, labels).objective_)
    assert (model.transduction_ == 1).sum() == 7  # half of the unlabelled rows, as of the labelled ones
    assert min(values) * (1 - 1e-6) <= model.objective_[0] <= np.quantile(values, 0.02)


def test_pairs_that_are_worth_it():
    signs, f = np.array([1.0, 1.0, -1.0, -1.0]), np.array([-0.5, 2.0, 0.7, -0.3])
    assert worth_switching(signs, f).tolist() == [[0, 2]]  # 1.5 + 1.7 > 2; the others lose nothing, or too little
    assert len(worth_switching(signs, np.array([0.5, 0.5, 0.4, 0.3]))) == 0


def test_a_table_like_texts():
    """Sparse counts of many words, a few of which belong to a class; ten texts have a label."""
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(0)
    truth = rng.permutation(np.repeat([0, 1], 150))
    rate = np.full((2, 200), 0.05)
    rate[0, :20] = rate[1, 20:40] = 0.25
    X = rng.poisson(rate[truth]).astype(float)
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)
    rows = np.concatenate([np.flatnonzero(truth == k)[:5] for k in (0, 1)])
    y = np.full(300, -1)
    y[rows] = truth[rows]
    model = TransductiveSVM(C=10.0, kernel="linear").fit(csr_matrix(X), y)
    alone = SVC(C=10.0, kernel="linear").fit(csr_matrix(X[rows]), y[rows])
    assert (model.transduction_ == truth).mean() > alone.score(csr_matrix(X), truth) + 0.05
    assert (falls(model) < 1e-6 * model.objective_[0]).all()


def test_more_classes_words_and_shares(tmp_path):
    X, truth = make_blobs(200, centers=[[0, 0], [8, 0], [4, 7]], random_state=2)
    names = np.array(["a", "b", "c"])[truth]
    y = names.astype(object)
    y[24:] = None
    shares = {"a": 67 / 200, "b": 67 / 200, "c": 66 / 200}
    model = TransductiveSVM(kernel="linear", class_shares=shares, compare=2).fit(X, y)
    assert model.score(X, names) > 0.9 and model.decision_function(X).shape == (200, 3)
    assert model.comparison_.rows == 24
    sl.save(model, tmp_path / "m.sumlearn")
    assert np.array_equal(sl.load(tmp_path / "m.sumlearn").predict(X), model.predict(X))
    for wrong in ({"a": 0.5, "b": 0.5}, {"a": 0.9, "b": 0.9, "c": 0.9}):
        with pytest.raises(ValueError, match="class_shares"):
            TransductiveSVM(class_shares=wrong).fit(X, y)


def test_all_labelled_it_is_the_machine_and_offsets_change_nothing():
    X, y, truth, _ = moons(3)
    model, machine = TransductiveSVM(C=2.0, kernel="linear").fit(X, truth), SVC(C=2.0, kernel="linear").fit(X, truth)
    assert np.allclose(model.decision_function(X), machine.decision_function(X), atol=1e-6)
    X = np.round(X * 2**20) / 2**20
    near, far = (TransductiveSVM(kernel="linear", n_init=1).fit(X + offset, y) for offset in (0.0, 2.0**30))
    assert np.array_equal(near.transduction_, far.transduction_)


def test_refusals():
    X, y, truth, _ = moons(4)
    with pytest.raises(ValueError, match="no row has a label"):
        TransductiveSVM().fit(X, np.full(len(X), -1))
    assert (TransductiveSVM().fit(X, np.where(y == 1, 1, -1)).predict(X) == 1).all()
    with pytest.raises(ValueError, match="sample_weight of rows without a label must be the same"):
        TransductiveSVM().fit(X, y, np.linspace(1.0, 2.0, len(X)))
    with pytest.raises(ValueError, match="kernel='precomputed' is not taken"):
        TransductiveSVM(kernel="precomputed").fit(X @ X.T, y)
    for wrong in ({"C": 0.0}, {"C_unlabelled": -1.0}, {"n_levels": 0}, {"n_init": 0}, {"C": float("inf")}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            TransductiveSVM(**wrong).fit(X, y)
    weight = np.where(np.arange(len(X)) < 20, 0.0, 1.0)
    there = weight > 0
    y[20:30] = truth[20:30]
    model = TransductiveSVM(kernel="linear", n_init=1)
    a, b = clone(model).fit(X, y, weight), clone(model).fit(X[there], y[there])
    assert np.allclose(a.decision_function(X), b.decision_function(X), atol=1e-9)
