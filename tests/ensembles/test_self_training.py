"""Self-training: scikit-learn's answers on drawn settings, sums that are added to, labels of all kinds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB as TheirGaussianNB
from sklearn.semi_supervised import SelfTrainingClassifier as Theirs

import sumlearn as sl
from sumlearn import GaussianNB, LinearDiscriminantAnalysis, SelfTraining
from sumlearn.data import load_example

pl = pytest.importorskip("polars")


def partly(seed, hidden=0.8, n=300):
    X, truth = make_classification(n, 6, n_informative=4, n_classes=3, random_state=seed)
    return X, np.where(np.random.default_rng(seed).random(n) < hidden, -1, truth), truth


@pytest.mark.parametrize("seed", range(12))
def test_the_rounds_are_those_of_scikit_learn(seed):
    X, y, _ = partly(seed)
    options = {
        "threshold": (0.5, 0.75, 0.9)[seed % 3],
        "criterion": ("threshold", "k_best")[seed % 2],
        "k_best": 7,
        "max_iter": (3, 10, None)[seed % 3],
    }
    ours, theirs = SelfTraining(GaussianNB(), **options).fit(X, y), Theirs(TheirGaussianNB(), **options).fit(X, y)
    for name in ("transduction_", "labeled_iter_", "n_iter_", "termination_condition_", "classes_"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-9)


def test_a_round_adds_to_the_sums_and_is_a_refit(monkeypatch):
    X, y, _ = partly(3)
    seen = []
    summarise = LinearDiscriminantAnalysis.summarise

    def noted(self, chunk, look=None):
        seen.append(len(chunk.y))
        return summarise(self, chunk, look)

    monkeypatch.setattr(LinearDiscriminantAnalysis, "summarise", noted)
    model = SelfTraining(LinearDiscriminantAnalysis(), threshold=0.8).fit(X, y)
    has = model.labeled_iter_ >= 0
    assert model.n_iter_ > 2 and sum(seen) == has.sum()  # every row that has a label was summed once
    again = LinearDiscriminantAnalysis().fit(X[has], model.transduction_[has])
    assert np.allclose(again.coef_, model.estimator_.coef_, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("estimator", [GaussianNB(), LogisticRegression()])
def test_signs_of_no_label_mean_the_same(estimator):
    X, y, _ = partly(1)
    expected = SelfTraining(estimator).fit(X, y)
    names = np.array(["low", "middle", "top"])
    words = np.where(y < 0, None, names[y])
    for given in (words, words.tolist(), pd.Series(words), pl.Series(words.tolist()), pd.Series(words, dtype="string")):
        model = SelfTraining(estimator).fit(X, given)
        assert np.array_equal(model.predict(X), names[expected.predict(X)])
        assert model.classes_.tolist() == ["low", "middle", "top"]
    whole = [None if label < 0 else int(label) for label in y]
    for given in (np.where(y < 0, np.nan, y), whole, pd.Series(whole, dtype="Int64"), pl.Series(whole)):
        model = SelfTraining(estimator).fit(X, given)
        assert np.array_equal(model.predict(X), expected.predict(X))
        assert np.array_equal(model.transduction_, expected.transduction_)


def test_a_class_that_is_called_minus_one():
    X, truth = make_blobs(60, centers=2, random_state=0)
    names = np.where(truth == 0, "-1", "1").astype(object)
    y = names.copy()
    y[10:] = None
    model = SelfTraining().fit(X, y)
    assert model.classes_.tolist() == ["-1", "1"] and (model.predict(X) == names).mean() > 0.9
    with pytest.raises(ValueError, match="y is an array of text and holds '-1' in row"):
        SelfTraining().fit(X, names.astype(str))


def test_weights_are_numbers_of_rows():
    X, y, _ = partly(5)
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    a, b = SelfTraining().fit(X, y, weight), SelfTraining().fit(X[rows], y[rows])
    assert np.allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-9)
    assert (a.labeled_iter_[(weight == 0) & (y < 0)] == -1).all()  # who weighs nothing is labelled by nobody
    assert np.array_equal(a.transduction_[rows], b.transduction_)


def test_all_none_and_one_class():
    X, y, truth = partly(2)
    with pytest.warns(UserWarning, match="y contains no unlabeled samples"):
        model = SelfTraining(GaussianNB()).fit(X, truth)
    assert np.array_equal(model.predict_proba(X), GaussianNB().fit(X, truth).predict_proba(X))
    with pytest.raises(ValueError, match="no row has a label"):
        SelfTraining().fit(X, np.full(len(X), -1))
    with pytest.raises(ValueError, match="no row has a label"):
        SelfTraining().fit(X, y, np.where(y < 0, 1.0, 0.0))
    one = SelfTraining(GaussianNB()).fit(X, np.where(y == 1, 1, -1))
    assert (one.predict(X) == 1).all() and one.termination_condition_ == "all_labeled"


def test_bad_input_leaves_the_model_and_is_named():
    X, y, _ = partly(2)
    model = SelfTraining().fit(X, y)
    before = model.predict_proba(X)
    bad = X.copy()
    bad[7, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.fit(bad, y)
    assert np.array_equal(model.predict_proba(X), before)
    for wrong in ({"threshold": 1.0}, {"criterion": "best"}, {"k_best": 0}, {"max_iter": -1}, {"compare": 1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            SelfTraining(**wrong).fit(X, y)
    with pytest.raises(ValueError, match="row 0 holds 0.5"):
        SelfTraining().fit(X, np.full(len(X), 0.5))
    with pytest.raises(ValueError, match="infinity"):
        SelfTraining().fit(X, np.full(len(X), np.inf))


def test_what_the_unlabelled_rows_were_worth():
    iris = load_example("iris")
    y = iris.y.astype(object)
    y[np.arange(150) % 10 > 0] = None
    model = SelfTraining(GaussianNB(), compare=5).fit(iris.X, y)
    found = model.comparison_
    assert found.rows == 15 and found.error > 0 and model.helped_ is found.helped
    assert SelfTraining(GaussianNB()).fit(iris.X, y).helped_ is None
    y[:] = None
    y[[0, 60, 120]] = iris.y[[0, 60, 120]]
    with pytest.raises(ValueError, match="leaves labelled rows out in turn, and of class 'setosa' there is one"):
        SelfTraining(GaussianNB(), compare=5).fit(iris.X, y)


def test_saved_and_named(tmp_path):
    X, y, _ = partly(4)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = sl.SelfTrainingClassifier(GaussianNB()).fit(frame, y)
    sl.save(model, tmp_path / "m.sumlearn")
    assert np.array_equal(sl.load(tmp_path / "m.sumlearn").predict_proba(frame), model.predict_proba(frame))
    assert list(sl.abilities(model)) == [] and not hasattr(model, "forget")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("fedcba")])
    assert sl.SelfTraining is sl.SelfTrainingClassifier
