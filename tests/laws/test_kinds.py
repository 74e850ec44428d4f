"""Every public learner, of whatever kind, keeps the laws of its kind and of its abilities; so do those of one's own."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import ClassifierMixin, ClusterMixin, RegressorMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Foreign

import sumlearn as sl
from sumlearn.data.views import viewed
from sumlearn.learners import Abilities, Fitted, Learner, OnePass, Roads, Sequential, Stepwise, WholeRows, Wrapper
from sumlearn.statistics import Grouped, Moments, Total
from sumlearn.testing import assert_same_model, check_learner

from tests.laws.discovered import LEARNERS, public, suited, target

RNG = np.random.default_rng(0)
X = np.round(RNG.standard_normal((90, 3)) * 1024) / 1024
Y = np.round((X @ [1.0, -2.0, 0.5] + 0.3 * RNG.standard_normal(90)) * 1024) / 1024
OTHERS = [kind for kind in public(Learner) if kind not in LEARNERS]
# What only converges is the same as far as its tolerance; learning by rows in order is another matter.
TOLERANCE = {"LinearRegressor": 1e-6, "LinearClassifier": 1e-5, "OrdinalRegression": 1e-5, "RidgeCV": 1e-9}


@pytest.mark.parametrize("kind", OTHERS, ids=lambda kind: kind.__name__)
def test_learners_that_do_not_add_up_by_themselves_keep_the_laws(kind):
    check_learner(kind(), suited(kind, X), target(kind, X), tolerance=TOLERANCE.get(kind.__name__, 1e-6))


def test_all_kinds_are_there():
    kinds = (OnePass, Stepwise, Sequential, Roads)
    assert {base for learner in public(Learner) for base in kinds if issubclass(learner, base)} == set(kinds)
    assert {"RBFNetwork", "LogisticRegression", "Perceptron", "TableModel"} <= {kind.__name__ for kind in OTHERS}


# -- abilities --------------------------------------------------------------------------------------------------------


def test_abilities_follow_the_type_of_the_statistic():
    class Sums(RegressorMixin, OnePass):
        statistic_type = Grouped[Total]

        def summarise(self, chunk, look):
            return Grouped({0: Total(chunk.y.sum(keepdims=True), float(len(chunk.y)), len(chunk.y))})

        def solution(self, statistic):
            return {}

    model = Sums().fit(X, Y)
    assert sl.abilities(model) == Abilities(("update", "merge"))
    assert not hasattr(model, "forget") and not hasattr(model, "decay") and not hasattr(model, "restrict")
    assert (model + model).statistic_.rows == 180
    with pytest.raises(TypeError, match="unsupported operand"):
        model - model
    with pytest.raises(TypeError, match="a Grouped of Total has no remove"):
        model.statistic_.remove(model.statistic_)


def test_abilities_depend_on_parameters_and_are_known_before_the_fit():
    assert "restrict" in sl.abilities(sl.Ridge()) and "restrict" not in sl.abilities(
        sl.Ridge(basis=sl.features.Polynomial(2))
    )
    assert list(sl.abilities(sl.TableModel(sl.Ridge()))) and not list(sl.abilities(sl.TableModel(sl.Perceptron())))
    assert sl.abilities(sl.RBFNetwork()).same_look
    assert not sl.abilities(sl.RBFNetwork([[0.0], [1.0]], width=1.0)).same_look
    assert sl.abilities(Foreign()) == Abilities() and sl.abilities(sl.Perceptron()).inexact == ("partial_fit",)
    with pytest.raises(TypeError, match=r"Ridge\(\) was meant"):
        sl.abilities(sl.Ridge)


@pytest.mark.parametrize("name", ["one_pass", "mergeable", "forgettable", "adds_up"])
def test_former_names_warn(name):
    with pytest.warns(FutureWarning, match="sumlearn.abilities"):
        assert getattr(sl.Ridge(), name)
    with pytest.warns(FutureWarning, match="sumlearn.abilities"):
        assert not getattr(sl.LogisticRegression(), name)


def test_a_summary_without_a_look_still_works():
    with pytest.warns(FutureWarning, match=r"summarise\(chunk, look\)"):

        class Former(RegressorMixin, OnePass):
            mean_ = Fitted("Mean of y.")

            def summarise(self, chunk):
                return Moments.of(chunk.X, chunk.y, chunk.weight)

            def solution(self, statistic):
                return {"mean_": statistic.mean[-1]}

    a, b = Former().fit(X[:50], Y[:50]), Former().fit(X[50:], Y[50:])
    assert (a + b).mean_ == pytest.approx(Y.mean()) and (a + b).forget(X[50:], Y[50:]).mean_ == pytest.approx(a.mean_)


# -- the look ---------------------------------------------------------------------------------------------------------


LOOKERS = [
    sl.RBFNetwork(4),
    sl.ExtremeLearningMachineRegressor(8),
    sl.Ridge(basis=sl.features.RadialBasis(4, random_state=0)),
    sl.LocalRegression(3),
    sl.UnifiedModel(3, alpha=0.1),
]


@pytest.mark.parametrize("learner", LOOKERS, ids=lambda learner: type(learner).__name__)
def test_models_merge_where_their_looks_are_the_same(learner):
    north = clone(learner).fit(X[:50], Y[:50])
    apart = clone(learner).fit(X[50:], Y[50:])
    with pytest.raises(ValueError, match="differ|different"):
        north + apart
    south = clone(learner).with_look(north.look_).fit(X[50:], Y[50:])
    assert_same_model(north + south, clone(learner).with_look(north.look_).fit(X, Y), X, 1e-8)
    again = pickle.loads(pickle.dumps(north))
    assert_same_model(again + south, north + south, X, 0.0)
    assert_same_model(clone(learner).with_look(None).fit(X[50:], Y[50:]), apart, X, 0.0)


def test_a_look_at_other_columns_or_of_another_basis_is_refused():
    look = sl.RBFNetwork(4).fit(X, Y).look_
    with pytest.raises(ValueError, match="a look|one at 3 columns"):
        sl.RBFNetwork(4).with_look(look).fit(X[:, :2], Y)
    with pytest.raises(ValueError, match="look handed over"):
        sl.RBFNetwork(5).with_look(look).fit(X, Y)


def test_a_look_is_taken_anew_in_every_fold():
    scores = sl.cross_validate(sl.RBFNetwork(4), X, Y, cv=3, return_estimator=True)
    centres = [model.centres_ for model in scores["estimator"]]
    assert not np.array_equal(centres[0], centres[1])
    assert np.array_equal(centres[0], sl.RBFNetwork(4).fit(X[30:], Y[30:]).centres_)


@pytest.mark.parametrize("learner", LOOKERS, ids=lambda learner: type(learner).__name__)
def test_files_and_clusters_are_looked_at(learner, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.assign(y=Y).to_csv(tmp_path / "rows.csv", index=False)
    wanted = clone(learner).fit(frame, Y).predict(frame)
    streamed = clone(learner).fit(str(tmp_path / "rows.csv"), "y").predict(frame)
    np.testing.assert_allclose(streamed, wanted, rtol=1e-8, atol=1e-8)
    blocks = dd.from_pandas(frame.assign(y=Y), npartitions=2)
    spread = clone(learner).fit(blocks[["a", "b", "c"]], blocks["y"]).predict(frame)
    np.testing.assert_allclose(spread, wanted, rtol=1e-7, atol=1e-7)


# -- wrappers ---------------------------------------------------------------------------------------------------------


class Costly(ClassifierMixin, Wrapper):
    """The label of least expected cost."""

    target = "label"

    def __init__(self, learner, costs=(1.0, 3.0)):
        self.learner, self.costs = learner, costs

    def inside(self, look):
        return [self.learner]

    @property
    def classes_(self):
        return self.learners_[0].classes_

    def predict(self, X):
        return self.classes_[(self.learners_[0].predict_proba(X) * np.asarray(self.costs)).argmax(axis=1)]


class OneAgainstRest(ClassifierMixin, Wrapper):
    """A regression on +1 and -1 for each of the classes that were looked up."""

    target, needs_look = "label", True

    def __init__(self, learner):
        self.learner = learner

    def look(self, source):
        return np.unique(source.y)

    def inside(self, look):
        return [self.learner] * (1 if look is None else len(look))

    def views(self, source, look):
        return [viewed(source, lambda chunk, c=c: chunk._replace(y=np.where(chunk.y == c, 1.0, -1.0))) for c in look]

    @property
    def classes_(self):
        return self.look_.data

    def predict(self, X):
        return self.classes_[np.argmax([model.predict(X) for model in self.learners_], axis=0)]


class Chosen(Costly):
    """What was chosen by looking at all rows does not survive."""

    survive = frozenset({"decay"})


LABELS = np.where(Y > 0.3, "high", "low")
THREE = np.array(["a", "b", "c"])[np.digitize(Y, [-0.7, 0.7])]


@pytest.mark.parametrize(
    ("learner", "y"),
    [
        (Costly(sl.GaussianNB()), LABELS),
        (Costly(sl.LinearDiscriminantAnalysis()), LABELS),
        (Costly(sl.LogisticRegression()), LABELS),
        (Costly(Foreign()), LABELS),
        (Chosen(sl.GaussianNB()), LABELS),
        (OneAgainstRest(sl.Ridge()), THREE),
        (OneAgainstRest(sl.LinearRegressor("huber")), THREE),
    ],
    ids=["sums", "pooled sums", "steps", "foreign", "chosen", "views of sums", "views of steps"],
)
def test_wrappers_keep_the_laws(learner, y):
    check_learner(learner, X, y, tolerance=1e-5)


def test_a_wrapper_can_do_what_is_inside_and_survives():
    assert set(sl.abilities(Costly(sl.GaussianNB()))) == set(sl.abilities(sl.GaussianNB()))
    assert list(sl.abilities(Chosen(sl.GaussianNB()))) == ["decay"]
    assert not list(sl.abilities(Costly(Foreign()))) and not hasattr(Costly(Foreign()), "partial_fit")
    able = sl.abilities(OneAgainstRest(sl.Ridge()))
    assert "forget" in able and able.same_look


def test_wrapped_learners_are_those_of_their_views():
    model = OneAgainstRest(sl.Ridge()).fit(X, THREE)
    for label, inner in zip(model.classes_, model.learners_, strict=True):
        assert_same_model(inner, sl.Ridge().fit(X, np.where(label == THREE, 1.0, -1.0)), X, 1e-12)


def test_views_of_streams(tmp_path):
    pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=THREE).to_parquet(tmp_path / "rows.parquet")

    class Given(OneAgainstRest):
        def look(self, source):
            return np.array(["a", "b", "c"])

    streamed = Given(sl.Ridge()).fit(str(tmp_path / "rows.parquet"), "y")
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    assert (streamed.predict(frame) == Given(sl.Ridge()).fit(frame, THREE).predict(frame)).all()
    with pytest.raises(ValueError, match="rows in memory"):
        Costly(Foreign()).fit(str(tmp_path / "rows.parquet"), "y")


# -- steps, rows in order, whole rows, roads --------------------------------------------------------------------------


class KMeans(ClusterMixin, Stepwise):
    """Lloyd's steps from given starts; with notes, labels of a part are kept and only changes are counted."""

    target = None

    def __init__(self, starts, max_iter=100, notes=False, warm_start=False, n_jobs=None):
        self.starts, self.max_iter, self.notes = starts, max_iter, notes
        self.warm_start, self.n_jobs = warm_start, n_jobs

    def start(self, rows, look):
        return np.asarray(self.previous.get("centres_", self.starts), dtype=float), np.inf

    def step(self, state, rows):
        def summary(chunk, notes):
            notes["seen"] = notes.get("seen", 0) + 1
            far = ((chunk.X[:, None] - state[0]) ** 2).sum(axis=2)
            return Grouped.of(chunk.X, far.argmin(axis=1), chunk.weight, form="diagonal")

        sums = rows.total_noting(summary) if self.notes else rows.total(lambda chunk: summary(chunk, {}))
        means = {k: part.mean for k, part in sums.items()}
        spread = sum(part.spread.hi.sum() for _, part in sums.items())
        return np.array([means.get(k, old) for k, old in enumerate(state[0])]), float(spread)

    def done(self, before, after):
        return np.array_equal(before[0], after[0])

    def trace(self, state):
        return state[1]

    def attributes(self, state):
        return {"centres_": state[0]}

    def predict(self, X):
        return ((self.rows_of(X)[:, None] - self.centres_) ** 2).sum(axis=2).argmin(axis=1)


STARTS = X[[0, 1, 2]]


@pytest.mark.parametrize("notes", [False, True])
def test_steps_are_the_same_from_anywhere(notes, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.to_csv(tmp_path / "rows.csv", index=False)
    model = KMeans(STARTS, notes=notes).fit(frame)
    check_learner(KMeans(STARTS, notes=notes), X, tolerance=1e-9)
    for other in (str(tmp_path / "rows.csv"), dd.from_pandas(frame, npartitions=3)):
        np.testing.assert_allclose(KMeans(STARTS, notes=notes).fit(other).centres_, model.centres_, rtol=1e-12)
    assert model.n_iter_ == len(model.trace_) and (np.diff(model.trace_) <= 1e-9).all()


def test_a_fit_goes_on_where_it_was():
    model = KMeans(STARTS, warm_start=True).fit(X)
    assert model.fit(X).n_iter_ == 1
    with pytest.warns(ConvergenceWarning, match="increase max_iter"):
        KMeans(STARTS, max_iter=1).fit(X)


class Running(RegressorMixin, Sequential):
    """The mean of y, as a fold."""

    def __init__(self, max_iter=1, batch_size=None, shuffle=True, random_state=0, tol=None, early_stopping=False):
        self.max_iter, self.batch_size, self.shuffle, self.random_state = max_iter, batch_size, shuffle, random_state
        self.tol, self.early_stopping = tol, early_stopping

    def start(self, batches, look):
        return 0.0, 0.0

    def learn(self, state, batch):
        mean, mass = state
        mass += batch.weight.sum()
        return mean + (batch.weight @ (batch.y - mean)) / mass, mass

    def error(self, state, batch):
        return np.average((batch.y - state[0]) ** 2, weights=batch.weight)

    def attributes(self, state):
        return {"mean_": state[0]}

    def predict(self, X):
        return np.full(len(self.rows_of(X)), self.mean_)


def test_rows_in_order(tmp_path):
    check_learner(Running(), X, Y)
    assert Running(batch_size=7).fit(X, Y).mean_ == pytest.approx(Y.mean())
    model = Running(batch_size=7).partial_fit(X[:40], Y[:40]).partial_fit(X[40:], Y[40:])
    assert model.mean_ == pytest.approx(Y.mean()) and model.n_iter_ == 2
    assert model.partial_fit(X[:0], Y[:0]).mean_ == pytest.approx(Y.mean())
    weighted = Running(batch_size=7).fit(X, Y, sample_weight=np.where(Y > 0, 2.0, 0.0))
    assert weighted.mean_ == pytest.approx(Y[Y > 0].mean())
    pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=Y).to_csv(tmp_path / "rows.csv", index=False)
    assert Running(batch_size=7).fit(str(tmp_path / "rows.csv"), "y").mean_ == pytest.approx(Y.mean())


def test_rows_that_are_held_back_judge():
    model = Running(max_iter=50, tol=1e-3, early_stopping=True, random_state=1).fit(X, Y)
    assert model.n_iter_ < 50 and len(model.loss_curve_) == model.n_iter_
    assert model.mean_ != pytest.approx(Y.mean(), abs=1e-6)  # not all rows were learnt from
    assert model.mean_ == Running(max_iter=50, tol=1e-3, early_stopping=True, random_state=1).fit(X, Y).mean_


class Medians(RegressorMixin, WholeRows):
    def learn(self, rows):
        order = np.argsort(rows.y)
        mass = np.cumsum(rows.weight[order])
        return {"median_": rows.y[order][np.searchsorted(mass, mass[-1] / 2)]}

    def predict(self, X):
        return np.full(len(self.rows_of(X)), self.median_)


def test_whole_rows(tmp_path):
    check_learner(Medians(), X, Y)
    pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=Y).to_csv(tmp_path / "rows.csv", index=False)
    assert Medians().fit(str(tmp_path / "rows.csv"), "y").median_ == Medians().fit(X, Y).median_

    class Small(Medians):
        max_memory = 1000

    with pytest.raises(ValueError, match="90 rows of 3 columns need 0.00 GiB"):
        Small().fit(X, Y)
    with pytest.raises(ValueError, match="sample_weight is zero for every row"):
        Medians().fit(X, Y, sample_weight=np.zeros(90))
    bad = X.copy()
    bad[7, 1] = np.inf
    weight = np.ones(90)
    weight[:5] = 0.0
    with pytest.raises(ValueError, match="infinity: first at row 7, column 1"):
        Medians().fit(bad, Y, sample_weight=weight)


def test_roads_have_the_abilities_of_their_kind():
    class Mean(RegressorMixin, OnePass):
        statistic_type = Moments

        def summarise(self, chunk, look):
            return Moments.of(chunk.X, chunk.y, chunk.weight)

        def solution(self, statistic):
            return {"middle_": statistic.mean[-1]}

    class Median(Medians):
        def learn(self, rows):
            return {"middle_": super().learn(rows)["median_"]}

    class Middle(RegressorMixin, Roads):
        middle_ = Fitted("The middle.")

        def __init__(self, kind="mean"):
            self.kind = kind

        def road(self):
            return Mean() if self.kind == "mean" else Median()

        def predict(self, X):
            return np.full(len(self.rows_of(X)), self.middle_)

    a, b = Middle().fit(X[:40], Y[:40]), Middle().fit(X[40:], Y[40:])
    assert (a + b).middle_ == pytest.approx(Y.mean())
    assert Middle().partial_fit(X[:40], Y[:40]).partial_fit(X[40:], Y[40:]).middle_ == pytest.approx(Y.mean())
    assert (a + b).forget(X[40:], Y[40:]).middle_ == pytest.approx(a.middle_)
    model = Middle("median").fit(X, Y)
    assert model.middle_ == Medians().fit(X, Y).median_ and not hasattr(model, "forget")
    with pytest.raises(TypeError):
        model + model
    with pytest.raises(ValueError, match="differ in kind"):
        a + Middle("median").fit(X, Y)


@pytest.mark.parametrize("learner", LOOKERS, ids=lambda learner: type(learner).__name__)
def test_looks_travel_in_files(learner, tmp_path):
    north = clone(learner).fit(X[:50], Y[:50])
    sl.save(north.look_, tmp_path / "look.sumlearn")
    south = clone(learner).with_look(sl.load(tmp_path / "look.sumlearn")).fit(X[50:], Y[50:])
    sl.save(south, tmp_path / "south.sumlearn")
    again = sl.load(tmp_path / "south.sumlearn")
    assert_same_model(north + again, clone(learner).with_look(north.look_).fit(X, Y), X, 1e-8)
