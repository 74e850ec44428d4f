"""The compiled loops of the log-losses: the sums of the plain formulas, at every size of loss."""

import numpy as np
import pytest
from scipy.special import log_softmax

from sumlearn.data import Chunk
from sumlearn.objectives import Frame, Logistic, Softmax
from sumlearn.objectives import loss_sums as module
from sumlearn.objectives.loss_sums import expand_rows, is_fused

N, D = 700, 5


def problem(dtype, classes, scale, weighted, intercept=True):
    rng = np.random.default_rng([int(scale * 1000), classes])
    X = rng.standard_normal((N, D)).astype(dtype)
    y = np.sign(rng.standard_normal(N)) if classes == 1 else rng.integers(0, classes, N)
    weight = rng.integers(0, 4, N).astype(float) if weighted else None
    frame = Frame(rng.standard_normal(D), rng.uniform(0.5, 2.0, D), intercept, standardised=False)
    point = scale * rng.standard_normal((classes, frame.size))
    return Chunk(X, y, weight), frame, point


def plain(chunk, frame, point):
    """Value and gradient in double, written down anew."""
    coef, constant = frame.scoring(point)
    X = chunk.X.astype(float)
    weight = np.ones(len(X)) if chunk.weight is None else chunk.weight
    f = X @ coef.T + constant
    if len(point) == 1:
        m = chunk.y * f[:, 0]
        value, slope = weight @ np.logaddexp(0.0, -m), (-chunk.y * np.exp(-np.logaddexp(0.0, m)) * weight)[:, None]
        margin = m[weight > 0].min()
    else:
        logs = log_softmax(f, axis=1)
        own = np.arange(len(X)), chunk.y
        value, slope = -weight @ logs[own], np.exp(logs)
        slope[own] -= 1.0
        slope *= weight[:, None]
        others = f.copy()
        others[own] = -np.inf
        margin = (f[own] - others.max(axis=1))[weight > 0].min()
    return value, np.column_stack([slope.T @ X, slope.sum(axis=0)]), margin


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0, 1e3])
@pytest.mark.parametrize("classes", [1, 2, 7])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sums_are_those_of_the_formula(monkeypatch, dtype, classes, scale, weighted):
    monkeypatch.setattr(module, "FUSED", 1)
    chunk, frame, point = problem(dtype, classes, scale, weighted)
    loss = Logistic() if classes == 1 else Softmax()
    assert is_fused(loss, frame, chunk) == (classes == 1 or dtype == np.float64)
    found = expand_rows(chunk, loss, frame, point, 1, margins=True)
    value, gradient, margin = plain(chunk, frame, point)
    bound = 1e-12 if dtype == np.float64 or classes == 1 else 2e-4
    assert found.value == pytest.approx(value, rel=bound)
    assert np.abs(found.gradient - gradient).max() <= bound * np.abs(gradient).max()
    assert found.margin == pytest.approx(margin, rel=1e-9 if bound < 1e-9 else 1e-3)
    present = np.ones(N) if chunk.weight is None else chunk.weight
    assert (found.rows, found.weight) == (np.count_nonzero(present), present.sum())


@pytest.mark.parametrize("classes", [1, 3])
def test_tiny_losses_keep_their_digits(monkeypatch, classes):
    """Rows far on their own side: 1 + e would be 1."""
    monkeypatch.setattr(module, "FUSED", 1)
    X = np.linspace(38.0, 60.0, N)[:, None]
    y = np.ones(N) if classes == 1 else np.zeros(N, int)
    point = np.array([[1.0, 0.0]]) if classes == 1 else np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    frame = Frame(np.zeros(1), np.ones(1), True, standardised=False)
    found = expand_rows(Chunk(X, y), Logistic() if classes == 1 else Softmax(), frame, point, 1)
    assert found.value == pytest.approx(np.log1p(np.exp(-X) * (1 if classes == 1 else 2)).sum(), rel=1e-12)


def test_nan_is_not_lost(monkeypatch):
    monkeypatch.setattr(module, "FUSED", 1)
    chunk, frame, point = problem(np.float64, 1, 1.0, False)
    chunk.X[3, 2] = np.nan
    assert np.isnan(expand_rows(chunk, Logistic(), frame, point, 1).value)


def test_other_layouts_take_the_plain_road():
    chunk, frame, _ = problem(np.float64, 1, 1.0, False)
    assert not is_fused(Logistic(), frame, chunk)  # too few rows to load a loop for
    many = Chunk(np.zeros((module.FUSED, 2)), np.ones(module.FUSED))
    two = Frame(np.zeros(2), np.ones(2), True, standardised=False)
    assert is_fused(Logistic(), two, many)
    assert not is_fused(Logistic(), two, many._replace(X=np.asfortranarray(many.X)))
    assert not is_fused(Logistic(), Frame(np.zeros(2), np.ones(2), True, standardised=True), many)


def test_margins_are_given_where_they_are_asked_for(monkeypatch):
    """With a penalty they tell nothing, and nobody may take them for separation."""
    monkeypatch.setattr(module, "FUSED", 1)
    chunk, frame, point = problem(np.float64, 1, 1.0, False)
    assert expand_rows(chunk, Logistic(), frame, point, 1).margin == -np.inf
    assert expand_rows(chunk, Logistic(), frame, point, 1, margins=True).margin > -np.inf
