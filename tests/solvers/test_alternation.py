"""Two sets of variables in turn: what is traced, when it ends, several at once, and rows behind an engine."""

import numpy as np
import pytest

from sumlearn.data import open_source
from sumlearn.learners.passes import Passes
from sumlearn.solvers import Turn, alternate, settled
from sumlearn.statistics import Grouped

X = np.random.default_rng(0).normal(size=(40, 6)) @ np.diag([5.0, 3.0, 1.0, 1.0, 0.5, 0.2])
RANK = 2


def codes(C):
    return np.linalg.solve(C @ C.T, C @ X.T).T


def parts(W):
    return np.linalg.solve(W.T @ W, W.T @ X)


def error(W, C):
    return np.sum((X - W @ C) ** 2)


def test_factors_reach_the_singular_values():
    told = []
    run = alternate(X[:RANK], codes, parts, error, tol=1e-12, watch=lambda: told.append(1))
    assert run.done and len(told) == run.steps == len(run.trace)
    assert (np.diff(run.trace) <= 1e-12 * run.trace[0]).all()
    np.testing.assert_allclose(run.state.value, np.sum(np.linalg.svd(X)[1][RANK:] ** 2), rtol=1e-10)
    assert run.state.value == error(run.state.first, run.state.second)


def test_most():
    run = alternate(X[:RANK], codes, parts, error, tol=0.0, most=3)
    assert (run.steps, run.done) == (3, False)


def test_an_end_of_ones_own():
    seen = []

    def done(before, after):
        seen.append((before.first is None, before.value, after.value))
        return len(seen) == 2

    run = alternate(X[:RANK], codes, parts, error, done=done)
    assert run.steps == 2
    assert seen == [(True, np.inf, run.trace[0]), (False, *run.trace)]


def test_several_share_their_turns():
    """Values are one for each; the last to settle ends it."""
    starts = X[:4].reshape(2, RANK, 6)
    together = alternate(
        starts,
        lambda Cs: [codes(C) for C in Cs],
        lambda Ws: [parts(W) for W in Ws],
        lambda Ws, Cs: np.array([error(W, C) for W, C in zip(Ws, Cs, strict=True)]),
        tol=1e-9,
    )
    apart = [alternate(start, codes, parts, error, tol=1e-9) for start in starts]
    assert together.steps == max(run.steps for run in apart)
    assert together.trace.reshape(-1, 2)[: apart[1].steps, 1].tolist() == apart[1].trace.tolist()


@pytest.mark.parametrize("workers", [1, 3])
def test_rows_behind_an_engine(workers):
    """k-means: sums by centre, a pass for each turn; in memory and in parts."""
    rows = np.concatenate([X[:, :2], X[:, :2] + 30.0])

    def sums(centres, chunk):
        return Grouped.of(chunk.X, ((chunk.X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1), form="diagonal")

    run = alternate(
        rows[[0, 1]],
        sums,
        lambda s: np.array([part.mean for _, part in s.items()]),
        lambda s, _: sum(part.diagonal.sum() for _, part in s.items()),
        tol=1e-9,
        total=Passes(open_source(rows), workers).total,
    )
    np.testing.assert_allclose(run.state.second, [rows[:40].mean(axis=0), rows[40:].mean(axis=0)], rtol=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "tol", "expected"),
    [
        (np.inf, 1.0, 1.0, False),
        (1.5, 1.0, 0.5, False),
        (1.5, 1.0, 0.6, True),
        (1.0, 1.0, 0.0, True),
        (1.0, np.nan, 1.0, False),
        (-np.inf, -np.inf, 0.0, True),
        (np.array([1.0, 2.0]), np.array([1.0, 3.0]), 0.1, False),
    ],
)
def test_settled(old, new, tol, expected):
    assert settled(Turn(None, None, old), Turn(None, None, new), tol) is expected
