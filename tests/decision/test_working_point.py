"""Working points: every rule against enumeration of all thresholds, out of folds, and as scikit-learn's classifier."""

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC

import sumlearn as sl
from sumlearn.decision import Costs, WorkingPoint

RNG = np.random.default_rng(0)
Y = RNG.random(120) < 0.3
SCORE = np.round(Y + RNG.standard_normal(120), 1)  # with ties
X = np.column_stack([SCORE, RNG.standard_normal(120)])


def rates(threshold, y, score, weight):
    said = score >= threshold
    share = lambda rows, of: weight[rows & of].sum() / weight[of].sum() if weight[of].any() else 1.0  # noqa: E731
    return share(said, y), share(said, ~y), share(y, said)


@pytest.mark.parametrize("weight", [np.ones(120), RNG.integers(0, 4, 120).astype(float)], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    ("rule", "options", "worth"),
    [
        ("eer", {}, lambda t, f, p, q: -abs(1 - t - f)),
        ("bep", {}, lambda t, f, p, q: -abs(t - p) if t else -9.0),
        ("tangent", {}, lambda t, f, p, q: t - f),
        ("cost", {"costs": Costs(1.0, 4.0)}, lambda t, f, p, q: -((1 - q) * f + 4 * q * (1 - t))),
        ("cost", {"costs": [[0, 3.0], [2.0, 1.0]], "prior": 0.5}, lambda t, f, p, q: -(1.5 * f + 0.5 * (1 - t))),
        ("tpr", {"rate": 0.8}, lambda t, f, p, q: -t if t >= 0.8 else -9.0),
        ("fpr", {"rate": 0.1}, lambda t, f, p, q: f if f <= 0.1 else -9.0),
    ],
)
def test_rules_are_those_of_enumeration(rule, options, worth, weight):
    point = WorkingPoint.of(Y, SCORE, rule, sample_weight=weight, **options)
    share = weight[Y].sum() / weight.sum()
    candidates = np.append(np.unique(SCORE[weight > 0]), np.inf)
    best = max(worth(*rates(t, Y, SCORE, weight), share) for t in candidates)
    found = rates(point.threshold, Y, SCORE, weight)
    assert worth(*found, share) == pytest.approx(best, abs=1e-12)
    np.testing.assert_allclose(found, (point.tpr, point.fpr, point.precision), atol=1e-12)
    assert point.accepts(SCORE).sum() == (point.threshold <= SCORE).sum() and point.positive == np.True_


@pytest.mark.parametrize("base", [sl.LinearDiscriminantAnalysis(), SVC()], ids=["ours", "foreign"])
@pytest.mark.parametrize("positive", ["no", "yes"])
def test_out_of_folds_and_as_scikit_learns_classifier(base, positive):
    labels, rows = np.where(Y, "yes", "no"), pd.DataFrame(X, columns=["a", "b"])
    point = WorkingPoint.out_of_fold(base, rows, labels, "fpr", rate=0.2, cv=StratifiedKFold(4), positive=positive)
    method = "predict_proba" if hasattr(base, "predict_proba") else "decision_function"
    scores = cross_val_predict(base, rows, labels, cv=StratifiedKFold(4), method=method)
    scores = scores[:, int(positive == "yes")] if scores.ndim == 2 else scores * (1 if positive == "yes" else -1)
    again = WorkingPoint.of(labels, scores, "fpr", rate=0.2, positive=positive)
    assert (point.threshold, point.tpr, point.fpr) == pytest.approx((again.threshold, again.tpr, again.fpr))
    assert point.response == method and point.fpr <= 0.2
    said = point.fixed(base).fit(rows, labels).predict(rows) == positive
    model = base.fit(rows, labels)
    own = model.predict_proba(rows)[:, int(positive == "yes")] if method == "predict_proba" else (
        model.decision_function(rows) * (1 if positive == "yes" else -1)
    )  # fmt: skip
    np.testing.assert_array_equal(said, point.accepts(own))


def test_calibrated_probabilities_cost_less():
    """Naive Bayes counts columns that are copies of each other: its odds are far off, scikit-learn's calibration mends
    them, and decisions by cost with it."""
    rng = np.random.default_rng(1)
    y = rng.random(3000) < 0.3
    rows = np.repeat((y + 1.5 * rng.standard_normal(3000))[:, None], 8, axis=1)
    costs, learnt = Costs(1.0, 6.0), slice(0, 1500)
    spent = []
    for base in (sl.GaussianNB(), CalibratedClassifierCV(sl.GaussianNB(), cv=3)):
        said = sl.CostSensitiveClassifier(base, costs).fit(rows[learnt], y[learnt]).predict(rows[1500:])
        spent.append(np.mean(np.where(y[1500:], 6.0 * ~said, 1.0 * said)))
    point = WorkingPoint.out_of_fold(sl.GaussianNB(), rows[learnt], y[learnt], "cost", costs=costs)
    said = point.fixed(sl.GaussianNB()).fit(rows[learnt], y[learnt]).predict(rows[1500:])
    spent.append(np.mean(np.where(y[1500:], 6.0 * ~said, 1.0 * said)))
    assert spent[1] < 0.9 * spent[0] and spent[2] < 0.9 * spent[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "best"}, "rule must be one of"),
        ({"rule": "tpr"}, "rate must be between 0 and 1"),
        ({"rule": "fpr", "rate": 1.5}, "rate must be between 0 and 1"),
        ({"rule": "eer", "rate": 0.5}, "rate is for 'tpr' and 'fpr'"),
        ({"rule": "eer", "costs": Costs()}, "costs is for 'cost'"),
        ({"rule": "cost", "costs": [[0.0, 0.0], [0.0, 0.0]]}, "nothing is to decide"),
        ({"rule": "cost", "prior": 2.0}, "prior must be"),
        ({"positive": "maybe"}, "positive|no row"),
    ],
)
def test_what_makes_no_sense(options, message):
    with pytest.raises(ValueError, match=message):
        WorkingPoint.of(Y, SCORE, **options)


def test_what_has_no_working_point():
    with pytest.raises(ValueError, match="two classes, and y has 3"):
        WorkingPoint.out_of_fold(sl.GaussianNB(), X, np.arange(120) % 3)
    with pytest.raises(ValueError, match="two classes, and y has 1"):
        WorkingPoint.out_of_fold(sl.GaussianNB(), X, np.ones(120))
    with pytest.raises(TypeError, match="classifier with predict_proba or decision_function"):
        WorkingPoint.out_of_fold(sl.Ridge(), X, Y)

    class Unsure(sl.GaussianNB):
        def predict_proba(self, X):
            return np.full((len(X), 2), np.nan)

    with pytest.raises(ValueError, match="score contains NaN"):
        WorkingPoint.out_of_fold(Unsure(), X, Y)
    with pytest.raises(TypeError, match="classifier with predict_proba"):
        WorkingPoint.out_of_fold(SVC(), X, Y, response="predict_proba")


@pytest.mark.parametrize(("rule", "accepted"), [("eer", 0.0), ("bep", 1.0), ("tangent", 1.0)])
def test_a_constant_score_has_no_point_between_all_and_nothing(rule, accepted):
    """Its equal error rate is 1/2 by accepting half of equal rows, which no threshold does."""
    with pytest.warns(UserWarning, match="the score is 3 for every row: a threshold accepts all rows or none"):
        point = WorkingPoint.of([0, 1, 1, 0], np.full(4, 3.0), rule)
    assert (point.tpr, point.fpr) == (accepted, accepted)
    with pytest.warns(UserWarning, match="for every row"):
        WorkingPoint.of([0, 1, 1, 0], [3.0, 3.0, 3.0, 5.0], rule, sample_weight=[1.0, 1.0, 1.0, 0.0])
