"""The outer loop: who chooses hears of training rows alone, and the rows left out are asked about once."""

import numpy as np
import pytest

from sumlearn import Ridge
from sumlearn.evaluation import corrected_t_test
from sumlearn.evaluation.outer_loop import ScoredFold, expected_score, outer_loop, outer_splits, rows_to_split


def test_every_split_is_chosen_then_asked_once():
    splits = [(np.array([2, 3]), np.array([0, 1])), (np.array([0, 1]), np.array([2, 3]))]
    heard, told = [], []

    def choose(train):
        heard.append(("choose", train.tolist()))
        return int(train.sum())

    def answer(choice, train, test):
        heard.append(("answer", choice, train.tolist(), test.tolist()))
        return ScoredFold(choice, float(test.sum()))

    folds = outer_loop(splits, choose, answer, lambda *what: told.append(what))
    assert heard == [
        ("choose", [2, 3]),
        ("answer", 5, [2, 3], [0, 1]),
        ("choose", [0, 1]),
        ("answer", 1, [0, 1], [2, 3]),
    ]
    assert folds == [ScoredFold(5, 1.0), ScoredFold(1, 5.0)]
    assert told == [("outer fold", 1, 2), ("outer fold", 2, 2)]


def test_the_interval_is_the_corrected_one():
    splits = [(np.arange(8), np.arange(2))] * 3
    folds = [ScoredFold(None, score) for score in (0.5, 0.7, 0.6)]
    assert expected_score(folds, splits) == corrected_t_test([0.5, 0.7, 0.6], 8, 2)


def test_one_split_has_no_interval():
    one = [(np.arange(6), np.arange(6, 8))]
    with pytest.raises(ValueError, match="cv makes 1 split: an interval needs at least two"):
        outer_splits(Ridge(), np.zeros((8, 1)), np.arange(8.0), None, one)


def test_streams_are_refused_by_name():
    with pytest.raises(ValueError, match="someone splits rows within splits"):
        rows_to_split("someone", "rows.csv", "y", None)
