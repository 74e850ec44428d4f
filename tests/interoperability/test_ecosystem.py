"""Round trips through neighbours: MLflow, skrub, skore. `make neighbours` installs them."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.pipeline import Pipeline, make_pipeline

import sumlearn as sl
from sumlearn.data import load_example
from sumlearn.saving import trusted_types

pd = pytest.importorskip("pandas")
PIMA = load_example("pima")
X = pd.DataFrame(PIMA.X, columns=PIMA.columns)
Y = pd.Series(PIMA.y)
MODELS = [sl.LinearDiscriminantAnalysis(), sl.QuadraticDiscriminantAnalysis(), sl.GaussianNB(), sl.LogisticRegression()]
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)


class Stranger(TransformerMixin, BaseEstimator):
    """Somebody else's step."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X


@pytest.mark.thinned(4)
@each_model
@pytest.mark.parametrize("form", ["cloudpickle", "skops"])
def test_mlflow(model, form, tmp_path, monkeypatch):
    """Logged, loaded as ours, and as a plain function; what comes back still adds up."""
    mlflow = pytest.importorskip("mlflow")
    pytest.importorskip("mlflow.sklearn")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri(f"file:{tmp_path / 'runs'}")
    fitted = clone(model).fit(X[:500], Y[:500])
    options = {"skops_trusted_types": trusted_types(fitted)} if form == "skops" else {}
    if model is not MODELS[0]:  # what it needs is found out once, by loading it in a process of its own
        options["pip_requirements"] = ["sumlearn"]
    with mlflow.start_run():
        logged = mlflow.sklearn.log_model(fitted, name="model", serialization_format=form, **options)
    back = mlflow.sklearn.load_model(logged.model_uri)
    np.testing.assert_array_equal(back.predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_array_equal(mlflow.pyfunc.load_model(logged.model_uri).predict(X), fitted.predict(X))
    if "merge" in sl.abilities(fitted):
        whole = back.partial_fit(X[500:], Y[500:])
        fresh = type(model)().fit(X, Y)
        np.testing.assert_allclose(whole.predict_proba(X), fresh.predict_proba(X), rtol=1e-9, atol=1e-12)


def test_foreign_types_are_not_trusted():
    pytest.importorskip("skops")
    found = trusted_types(make_pipeline(Stranger(), sl.LinearDiscriminantAnalysis()).fit(X, Y))
    assert any(name.endswith("LinearDiscriminantAnalysis") for name in found)
    assert not any("Stranger" in name for name in found)


@each_model
def test_skrub_tabular_pipeline(model):
    skrub = pytest.importorskip("skrub")
    frame = X.assign(word=np.where(X["age"] > 40, "old", "young"))
    pipeline = skrub.tabular_pipeline(clone(model))
    assert isinstance(pipeline, Pipeline) and type(pipeline[-1]) is type(model)
    assert pipeline.fit(frame[:500], Y[:500]).score(frame[500:], Y[500:]) > 0.7


def test_skrub_tabular_pipeline_of_numbers():
    skrub = pytest.importorskip("skrub")
    pipeline = skrub.tabular_pipeline(sl.Ridge())
    assert pipeline.fit(X.drop(columns="age"), X["age"]).score(X.drop(columns="age"), X["age"]) > 0.3


@each_model
def test_skore(model):
    skore = pytest.importorskip("skore")
    from sklearn.metrics import roc_auc_score

    report = skore.EstimatorReport(
        clone(model), X_train=X[:500], y_train=Y[:500], X_test=X[500:], y_test=Y[500:], pos_label="pos"
    )
    expected = roc_auc_score(Y[500:] == "pos", clone(model).fit(X[:500], Y[:500]).predict_proba(X[500:])[:, 1])
    assert report.metrics.roc_auc() == pytest.approx(expected)
