"""`sumlearn compare`: Weka's table."""

import json

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score

from sumlearn import GaussianNB, LinearDiscriminantAnalysis
from sumlearn.data import load_example


def test_scores_are_those_of_cross_validation(run):
    found = json.loads(run("compare", "iris", "pima_tr", "--models", "lda,naive_bayes", "--cv", "5", "--json").out)
    means = {(line["data"], line["model"]): line["mean"] for line in found["results"]}
    for name in ("iris", "pima_tr"):
        table = load_example(name)
        for model, learner in (("lda", LinearDiscriminantAnalysis(solver="lsqr")), ("naive_bayes", GaussianNB())):
            scores = cross_val_score(learner, table.X, table.y, cv=StratifiedKFold(5))
            assert means[name, model] == pytest.approx(np.mean(scores))
    marks = [line["mark"] for line in found["results"] if "mark" in line]
    assert len(marks) == 2
    assert set(marks) <= {"v", " ", "*"}


def test_the_table(run):
    found = run("compare", "pima_tr", "--models", "lda,qda,boosting", "--cv", "2", "--metric", "balanced_accuracy")
    assert found.code == 0, found.err
    assert found.out.startswith("balanced_accuracy, mean(sd); v better, * worse than (1)")
    assert found.out.splitlines()[-3:] == ["(1) lda", "(2) qda", "(3) boosting"]


def test_tables_of_different_tasks(run):
    found = run("compare", "iris", "faithful", "-t", "waiting")
    assert found.code == 3
    assert "no column 'waiting'" in found.err
