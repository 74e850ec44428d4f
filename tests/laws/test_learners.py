"""Every public learner adds up: discovered, with drawn hyperparameters, on several tables."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from sumlearn import LinearRegression, Ridge
from sumlearn.testing import assert_same_model, check_learner, outputs

from tests.laws.discovered import CLASSIFIERS, ESTIMATORS, LEARNERS, REGRESSORS, suited, supervised, target, variants


def mixed(rows=72, columns=4, seed=0):
    """Correlated columns, quantised so that offsets are exact."""
    rng = np.random.default_rng(seed)
    return np.round(rng.standard_normal((rows, columns)) @ rng.standard_normal((columns, columns)) * 1024) / 1024


TABLES = {
    "plain": mixed(),
    "offset 1e6": mixed(seed=1) + 1e6,
    "offsets of all kinds": mixed(seed=2) + np.array([0.0, 1e9, -1e3, 5.0]),
    "scales 1e-3 to 1e3": mixed(seed=3) * np.array([1e-3, 1.0, 30.0, 1e3]),
    "tiny": mixed(seed=4) * 2.0**-500,
    "int8": np.clip(np.round(mixed(seed=5) * 20), -100, 100).astype(np.int8),
    "one column": mixed(columns=1, seed=6),
    "many rows": mixed(rows=5000, columns=6, seed=7),
}
each_learner = pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)


def test_all_public_learners_are_found():
    names = {kind.__name__ for kind in LEARNERS}
    assert {"GaussianNB", "LinearDiscriminantAnalysis", "LinearRegression", "PCA", "Ridge"} <= names
    assert set(LEARNERS) < set(ESTIMATORS)
    assert CLASSIFIERS and REGRESSORS and any(not supervised(kind) for kind in LEARNERS)


@each_learner
@pytest.mark.parametrize("table", TABLES)
def test_defaults_add_up(kind, table):
    X, learner = suited(kind, TABLES[table]), kind()
    if isinstance(getattr(learner, "n_components", None), int):  # no more than there are columns
        learner.set_params(n_components=min(learner.n_components, X.shape[1]))
    check_learner(learner, X, target(kind, X))


def changed(learner):
    """Names of parameters that are not what they are by default, as a sentence has them: `ard=True`, `shrinkage `."""
    defaults = type(learner)().get_params()
    values = learner.get_params(deep=False).items()
    return [f"{name}{end}" for name, value in values if value != defaults[name] for end in (f"={value!r} ", " ")]


@each_learner
@settings(max_examples=8)
@given(data=st.data())
def test_any_hyperparameters_add_up(kind, data):
    learner = data.draw(variants(kind))
    X = suited(kind, TABLES[data.draw(st.sampled_from(["plain", "offset 1e6", "scales 1e-3 to 1e3", "int8"]))])
    y = target(kind, X)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clone(learner).fit(X, y)
    except ValueError as error:  # a combination that is refused: the sentence begins with the parameter that is changed
        assert str(error).startswith(tuple(changed(learner))), error
        return
    check_learner(learner, X, y, tolerance=1e-8)


@each_learner
def test_float32_adds_up(kind):
    X = suited(kind, mixed().astype(np.float32))
    y = target(kind, X)
    check_learner(kind(), X, y if y is None or y.dtype.kind == "U" else y.astype(np.float32), tolerance=2e-6)


@pytest.mark.parametrize("kind", [LinearRegression, Ridge])
def test_several_targets_add_up(kind):
    X = suited(kind, mixed())
    check_learner(kind(), X, np.column_stack([target(kind, X), X[:, 0] ** 2]))


@pytest.mark.parametrize("kind", [kind for kind in LEARNERS if kind in REGRESSORS], ids=lambda kind: kind.__name__)
def test_dependent_columns_add_up(kind):
    X = mixed()
    X = np.column_stack([X, X[:, 0], np.full(len(X), 7.0)])
    check_learner(kind(), X, target(kind, X))


@each_learner
@pytest.mark.parametrize("pieces", [2, 7, 20])
def test_any_chunking_gives_the_same_model(kind, pieces):
    X = suited(kind, mixed(rows=400))
    y = target(kind, X)
    model = kind()
    for i in np.array_split(np.random.default_rng(0).permutation(400), pieces):
        model.partial_fit(X[i], None if y is None else y[i])
    assert_same_model(model, kind().fit(X, y), X)


@each_learner
def test_row_by_row_gives_the_same_model(kind):
    X = suited(kind, mixed(rows=60))
    y = target(kind, X)
    model = kind()
    for i in range(60):
        model.partial_fit(X[i : i + 1], None if y is None else y[i : i + 1])
    assert_same_model(model, kind().fit(X, y), X)


@each_learner
def test_sliding_window_is_a_fit_on_the_window(kind):
    X = suited(kind, mixed(rows=300))
    y = target(kind, X)
    model = kind().fit(X[:100], None if y is None else y[:100])
    for start in range(0, 200, 20):
        ahead, behind = slice(start + 100, start + 120), slice(start, start + 20)
        model.partial_fit(X[ahead], None if y is None else y[ahead])
        model.forget(X[behind], None if y is None else y[behind])
    assert_same_model(model, kind().fit(X[200:], None if y is None else y[200:]), X)


@each_learner
def test_restrict_takes_names_indices_and_masks(kind):
    pandas = pytest.importorskip("pandas")
    X = suited(kind, mixed())
    y = target(kind, X)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    model = kind().fit(frame, y)
    expected = kind().fit(frame[["d", "b"]], y)
    for columns in (["d", "b"], [3, 1], np.array([3, 1])):
        part = model.restrict(columns)
        assert list(part.feature_names_in_) == ["d", "b"]
        assert part.n_features_in_ == 2
        assert_same_model(part, expected, frame[["d", "b"]])
    assert_same_model(model.restrict([False, True, False, True]), kind().fit(frame[["b", "d"]], y), frame[["b", "d"]])
    with pytest.raises(ValueError, match="no feature 'z'; the features are "):
        model.restrict(["a", "z"])
    assert list(model.feature_names_in_) == list("abcd")


@each_learner
def test_predicting_changes_no_attribute(kind):
    X = suited(kind, mixed())
    model = kind().partial_fit(X, target(kind, X))
    before = set(vars(model))
    outputs(model, X)
    assert set(vars(model)) == before


def test_several_models_come_from_one_pass():
    from sumlearn import PCA, GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

    X = mixed()
    y = target(LinearDiscriminantAnalysis, X)
    pooled = LinearDiscriminantAnalysis().fit(X, y).statistic_
    grouped = QuadraticDiscriminantAnalysis().fit(X, y).statistic_
    assert_same_model(GaussianNB().solve(pooled), GaussianNB().fit(X, y), X)
    assert_same_model(GaussianNB().solve(grouped), GaussianNB().fit(X, y), X)
    assert_same_model(LinearDiscriminantAnalysis().solve(grouped), LinearDiscriminantAnalysis().fit(X, y), X)
    assert_same_model(PCA().solve(pooled.moments()), PCA().fit(X), X)
    moments = LinearRegression().fit(X, X[:, 0]).statistic_
    assert_same_model(Ridge(3.0).solve(moments), Ridge(3.0).fit(X, X[:, 0]), X)


def test_checks_can_fail():
    """The published check notices a learner that keeps something of the rows outside its statistic."""

    class Shifted(Ridge):
        def partial_fit(self, X, y=None, sample_weight=None):
            return super().partial_fit(X, np.asarray(y) + 0.01, sample_weight)

    X = mixed()
    with pytest.raises(AssertionError, match=r"fit\(all\) = partial_fit in pieces: predict: they differ by 0.01"):
        check_learner(Shifted(), X, X[:, 0])

    class Forgetful(Ridge):
        def forget(self, X, y=None, sample_weight=None):
            return self

    with pytest.raises(AssertionError, match=r"forget\(rows\) = fit\(the others\): predict: they differ by"):
        check_learner(Forgetful(), X, X[:, 0])
