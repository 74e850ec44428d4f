"""Every public estimator comes back from a file as it was, to the bit, and goes on learning as if it had stayed."""

import io
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification
from sklearn.ensemble import VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, RepeatedKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import sumlearn as sl
from sumlearn.features import Polynomial, RadialBasis, SigmoidBasis, TableEncoder
from sumlearn.objectives import Huber
from sumlearn.saving.fields import to_fields
from sumlearn.selection import Workflow

from tests.laws.discovered import ESTIMATORS, LEARNERS, suited, supervised, target, variants

METHODS = ("predict", "predict_proba", "decision_function", "transform", "score_samples")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def rows(n=80, seed=0, columns=3):
    return np.random.default_rng(seed).standard_normal((n, columns))


def fitted(kind, X, y=None):
    y = target(type(kind), X) if y is None else y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kind.fit(X, y) if supervised(type(kind)) else kind.fit(X)


def through_file(model, folder):
    path = folder / "model.sumlearn"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        sl.save(model, path)
    return sl.load(path)


def assert_same_outputs(a, b, X):
    assert type(a) is type(b)
    for name in METHODS:
        assert hasattr(a, name) == hasattr(b, name)
        if hasattr(a, name):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                mine, theirs = np.asarray(getattr(a, name)(X)), np.asarray(getattr(b, name)(X))
            assert mine.dtype == theirs.dtype, name
            np.testing.assert_array_equal(mine, theirs, err_msg=name)


def assert_same_sums(a, b):
    assert to_fields(a.statistic_) == to_fields(b.statistic_)
    assert vars(a).get("_ledger") == vars(b).get("_ledger")


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_every_estimator(kind, tmp_path):
    X = suited(kind, rows())
    model = fitted(kind(), X)
    copy = through_file(model, tmp_path)
    assert vars(copy).keys() == vars(model).keys()
    assert_same_outputs(model, copy, X)
    assert repr(copy.get_params(deep=False)) == repr(model.get_params(deep=False))


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_the_same_model_gives_the_same_bytes(kind, tmp_path):
    model = fitted(kind(), suited(kind, rows()))
    copy = through_file(model, tmp_path)
    first = (tmp_path / "model.sumlearn").read_bytes()
    through_file(copy, tmp_path)
    assert (tmp_path / "model.sumlearn").read_bytes() == first
    with zipfile.ZipFile(tmp_path / "model.sumlearn") as outer:
        inner = zipfile.ZipFile(io.BytesIO(outer.read("estimator.skops")))
        assert {entry.date_time for entry in (*outer.infolist(), *inner.infolist())} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_an_estimator_that_is_not_fitted(kind, tmp_path):
    copy = through_file(kind(), tmp_path)
    assert vars(copy).keys() == vars(kind()).keys()
    X = suited(kind, rows())
    assert_same_outputs(fitted(kind(), X), fitted(copy, X), X)


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_a_loaded_learner_goes_on_learning(kind, tmp_path):
    X, more = suited(kind, rows()), suited(kind, rows(40, seed=1))
    y, more_y = target(kind, X), target(kind, more, seed=1)
    first, other = fitted(kind(), X, y), fitted(kind(), more, more_y)
    copy = through_file(first, tmp_path)
    assert_same_sums(first, copy)
    assert_same_sums(first + other, copy + other)
    assert_same_outputs((first + other) - other, through_file(first + other, tmp_path) - other, X)
    for model in (first, copy):
        model.partial_fit(*((more,) if more_y is None else (more, more_y)))
    assert_same_sums(first, copy)
    for model in (first, copy):
        model.decay(0.9)
    assert_same_sums(first, through_file(copy, tmp_path))
    assert_same_outputs(first, copy, X)


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_drawn_hyperparameters(kind, tmp_path, data):
    model = data.draw(variants(kind))
    X = suited(kind, rows())
    try:
        fitted(model, X)
    except ValueError:
        return  # a combination that the learner refuses
    assert_same_outputs(model, through_file(model, tmp_path), X)


@pytest.mark.parametrize("basis", [Polynomial(3), RadialBasis(5, random_state=0), SigmoidBasis(4)], ids=repr)
@pytest.mark.parametrize("kind", [sl.Ridge, sl.LeastSquaresClassifier, sl.LinearRegressor, sl.RidgeCV])
def test_a_basis(kind, basis, tmp_path):
    X = rows()
    model = fitted(kind(basis=basis), X)
    copy = through_file(model, tmp_path)
    assert_same_outputs(model, copy, X)
    if kind in LEARNERS:
        assert_same_sums(model + model, copy + model)


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_single_precision_and_names(kind, tmp_path):
    X = suited(kind, rows()).astype(np.float32)
    X = pd.DataFrame(X, columns=["length", "breadth", "weight of <b>it</b>"])
    model = fitted(kind(), X)
    copy = through_file(model, tmp_path)
    assert copy.feature_names_in_.tolist() == X.columns.tolist() and copy.feature_names_in_.dtype == object
    assert_same_outputs(model, copy, X)
    if hasattr(copy, "predict"):
        messages = []
        for one in (model, copy):
            with pytest.raises(ValueError, match="length") as caught:
                one.predict(X.rename(columns={"length": "width"}))
            messages.append(str(caught.value))
        assert messages[0] == messages[1]


@pytest.mark.parametrize(
    "labels",
    [["é", "z"], [3, -1], [-2.0, 5.0], [True, False], [2**40, 7]],
    ids=["text", "int", "float", "bool", "long"],
)
@pytest.mark.parametrize("kind", [sl.GaussianNB, sl.LinearDiscriminantAnalysis, sl.LogisticRegression, sl.Perceptron])
def test_labels_keep_their_kind(kind, labels, tmp_path):
    X = rows()
    y = np.array(labels)[(X[:, 0] > 0).astype(int)]
    model = fitted(kind(), X, y)
    copy = through_file(model, tmp_path)
    assert copy.classes_.dtype == model.classes_.dtype and copy.classes_.tolist() == sorted(labels)
    if kind in LEARNERS:
        assert [type(label) for label in copy.statistic_.labels] == [type(label) for label in model.statistic_.labels]
    assert_same_outputs(model, copy, X)


@pytest.mark.parametrize("weights", [{True: 2.0, False: 1.0}, {0: 3.0, 1: 0.5}, {0.0: 1.0, 1.0: 9.0}])
def test_keys_of_a_dictionary_keep_their_kind(weights, tmp_path):
    copy = through_file(sl.LeastSquaresClassifier(class_weight=weights), tmp_path)
    assert list(copy.class_weight.items()) == list(weights.items())
    assert [type(key) for key in copy.class_weight] == [type(key) for key in weights]


def test_classes_fixed_beforehand(tmp_path):
    X = rows()
    model = sl.GaussianNB().partial_fit(X, (X[:, 0] > 0).astype(int), classes=[0, 1, 2])
    copy = through_file(model, tmp_path)
    with pytest.raises(ValueError, match="do not exist"):
        copy.partial_fit(X[:2], [3, 3])
    assert copy.classes_.tolist() == [0, 1, 2]


def test_a_ledger(tmp_path):
    X = rows()
    y = X.sum(axis=1)
    model = sl.Ridge().keep_ledger().fit(X, y)
    copy = through_file(model, tmp_path)
    assert copy.verify(X, y) and not copy.verify(X[1:], y[1:])
    assert copy.forget(X[:10], y[:10]).verify(X[10:], y[10:])


def test_a_loss_of_its_own_and_sparse_coefficients(tmp_path):
    X = rows()
    model = sl.LinearRegressor(loss=Huber(0.7)).fit(X, X.sum(axis=1))
    copy = through_file(model, tmp_path)
    assert copy.loss.delta == 0.7
    assert_same_outputs(model, copy, X)
    model = sl.LogisticRegression().fit(X, X[:, 0] > 0).sparsify()
    copy = through_file(model, tmp_path)
    assert sparse.issparse(copy.coef_) and type(copy.coef_) is type(model.coef_)
    assert_same_outputs(model, copy, X)


def test_a_random_state_goes_on_where_it_was(tmp_path):
    state = np.random.RandomState(3)
    state.standard_normal(5)
    copy = through_file(sl.Perceptron(random_state=state), tmp_path)
    assert copy.random_state.standard_normal() == state.standard_normal()


def test_pipelines_and_wrappers_of_scikit_learn(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.standard_normal(90), "b": rng.exponential(size=90), "c": rng.choice(["u", "v"], 90)})
    table.loc[3, "a"] = np.nan
    y = np.where(table["b"] > 0.7, "much", "little")
    columns = ColumnTransformer(
        [("n", make_pipeline(SimpleImputer(), StandardScaler()), ["a"]), ("l", FunctionTransformer(np.log1p), ["b"]),
         ("c", OneHotEncoder(dtype=np.float32, drop="first"), ["c"])]
    )  # fmt: skip
    vote = VotingClassifier([("lda", sl.LinearDiscriminantAnalysis()), ("nb", sl.GaussianNB())], voting="soft")
    for last in (sl.LinearDiscriminantAnalysis(), sl.LogisticRegression(), vote):
        model = make_pipeline(columns, last).fit(table, y)
        copy = through_file(model, tmp_path)
        assert_same_outputs(model, copy, table)
    assert copy[-1].named_estimators_["nb"] is copy[-1].estimators_[1]
    copy[-1].estimators_[1].partial_fit(model[:-1].transform(table), model[-1].le_.transform(y))


SPLITTERS = [StratifiedKFold(3, shuffle=True, random_state=2), RepeatedKFold(n_splits=2, random_state=0)]


@pytest.mark.parametrize("cv", SPLITTERS, ids=lambda cv: type(cv).__name__)
def test_ways_of_splitting_rows(cv, tmp_path):
    """Searches, choices and workflows keep what they were given as `cv`, or make one of their own."""
    X, y = make_classification(60, 3, n_informative=2, n_redundant=0, random_state=0)
    copy = through_file(sl.SubsetSearch("sfs", k=2, cv=cv).fit(X, y), tmp_path)
    assert [a.tolist() for a, _ in copy.cv.split(X, y)] == [a.tolist() for a, _ in cv.split(X, y)]
    workflow = Workflow("classification", bootstrap=None, products=None, contest=None).fit(X, y)
    assert_same_outputs(workflow, through_file(workflow, tmp_path), X)
    searched = GridSearchCV(sl.Ridge(), {"alpha": [1.0]}, cv=cv)
    assert isinstance(through_file(searched, tmp_path).cv, type(cv))


def mixed_table(cities, n=60, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"size": rng.exponential(50.0, n), "city": rng.choice(cities, n), "day": "2026-01-05"})
    table.loc[::7, "size"] = np.nan
    return table.assign(day=pd.to_datetime(table["day"]) + pd.to_timedelta(rng.integers(0, 90, n), "D"))


@pytest.mark.parametrize("learner", [sl.Ridge(2.0), sl.LinearDiscriminantAnalysis(), sl.LogisticRegression()])
def test_tables(learner, tmp_path):
    first, second = mixed_table(["Oslo", "Rome"]), mixed_table(["Rome", "Paris"], seed=1)
    target_of = {id(t): np.where(t["size"] > 40, 1, 0) for t in (first, second)}
    model = sl.TableModel(learner, rare=2).fit(first, target_of[id(first)])
    other = sl.TableModel(learner, rare=2).fit(second, target_of[id(second)])
    copy = through_file(model, tmp_path)
    assert_same_outputs(model, copy, first)
    assert [tuple(note) for note in copy.report_] == [tuple(note) for note in model.report_]
    if "merge" in sl.abilities(model):
        assert_same_sums(model + other, copy + other)
        assert_same_outputs(model + other, copy + other, second)
    encoder = TableEncoder(rare=2).fit(first)
    np.testing.assert_array_equal(through_file(encoder, tmp_path).transform(second), encoder.transform(second))


def test_what_is_one_object_stays_one(tmp_path):
    copy = through_file(fitted(sl.RidgeCV(), rows()), tmp_path)
    assert copy.statistic_ is copy.best_estimator_.statistic_


def test_requests_and_callbacks(tmp_path):
    from sklearn.callback import ProgressBar

    with config_context(enable_metadata_routing=True):
        model = sl.Ridge().set_fit_request(sample_weight=True)
        assert through_file(model, tmp_path).get_metadata_routing().fit.requests == {"sample_weight": True}
    assert "_skl_callbacks" not in vars(through_file(sl.Ridge().set_callbacks(ProgressBar()), tmp_path))
