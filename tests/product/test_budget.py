"""Time: what finds no room in the budget is dropped and named; a run that names it does not look at the clock."""

import time
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from sumlearn import LogisticRegression
from sumlearn.features import TableEncoder
from sumlearn.product import UsageProblem, budget, clock, saved_score, train, training
from sumlearn.product import forecast as forecast_module
from sumlearn.product.budget import planned
from sumlearn.product.candidates import Candidate, along
from sumlearn.product.catalogue import named_candidates
from sumlearn.product.clock import Clock, OutOfTime
from sumlearn.product.forecast import FOR_FITS
from sumlearn.product.options import Options
from sumlearn.product.procedure import MARGIN
from sumlearn.product.progress import Progress
from sumlearn.product.saved_score import REFITS
from sumlearn.product.tables import as_table, open_table
from sumlearn.product.training_problem import WIDE, problem_of
from sumlearn.product.trials import Trials, training_sets


class FakeTime:
    """A clock that only learners move."""

    now = 0.0

    def perf_counter(self):
        return FakeTime.now


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setattr(FakeTime, "now", 0.0)
    for module in (budget, clock, forecast_module, saved_score):
        monkeypatch.setattr(module, "time", FakeTime())


class Sleeper(ClassifierMixin, BaseEstimator):
    """Takes its time and learns the shares of the classes."""

    def __init__(self, seconds=0.25, for_each_row=0.0, power=1.0):
        self.seconds, self.for_each_row, self.power = seconds, for_each_row, power

    def fit(self, X, y, sample_weight=None):
        FakeTime.now += self.seconds + self.for_each_row * len(X) ** self.power
        self.classes_, counts = np.unique(y, return_counts=True)
        self.share_ = counts / len(y)
        return self

    def predict_proba(self, X):
        return np.tile(self.share_, (len(X), 1))

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def sleeper(name="sleeper", *seconds):
    return Candidate(name, name, "classify", lambda: Sleeper(*seconds), along())


def test_what_finds_no_room_is_dropped_and_the_run_repeats_without_a_clock(monkeypatch, fake):
    models, said = [*named_candidates("lda,naive_bayes", "classify"), sleeper()], []
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


@pytest.mark.parametrize("room", [True, False])
def test_refits_are_all_or_none(monkeypatch, room):
    """The clock does not choose a number, so that an interval does not vary with the machine."""
    assert Clock(60.0).has(50.0) and not Clock(60.0).has(70.0) and Clock(float("inf")).has(1e9)
    monkeypatch.setattr(Clock, "has", lambda clock, seconds: room)
    found = train("iris", models="lda", row_hashes=False).metrics
    assert found["refits"] == (REFITS if room else 0)
    assert found["interval"][0] < found["score"] < found["interval"][1]


@pytest.mark.parametrize("budget", [10.0, 60.0, 300.0])
def test_the_budget_is_kept_and_the_estimate_is_right(monkeypatch, fake, budget):
    """Candidates of many costs, of which some have no room."""
    plans = []
    monkeypatch.setattr(training, "planned", lambda *given: plans.append(planned(*given)) or plans[-1])
    costs = {"quick": (0.001,), "slow": (0.1,), "slower": (1.0,), "growing": (0.0, 0.002), "endless": (budget / 4,)}
    models = [sleeper(name, *seconds) for name, seconds in costs.items()]
    found = train("wine", models=models, budget=f"{budget:g}s", row_hashes=False).metrics
    assert FakeTime.now <= 1.2 * budget
    assert plans[0].seconds / 2 <= FakeTime.now <= 2 * plans[0].seconds or FakeTime.now < 2
    assert "endless" in found["dropped"] and "quick" not in found["dropped"]


class Nearest(Sleeper):
    """Takes its time and learns the means of the classes."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y)
        self.means_ = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def predict_proba(self, X):
        near = np.exp(-((X[:, None] - self.means_) ** 2).sum(axis=2))
        return near / near.sum(axis=1, keepdims=True)


def test_what_may_win_comes_before_what_is_cheap(fake):
    """Room for two of the three models, as they are forecast: the cheapest is always tried."""
    problem, _ = problem_of(open_table("iris"), Options("Species", models="lda"), Progress())
    winner = Candidate("winner", "winner", "classify", lambda: Nearest(1.0), along())
    models = [sleeper("cheap", 0.5), sleeper("cheaper", 0.4), winner]
    sets, room = training_sets(problem), 1.5 * 16 / FOR_FITS + 5
    plan = planned(replace(problem, candidates=models), sets, Clock(room))
    assert [c.name for c in plan.kept] == ["cheaper", "winner"] and list(plan.dropped) == ["cheap"]
    assert [c.name for c in planned(replace(problem, candidates=models), sets, Clock(2 * room)).kept][1] == "cheap"


def test_a_model_that_fails_is_named_and_the_others_go_on():
    class Broken(Sleeper):
        def predict_proba(self, X):
            raise AttributeError("the slope is no number")  # what a fitted attribute makes of any error

    models = [Candidate("broken", "broken", "classify", Broken, along()), *named_candidates("lda", "classify")]
    for budget_ in ("60s", "none"):
        found = train("iris", models=models, budget=budget_, refits=0, row_hashes=False).metrics
        assert found["failed"] == {"broken": "the slope is no number"} and found["chosen"]["model"] == "lda"


def test_time_grows_with_a_power_of_the_rows(fake):
    """What looks at all pairs of rows is over in a second on a thousand of them, and takes its time on four."""
    problem, _ = problem_of(as_table(waves(5000, 5, 2)), Options("y", models="lda"), Progress())
    sets, seconds = training_sets(problem), {}
    for power in (1.0, 2.0):
        models = [replace(sleeper("one", 0.0, 0.1 / 1000**power, power), power=power)]
        seconds[power] = planned(replace(problem, candidates=models), sets, Clock(1000.0)).seconds
    times = np.mean([len(s.rows) for s in sets]) / 1000
    assert seconds[2.0] > 0.9 * times * seconds[1.0] and times > 2.5


def waves(rows, columns, classes):
    """Columns that five hidden ones mix, and as many classes as are asked for."""
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(rows, 5))
    X = hidden @ rng.normal(size=(5, columns)) + 0.1 * rng.normal(size=(rows, columns))
    y = (
        hidden[:, 0] + hidden[:, 1] ** 2
        if classes == 0
        else np.array(list("abcde"))[hidden[:, :classes].argmax(axis=1)]
    )
    return pa.table({f"x{j}": X[:, j] for j in range(columns)} | {"y": y})


SHAPES = [(300, 5, 2), (850, 18, 4), (60, 2000, 2), (5000, 40, 3), (9000, 60, 2), (2000, 30, 0)]  # the last: numbers


@pytest.mark.slow
@pytest.mark.chance
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_tables_of_many_kinds_keep_their_budget(monkeypatch, shape):
    plans, start = [], time.perf_counter()
    monkeypatch.setattr(training, "planned", lambda *given: plans.append(planned(*given)) or plans[-1])
    found = train(waves(*shape), "y", budget="30s", row_hashes=False).metrics
    seconds = time.perf_counter() - start
    assert seconds <= 1.2 * 30
    assert plans[0].seconds / 2 <= seconds <= 2 * plans[0].seconds or seconds < 2
    lines = [line["score"] for line in found["leaderboard"] if not line["yardstick"]]
    (saved,) = [line["score"] for line in found["leaderboard"] if line["model"] == found["chosen"]["model"]]
    assert max(lines) - saved <= MARGIN


def test_few_rows_of_many_columns_are_not_summed(monkeypatch):
    """Sums of d columns have d^2 numbers, n < d rows have fewer: models that add up are fitted to the rows."""
    monkeypatch.setattr(Trials, "from_sums", lambda *given: pytest.fail("summed"))
    X = np.random.default_rng(0).normal(size=(30, 210))
    table = pa.table({f"x{j}": X[:, j] for j in range(210)} | {"y": np.where(X[:, 0] > 0, "p", "n")})
    assert train(table, "y", models="lda", refits=0, row_hashes=False).metrics["score"] > 0.3


def test_many_columns_of_numbers_are_coded_as_their_frame_is():
    X = np.random.default_rng(0).normal(size=(40, WIDE))
    X[3, 5], X[:, 6], X[:, 7] = np.nan, 2.0, X[:, 7] + 1e9
    frame = pa.table({f"x{j}": X[:, j] for j in range(WIDE)} | {"y": np.resize(["p", "n"], 40)})
    problem, _ = problem_of(as_table(frame), Options("y", models="lda"), Progress())
    train_rows, test_rows = problem.splits[0]
    coded = problem.coded(train_rows, test_rows)(problem.candidates[0])
    encoder = TableEncoder().fit(problem.frame.take(train_rows))
    assert coded.names == tuple(encoder.get_feature_names_out())
    np.testing.assert_array_equal(coded.features, encoder.transform(problem.frame.take(train_rows)))
    np.testing.assert_array_equal(coded.asked, encoder.transform(problem.frame.take(test_rows)))
    assert problem.coded(train_rows, test_rows)(problem.candidates[0]) is coded  # who asks again gets the same


@pytest.mark.parametrize("text", ["much", "-3s", "0s", "1 day"])
def test_what_is_no_budget(text):
    with pytest.raises(UsageProblem, match="--budget"):
        train("iris", budget=text)
