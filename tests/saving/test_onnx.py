"""ONNX: another runtime gives the answers of the model, to the last digits of double precision."""

import sys

import numpy as np
import pytest

import sumlearn as sl
from sumlearn.data import load_example
from sumlearn.features import Polynomial
from sumlearn.saving import to_onnx

IRIS, PIMA = load_example("iris"), load_example("pima")
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(80, 4)) * [1.0, 10.0, 0.1, 1.0], RNG.normal(size=80)
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


def test_what_has_no_form_is_refused():
    pytest.importorskip("onnx")
    with pytest.raises(TypeError, match="PCA has no ONNX form here; there is one for .*LinearRegression"):
        to_onnx(sl.PCA(2).fit(X))
    with pytest.raises(ValueError, match="Ridge with a basis"):
        to_onnx(sl.Ridge(basis=Polynomial(2)).fit(X, Y))
    with pytest.raises(ValueError, match="Ridge with 2 targets"):
        to_onnx(sl.Ridge().fit(X, np.column_stack([Y, Y])))
    with pytest.raises(ValueError, match="not fitted"):
        to_onnx(sl.Ridge())


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'sumlearn\[onnx\]'"):
        to_onnx(sl.Ridge().fit(X, Y))
