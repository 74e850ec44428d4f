"""`sample` of classifiers: labels in the shares that predict_proba gives."""

import numpy as np
import pytest

import sumlearn as sl
from sumlearn.data import load_example

IRIS = load_example("iris")
MODELS = [
    sl.LinearDiscriminantAnalysis(),
    sl.QuadraticDiscriminantAnalysis(),
    sl.GaussianNB(),
    sl.LogisticRegression(C=0.01),
    sl.OrdinalRegression(),
    sl.SigmoidNeuron(max_iter=20, tol=None),
    sl.LinearClassifier("softmax", alpha=30.0),
    sl.LeastSquaresClassifier(),
    sl.FisherDiscriminant(),
    sl.PolynomialClassifier(),
    sl.ExtremeLearningMachineClassifier(10),
    sl.RBFNetworkClassifier(5),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_shares_are_the_probabilities(model):
    X, y = IRIS.X[:, :2], IRIS.y  # two columns leave doubt
    model.fit(X, y)
    rows = np.repeat(X[[5, 60, 120]], 4000, axis=0)
    drawn = model.sample(rows, 0).reshape(3, -1)
    shares = np.array([[np.mean(row == label) for label in model.classes_] for row in drawn])
    np.testing.assert_allclose(shares, model.predict_proba(X[[5, 60, 120]]), atol=0.03)
    assert (model.sample(X, 1) == model.sample(X, 1)).all()
    assert (model.sample(rows, 1) != model.sample(rows, 2)).any()


def test_one_class_is_always_drawn():
    model = sl.GaussianNB().fit(IRIS.X[:50], IRIS.y[:50])
    assert set(model.sample(IRIS.X)) == {"setosa"}


@pytest.mark.parametrize("learner", [sl.Ridge(), sl.LinearRegression(), sl.LinearDiscriminantAnalysis()], ids=repr)
def test_tables(learner):
    import pandas as pd

    frame = pd.DataFrame(IRIS.X, columns=IRIS.columns).assign(kind=IRIS.y)
    target = "kind" if hasattr(learner, "predict_proba") else IRIS.columns[3]
    model = sl.TableModel(learner).fit(frame, target)
    rows = frame.drop(columns=target)
    drawn = model.sample(rows, 0)
    assert len(drawn) == 150 and (drawn == model.sample(rows, 0)).all()
    if target != "kind":
        away = drawn - model.predict(rows)
        spread = np.sqrt(np.mean((frame[target] - model.predict(rows)) ** 2))
        assert away.std() == pytest.approx(spread, rel=0.25)
    assert not hasattr(sl.TableModel(sl.Perceptron()), "sample")


def test_of_the_losses_only_likelihoods_draw():
    for loss, has in (("logistic", True), ("softmax", True), ("hinge", False), ("squared_hinge", False)):
        model = sl.LinearClassifier(loss)
        assert (hasattr(model, "predict_proba"), hasattr(model, "sample")) == (has, has)
