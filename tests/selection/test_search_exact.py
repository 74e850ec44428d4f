"""Exhaustive search, branch and bound and A*: the best subset, proven, and the n best."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from sumlearn import SubsetSearch
from sumlearn.data import load_example
from sumlearn.selection.judges.judge import Judge

from tests.selection import references
from tests.selection.references import monotone_worth, random_worth


class Monotone(Judge):
    monotone = True

    def __init__(self, worth, size):
        self.worth, self.size = worth, size

    def score(self, subset):
        return self.worth(subset)


class FromScatter(Judge):
    """Squared Mahalanobis distance of two means on the columns S: one solve, and monotone."""

    monotone = True

    def __init__(self, size, seed):
        rng = np.random.default_rng(seed)
        mixing = rng.standard_normal((size, size))
        self.scatter = mixing @ mixing.T + 0.5 * np.eye(size)
        self.difference = rng.standard_normal(size)
        self.size = size

    def score(self, subset):
        index = list(subset)
        d = self.difference[index]
        return float(d @ np.linalg.solve(self.scatter[np.ix_(index, index)], d))


@pytest.mark.parametrize("method", ["bnb", "astar"])
def test_a_judge_that_is_not_monotone_is_found_out(method):
    """It calls itself monotone; what is cut off may then be the best."""
    for seed in range(5):
        with pytest.raises(ValueError, match="the criterion is not monotone, whatever it says"):
            SubsetSearch(method, criterion=Monotone(random_worth(8, seed), 8), k=3).fit(np.zeros((2, 8)))


@pytest.mark.parametrize("seed", range(4))
def test_exhaustive(seed):
    worth = random_worth(8, seed)
    every = SubsetSearch("exhaustive", criterion=worth).fit(np.zeros((2, 8)))
    kept = references.exhaustive(worth, 8, range(1, 9))
    assert every.evaluations_ == 2**8 - 1
    assert {n: tuple(s.tolist()) for n, s in every.path_.items()} == {n: s for n, (_, s) in kept.items()}
    assert every.score_ == pytest.approx(max(score for score, _ in kept.values()), abs=1e-12)
    assert not every.approximate_
    three = SubsetSearch("exhaustive", criterion=worth, k=3, n_best=5).fit(np.zeros((2, 8)))
    best = sorted(combinations(range(8), 3), key=worth, reverse=True)[:5]
    assert [tuple(s.tolist()) for s in three.best_subsets_] == best
    assert three.best_scores_ == pytest.approx([worth(s) for s in best], abs=1e-12)


@pytest.mark.parametrize("method", ["bnb", "astar"])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [1, 3, 6, 9, 10])
def test_bounds_do_not_lose_the_best(method, seed, k):
    worth = monotone_worth(10, seed)
    found = SubsetSearch(method, criterion=Monotone(worth, 10), k=k).fit(np.zeros((2, 10)))
    score, subset = references.exhaustive(worth, 10, [k])[k]
    assert tuple(found.subset_.tolist()) == subset
    assert found.score_ == pytest.approx(score, abs=1e-12)
    assert not found.approximate_


@pytest.mark.parametrize("method", ["bnb", "astar"])
def test_twenty_features(method):
    """The best of 15,504 and of 184,756 subsets, from a small share of them."""
    judge = FromScatter(20, 3)
    for k, share in ((15, 0.2), (10, 0.2)):
        found = SubsetSearch(method, criterion=judge, k=k).fit(np.zeros((2, 20)))
        assert found.evaluations_ < share * comb(20, k)
        best = best_by_batches(judge, k)
        assert found.score_ == pytest.approx(best[0], rel=1e-10)
        assert tuple(found.subset_.tolist()) == best[1]


def best_by_batches(judge, k):
    """All subsets, many systems at a time."""
    best = (-np.inf, ())
    subsets = np.array(list(combinations(range(judge.size), k)))
    for part in np.array_split(subsets, max(1, len(subsets) // 5000)):
        d = judge.difference[part]
        scores = (d * np.linalg.solve(judge.scatter[part[:, :, None], part[:, None, :]], d[..., None])[..., 0]).sum(1)
        if scores.max() > best[0]:
            best = (scores.max(), tuple(part[scores.argmax()].tolist()))
    return best


@pytest.mark.parametrize("method", ["bnb", "astar"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_best", [1, 2, 7, 40, 300])
def test_n_best(seed, n_best, method):
    """The n best in order; there may be fewer than n."""
    judge = FromScatter(9, seed)
    found = SubsetSearch(method, criterion=judge, k=4, n_best=n_best).fit(np.zeros((2, 9)))
    best = sorted(combinations(range(9), 4), key=judge.score, reverse=True)[:n_best]
    assert [tuple(s.tolist()) for s in found.best_subsets_] == best
    assert found.best_scores_ == pytest.approx([judge.score(s) for s in best], rel=1e-10)


@pytest.mark.chance  # a criterion may be drawn of which little can be cut
@pytest.mark.parametrize("method", ["bnb", "astar"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_best", [1, 2, 7])
def test_few_subsets_are_looked_at(seed, n_best, method):
    found = SubsetSearch(method, criterion=FromScatter(9, seed), k=4, n_best=n_best).fit(np.zeros((2, 9)))
    assert found.evaluations_ < comb(9, 4) + 9 * 10


@pytest.mark.parametrize("method", ["bnb", "astar"])
def test_fixed_columns_and_groups_under_a_bound(method):
    judge = FromScatter(9, 1)
    found = SubsetSearch(method, criterion=judge, k=4, fixed=[2], excluded=[5], column_groups=[[0, 7], [1, 3]])
    found.fit(np.zeros((2, 9)))
    units = [(0, 7), (1, 3), (4,), (6,), (8,)]
    subsets = [tuple(sorted((2, *sum(three, ())))) for three in combinations(units, 3)]
    assert tuple(found.subset_.tolist()) == max(subsets, key=judge.score)


@pytest.mark.parametrize("method", ["bnb", "astar"])
def test_a_few_of_many_are_found_by_looking_at_all(method):
    """Two of 180 columns: a tree that comes down from all of them would ask for minutes."""
    dna = load_example("dna")
    found = SubsetSearch(method, criterion="mahalanobis", k=2, n_best=4).fit(dna.X, dna.y)
    whole = SubsetSearch("exhaustive", criterion="mahalanobis", k=2, n_best=4).fit(dna.X, dna.y)
    assert [subset.tolist() for subset in found.best_subsets_] == [subset.tolist() for subset in whole.best_subsets_]
    assert found.evaluations_ == whole.evaluations_ + 1 and not found.approximate_


@pytest.mark.parametrize("criterion", ["mahalanobis", "bhattacharyya", "trace", "likelihood"])
def test_criteria_of_the_classes(criterion):
    pima = load_example("pima")
    whole = SubsetSearch("exhaustive", criterion=criterion, k=4).fit(pima.X, pima.y)
    for method in ("bnb", "astar"):
        found = SubsetSearch(method, criterion=criterion, k=4).fit(pima.X, pima.y)
        assert found.subset_.tolist() == whole.subset_.tolist()
        assert found.score_ == pytest.approx(whole.score_, rel=1e-9)


def test_a_criterion_that_is_not_monotone_is_refused():
    for method in ("bnb", "astar"):
        with pytest.raises(ValueError, match="never falls when a feature is added: 'mahalanobis'"):
            SubsetSearch(method, criterion=lambda s: 0.0, k=2).fit(np.zeros((2, 4)))
        with pytest.raises(ValueError, match="k must be a number"):
            SubsetSearch(method, criterion=FromScatter(4, 0)).fit(np.zeros((2, 4)))


def test_no_bound_without_a_judgement_of_everything():
    class Dependent(FromScatter):
        def score(self, subset):
            return -np.inf if len(subset) > 4 else super().score(subset)

    with pytest.raises(ValueError, match="all columns together cannot be judged"):
        SubsetSearch("bnb", criterion=Dependent(6, 0), k=2).fit(np.zeros((2, 6)))


def test_too_many_subsets_are_refused_beforehand():
    with pytest.raises(ValueError, match=r"1,073,741,823 subsets.*max_evaluations"):
        SubsetSearch("exhaustive", criterion=lambda s: 0.0).fit(np.zeros((2, 30)))


def test_a_judge_that_goes_through_all_subsets_itself():
    class Whole(FromScatter):
        def all_of_size(self, size):
            subsets = np.array(list(combinations(range(self.size), size)))
            for part in np.array_split(subsets, 3):
                yield part, np.array([self.score(s) for s in part.tolist()])

    plain = SubsetSearch("exhaustive", criterion=FromScatter(8, 2), k=3, n_best=4).fit(np.zeros((2, 8)))
    whole = SubsetSearch("exhaustive", criterion=Whole(8, 2), k=3, n_best=4).fit(np.zeros((2, 8)))
    assert whole.trace_.step.max() == 2
    assert whole.evaluations_ == plain.evaluations_ == comb(8, 3)
    assert [s.tolist() for s in whole.best_subsets_] == [s.tolist() for s in plain.best_subsets_]
    with pytest.warns(UserWarning, match="budget was spent after 30 evaluations"):
        SubsetSearch("exhaustive", criterion=Whole(8, 2), k=3, max_evaluations=30).fit(np.zeros((2, 8)))
