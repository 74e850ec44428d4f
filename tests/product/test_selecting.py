"""Columns chosen inside a training are those of `SubsetSearch` and `FCBF`, as with `sumlearn select`."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from sumlearn import LinearDiscriminantAnalysis, Ridge, SubsetSearch
from sumlearn.data import load_example
from sumlearn.product.columns.feature_choice import FeatureChoice
from sumlearn.product.columns.select_methods import Method
from sumlearn.product.columns.selecting import chosen_columns, selected
from sumlearn.product.columns.selection_plan import Features, Plan
from sumlearn.product.problems import DataProblem, UsageProblem
from sumlearn.product.targets import TargetRows
from sumlearn.selection import FCBF

PIMA = load_example("pima")
NAMES = list(PIMA.columns[:8])
LABELS = np.asarray(PIMA.y)
WEIGHT = np.random.default_rng(1).integers(0, 3, 768).astype(float)
GROUPED = ["u", "u", "v", "w", "w", "w", "x", "y"]  # whose each feature is
GROUPS = [[0, 1], [2], [3, 4, 5], [6], [7]]


def target(values, task="classify"):
    classes = np.unique(values) if task == "classify" else np.array([])
    positive = classes[-1] if len(classes) == 2 else None
    return TargetRows("y", task, values, np.arange(len(values)), classes, positive)


@pytest.mark.parametrize(
    "how, k", [("sfs", "best"), ("sbe:4", 4), ("sffs:3", 3), ("sbfs:parsimonious", "parsimonious")]
)
@pytest.mark.parametrize("metric, criterion", [("auc", "auc"), ("error", "accuracy")])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighed"])
def test_searches(how, k, metric, criterion, weight):
    found = FeatureChoice.parse(how).columns(PIMA.X, NAMES, LABELS, weight, target(LABELS), metric)
    search = SubsetSearch(how.partition(":")[0], LinearDiscriminantAnalysis(), criterion, k=k)
    assert found == [NAMES[j] for j in search.fit(PIMA.X, LABELS, sample_weight=weight).subset_]


@pytest.mark.parametrize("how", ["sfs:2", "sffs", "sbe:20"])
def test_features_of_a_column_stay_together(how):
    found = FeatureChoice.parse(how).columns(PIMA.X, GROUPED, LABELS, None, target(LABELS), "accuracy")
    name, _, number = how.partition(":")
    k = min(int(number), 5) if number else "best"  # more than there are is all
    search = SubsetSearch(name, LinearDiscriminantAnalysis(), "accuracy", k=k, column_groups=GROUPS).fit(PIMA.X, LABELS)
    assert found == list(dict.fromkeys(GROUPED[j] for j in search.subset_))


def test_numbers_are_chosen_with_a_small_penalty():
    """Two copies of a column have a score together, which least squares would not give them."""
    X, y = load_diabetes(return_X_y=True)
    X = np.column_stack([X * 20.0, X[:, 2] * 20.0])
    names = [f"x{j}" for j in range(11)]
    found = FeatureChoice.parse("sbe:6").columns(X, names, y, None, target(y, "regress"), "rmse")
    assert found == [names[j] for j in SubsetSearch("sbe", Ridge(alpha=1.0), "r2", k=6).fit(X, y).subset_]
    every = FeatureChoice.parse("sfs:11").columns(X, names, y, None, target(y, "regress"), "r2")
    assert every == names


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighed"])
def test_fcbf(weight):
    found = FeatureChoice.parse("fcbf:0.01").columns(PIMA.X, GROUPED, LABELS, weight, target(LABELS), "auc")
    support = FCBF(0.01, bins=8).fit(PIMA.X, LABELS, sample_weight=weight).get_support()
    assert found == list(dict.fromkeys(np.array(GROUPED)[support].tolist()))
    with pytest.raises(DataProblem, match="above 0.9; --features fcbf:0"):
        FeatureChoice.parse("fcbf:0.9").columns(PIMA.X, NAMES, LABELS, weight, target(LABELS), "auc")
    with pytest.raises(UsageProblem, match="--features fcbf is for classes"):
        FeatureChoice.parse("fcbf").columns(PIMA.X, NAMES, PIMA.X[:, 1], weight, target(PIMA.X[:, 1], "regress"), "r2")


def test_one_column_is_no_choice():
    assert FeatureChoice.parse("sfs").columns(PIMA.X[:, :2], ["u", "u"], LABELS, None, target(LABELS), "auc") == ["u"]


@pytest.mark.parametrize("text", ["sffs:10", "sfs", "sbe:parsimonious", "fcbf", "fcbf:0.1"])
def test_a_choice_is_written_as_it_is_read(text):
    assert str(FeatureChoice.parse(text)) == text


@pytest.mark.parametrize("method", ["sfs", "sbfs", "exhaustive"])
def test_fixed_and_excluded_columns_come_in_groups(method):
    features = Features(PIMA.X, LABELS, GROUPED, fixed=["w"], excluded=["u"])
    found = selected(features, Plan(Method.parse(method), "classify", "accuracy", 2))
    expected = SubsetSearch(method, k=2, column_groups=GROUPS, fixed=[3], excluded=[1]).fit(PIMA.X, LABELS)
    assert features.together(found.columns) == tuple(expected.subset_)
    assert found.score == pytest.approx(expected.score_)


def test_a_filter_is_asked_for_its_own_choice_alone(monkeypatch):
    """Nothing is judged where only the columns are wanted."""
    monkeypatch.setattr("sumlearn.product.columns.selecting.judge_of", lambda *given: pytest.fail("a judge was asked"))
    features = Features(PIMA.X, LABELS, NAMES)
    order = FCBF(0.0, bins=8).fit(PIMA.X, LABELS).order_
    assert chosen_columns(features, Plan(Method.parse("fcbf"), "classify", "accuracy", "best")) == [
        NAMES[j] for j in np.sort(order)
    ]
