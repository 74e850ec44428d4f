"""The kernel of sets, regression on it, and searches that a prophet guides."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge

from sumlearn import SubsetSearch
from sumlearn.data import load_example
from sumlearn.features.kernels import Combinatorial
from sumlearn.selection import Prophet

from tests.selection.references import exhaustive, random_worth, sfs

sets = st.lists(st.sets(st.integers(0, 7)), min_size=1, max_size=6)


def small_sets(elements, degree, cumulative):
    sizes = range(degree + 1) if cumulative else [degree]
    return [u for k in sizes for u in combinations(range(elements), k)]


def coordinates(subsets, elements, degree, cumulative=True):
    """phi_U(S) = [U within S], written out."""
    terms = small_sets(elements, degree, cumulative)
    return np.array([[set(u) <= set(s) for u in terms] for s in subsets], dtype=float)


# -- kernel -----------------------------------------------------------------------------------------------------------


@given(sets, sets, st.integers(0, 4), st.booleans())
def test_kernel_is_the_product_of_the_coordinates(a, b, degree, cumulative):
    kernel = Combinatorial(degree, cumulative=cumulative)
    wanted = coordinates(a, 8, degree, cumulative) @ coordinates(b, 8, degree, cumulative).T
    assert kernel(a, b).tolist() == wanted.tolist()
    assert kernel(a).tolist() == kernel(a, a).tolist()
    rows = np.array([[j in s for j in range(8)] for s in a])
    assert kernel(rows, b).tolist() == wanted.tolist()


def test_kernel_by_hand():
    assert Combinatorial(3, cumulative=False)([range(5)], [range(2, 9)]).tolist() == [[1.0]]  # C(3, 3)
    assert Combinatorial(3)([range(5)], [range(2, 9)]).tolist() == [[1 + 3 + 3 + 1.0]]
    assert Combinatorial(1, cumulative=False)([()], [()]).tolist() == [[0.0]]
    assert repr(Combinatorial(3)) == "Combinatorial(3, cumulative=True)"


def test_kernel_refuses():
    with pytest.raises(ValueError, match="degree must be a whole number of at least 0"):
        Combinatorial(-1)
    with pytest.raises(ValueError, match="set 1 holds -2"):
        Combinatorial()([{0}, {-2}])
    with pytest.raises(ValueError, match="set 0 holds 'a'"):
        Combinatorial()([{"a"}])
    with pytest.raises(ValueError, match="matrix of 0 and 1"):
        Combinatorial()(np.array([[0.0, 2.0]]))


# -- regression -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("alpha", [1e-3, 0.5, 20.0])
def test_dual_equals_primal_and_scikit_learn(degree, alpha):
    rng = np.random.default_rng(1)
    subsets = [tuple(np.flatnonzero(row)) for row in rng.random((40, 6)) < 0.5]
    scores = rng.standard_normal(40) + 5.0
    new = [tuple(np.flatnonzero(row)) for row in rng.random((10, 6)) < 0.5]
    found = Prophet(degree, alpha=alpha).fit(subsets, scores).predict(new)
    primal = Ridge(alpha, fit_intercept=False).fit(coordinates(subsets, 6, degree), scores - scores.mean())
    assert found == pytest.approx(primal.predict(coordinates(new, 6, degree)) + scores.mean(), rel=1e-8)
    theirs = KernelRidge(alpha=alpha, kernel="precomputed")
    theirs.fit(Combinatorial(degree)(subsets), scores - scores.mean())
    assert found == pytest.approx(theirs.predict(Combinatorial(degree)(new, subsets)) + scores.mean(), rel=1e-8)


def test_functions_of_low_degree_are_learnt():
    worth = random_worth(7, 0)
    judged = [s for n in range(3) for s in combinations(range(7), n)]
    prophet = Prophet(2, alpha=1e-9).fit(judged, [worth(s) for s in judged])
    larger = list(combinations(range(7), 5))
    assert prophet.predict(larger) == pytest.approx([worth(s) for s in larger], abs=1e-5)


def test_prophet_refuses():
    with pytest.raises(ValueError, match="alpha must be a positive number"):
        Prophet(alpha=0.0).fit([(0,)], [1.0])
    with pytest.raises(ValueError, match="2 subsets need as many scores"):
        Prophet().fit([(0,), (1,)], [1.0])
    with pytest.raises(ValueError, match="scores must be finite, got nan for subset 1"):
        Prophet().fit([(0,), (1,)], [1.0, np.nan])
    with pytest.raises(ValueError, match="at least 1 subset"):
        Prophet().fit([], [])
    with pytest.raises(ValueError, match="batch must be a whole number"):
        Prophet(batch=0).fit([(0,)], [1.0])
    assert clone(Prophet(3, alpha=2.0)).get_params()["degree"] == 3


# -- guided search ----------------------------------------------------------------------------------------------------


def test_guided_search_finds_what_greedy_search_misses():
    """The best 5 of 20: 15,504 subsets, at most 5 % of them judged."""
    misses = 0
    for seed in range(5):
        worth = random_worth(20, seed, scale=1.5)
        found = SubsetSearch("astar", criterion=worth, k=5, prophet=Prophet(2)).fit(np.zeros((2, 20)))
        assert found.approximate_
        assert found.evaluations_ <= 0.05 * comb(20, 5)
        score, subset = exhaustive(worth, 20, [5])[5]
        assert found.score_ == pytest.approx(score, abs=1e-9)
        assert tuple(found.subset_.tolist()) == subset
        misses += sfs(worth, 20, 5)[5][0] < score - 1e-9
    assert misses >= 2


def test_any_size_and_units():
    worth = random_worth(9, 3)
    found = SubsetSearch("astar", criterion=worth, prophet=Prophet()).fit(np.zeros((2, 9)))
    assert found.score_ == pytest.approx(max(score for score, _ in exhaustive(worth, 9, range(1, 10)).values()))
    options = {"fixed": [4], "excluded": [0], "column_groups": [[1, 2], [3, 8]]}
    grouped = SubsetSearch("astar", criterion=worth, k=3, prophet=Prophet(), **options).fit(np.zeros((2, 9)))
    whole = SubsetSearch("exhaustive", criterion=worth, k=3, **options).fit(np.zeros((2, 9)))
    assert grouped.subset_.tolist() == whole.subset_.tolist()


@pytest.mark.slow
def test_the_best_three_of_the_dna_table():
    """Nearest neighbour, each row left out in turn: 19.27 % errors with V85, V90 and V105, of 955,860 triples."""
    dna = load_example("dna")
    found = SubsetSearch("astar", criterion="nearest", k=3, prophet=Prophet()).fit(dna.X, dna.y)
    assert found.subset_.tolist() == [84, 89, 104]
    assert 1.0 - found.score_ == pytest.approx(0.1927, abs=5e-5)
    assert found.evaluations_ <= 0.05 * comb(180, 3)
    assert found.approximate_


@pytest.mark.slow
def test_all_triples_of_the_dna_table():
    dna = load_example("dna")
    found = SubsetSearch("exhaustive", criterion="nearest", k=3).fit(dna.X, dna.y)
    assert found.evaluations_ == comb(180, 3)
    assert found.subset_.tolist() == [84, 89, 104]
    assert not found.approximate_
