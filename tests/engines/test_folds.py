"""The algebra of folds: every training set of every scikit-learn splitter, against its own rows."""

import numpy as np
import pytest
from sklearn import model_selection

from sumlearn.data import open_source
from sumlearn.engines import Threads, all_but_one, merge_all, pattern_sums, rounds, training_sums
from sumlearn.engines.folds import ConsecutiveFolds, partition_of
from sumlearn.statistics import Moments, Total
from sumlearn.testing import assert_same_statistic

N = 48
rng = np.random.default_rng(0)
X = rng.integers(-2000, 2000, (N, 3)) / 1024.0 + 1e6
Y = rng.integers(0, 3, N)
GROUPS = rng.integers(0, 6, N)

SPLITTERS = [
    model_selection.KFold(5),
    model_selection.KFold(4, shuffle=True, random_state=0),
    model_selection.StratifiedKFold(4),
    model_selection.StratifiedKFold(3, shuffle=True, random_state=0),
    model_selection.GroupKFold(3),
    model_selection.StratifiedGroupKFold(3),
    model_selection.LeaveOneOut(),
    model_selection.LeaveOneGroupOut(),
    model_selection.LeavePGroupsOut(2),
    model_selection.PredefinedSplit(np.arange(N) % 4 - 1),
    model_selection.TimeSeriesSplit(5),
    model_selection.TimeSeriesSplit(4, gap=3, max_train_size=15),
    model_selection.RepeatedKFold(n_splits=3, n_repeats=3, random_state=0),
    model_selection.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
    model_selection.ShuffleSplit(5, test_size=0.3, random_state=0),
    model_selection.ShuffleSplit(4, train_size=0.2, test_size=0.3, random_state=0),
    model_selection.StratifiedShuffleSplit(4, random_state=0),
    model_selection.GroupShuffleSplit(4, random_state=0),
]


def test_no_splitter_is_missing():
    public = [name for name in model_selection.__all__ if name.endswith(("Fold", "Split", "Out"))]
    names = {name for name in public if not name.startswith("Base")}
    assert names - {type(s).__name__ for s in SPLITTERS} == {"LeavePOut"}  # tested on fewer rows below


def check_splits(splits, X):
    source = open_source(X)
    seen = []
    for part in rounds(splits, len(X)):
        sums = pattern_sums(lambda rows: Moments.of(source.chunk(rows).X), source, Threads(2), part)
        assert sum(s.rows for s in sums) <= len(X)
        for s, total in enumerate(training_sums(sums, part)):
            number = part.splits[s]
            train, test = splits[number]
            assert_same_statistic(total, Moments.of(X[train]))
            assert_same_statistic(merge_all([sums[p] for p in part.test[s]]), Moments.of(X[test]))
            assert np.array_equal(part.rows(part.test[s]), np.sort(test))
            assert np.array_equal(part.rows(part.train[s]), np.sort(train))
            seen.append(number)
    assert sorted(seen) == list(range(len(splits)))


@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda s: type(s).__name__)
def test_training_sums_are_the_statistics_of_the_training_rows(splitter):
    groups = GROUPS if "Group" in type(splitter).__name__ else None
    check_splits(list(splitter.split(X, Y, groups)), X)


def test_leave_p_out():
    check_splits(list(model_selection.LeavePOut(2).split(X[:7])), X[:7])


def test_own_splits_that_leave_rows_out_of_both():
    check_splits([(np.arange(10), np.arange(20, 30)), (np.arange(5, 30), np.array([40, 41]))], X)


def test_own_splits_in_any_order():
    check_splits([(np.arange(47, 9, -1), np.arange(9, -1, -1)), (np.arange(10), np.arange(47, 9, -1))], X)


def test_a_single_split():
    check_splits([(np.arange(30), np.arange(30, N))], X)


def test_partitions_make_one_round_and_repetitions_one_each():
    def number(splitter):
        groups = GROUPS if "Group" in type(splitter).__name__ else None
        return len(rounds(list(splitter.split(X, Y, groups)), N))

    assert number(model_selection.KFold(5)) == 1
    assert number(model_selection.LeavePGroupsOut(2)) == 1
    assert number(model_selection.TimeSeriesSplit(5)) == 1
    assert number(model_selection.RepeatedKFold(n_splits=3, n_repeats=3, random_state=0)) == 3


def test_odd_splits_are_read_by_themselves():
    """Rows drawn twice, or trained and tested on: such a split keeps its rows as they were drawn."""
    regular, overlapping = (np.arange(5), np.arange(5, 10)), (np.arange(6), np.arange(5, 10))
    repeated = (np.array([0, 0, 1]), np.array([2, 3]))
    found = {part.splits[0]: part for part in rounds([regular, overlapping, repeated], 10)}
    assert found[0].covers and not found[1].covers and not found[2].covers
    assert found[1].rows(found[1].train[0]).tolist() == [0, 1, 2, 3, 4, 5]
    assert found[2].rows(found[2].train[0]).tolist() == [0, 0, 1]
    assert found[2].rows(found[2].test[0]).tolist() == [2, 3]


@pytest.mark.parametrize("number", [1, 2, 3, 7])
def test_all_but_one_is_the_sum_of_the_others(number):
    parts = [Total(np.array([2.0**k]), 1.0, 1) for k in range(number)]
    found = list(all_but_one(parts))
    assert len(found) == number
    if number > 1:
        assert [f.values[0] for f in found] == [2.0**number - 1 - 2.0**k for k in range(number)]


def test_a_fold_that_dwarfs_the_others_costs_no_digits():
    """Merging, not subtraction: the training sum without the huge fold is exact."""
    Z = X.copy()
    Z[:12] *= 1e9
    check_splits(list(model_selection.KFold(4).split(Z)), Z)


def test_masks_are_row_numbers():
    rows = 3 * 4096 + 50  # more than a chunk
    numbers = list(model_selection.KFold(3, shuffle=True, random_state=0).split(np.zeros(rows)))
    masks = [tuple(np.isin(np.arange(rows), side) for side in split) for split in numbers]
    for given, expected in zip(rounds(masks, rows), rounds(numbers, rows), strict=True):
        assert [p.tolist() for p in given.patterns] == [p.tolist() for p in expected.patterns]
        assert given.train == expected.train


@pytest.mark.parametrize("bad", [-1, 6])
def test_rows_that_are_not_there_make_no_partition(bad):
    splits = [(np.array([0, 1, 2]), np.array([3, 4, bad]))]
    assert partition_of(splits, 6) is None


@pytest.mark.parametrize(
    "splits",
    [
        [([0, 1, 1], [2, 3, 4]), ([2, 3, 4], [0, 1])],  # drawn twice
        [([0, 1, 2], [3, 3, 4])],  # tested twice
        [([0, 1, 2, 3], [3, 4])],  # trained and tested
        [([0, 1, 2], [3, 4]), ([0, 1, 4], [2, 3])],  # tests that overlap
        [([0, 1], [3, 4])],  # a row in neither
        [([0, 1, 2, 3, 4], [])],
    ],
)
def test_what_is_no_partition(splits):
    assert partition_of([(np.array(train, int), np.array(test, int)) for train, test in splits], 5) is None


def test_a_partition_with_rows_never_tested_and_tests_out_of_order():
    splits = [(np.array([0, 1, 2, 3]), np.array([5, 4])), (np.array([4, 5, 0, 1]), np.array([2, 3]))]
    assert [part.tolist() for part in partition_of(splits, 6)] == [[4, 5], [2, 3], [0, 1]]


@pytest.mark.parametrize(("rows", "folds"), [(2, 2), (7, 3), (10, 5), (103, 4), (5, 5), (9, 7)])
def test_consecutive_folds_are_those_of_scikit_learn(rows, folds):
    expected = list(model_selection.KFold(folds).split(np.zeros(rows)))
    found = ConsecutiveFolds(rows, folds)
    assert len(found) == folds
    for ours, theirs in zip(found, expected, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))
    for ours, theirs in zip(rounds(found, rows), rounds(expected, rows), strict=True):
        assert [p.tolist() for p in ours.patterns] == [p.tolist() for p in theirs.patterns]
        assert (ours.train, ours.test, ours.splits, ours.covers) == (theirs.train, theirs.test, theirs.splits, True)
