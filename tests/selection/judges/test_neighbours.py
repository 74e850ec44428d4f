"""The nearest neighbour on discrete features: against all distances, one by one."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sumlearn.selection.judges.neighbours import NearestNeighbourJudge


def by_distances(X, y, subset):
    """Every distance, every vote: the expected accuracy, of equal classes one at random."""
    X, y, right = np.asarray(X)[:, list(subset)], np.asarray(y), 0.0
    names = np.unique(y)
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        distance = (X[i] != X).sum(axis=1)
        near = others & (distance == distance[others].min())
        votes = np.array([(y[near] == name).sum() for name in names])
        winners = names[votes == votes.max()]
        right += (y[i] in winners) / len(winners)
    return right / len(X)


tables = st.tuples(
    st.integers(0, 2**32 - 1), st.integers(2, 30), st.integers(1, 5), st.integers(1, 4), st.integers(1, 4)
)


def drawn(table):
    seed, rows, columns, levels, classes = table
    draw = np.random.default_rng(seed)
    return draw.integers(0, levels, (rows, columns)) * 2.5 - 1, np.array(list("wxyz"))[draw.integers(0, classes, rows)]


@settings(max_examples=60)
@given(tables, st.data())
def test_is_what_distances_say(table, data):
    X, y = drawn(table)
    judge = NearestNeighbourJudge.of(X, y)
    assert judge.size == X.shape[1]
    for subset in [(), tuple(range(X.shape[1])), data.draw(st.sampled_from(list(combinations(range(X.shape[1]), 1))))]:
        assert judge.score(subset) == pytest.approx(by_distances(X, y, subset), abs=1e-12)
        assert judge.folds(subset).mean() == pytest.approx(judge.score(subset), abs=1e-12)


@settings(max_examples=30)
@given(tables)
def test_neighbouring_subsets_are_answered_alike(table):
    X, y = drawn(table)
    judge = NearestNeighbourJudge.of(X, y)
    everything = list(range(judge.size))
    for subset in [(), (0,), tuple(everything)]:
        free = [j for j in everything if j not in subset]
        assert judge.with_each(subset, free).tolist() == [judge.score(tuple(sorted((*subset, j)))) for j in free]
        fewer = [tuple(i for i in subset if i != j) for j in subset]
        assert judge.without_each(subset, list(subset)).tolist() == [judge.score(rest) for rest in fewer]


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.integers(3, 6), st.integers(1, 3), st.integers(2, 3))
def test_all_subsets_of_a_size(seed, rows, columns, classes, levels):
    """Triples of binary features by bits, all others cell by cell: the same numbers as one by one."""
    draw = np.random.default_rng(seed)
    X, y = draw.random((rows, columns)) < draw.random(columns), draw.integers(0, classes, rows)
    judge = NearestNeighbourJudge.of(X * draw.integers(1, levels, columns), y)
    for k in (1, 2, 3):
        answers = list(judge.all_of_size(k))
        subsets = np.concatenate([some for some, _ in answers])
        scores = np.concatenate([some for _, some in answers])
        assert [tuple(s) for s in subsets.tolist()] == list(combinations(range(columns), k))
        assert scores.tolist() == [judge.score(tuple(s)) for s in subsets.tolist()]
        assert judge.best_of_size(k) == (tuple(subsets[scores.argmax()].tolist()), scores.max())


def test_weights_are_numbers_of_rows():
    draw = np.random.default_rng(3)
    X, y, weight = draw.integers(0, 3, (40, 4)), draw.integers(0, 3, 40), draw.integers(0, 4, 40)
    weighted = NearestNeighbourJudge.of(X, y, weight)
    repeated = NearestNeighbourJudge.of(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    for subset in combinations(range(4), 2):
        assert weighted.score(subset) == pytest.approx(repeated.score(subset), abs=1e-12)
    assert weighted.folds((0,)) is None
    assert weighted.best_of_size(3)[1] == pytest.approx(repeated.best_of_size(3)[1], abs=1e-12)


def test_refusals_name_what_is_wrong():
    with pytest.raises(ValueError, match="n_samples = 1"):
        NearestNeighbourJudge.of([[1.0]], ["a"])
    with pytest.raises(ValueError, match="row 1, column 0"):
        NearestNeighbourJudge.of([[1.0], [np.nan]], ["a", "b"])
    with pytest.raises(ValueError, match="column 0 has more than 256 levels"):
        NearestNeighbourJudge.of(np.random.default_rng(0).random((300, 1)), np.arange(300) % 2)
    with pytest.raises(ValueError, match="k must be between 1 and n_features = 2"):
        next(NearestNeighbourJudge.of([[0, 1], [1, 1]], ["a", "b"]).all_of_size(3))
