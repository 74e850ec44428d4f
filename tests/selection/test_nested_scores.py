"""The honest score of a search: repeated inside every outer fold."""

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from sumlearn import (
    LinearDiscriminantAnalysis,
    LinearRegression,
    QuadraticDiscriminantAnalysis,
    Ridge,
    SubsetSearch,
)
from sumlearn.data import load_example
from sumlearn.selection import FCBF, Ranker, nested_score

pima = load_example("pima")


@pytest.mark.parametrize("method", ["sfs", "sffs"])
def test_it_is_the_score_of_a_pipeline(method):
    """scikit-learn's cross-validation of search and model in one pipeline says the same."""
    search = SubsetSearch(method, LinearDiscriminantAnalysis(), "accuracy", cv=3)
    outer = StratifiedKFold(4)
    found = nested_score(search, pima.X, pima.y, cv=outer)
    wanted = cross_val_score(make_pipeline(search, LinearDiscriminantAnalysis()), pima.X, pima.y, cv=outer)
    assert found.scores == pytest.approx(wanted, abs=1e-12)
    assert found.score == pytest.approx(wanted.mean(), abs=1e-12)
    for (train, _), subset, inner in zip(outer.split(pima.X, pima.y), found.subsets, found.inner_scores, strict=True):
        alone = SubsetSearch(method, LinearDiscriminantAnalysis(), "accuracy", cv=3).fit(pima.X[train], pima.y[train])
        assert subset.tolist() == alone.subset_.tolist()
        assert inner == alone.score_
    assert found.counts.sum() == sum(map(len, found.subsets))
    low, high = found.interval
    assert low < found.score < high
    assert "honest score" in str(found) and "stability" in str(found)


def test_noise_is_not_predicted():
    """The search itself believes in what it found; rows left out do not."""
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((80, 40)), rng.standard_normal(80)
    search = SubsetSearch("sffs", LinearRegression(), "r2")
    assert search.fit(X, y).score_ > 0.1
    found = nested_score(search, X, y)
    assert found.score < 0.05 < found.inner_scores.mean()
    assert found.stability < 0.6


SELECTORS = [
    Ranker("f", k=3),
    Ranker("mutual_information", k=3, bins=4),
    Ranker("one_feature", k=3, cv=3),
    FCBF(bins=4),
    SubsetSearch("sfs", k=3),
    SubsetSearch("sffs", criterion="mahalanobis", k=3),
]


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: f"{type(s).__name__} {getattr(s, 'score', '')}")
def test_labels_of_coins_are_guessed_by_every_selector(selector):
    """Six tables of coins: chosen inside the folds, columns are right in half of 720 rows, within three errors."""
    found = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        found.append(nested_score(selector, rng.standard_normal((120, 40)), rng.permutation(np.arange(120) % 2), cv=4))
    assert abs(np.mean([one.score for one in found]) - 0.5) < 3 * 0.5 / np.sqrt(720)
    assert all(one.stability < 0.7 for one in found)


@pytest.mark.parametrize("selector", SELECTORS[:4], ids=lambda s: f"{type(s).__name__} {getattr(s, 'score', '')}")
def test_any_selector_is_scored_as_in_a_pipeline(selector):
    model, outer = QuadraticDiscriminantAnalysis(), StratifiedKFold(4)
    found = nested_score(selector, pima.X, pima.y, estimator=model, cv=outer)
    wanted = cross_val_score(make_pipeline(selector, model), pima.X, pima.y, cv=outer)
    assert found.scores == pytest.approx(wanted, abs=1e-12)
    assert len(found.inner_scores) == 0
    assert "itself" not in str(found)
    plain = nested_score(selector, pima.X, pima.y, cv=outer)
    pipeline = make_pipeline(selector, LinearDiscriminantAnalysis())
    assert plain.scores == pytest.approx(cross_val_score(pipeline, pima.X, pima.y, cv=outer), abs=1e-12)


def test_a_selector_of_scikit_learn():
    found = nested_score(SelectKBest(f_regression, k=2), pima.X, pima.X[:, 1] ** 2, cv=3)
    assert found.counts[1] == 3
    assert found.score > 0.9  # linear regression


def test_a_fold_without_columns_is_named():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="without outer fold 0, FCBF chooses no column"):
        nested_score(FCBF(0.9, bins=2), rng.standard_normal((60, 3)), np.arange(60) % 2)


def test_stability():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 8))
    found = nested_score(SubsetSearch("sfs", k=2), X, X[:, 1] + X[:, 6] + 0.1 * rng.standard_normal(200))
    assert found.stability == 1.0
    assert found.counts.tolist() == [0, 5, 0, 0, 0, 0, 5, 0]


def test_criteria_without_a_model_are_scored_by_the_default_one():
    found = nested_score(SubsetSearch("bnb", criterion="mahalanobis", k=3), pima.X, pima.y, cv=3)
    assert 0.6 < found.score < 0.9
    squared = nested_score(SubsetSearch("sfs", Ridge(), "mse", k=2), pima.X, pima.X[:, 0], cv=3)
    assert squared.score < 0
    area = nested_score(SubsetSearch("sfs", criterion="auc", k=2), pima.X, pima.y, cv=3, scoring="accuracy")
    assert area.score < area.inner_scores.mean()


def test_groups_and_weights():
    groups = np.arange(len(pima.X)) // 50
    search = SubsetSearch("sfs", k=2, cv=GroupKFold(3))
    found = nested_score(search, pima.X, pima.y, cv=GroupKFold(4), groups=groups)
    assert len(found.scores) == 4
    ones = nested_score(SubsetSearch("sfs", k=2), pima.X, pima.y, sample_weight=np.ones(len(pima.X)))
    assert ones.scores.tolist() == nested_score(SubsetSearch("sfs", k=2), pima.X, pima.y).scores.tolist()


def test_refused():
    with pytest.raises(ValueError, match="load the table into memory"):
        nested_score(SubsetSearch(), "table.csv", "y")
    with pytest.raises(ValueError, match="at least two"):
        nested_score(SubsetSearch(), pima.X, pima.y, cv=[(np.arange(300), np.arange(300, 400))])


def test_intervals_end_at_the_limit_of_the_score():
    iris = load_example("iris")
    for scoring, limit in ((None, 1.0), ("roc_auc_ovr", 1.0), ("neg_log_loss", 0.0)):
        assert nested_score(SubsetSearch("sfs", k=2), iris.X, iris.y, scoring=scoring).interval[1] <= limit

    def own(model, X, y):  # its limits are nobody's business
        return 1.5 * model.score(X, y)

    assert nested_score(SubsetSearch("sfs", k=2), iris.X, iris.y, scoring=own).interval[1] > 1.5
