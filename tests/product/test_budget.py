"""Time: what finds no room in the budget is dropped and named; a run that names it does not look at the clock."""

import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from sumlearn import LogisticRegression
from sumlearn.product import UsageProblem, train
from sumlearn.product.budget import Clock, OutOfTime, refits_within
from sumlearn.product.candidates import Candidate, fixed
from sumlearn.product.catalogue import named_candidates


class Sleeper(ClassifierMixin, BaseEstimator):
    """Takes its time and learns the shares of the classes."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(0.25)
        self.classes_, counts = np.unique(y, return_counts=True)
        self.share_ = counts / len(y)
        return self

    def predict_proba(self, X):
        return np.tile(self.share_, (len(X), 1))

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


SLEEPER = Candidate("sleeper", "sleeper", "classify", Sleeper, fixed())


def test_what_finds_no_room_is_dropped_and_the_run_repeats_without_a_clock(monkeypatch):
    models, said = [*named_candidates("lda,naive_bayes", "classify"), SLEEPER], []
    options = {"models": models, "row_hashes": False, "refits": 3}
    first = train("iris", budget="4s", tell=lambda *line: said.append(line), **options).metrics
    assert first["dropped"] == ["sleeper"] and "sleeper" not in {line["model"] for line in first["leaderboard"]}
    (text,) = [text for label, text in said if label == "dropped"]
    assert text.startswith("sleeper: it would take") and "not ahead on a sample" in text
    monkeypatch.setattr(Clock, "check", lambda clock: pytest.fail("looked at the clock"))
    assert train("iris", budget="none", dropped=["sleeper"], **options).metrics == first


def test_a_long_fit_ends_with_its_clock():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), np.resize(["a", "b"], 50)
    with pytest.raises(OutOfTime):
        LogisticRegression().set_callbacks(Clock(0.0)).fit(X, y)
    LogisticRegression().set_callbacks(Clock(60.0)).fit(X, y)


def test_refits_are_as_many_as_there_is_time_for():
    clock = Clock(60.0)
    assert refits_within(0.01, clock, 40) == 40
    assert refits_within(0.5, clock, 40) == 30
    assert refits_within(3.0, clock, 40) == 0  # two would say nothing
    assert refits_within(3.0, Clock(float("inf")), 40) == 40


@pytest.mark.parametrize("text", ["much", "-3s", "0s", "1 day"])
def test_what_is_no_budget(text):
    with pytest.raises(UsageProblem, match="--budget"):
        train("iris", budget=text)
