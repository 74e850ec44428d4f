"""evaluate and the report on fresh rows: the numbers are those of plain cross-validation and of plain predictions."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.metrics import mean_squared_error, r2_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sumlearn as sl
from sumlearn.data import load_example
from sumlearn.product import DataProblem, UsageProblem, read_table, train
from sumlearn.report import Report, report_on

from .tables import mixed_table, numbers


@pytest.fixture(scope="module")
def pima():
    return read_table("pima").frame


def test_scores_are_those_of_scikit_learn(pima):
    """The same folds, scaled within each: scikit-learn's own regression in its own pipeline."""
    report = sl.evaluate(TheirLogistic(C=0.5), "pima", "diabetes", cv=3, seed=3)
    data = load_example("pima")
    folds = StratifiedKFold(3, shuffle=True, random_state=3)
    plain = make_pipeline(StandardScaler(), TheirLogistic(C=0.5))
    score = cross_val_predict(plain, data.X, data.y, cv=folds, method="predict_proba")[:, 1]
    wanted = [roc_auc_score(data.y[test] == "pos", score[test]) for _, test in folds.split(data.X, data.y)]
    np.testing.assert_allclose(report.metrics["folds"], wanted, rtol=1e-6)
    assert report.metrics["score"] == pytest.approx(np.mean(wanted), rel=1e-6)
    assert isinstance(report, Report) and report.model.facts["model"]["title"] == "LogisticRegression"


@pytest.mark.parametrize(
    ("estimator", "target", "data"),
    [
        (sl.GaussianNB(), "Species", "iris"),
        (RandomForestClassifier(5, random_state=0), "Species", "iris"),
        (sl.Ridge(alpha=3.0), "rent", mixed_table().to_pandas()),
    ],
)
@pytest.mark.thinned(3)
def test_any_estimator_and_any_table(estimator, target, data, tmp_path):
    report = sl.evaluate(estimator, data, target, cv="holdout:0.3")
    assert report.metrics["chosen"]["title"] == type(estimator).__name__
    place = report.save(tmp_path / "report.html")
    assert place.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "<iframe" in report._repr_html_() and "srcdoc" in report._repr_html_()
    assert repr(report).startswith(f"Report({target} by {type(estimator).__name__}: ")
    json.dumps(report.metrics, allow_nan=False)


def test_a_table_model_keeps_its_options():
    table = mixed_table()
    model = sl.TableModel(sl.Ridge(alpha=2.0), drop=["city"], rare=3)
    report = sl.evaluate(model, table, "rent", cv=3, ids=["key"])
    assert report.model.model.get_params()["rare"] == 3
    assert report.model.model.plain_learner.alpha == 2.0
    assert "city" not in report.model.facts["columns"]
    assert "key" not in report.model.facts["columns"]


@pytest.mark.parametrize("estimator", [sl.Ridge, sl.PCA(), "ridge", object()])
def test_what_is_no_model_is_refused(estimator):
    with pytest.raises(TypeError, match="estimator must be a classifier or a regressor"):
        sl.evaluate(estimator, "iris", "Species")


def test_wrong_options_are_named():
    with pytest.raises(ValueError, match="no column 'Spezies'.*did you mean 'Species'"):
        sl.evaluate(sl.GaussianNB(), "iris", "Spezies")
    with pytest.raises(UsageProblem, match="no metric 'aux'.*did you mean 'auc'"):
        sl.evaluate(sl.GaussianNB(), "iris", "Species", metric="aux")
    with pytest.raises(ValueError, match="holds text"):
        sl.evaluate(sl.Ridge(), "iris", "Species")


# -- fresh rows -----------------------------------------------------------------------------------------------------


def test_fresh_rows_are_scored_as_they_are(pima):
    old, new = pima.slice(0, 500), pima.slice(500)
    model = train(old, "diabetes", models="lda", cv="2").model
    report = report_on(model, new)
    learner = sl.TableModel(sl.LinearDiscriminantAnalysis(solver="lsqr", **model.facts["model"]["params"]))
    learner.fit(old.drop_columns(["diabetes"]), old["diabetes"].to_numpy())
    score = learner.predict_proba(new.drop_columns(["diabetes"]))[:, 1]
    truth = new["diabetes"].to_numpy() == "pos"
    assert report.metrics["score"] == pytest.approx(roc_auc_score(truth, score), rel=1e-9)
    low, high = report.metrics["interval"]
    assert low < report.metrics["score"] < high
    assert report.metrics["scores"]["accuracy"]["score"] == pytest.approx(np.mean((score > 0.5) == truth))
    assert report.metrics["training"] == {"auc": model.facts["score"]}
    assert report.metrics["baseline"]["accuracy"] == pytest.approx(max(truth.mean(), 1 - truth.mean()))
    html = report.html
    assert 'id="threshold"' in html and 'id="refit"' not in html and "fresh rows" in html


def test_fresh_numbers():
    model = numbers().model
    frame = read_table("diabetes").frame.slice(100, 200)
    report = report_on(model, frame)
    answers = model.predict(frame)
    truth = frame["progression"].to_numpy()
    assert report.metrics["score"] == pytest.approx(r2_score(truth, answers))
    assert report.metrics["scores"]["rmse"]["score"] == pytest.approx(np.sqrt(mean_squared_error(truth, answers)))
    assert 'id="residuals"' in report.html


def test_a_model_that_got_worse_is_told(pima):
    model = train(pima.slice(0, 500), "diabetes", models="lda", cv="2").model
    fresh = pima.slice(500).to_pandas()
    fresh["diabetes"] = np.random.default_rng(0).permutation(fresh["diabetes"])
    codes = {check["code"] for check in report_on(model, fresh).metrics["checks"]}
    assert codes == {"worse-than-before", "no-better-than-baseline"}
    assert not report_on(model, pima.slice(500)).metrics["checks"]


def test_history_is_told_after_update_and_forget(pima):
    model = train(pima.slice(0, 400), "diabetes", models="lda", cv="2").model
    changed = model.update(pima.slice(400, 60), "more").forget(pima.slice(0, 40), "gone")
    html = report_on(changed, pima.slice(500)).html
    part = html[html.index('id="history"') : html.index('id="use"')]
    for words in ("train", "update", "forget", "more", "gone", "400", "460", "420"):
        assert words in part
    assert 'id="history"' not in report_on(model, pima.slice(500)).html


def test_a_label_that_the_model_never_met(pima):
    model = train(pima.slice(0, 300), "diabetes", models="lda", cv="2").model
    fresh = pima.slice(300).to_pandas()
    fresh.loc[7, "diabetes"] = "perhaps"
    with pytest.raises(DataProblem, match="'diabetes' is 'perhaps' in row 7; there are 'neg', 'pos'"):
        report_on(model, fresh)
    with pytest.raises(DataProblem, match="'diabetes' is 'neg' in every row"):
        report_on(model, pd.DataFrame(fresh[fresh["diabetes"] == "neg"]))
