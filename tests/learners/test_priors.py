"""Prior probabilities of classes that come and go."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import sumlearn as sl
from sumlearn.testing import assert_same_model

X = np.round(np.random.default_rng(0).normal(size=(24, 2)) * 64) / 64
LABELS = np.array(list("abcd") * 6)
BY_NAME = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}
each_kind = pytest.mark.parametrize(
    "kind", [sl.GaussianNB, sl.LinearDiscriminantAnalysis, sl.QuadraticDiscriminantAnalysis], ids=lambda k: k.__name__
)


def rows_of(classes):
    kept = np.isin(LABELS, list(classes))
    return X[kept], LABELS[kept]


@each_kind
def test_by_name_is_by_place_where_all_classes_are_there(kind):
    assert_same_model(kind(priors=BY_NAME).fit(X, LABELS), kind(priors=list(BY_NAME.values())).fit(X, LABELS), X)


@each_kind
def test_names_stay_with_their_classes(kind):
    """b goes and d comes: as many classes as before, and other ones."""
    model = kind(priors=BY_NAME).fit(*rows_of("abc")).forget(*rows_of("b")).partial_fit(*rows_of("d"))
    expected = kind(priors=[1 / 8, 3 / 8, 1 / 2]).fit(*rows_of("acd"))
    assert list(model.classes_) == list("acd")
    assert_same_model(model, expected, X)


@each_kind
@pytest.mark.parametrize("inside", [False, True])
def test_places_are_not_left_to_other_classes(kind, inside):
    pandas = pytest.importorskip("pandas")
    learner = kind(priors=[0.2, 0.3, 0.5])
    model = sl.TableModel(learner) if inside else learner
    as_rows = (lambda X: pandas.DataFrame(X, columns=["x", "y"])) if inside else np.asarray
    rows, labels = rows_of("abc")
    model.fit(as_rows(rows), labels)
    before = model.predict_proba(as_rows(X))
    gone = labels == "b"
    with pytest.raises(ValueError, match="no row of class 'b' would be left, and priors=.* go by the place"):
        model.forget(as_rows(rows[gone]), labels[gone])
    assert np.array_equal(model.predict_proba(as_rows(X)), before)
    model.forget(as_rows(rows[gone][1:]), labels[gone][1:])  # one row of it stays
    assert list(model.statistic_.labels) == list("abc")


def test_a_class_without_rows_is_never_chosen():
    model = sl.GaussianNB(priors=[0.2, 0.2, 0.6]).partial_fit(*rows_of("ab"), classes=list("abz"))
    assert model.class_prior_.tolist() == [0.5, 0.5, 0.0]
    assert not (model.predict(np.zeros((5, 2))) == "z").any()
    model.forget(*rows_of("b"))  # with classes fixed beforehand a place stays its class's
    assert model.class_prior_.tolist() == [1.0, 0.0, 0.0]


@each_kind
def test_priors_that_make_no_sense(kind):
    with pytest.raises(ValueError, match="priors name .*, and there are rows of class 'd'"):
        kind(priors={"a": 0.5, "b": 0.2, "c": 0.3}).fit(X, LABELS)
    with pytest.raises(ValueError, match="the priors of all classes that have rows are zero"):
        kind(priors={"a": 0.0, "b": 0.0, "z": 1.0}).fit(*rows_of("ab"))


@each_kind
def test_priors_changed_in_place_are_noticed(kind):
    for priors, other in ((np.array([0.2, 0.3, 0.5]), [0.5, 0.3, 0.2]), ([0.2, 0.3, 0.5], [0.5, 0.3, 0.2])):
        model = kind(priors=priors).fit(*rows_of("abc"))
        model.predict(X)
        priors[:] = other
        assert_same_model(model, kind(priors=other).fit(*rows_of("abc")), X, 0.0)
    priors = dict(BY_NAME)
    model = kind(priors=priors).fit(X, LABELS)
    model.predict(X)
    priors.update(a=0.4, d=0.1)
    assert_same_model(model, kind(priors={"a": 0.4, "b": 0.2, "c": 0.3, "d": 0.1}).fit(X, LABELS), X, 0.0)


THREE = np.array(list("abc"))[np.arange(60) % 3]
POINTS = np.random.default_rng(0).normal(size=(60, 2)) + (np.arange(60) % 3)[:, None]
COSTS = np.array([[0.0, 1.0, 5.0], [2.0, 0.0, 7.0], [1.0, 1.0, 0.0]])
PLACED = {
    "fusion": sl.Fusion([("x", sl.GaussianNB(), [0]), ("y", sl.GaussianNB(), [1])], priors=[0.2, 0.3, 0.5]),
    "costs": sl.CostSensitiveClassifier(sl.GaussianNB(), COSTS),
    "member": sl.Committee([("bayes", sl.GaussianNB(priors=[0.2, 0.3, 0.5]))]),
    "codes": sl.OutputCodeClassifier(sl.GaussianNB(), code=1 - np.eye(3, dtype=int)),
}


@pytest.mark.parametrize("learner", PLACED.values(), ids=PLACED)
def test_numbers_by_place_do_not_move_to_another_class(learner):
    """b goes, d comes: there are three classes again, and the second number would be that of c."""
    gone = THREE == "b"
    model = clone(learner).fit(POINTS, THREE)
    before = model.predict(POINTS)
    with pytest.raises(ValueError, match=r"no row of class 'b' would be left, and \w+=\[.* go by the place"):
        model.forget(POINTS[gone], THREE[gone])
    assert (model.predict(POINTS) == before).all()


def test_numbers_by_name_stay_with_their_class():
    gone, later = THREE == "b", np.full(20, "d")
    costs = {(true, said): 1.0 + (said == "a") for true in "abcd" for said in "abcd" if true != said}
    model = sl.CostSensitiveClassifier(sl.GaussianNB(), COSTS).fit(POINTS, THREE).set_params(costs=None)
    model.forget(POINTS[gone], THREE[gone]).partial_fit(POINTS[:20], later).set_params(costs=costs)
    with pytest.raises(ValueError, match="costs name the class 'b'"):
        model.predict(POINTS)


@pytest.mark.parametrize(
    "kind", [sl.SlidingWindow, sl.TumblingWindow, sl.Fading, lambda learner: sl.ModelCube(learner, time="t", grain=1)]
)
def test_priors_by_place_are_refused_where_classes_come_and_go(kind):
    frame = pd.DataFrame(POINTS, columns=["x", "y"]).assign(t=np.arange(60), label=THREE)
    rows = frame if kind not in (sl.SlidingWindow, sl.TumblingWindow, sl.Fading) else frame.drop(columns="t")
    with pytest.raises(ValueError, match="by the place of the classes, and in .* come and go: give them by name"):
        kind(sl.GaussianNB(priors=[0.2, 0.3, 0.5])).fit(rows, "label")
    kind(sl.GaussianNB(priors={"a": 0.2, "b": 0.3, "c": 0.5})).fit(rows, "label")
