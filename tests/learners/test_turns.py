"""Threads on one model: no row is lost, and whoever asks meanwhile has a whole model."""

import inspect
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import sumlearn as sl
from sumlearn.learners.turns import ASKING

from tests.laws.discovered import LEARNERS

ROWS = np.random.default_rng(0).standard_normal((240, 3))
TARGET = ROWS @ [1.0, 2.0, -1.0]
LABELS = np.where(TARGET > 0, "b", "a")


@pytest.fixture(autouse=True)
def quick_switches():
    """Threads change places as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(change, parts):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(change, parts))


PARTS = [slice(i, i + 4) for i in range(0, 240, 4)]


@pytest.mark.parametrize("learner", [sl.Ridge(), sl.GaussianNB(), sl.TableModel(sl.Ridge()), sl.RBFNetwork(3)])
def test_no_chunk_of_threads_is_lost(learner):
    y = LABELS if isinstance(learner, sl.GaussianNB) else TARGET
    rows = pd.DataFrame(ROWS, columns=list("abc")) if isinstance(learner, sl.TableModel) else ROWS
    model = learner.fit(rows[:40], y[:40])
    at_once(lambda part: model.partial_fit(rows[part], y[part]), PARTS[10:])
    assert model.statistic_.rows == 240
    at_once(lambda part: model.forget(rows[part], y[part]), PARTS[10:40])
    assert model.statistic_.rows == 120


def test_rows_in_order_are_learnt_one_thread_after_the_other():
    model = sl.Perceptron(random_state=0)
    model.partial_fit(ROWS, LABELS, classes=["a", "b"])
    at_once(lambda part: model.partial_fit(ROWS[part], LABELS[part]), PARTS)
    assert model.t_ == 481


def test_a_model_that_is_changed_can_be_asked():
    model = sl.Ridge().fit(ROWS[:40], TARGET[:40])

    def either(part):
        if part.start % 8:
            model.partial_fit(ROWS[part], TARGET[part])
        else:
            assert np.isfinite(model.predict(ROWS)).all()

    at_once(either, PARTS)
    assert model.statistic_.rows == 40 + 4 * sum(part.start % 8 > 0 for part in PARTS)


ASKED = {
    "PCA.score_samples": sl.PCA(),
    "BernoulliNB.predict_proba": sl.BernoulliNB(),
    "MultinomialNB.predict_proba": sl.MultinomialNB(),
    "LeastSquaresClassifier.predict_proba": sl.LeastSquaresClassifier(),
    "OneClassGaussian.decision_function": sl.OneClassGaussian(),
    "TableModel.predict": sl.TableModel(sl.Ridge()),
}


@pytest.mark.parametrize("question", ASKED)
def test_an_answer_is_of_one_state_of_the_model(question, monkeypatch):
    """Another thread learns whenever something of the model has been read."""
    model, name = ASKED[question], question.split(".")[1]
    y, rows = (TARGET if name == "predict" else LABELS), np.abs(ROWS)
    model.fit(rows[:40], y[:40])
    before = getattr(model, name)(rows)
    twin = type(model)().set_params(**model.get_params()).fit(rows[:40], y[:40]).partial_fit(rows[40:] + 1, y[40:])
    asked = set()

    def read(self, attribute):
        value = object.__getattribute__(self, attribute)
        if self is model and attribute in ("solved", "coef_", "statistic_") and attribute not in asked:
            asked.add(attribute)
            object.__setattr__(self, "__dict__", dict(vars(twin)))
        return value

    monkeypatch.setattr(type(model), "__getattribute__", read, raising=False)
    answer = getattr(model, name)(rows)
    monkeypatch.undo()
    assert np.array_equal(answer, before)


def test_all_that_answer_do_so_of_one_state():
    for kind in LEARNERS:
        methods = {name: inspect.getattr_static(kind, name, None) for name in ASKING}
        assert all(hasattr(getattr(found, "fn", found), "of_one_state") for found in methods.values() if found), kind
