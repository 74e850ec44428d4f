"""mlxtend's sequential and exhaustive selectors, on common ground."""

import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression as TheirLinearRegression
from sklearn.model_selection import KFold

from sumlearn import LinearRegression, SubsetSearch

feature_selection = pytest.importorskip("mlxtend.feature_selection")

X, Y = load_diabetes(return_X_y=True, scaled=False)
X = X[:, :7]
CV = KFold(4, shuffle=True, random_state=2)


def theirs(forward, floating, k):
    return feature_selection.SequentialFeatureSelector(
        TheirLinearRegression(), k_features=k, forward=forward, floating=floating, scoring="r2", cv=list(CV.split(X))
    ).fit(X, Y)


@pytest.mark.parametrize(("method", "forward", "k"), [("sfs", True, 6), ("sbe", False, 1)])
def test_sequential(method, forward, k):
    """The same subset and the same score at every size."""
    reference = theirs(forward, False, k)
    found = SubsetSearch(method, LinearRegression(), "r2", cv=CV, k=k).fit(X, Y)
    for size, subset in reference.subsets_.items():
        assert tuple(found.path_[size].tolist()) == subset["feature_idx"]
        assert found.scores_by_size_[size] == pytest.approx(subset["avg_score"], rel=1e-9)


@pytest.mark.parametrize(("method", "forward", "k"), [("sffs", True, 6), ("sbfs", False, 2)])
def test_floating(method, forward, k):
    """mlxtend goes back one feature a round, Pudil as many as pay: ours is never below."""
    reference = theirs(forward, True, k)
    found = SubsetSearch(method, LinearRegression(), "r2", cv=CV, k=k).fit(X, Y)
    for size, subset in reference.subsets_.items():
        assert found.scores_by_size_[size] >= subset["avg_score"] - 1e-10


def test_exhaustive():
    options = {"scoring": "r2", "cv": list(CV.split(X)), "print_progress": False}
    reference = feature_selection.ExhaustiveFeatureSelector(
        TheirLinearRegression(), min_features=3, max_features=3, **options
    ).fit(X, Y)
    found = SubsetSearch("exhaustive", LinearRegression(), "r2", cv=CV, k=3).fit(X, Y)
    assert tuple(found.subset_.tolist()) == reference.best_idx_
    assert found.score_ == pytest.approx(reference.best_score_, rel=1e-9)
    assert found.evaluations_ == len(reference.subsets_)
