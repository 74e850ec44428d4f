"""The one loop: when it ends, what it traces, whom it tells."""

import numpy as np
import pytest

from sumlearn.solvers import iterate


def halve(x):
    return x / 2.0


def test_it_ends_when_it_is_done():
    run = iterate(8.0, halve, lambda before, after: before - after <= 1.0, 50)
    assert (run.state, run.steps, run.done) == (1.0, 3, True)
    assert run.trace.shape == (0,)


@pytest.mark.parametrize("most", [0, 1, 5])
def test_it_ends_after_most_steps(most):
    run = iterate(1.0, halve, lambda before, after: False, most, trace=lambda x: x)
    assert (run.state, run.steps, run.done) == (0.5**most, most, False)
    assert run.trace.tolist() == [0.5 ** (k + 1) for k in range(most)]


def test_done_at_the_last_step_is_done():
    assert iterate(8.0, halve, lambda before, after: after == 1.0, 3).done


def test_traces_of_none_one_or_several_numbers():
    told = []

    def trace(x):
        return {4.0: (), 2.0: x, 1.0: (x, -x)}[x]

    run = iterate(8.0, halve, lambda before, after: after == 1.0, watch=lambda: told.append(1), trace=trace)
    assert run.trace.tolist() == [2.0, 1.0, -1.0]
    assert len(told) == 3


def test_without_a_trace_every_step_is_told():
    told = []
    iterate(8.0, halve, lambda before, after: False, 4, watch=lambda: told.append(1))
    assert len(told) == 4


def test_states_may_be_anything():
    """A stepwise fit: two means, each the mean of the rows that are nearest to it."""
    x = np.array([0.0, 1.0, 10.0, 12.0])

    def step(centres):
        own = np.abs(x[:, None] - centres).argmin(axis=1)
        return np.array([x[own == k].mean() for k in range(2)])

    run = iterate(
        np.array([0.0, 1.0]), step, np.array_equal, 10, trace=lambda c: ((x[:, None] - c) ** 2).min(axis=1).sum()
    )
    assert run.state.tolist() == [0.5, 11.0] and run.done
    assert (np.diff(run.trace) <= 0).all() and run.trace[-1] == 2.5
