"""Links against SciPy, inverses of each other, and the minimum that coupling is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from scipy.special import log_softmax as scipy_log_softmax
from scipy.special import softmax as scipy_softmax

from sumlearn.objectives.links import coupled, log_softmax, odds, probability, sigmoid, softmax

SCORES = np.array([-800.0, -40.0, -1e-9, 0.0, 0.3, 36.0, 800.0])


def test_sigmoid():
    assert sigmoid(SCORES) == pytest.approx(expit(SCORES), rel=1e-15)
    assert sigmoid(SCORES.astype(np.float32)).dtype == np.float32
    assert sigmoid(-SCORES) + sigmoid(SCORES) == pytest.approx(np.ones(7), rel=1e-15)


@given(p=st.floats(0.0, 1.0))
def test_odds_and_probability_are_inverse(p):
    o = odds(np.array([p]))
    assert probability(o) == pytest.approx([p], rel=1e-9, abs=1e-15)
    assert o[0] == (np.inf if p == 1.0 else pytest.approx(p / (1.0 - p)))


def test_log_odds_are_the_score():
    f = np.linspace(-20, 20, 41)
    assert np.log(odds(sigmoid(f))) == pytest.approx(f, abs=1e-6)
    assert probability(np.array([0.0, 1.0, 3.0, np.inf])).tolist() == [0.0, 0.5, 0.75, 1.0]


@settings(max_examples=60)
@given(scores=st.lists(st.lists(st.floats(-900.0, 900.0), min_size=3, max_size=3), min_size=1, max_size=4))
def test_softmax(scores):
    scores = np.array(scores)
    assert softmax(scores) == pytest.approx(scipy_softmax(scores, axis=1), rel=1e-12, abs=1e-300)
    assert log_softmax(scores) == pytest.approx(scipy_log_softmax(scores, axis=1), rel=1e-13, abs=1e-13)
    assert softmax(scores).sum(axis=1) == pytest.approx(np.ones(len(scores)), rel=1e-13)


def test_a_score_of_minus_infinity_is_a_probability_of_zero():
    assert softmax(np.array([[0.0, -np.inf, 0.0]])).tolist() == [[0.5, 0.0, 0.5]]


@pytest.mark.filterwarnings("error")
def test_scores_that_are_as_far_apart_as_numbers_can_be():
    assert softmax([[1e308, -1e308], [-1e308, -1e308]]).tolist() == [[1.0, 0.0], [0.5, 0.5]]


def test_softmax_refuses_what_has_no_probabilities():
    for scores in ([np.nan, 0.0], [np.inf, 0.0], [-np.inf, -np.inf], [np.inf, np.inf]):
        with pytest.raises(ValueError, match=r"scores must be finite, or -inf for some .* the largest is -?(inf|nan)$"):
            softmax(scores)
        with pytest.raises(ValueError, match="the largest is .* in row 1"):
            softmax([[0.0, 1.0], scores])
    for scores in ([], 3.0, np.empty((2, 0))):
        with pytest.raises(ValueError, match="one for each class along the last axis"):
            softmax(scores)
    assert softmax(np.empty((0, 3))).shape == (0, 3)
    assert softmax(np.zeros((1, 2), np.float32)).dtype == np.float32


def test_coupled_finds_probabilities_again():
    p = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    R = np.log(p[:, :, None] / p[:, None, :])
    assert softmax(coupled(R)) == pytest.approx(p, rel=1e-14)
    assert coupled(R).sum(axis=1) == pytest.approx([0.0, 0.0], abs=1e-14)


@settings(max_examples=20)
@given(entries=st.lists(st.floats(-5.0, 5.0), min_size=6, max_size=6))
def test_coupled_is_the_minimum_of_squares(entries):
    """sum_{k < l} (u_k - u_l - R_kl)^2 for pairwise odds that contradict each other."""
    R = np.zeros((4, 4))
    R[np.triu_indices(4, 1)] = entries
    R -= R.T

    def cost(u):
        return ((u[:, None] - u[None, :] - R)[np.triu_indices(4, 1)] ** 2).sum()

    best = minimize(cost, np.zeros(4), tol=1e-12).fun
    assert cost(coupled(R)) <= best + 1e-9 * (1 + best)


def test_coupled_checks_its_input():
    with pytest.raises(ValueError, match="square"):
        coupled(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="antisymmetric"):
        coupled(np.array([[0.0, 1.0], [1.0, 0.0]]))


@pytest.mark.parametrize(
    "link, value, message",
    [
        (odds, 1.5, "probability must be from 0 to 1, got 1.5"),
        (odds, [0.5, -0.1, 2.0], "probability must be from 0 to 1, got -0.1 at place 1"),
        (odds, 1.0 + 1e-15, r"probability must be from 0 to 1, got 1\.000000000000001"),
        (odds, [0.5, np.nan], "probability must be from 0 to 1, got nan at place 1"),
        (probability, -0.5, "odds must be from 0 to inf, got -0.5"),
        (probability, [[1.0, 2.0], [-1.0, 3.0]], "odds must be from 0 to inf, got -1 at place 2"),
        (coupled, [[0.0, np.inf], [-np.inf, 0.0]], "log_odds must be finite"),
        (coupled, [[0.0, np.nan], [np.nan, 0.0]], "log_odds must be finite"),
    ],
)
def test_what_is_outside_of_the_range_is_refused(link, value, message):
    with pytest.raises(ValueError, match=message):
        link(value)
