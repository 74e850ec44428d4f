"""Many classes from two: the truth from ideal odds, the same from sums as from rows, scikit-learn's answers, errors."""

import numpy as np
import pandas as pd
import pytest
from sklearn import multiclass, neighbors, svm
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import RidgeClassifier

import sumlearn as sl
from sumlearn.decision.parts.codes import bch_words, exhaustive_words
from sumlearn.decision.parts.dichotomies import ProblemFits
from sumlearn.decision.parts.seen import classes_seen

from tests.decision.many_classes_problems import NAMES, Ideal, X, Y, true_posterior

OURS = [sl.OneVsOneClassifier, sl.OneVsRestClassifier, sl.OutputCodeClassifier]
ROWS = np.column_stack([np.linspace(-1.0, 4.0, 40), np.arange(40) % 4])


@pytest.mark.parametrize(
    "model",
    [
        sl.OneVsOneClassifier(Ideal(), decide="odds"),
        sl.OneVsRestClassifier(Ideal()),
        sl.OneVsRestClassifier(Ideal(), contrast="common"),
    ],
    ids=["pairs", "rest", "common"],
)
def test_ideal_odds_give_the_posterior(model):
    model.fit(ROWS, ROWS[:, 1].astype(int))
    np.testing.assert_allclose(model.predict_proba(ROWS), true_posterior(ROWS), rtol=1e-12)
    assert (model.predict(ROWS) == true_posterior(ROWS).argmax(axis=1)).all()


@pytest.mark.parametrize("kind", OURS)
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (sl.LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis()),
        (sl.LeastSquaresClassifier(2.0), RidgeClassifier(2.0)),
        (svm.SVC(), svm.SVC()),
        (neighbors.KNeighborsClassifier(), neighbors.KNeighborsClassifier()),
        (HistGradientBoostingClassifier(max_iter=3), HistGradientBoostingClassifier(max_iter=3)),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_answers_are_those_of_scikit_learn(kind, ours, theirs):
    seed = {"random_state": 2, "code_size": 2} if kind is sl.OutputCodeClassifier else {}
    a, b = kind(ours, **seed).fit(X, NAMES), getattr(multiclass, kind.__name__)(theirs, **seed).fit(X, NAMES)
    leads = np.sort(a.decision_function(X), axis=1)
    clear = leads[:, -1] > leads[:, -2] + 1e-9  # neighbours tie, and rounding decides which class is first
    assert (a.predict(X) == b.predict(X))[clear].all() and clear.mean() > 0.8 and (a.classes_ == b.classes_).all()
    if kind is sl.OneVsOneClassifier:
        np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-9)
    if kind is sl.OneVsRestClassifier and hasattr(theirs, "predict_proba"):
        np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-9)
    if kind is sl.OutputCodeClassifier:
        assert (a.code_book_ == b.code_book_).all()


@pytest.mark.parametrize(
    "base",
    [sl.LinearDiscriminantAnalysis(), sl.QuadraticDiscriminantAnalysis(), sl.LeastSquaresClassifier(), sl.Ridge()],
    ids=lambda learner: type(learner).__name__,
)
@pytest.mark.parametrize(
    "model",
    [sl.OneVsOneClassifier(), sl.OneVsRestClassifier(), sl.OutputCodeClassifier(code="bch")],
    ids=lambda model: type(model).__name__,
)
def test_sums_by_class_are_the_fits_of_all_problems(model, base):
    weight = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    model = clone(model).set_params(estimator=base).fit(X, NAMES, sample_weight=weight)
    assert model.adds_up
    apart, source = ProblemFits(model), model.open(X, NAMES, weight, reset=False)
    for mine, view in zip(model.estimators_, apart.views(source, classes_seen(source)), strict=True):
        alone = apart.taught(clone(base), view)
        answer = "decision_function" if hasattr(base, "decision_function") else "predict"
        np.testing.assert_allclose(getattr(mine, answer)(X), getattr(alone, answer)(X), rtol=1e-8, atol=1e-8)


def test_the_common_contrast_is_all_rows():
    model = sl.OneVsRestClassifier(sl.GaussianNB(), contrast="common").fit(X, Y)
    again = np.concatenate([X, X[Y == 2]]), np.repeat([0, 1], [len(X), (Y == 2).sum()])
    np.testing.assert_allclose(
        model.estimators_[2].predict_proba(X), sl.GaussianNB().fit(*again).predict_proba(X), rtol=1e-9
    )
    assert model.score(X, Y) > 0.5


@pytest.mark.parametrize("kind", OURS)
def test_sites_add_up_though_each_lacks_a_class(kind):
    north, south = Y != 0, Y == 0
    south[np.flatnonzero(Y == 1)[:5]] = True
    north[np.flatnonzero(Y == 1)[:5]] = False
    model = kind()
    both = clone(model).fit(X[north], Y[north]) + clone(model).fit(X[south], Y[south])
    np.testing.assert_allclose(both.decision_function(X), model.fit(X, Y).decision_function(X), rtol=1e-8, atol=1e-8)
    assert both.forget(X[Y == 0], Y[Y == 0]).classes_.tolist() == [1, 2, 3, 4, 5]


def test_a_class_that_was_promised_and_has_no_rows_is_never_said():
    model = sl.OneVsOneClassifier(sl.GaussianNB(), decide="odds").partial_fit(X, Y, classes=range(8))
    assert model.classes_.tolist() == list(range(8))
    assert (model.predict_proba(X)[:, 6:] == 0).all() and model.predict(X).max() <= 5


@pytest.mark.parametrize("K", [3, 6, 26, 40])
def test_words_of_bch_codes_are_far_apart(K):
    words = bch_words(K, K)
    apart = (words[:, None] != words).sum(axis=2)[~np.eye(K, dtype=bool)]
    assert apart.min() >= {3: 3, 6: 3, 26: 15, 40: 31}[K] and (words.any(axis=0) & ~words.all(axis=0)).all()


def test_exhaustive_codes_have_every_cut_once():
    words = exhaustive_words(5)
    cuts = {min(tuple(c), tuple(~c)) for c in words.T}
    assert len(cuts) == words.shape[1] == 15 and all(0 < sum(c) < 5 for c in cuts)


@pytest.mark.parametrize("decoding", ["distance", "hinge", "logistic"])
@pytest.mark.parametrize("base", [sl.LinearDiscriminantAnalysis(), neighbors.KNeighborsClassifier(), sl.Ridge()])
def test_every_decoding_finds_clear_classes(decoding, base):
    far = 40.0 * np.eye(6)[Y] + X[:, [0] * 6]
    model = sl.OutputCodeClassifier(base, code="exhaustive", decoding=decoding).fit(far, NAMES)
    assert model.score(far, NAMES) == 1.0


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (sl.OneVsOneClassifier(decide="fight"), "decide must be"),
        (sl.OneVsOneClassifier(svm.SVC(), decide="odds"), "SVC has none"),
        (sl.OneVsRestClassifier(contrast="none"), "contrast must be"),
        (sl.OneVsRestClassifier(svm.SVC(), contrast="common"), "no probabilities"),
        (sl.OutputCodeClassifier(code="morse"), "code must be"),
        (sl.OutputCodeClassifier(code=[[1, -1]] * 6), "same code word"),
        (sl.OutputCodeClassifier(code=np.column_stack([np.ones(6), np.eye(6)])), "problem number 0"),
        (sl.OutputCodeClassifier(code=[[1, -1]] * 2), "a row for each"),
        (sl.OutputCodeClassifier(code=[[1, -1, 0]] * 6), "truth values"),
        (sl.OutputCodeClassifier(code_size=0.2), "larger code_size"),
        (sl.OutputCodeClassifier(code_size=-1.0), "positive"),
        (sl.OutputCodeClassifier(decoding="guess"), "decoding must be"),
        (sl.OutputCodeClassifier(random_state=np.random.RandomState(0)), "whole number"),
    ],
)
def test_what_makes_no_sense_is_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)


@pytest.mark.parametrize("base", [sl.GaussianNB(), svm.SVC()])
@pytest.mark.parametrize("kind", OURS)
def test_one_class_is_predicted(kind, base):
    model = kind(base).fit(X, np.full(len(X), "only"))
    assert (model.predict(X[:3]) == "only").all() and len(model.estimators_) == 0
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(model.predict_proba(X[:3]), np.ones((3, 1)))
    with pytest.raises(TypeError, match="estimator must be"):
        kind(sl.Ridge).fit(X, Y)


@pytest.mark.parametrize("kind", OURS)
def test_models_are_saved_with_their_sums(kind, tmp_path):
    model = kind(sl.LinearDiscriminantAnalysis()).fit(X, NAMES)
    sl.save(model, tmp_path / "model.zip")
    again = sl.load(tmp_path / "model.zip")
    assert (again.decision_function(X) == model.decision_function(X)).all()
    assert (again.forget(X[:50], NAMES[:50]).predict(X) == model.forget(X[:50], NAMES[:50]).predict(X)).all()


def test_a_bad_value_is_named_by_its_row():
    bad = X.copy()
    bad[117, 2] = np.nan
    with pytest.raises(ValueError, match="row 117, column 2"):
        sl.OneVsOneClassifier().fit(bad, Y)


def test_rows_of_a_stream(tmp_path):
    np.savetxt(tmp_path / "rows.csv", np.column_stack([X, Y]), delimiter=",", header="a,b,c,d,y", comments="")
    frame = pd.read_csv(tmp_path / "rows.csv").astype({"y": int})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    model = sl.OneVsOneClassifier().fit(str(tmp_path / "rows.csv"), "y")
    assert (model.predict(frame[list("abcd")]) == sl.OneVsOneClassifier().fit(frame[list("abcd")], Y).predict(X)).all()
    with pytest.raises(ValueError, match="in memory"):
        sl.OneVsOneClassifier(svm.SVC()).fit(str(tmp_path / "rows.csv"), "y")


@pytest.mark.parametrize("kind", OURS)
def test_an_estimator_that_is_exchanged_does_not_solve_sums_of_another(kind):
    """GaussianNB and QDA have sums of the same type, but the one has variances alone."""
    model = kind(sl.GaussianNB()).fit(X, Y)
    for other in (sl.QuadraticDiscriminantAnalysis(), sl.Ridge(), svm.SVC()):
        with pytest.raises(ValueError, match=f"none of {type(other).__name__}: the estimator has changed; fit anew"):
            model.set_params(estimator=other).predict(X)
        assert not hasattr(model, "classes_") and model._repr_html_()
    again = model.set_params(estimator=sl.GaussianNB(var_smoothing=0.1)).predict(X)
    assert (again == kind(sl.GaussianNB(var_smoothing=0.1)).fit(X, Y).predict(X)).all()


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        (sl.OutputCodeClassifier, {"random_state": 7}),
        (sl.OutputCodeClassifier, {"code": "bch"}),
        (sl.OneVsRestClassifier, {"contrast": "common"}),
    ],
)
def test_other_problems_than_were_fitted_are_refused(kind, changed, tmp_path):
    """From sums they are solved anew; models that were fitted one by one would answer questions of another code."""
    sums = kind(sl.GaussianNB()).fit(X, Y).set_params(**changed)
    assert (sums.predict(X) == kind(sl.GaussianNB(), **changed).fit(X, Y).predict(X)).all()
    sl.save(kind(sl.KNeighborsClassifier()).fit(X, Y), tmp_path / "m.sumlearn")
    model = sl.load(tmp_path / "m.sumlearn")
    model.set_params(**changed)
    with pytest.raises(ValueError, match="fitted with other parameters.*fit anew"):
        model.predict(X)
    assert model._repr_html_() and model.fit(X, Y).predict(X).shape == Y.shape


@pytest.mark.parametrize("kind", OURS)
@pytest.mark.parametrize("base", [sl.GaussianNB(), RidgeClassifier()], ids=["sums", "rows"])
def test_weights_that_are_none_are_refused(kind, base):
    weight = np.ones(len(X))
    for bad, said in ((-1.0, "Negative values"), (np.nan, "NaN"), (np.inf, "infinity")):
        weight[17] = bad
        with pytest.raises(ValueError, match=f"{said}.*first at row 17"):
            kind(base).fit(X, Y, weight)
    with pytest.raises(ValueError, match="zero for every row"):
        kind(base).fit(X, Y, np.zeros(len(X)))
