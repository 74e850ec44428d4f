"""Schemes of leaving rows out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sumlearn.product.problems import DataProblem, UsageProblem
from sumlearn.product.schemes import Scheme
from sumlearn.product.targets import TargetRows


def target_of(n, task="classify", seed=0):
    rng = np.random.default_rng(seed)
    values = np.resize(["a", "b"], n) if task == "classify" else rng.normal(size=n)
    return TargetRows("y", task, values, np.arange(n), np.unique(values) if task == "classify" else np.array([]), "b")


@given(
    text=st.sampled_from(["2", "5", "loo", "holdout:0.25", "boot632:6"]),
    task=st.sampled_from(["classify", "regress"]),
    seed=st.integers(0, 99),
)
def test_no_row_is_on_both_sides(text, task, seed):
    """Outside and inside; what is left out covers every row once, but for holdout and bootstrap."""
    target, scheme = target_of(40, task), Scheme.parse(text)
    splits = scheme.outer(target, None, seed)
    for train, test in splits[:3]:
        assert not set(train) & set(test)
        for inner_train, inner_test in scheme.inner(target, train, None, seed):
            assert not set(train[inner_train]) & set(train[inner_test])  # by row, though drawn twice
            assert set(train[inner_train]) | set(train[inner_test]) == set(train)
    if text in ("2", "5", "loo"):
        assert sorted(np.concatenate([test for _, test in splits])) == list(range(40))
    assert str(Scheme.parse(str(scheme))) == text


def test_the_seed_decides():
    target = target_of(40)
    same, again, other = (Scheme.parse("4").outer(target, None, seed) for seed in (1, 1, 2))
    assert all((a[1] == b[1]).all() for a, b in zip(same, again, strict=True))
    assert any(set(a[1]) != set(b[1]) for a, b in zip(same, other, strict=True))


def test_groups_stay_together_inside_too():
    target, groups = target_of(60), np.arange(60) // 5
    scheme = Scheme.parse("group:g")
    for train, test in scheme.outer(target, groups, 0):
        assert not set(groups[train]) & set(groups[test])
        for inner_train, inner_test in scheme.inner(target, train, groups, 0):
            assert not set(groups[train[inner_train]]) & set(groups[train[inner_test]])


def test_time_goes_forward_inside_too():
    target, scheme = target_of(80), Scheme.parse("time:t")
    for train, test in scheme.outer(target, None, 0):
        assert train.max() < test.min()
        for inner_train, inner_test in scheme.inner(target, train, None, 0):
            assert train[inner_train].max() < train[inner_test].min()


@pytest.mark.parametrize("text", ["0", "1", "5:3", "loo:2", "holdout:0", "holdout:1.5", "boot632:1.5", "k"])
def test_what_is_no_scheme(text):
    with pytest.raises(UsageProblem, match="--cv"):
        Scheme.parse(text)


@pytest.mark.parametrize("text", ["group", "time"])
def test_a_column_is_needed(text):
    with pytest.raises(UsageProblem, match=f"--cv {text}:COL"):
        Scheme.parse(text)


def test_one_group_cannot_be_left_out():
    with pytest.raises(DataProblem, match="one group only"):
        Scheme.parse("group:g").outer(target_of(20), np.zeros(20), 0)
