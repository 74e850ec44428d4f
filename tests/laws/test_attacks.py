"""Attacks on the kinds of learners, each of which once went through."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import sumlearn as sl
from sumlearn.data.views import viewed
from sumlearn.features import RadialBasis
from sumlearn.learners import Fitted, OnePass, Roads, Sequential, WholeRows, Wrapper
from sumlearn.selection import FCBF, Ranker
from sumlearn.statistics import Moments

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
Y = X @ [1.0, 2.0, -1.0, 0.5]
LABELS = np.where(Y > 0, "u", "v")


class Plain(Wrapper):
    target = "number"

    def __init__(self, learner):
        self.learner = learner

    def inside(self, look):
        return [self.learner]


class PlainClassifier(Plain):
    target = "label"


class Scaled(OnePass):
    """Sums that rest on a look which they do not carry."""

    statistic_type, needs_look = Moments, True
    mean_ = Fitted("Mean of x in units of the largest.")

    def look(self, source):
        return source.read(slice(0, source.rows)).max(axis=0)

    def summarise(self, chunk, look):
        return Moments.of(chunk.X / look, chunk.y, chunk.weight)

    def solution(self, statistic):
        return {"mean_": statistic.mean[:-1]}


@pytest.mark.parametrize(
    "learner", [sl.RBFNetwork(4), sl.LocalRegression(3), sl.Ridge(basis=RadialBasis(4, random_state=0))], ids=str
)
def test_learners_inside_a_wrapper_take_their_looks(learner):
    wrapped, alone = Plain(learner).fit(X, Y), clone(learner).fit(X, Y)
    assert np.array_equal(wrapped.learners_[0].predict(X), alone.predict(X))
    wrapped.partial_fit(X[:20], Y[:20])
    alone.partial_fit(X[:20], Y[:20])
    assert np.array_equal(wrapped.learners_[0].predict(X), alone.predict(X))


def test_bins_count_inside_a_wrapper():
    rows = np.round(X)
    found = PlainClassifier(FCBF(bins=3)).fit(rows, LABELS).learners_[0]
    assert np.array_equal(found.scores_, FCBF(bins=3).fit(rows, LABELS).scores_)


def test_parameters_are_checked_inside_a_wrapper():
    with pytest.raises(ValueError, match="'eta0' parameter of Perceptron"):
        PlainClassifier(sl.Perceptron(eta0=-1.0)).fit(X, LABELS)
    with pytest.raises(TypeError, match="TableModel reads tables"):
        PlainClassifier(sl.TableModel(sl.GaussianNB())).fit(X, LABELS)


def test_a_wrapper_around_nothing_can_nothing():
    class Empty(Plain):
        def inside(self, look):
            return []

    assert not list(sl.abilities(Empty(None)))


@pytest.mark.parametrize("seed", [None, 0, np.random.default_rng(0), np.random.RandomState(0)], ids=str)
def test_rows_held_back_are_never_learnt_from(seed):
    judged = set()

    class Spy(Sequential):
        def __init__(self, random_state=None, early_stopping=True, max_iter=3, validation_fraction=0.3):
            self.random_state, self.early_stopping, self.max_iter = random_state, early_stopping, max_iter
            self.validation_fraction = validation_fraction

        def start(self, batches, look):
            return frozenset()

        def learn(self, state, batch):
            return state | set(batch.y.tolist())

        def error(self, state, batch):
            judged.update(batch.y.tolist())
            return 1.0

        def attributes(self, state):
            return {"learnt_": state}

    learnt = Spy(seed).fit(X, np.arange(300.0)).learnt_
    assert judged and not learnt & judged and len(learnt | judged) == 300


def test_a_refused_update_changes_no_state():
    class InPlace(Sequential):
        def start(self, batches, look):
            return np.zeros(1)

        def learn(self, state, batch):
            state += batch.y.sum()
            if len(batch.y) < 100:
                raise ValueError("too few")
            return state

        def attributes(self, state):
            return {"sum_": float(state[0])}

    model = InPlace().fit(X, Y)
    with pytest.raises(ValueError, match="too few"):
        model.partial_fit(X[:50], Y[:50])
    assert model.state_[0] == model.sum_


def test_a_look_that_sums_do_not_carry_is_not_cut_and_not_lost():
    model = Scaled().fit(X, Y)
    assert "restrict" not in sl.abilities(model) and not hasattr(model, "restrict")
    with pytest.raises(ValueError, match="rest on a look"):
        Scaled().solve(model.statistic_)
    solved = Scaled().with_look(model.look_).solve(model.statistic_)
    assert np.array_equal(solved.mean_, model.mean_)
    other = Scaled().fit(5.0 * X[:100], Y[:100])
    for a, b in ((solved, other), (other, solved)):
        with pytest.raises(ValueError, match="looked at different rows"):
            a + b


def test_a_look_of_other_parameters_or_columns_is_refused():
    frame = pd.DataFrame(X, columns=list("pqrs"))
    with pytest.raises(ValueError, match="taken with bins=4, not 7"):
        FCBF(bins=7).with_look(FCBF(bins=4).fit(X, LABELS).look_).fit(X, LABELS)
    with pytest.raises(ValueError, match="taken with centres=7, not 3"):
        sl.LocalRegression(3).with_look(sl.LocalRegression(7).fit(X, Y).look_).fit(X, Y)
    with pytest.raises(ValueError, match="one at columns"):
        FCBF(bins=4).with_look(FCBF(bins=4).fit(frame, LABELS).look_).fit(frame[list("srqp")], LABELS)
    with pytest.raises(ValueError, match="taken with"):
        Ranker("f").with_look(Ranker("mutual_information", bins=4).fit(X, LABELS).look_).fit(X, LABELS)
    with pytest.raises(TypeError, match="a look is what"):
        sl.Ridge().with_look(5)


def test_a_look_is_a_copy():
    model = FCBF(bins=4).fit(X, LABELS)
    edges = model.edges_.copy()
    model.look_.data[:] = 0.0
    assert np.array_equal(model.partial_fit(X[:5], LABELS[:5]).edges_, edges)


def test_classes_are_fixed_for_labels_alone():
    for learner, y in ((sl.Ridge(), Y), (sl.PCA(), None), (FCBF(bins=3), LABELS), (sl.TableModel(sl.Ridge()), Y)):
        with pytest.raises(TypeError, match="takes no classes"):
            learner.partial_fit(X, y, classes=["u", "v"])


def test_another_learner_in_a_table_model_asks_for_a_fit():
    frame = pd.DataFrame(X, columns=list("pqrs"))
    model = sl.TableModel(sl.LogisticRegression()).fit(frame, LABELS).set_params(learner=sl.GaussianNB())
    with pytest.raises(ValueError, match="fit anew"):
        model.predict(frame)
    with pytest.raises(ValueError, match="fit anew"):
        model.partial_fit(frame, LABELS)


def test_whole_rows_of_a_cluster():
    da = pytest.importorskip("dask.array")

    class Median(WholeRows):
        def learn(self, rows):
            return {"median_": np.median(rows.y)}

    assert Median().fit(da.from_array(X, chunks=(70, 4)), da.from_array(Y, chunks=70)).median_ == np.median(Y)


def test_roads_that_go_on_in_order_have_partial_fit():
    class Summed(Sequential):
        def start(self, batches, look):
            return 0.0

        def learn(self, state, batch):
            return state + batch.y.sum()

        def attributes(self, state):
            return {"sum_": state}

    class Either(Roads):
        def road(self):
            return Summed()

    model = Either().partial_fit(X[:50], Y[:50]).partial_fit(X[50:], Y[50:])
    assert model.sum_ == pytest.approx(Y.sum()) and sl.abilities(model).inexact == ("partial_fit",)


def test_a_former_summary_may_ask_its_parent():
    with pytest.warns(FutureWarning, match="takes a look too"):

        class Former(sl.Ridge):
            def summarise(self, chunk):
                return super().summarise(chunk)

    assert np.array_equal(Former().fit(X, Y).coef_, sl.Ridge().fit(X, Y).coef_)


class Doubled(Plain):
    """A view that has two columns where the target has one."""

    def views(self, source, look):
        return [viewed(source, lambda chunk: chunk._replace(y=np.column_stack([chunk.y, chunk.y])))]


def test_a_view_of_a_stream_keeps_the_columns_of_its_target(tmp_path):
    assert Doubled(sl.Ridge()).fit(X, Y).learners_[0].coef_.shape == (2, 4)
    pd.DataFrame(X, columns=list("abcd")).assign(y=Y).to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(ValueError, match="keeps the number of target columns"):
        Doubled(sl.Ridge()).fit(tmp_path / "rows.parquet", "y")


class OnBasis(Plain):
    """A wrapper with a basis of its own."""

    def __init__(self, learner, basis=None):
        self.learner, self.basis = learner, basis

    def predict(self, X):
        return self.learners_[0].predict(self.basis_.transform(X))


def test_a_wrapper_may_have_a_basis():
    basis = RadialBasis(4, random_state=0)
    model = OnBasis(sl.Ridge(), basis).fit(X, Y)
    assert "restrict" not in sl.abilities(model) and {"merge", "forget"} <= set(sl.abilities(model))
    assert np.allclose(model.predict(X), sl.Ridge(basis=basis).fit(X, Y).predict(X), atol=1e-10)


@pytest.mark.parametrize(
    "learner",
    [
        PlainClassifier(sl.LinearDiscriminantAnalysis()),
        sl.Committee([("lda", sl.LinearDiscriminantAnalysis()), ("bayes", sl.GaussianNB())], rule="mean"),
        sl.Fusion([("some", sl.LinearDiscriminantAnalysis(), [0, 1]), ("rest", sl.GaussianNB(), [2])]),
        sl.CostSensitiveClassifier(sl.Committee([("lda", sl.LinearDiscriminantAnalysis())], rule="mean")),
    ],
    ids=["wrapper", "committee", "fusion", "wrapper in a wrapper"],
)
def test_a_wrapper_may_learn_row_by_row(learner):
    """Of the first row alone the learners inside have no solution, and more are to come."""
    model, whole = clone(learner), clone(learner).fit(X[:30], LABELS[:30])
    for i in range(30):
        model.partial_fit(X[i : i + 1], LABELS[i : i + 1])
    one = model - clone(learner).partial_fit(X[:1], LABELS[:1])
    for a, b in ((model, whole), (one, clone(learner).fit(X[1:30], LABELS[1:30]))):
        a, b = (found.learners_[0] if isinstance(found, Plain) else found for found in (a, b))
        assert np.allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-9)
