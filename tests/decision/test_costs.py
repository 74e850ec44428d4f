"""Costs: the matrix, the decisions of least expected cost against enumeration, rejection, what is refused."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import sumlearn as sl
from sumlearn.decision import Costs

from tests.decision.many_classes_problems import NAMES, X, Y

TABLE = np.random.default_rng(3).uniform(0.0, 5.0, (6, 6))
np.fill_diagonal(TABLE, 0.0)


def test_decisions_are_those_of_enumeration_and_cheaper_than_the_most_probable():
    model = sl.CostSensitiveClassifier(sl.GaussianNB(), TABLE).fit(X[:150], Y[:150])
    P, said = model.predict_proba(X[150:]), model.predict(X[150:])
    for p, answer in zip(P, said, strict=True):
        costs = [sum(p[i] * TABLE[i, j] for i in range(6)) for j in range(6)]
        assert answer == costs.index(min(costs))
    plain = sl.GaussianNB().fit(X[:150], Y[:150]).predict(X[150:])
    assert TABLE[Y[150:], said].mean() < TABLE[Y[150:], plain].mean()


@pytest.mark.parametrize("base", [sl.LinearDiscriminantAnalysis(), KNeighborsClassifier()])
def test_two_classes_have_a_threshold_of_the_log_odds(base):
    y, costs = Y > 2, Costs(false_accept=1.0, false_reject=7.0)
    model = sl.CostSensitiveClassifier(base, costs).fit(X, y)
    with np.errstate(divide="ignore"):
        log_odds = np.log(model.predict_proba(X)) @ [-1.0, 1.0]
    assert (model.predict(X) == (log_odds >= costs.log_odds)).all() and costs.log_odds == pytest.approx(-np.log(7.0))
    assert model.predict(X).sum() > y.sum()
    assert model.set_params(costs=Costs(1.0, 0.0)).predict(X).sum() <= (log_odds == np.inf).sum()


def test_without_costs_it_is_the_classifier_inside():
    model = sl.CostSensitiveClassifier(sl.GaussianNB()).fit(X, NAMES)
    assert (model.predict(X) == sl.GaussianNB().fit(X, NAMES).predict(X)).all()


def test_it_adds_up_and_forgets_and_is_saved(tmp_path):
    model = sl.CostSensitiveClassifier(sl.GaussianNB(), Costs.of({("a", "b"): 9.0}), reject=0.5, reject_label="none")
    a, b = (sl.CostSensitiveClassifier(**model.get_params(deep=False)).fit(X[i::2], NAMES[i::2]) for i in (0, 1))
    model.fit(X, NAMES)
    np.testing.assert_allclose((a + b).expected_cost(X), model.expected_cost(X), rtol=1e-9)
    sl.save(model, tmp_path / "model.zip")
    assert (sl.load(tmp_path / "model.zip").predict(X) == model.predict(X)).all()
    np.testing.assert_allclose(
        model.forget(X[1::2], NAMES[1::2]).expected_cost(X), a.expected_cost(X), rtol=1e-8, atol=1e-12
    )


def test_rows_whose_answers_are_too_dear_get_none():
    model = sl.CostSensitiveClassifier(sl.GaussianNB(), reject=0.2, reject_label=-1).fit(X, Y)
    sure = model.predict_proba(X).max(axis=1) >= 0.8
    assert ((model.predict(X) != -1) == sure).all() and 0 < sure.sum() < len(X)
    with pytest.raises(ValueError, match="none of them"):
        model.set_params(reject_label=3).predict(X)


def test_costs_are_read_from_a_table(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("true,1,2\n1,0,3\n2,0.5,0\n")
    assert Costs.read(path).matrix([1, 2]).tolist() == [[0.0, 3.0], [0.5, 0.0]]
    path.write_text("true,1,2\n1,0\n")
    with pytest.raises(ValueError, match="line 2: 1 costs for 2 labels"):
        Costs.read(path)
    path.write_text("true,1,2\n1,0,much\n")
    with pytest.raises(ValueError, match="line 2: 'much' is no number"):
        Costs.read(path)


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (np.ones((2, 2)), "square table"),
        (-TABLE, "not negative"),
        ({("a", "z"): 2.0}, "the class 'z'"),
        ({"a": 2.0}, "by pairs"),
        ({("a", "b"): None}, "finite and not negative, got None"),
        (np.zeros((6, 6)), "nothing is to decide"),
        (np.repeat(TABLE[:, :1], 6, axis=1), "nothing is to decide"),
        (Costs(1.0, 2.0), "one of two classes"),
    ],
)
def test_costs_that_do_not_fit_are_refused(costs, message):
    with pytest.raises(ValueError, match=message):
        sl.CostSensitiveClassifier(sl.GaussianNB(), costs).fit(X, NAMES).predict(X)


@pytest.mark.parametrize("given", [(0.0, 0.0), (-1.0, 1.0), (np.inf, 1.0), (np.nan, 1.0)])
def test_costs_that_are_none_are_refused(given):
    with pytest.raises(ValueError, match="both zero|not negative"):
        Costs(*given)


def test_what_cannot_decide_is_refused():
    with pytest.raises(TypeError, match="predict_proba"):
        sl.CostSensitiveClassifier(SVC()).fit(X, Y)
    with pytest.raises(ValueError, match="go together"):
        sl.CostSensitiveClassifier(reject=0.5).fit(X, Y)
    with pytest.raises(ValueError, match="reject must be"):
        sl.CostSensitiveClassifier(reject=-0.5, reject_label=-1).fit(X, Y)


@pytest.mark.parametrize("around", [sl.OneVsOneClassifier, sl.OneVsRestClassifier, sl.CostSensitiveClassifier])
def test_gaps_are_left_to_foreign_learners_that_take_them(around):
    rows = X.astype(float).copy()
    rows[np.random.default_rng(0).random(rows.shape) < 0.05] = np.nan
    for base in (HistGradientBoostingClassifier(max_iter=5), make_pipeline(SimpleImputer(), KNeighborsClassifier())):
        assert around(base).fit(rows, Y).score(rows, Y) > 0.6
    for base in (None, KNeighborsClassifier()):
        with pytest.raises(ValueError, match="NaN"):
            around(base).fit(rows, Y)
