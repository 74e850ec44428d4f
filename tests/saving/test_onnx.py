"""ONNX: another runtime gives the answers of the model, to the last digits of double precision."""

import sys

import numpy as np
import pytest

import sumlearn as sl
from sumlearn.data import load_example
from sumlearn.features import Polynomial
from sumlearn.learners.networks.activations import ACTIVATIONS, ELU, LeakyReLU, Maxout, Tanh
from sumlearn.saving import to_onnx

IRIS, PIMA = load_example("iris"), load_example("pima")
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(80, 4)) * [1.0, 10.0, 0.1, 1.0], RNG.normal(size=80)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
REGRESSORS = [sl.LinearRegression(), sl.Ridge(alpha=2.5), sl.RidgeCV(), sl.LinearRegressor(loss="huber", alpha=0.3)]
CLASSIFIERS = [
    sl.LinearDiscriminantAnalysis(),
    sl.LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.2),
    sl.LogisticRegression(C=0.3),
    sl.LinearClassifier(loss="squared_hinge", alpha=2.0),
    sl.LeastSquaresClassifier(alpha=1.0),
    sl.GaussianNB(),
    sl.QuadraticDiscriminantAnalysis(reg_param=0.05),
]


def answers(model, rows):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": np.asarray(rows, dtype=float)}), strict=True))


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_regressions(model, offset):
    rows = X + offset
    found = answers(model.fit(rows, Y + offset), rows)
    assert list(found) == ["variable"]
    np.testing.assert_allclose(found["variable"], model.predict(rows), rtol=1e-12, atol=1e-9 if offset else 1e-12)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("data", [IRIS, PIMA], ids=["three", "two"])
@pytest.mark.parametrize("words", [True, False])
def test_classifiers(model, data, words):
    labels = data.y if words else np.unique(data.y, return_inverse=True)[1] - 1
    model.fit(data.X, labels)
    found = answers(model, data.X)
    assert found["label"].tolist() == model.predict(data.X).tolist()
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(data.X), rtol=1e-8, atol=1e-12)
    else:
        wanted = model.decision_function(data.X)
        np.testing.assert_allclose(found["scores"].squeeze(), wanted, rtol=1e-9, atol=1e-10)


NETWORK = {"hidden_layer_sizes": (5, 4), "max_iter": 2}


@pytest.mark.parametrize("activation", [*ACTIVATIONS, LeakyReLU(0.3), ELU(0.5), Maxout(3)], ids=str)
def test_networks(activation):
    """Every activation and head; one class, two, three, several labels at once; far away, and in other units."""
    three = np.digitize(X[:, 0], [-0.5, 0.5])
    for labels in (np.zeros(80, dtype=int), three > 0, np.array(list("abc"))[three], np.eye(3, dtype=int)[three]):
        model = sl.MLPClassifier(activation=activation, **NETWORK).fit(X, labels)
        found = answers(model, X)
        assert found["label"].tolist() == model.predict(X).tolist()
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(X), rtol=1e-9, atol=1e-12)
    two = np.column_stack([Y, X[:, 0]])
    squared = [("squared_error", y, scaled) for y, scaled in ((Y + 1e9, False), (two, False), (1e6 * two, True))]
    for loss, y, scaled in (*squared, ("poisson", np.abs(Y), True)):
        for rows in (X, 1e-160 * X, 1e9 + X):
            model = sl.MLPRegressor(loss, activation=activation, scale_target=scaled, **NETWORK).fit(rows, y)
            np.testing.assert_allclose(answers(model, rows)["variable"], model.predict(rows), rtol=1e-9, atol=1e-12)


def test_several_targets():
    model = sl.Ridge().fit(X, np.column_stack([Y, X[:, 0]]))
    np.testing.assert_allclose(answers(model, X)["variable"], model.predict(X), rtol=1e-12, atol=1e-12)


class Swish(Tanh):
    """An activation that the graphs do not know."""


def test_what_has_no_form_is_refused():
    pytest.importorskip("onnx")
    with pytest.raises(TypeError, match="PCA has no ONNX form here; there is one for .*LinearRegression"):
        to_onnx(sl.PCA(2).fit(X))
    with pytest.raises(ValueError, match="Ridge with a basis"):
        to_onnx(sl.Ridge(basis=Polynomial(2)).fit(X, Y))
    with pytest.raises(TypeError, match="Swish has no ONNX form here"):
        to_onnx(sl.MLPRegressor(hidden_layer_sizes=(2,), activation=Swish(), max_iter=1).fit(X, Y))
    with pytest.raises(ValueError, match="not fitted"):
        to_onnx(sl.Ridge())


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'sumlearn\[onnx\]'"):
        to_onnx(sl.Ridge().fit(X, Y))
