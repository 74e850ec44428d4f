"""Interpolated scores: EM against direct optimisation, its certificate, and the two ends, one expert or a mixture."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import sumlearn as sl
from sumlearn.data import load_example
from sumlearn.ensembles.parts.mixture_weights import mixture_weights

PIMA = load_example("pima")
X, Y = np.asarray(PIMA.X), np.asarray(PIMA.y)
EXPERTS = [
    ("lda", sl.LinearDiscriminantAnalysis()),
    ("qda", sl.QuadraticDiscriminantAnalysis()),
    ("nb", sl.GaussianNB()),
]


def best_height(L, share):
    """The maximum by a general optimiser, from several starts."""
    m = L.shape[1]
    simplex = {"type": "eq", "fun": lambda p: p.sum() - 1.0}
    starts = [np.full(m, 1.0 / m), *(np.eye(m) * 0.9 + 0.1 / m)]
    found = [
        minimize(
            lambda p: -share @ np.log(L @ p + 1e-300),
            start / start.sum(),
            jac=lambda p: -(share / (L @ p + 1e-300)) @ L,
            bounds=[(0.0, 1.0)] * m,
            constraints=simplex,
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        for start in starts
    ]
    return max(-result.fun for result in found)


@settings(max_examples=25)
@given(st.integers(0, 2**31), st.integers(2, 6), st.integers(3, 80), st.sampled_from([0.1, 1.0, 5.0]), st.booleans())
def test_em_ends_where_direct_optimisation_does(seed, members, rows, spread, weighted):
    rng = np.random.default_rng(seed)
    L = np.exp(-spread * rng.exponential(size=(rows, members)))
    weight = rng.uniform(0.1, 3.0, rows) if weighted else None
    share = np.full(rows, 1.0 / rows) if weight is None else weight / weight.sum()
    end = mixture_weights(L, weight, 1e-9, 2000)
    assert end.gap <= 1e-9 and abs(end.weights.sum() - 1.0) < 1e-12 and (end.weights >= 0).all()
    assert (np.diff(end.trace) >= 0.0).all()
    height = share @ np.log(L @ end.weights)
    assert abs(height - end.trace[-1]) < 1e-9
    direct = best_height(L, share)
    assert direct - 1e-9 <= height + end.gap  # the bound holds
    assert height >= direct - 1e-8


def test_the_gap_bounds_what_is_missing_after_every_step():
    rng = np.random.default_rng(5)
    L = rng.random((200, 4)) ** 3
    best = mixture_weights(L, None, 1e-12, 1000).trace[-1]
    for steps in range(1, 5):
        end = mixture_weights(L, None, 1e-15, steps)
        assert best - end.trace[-1] <= end.gap + 1e-12


def test_weights_of_rows_are_rows():
    L = np.random.default_rng(2).random((40, 3))
    times = np.arange(40) % 3
    np.testing.assert_allclose(
        mixture_weights(L, times.astype(float), 1e-10, 500).weights,
        mixture_weights(np.repeat(L, times, axis=0), None, 1e-10, 500).weights,
        atol=1e-6,
    )


def test_impossible_rows_say_nothing_and_members_alike_share():
    L = np.array([[0.5, 0.5], [0.3, 0.3], [0.0, 0.0]])
    assert mixture_weights(L, None, 1e-9, 10).weights.tolist() == [0.5, 0.5]
    one = np.array([[0.9, 0.0], [0.8, 0.0], [0.7, 0.1]])
    assert mixture_weights(one, None, 1e-9, 50).weights.tolist() == [1.0, 0.0]


def test_weights_are_those_of_rows_left_out():
    """Left out by scikit-learn's own function, weighed by a general optimiser."""
    model = sl.ScoreInterpolation([*EXPERTS, ("theirs", LogisticRegression(max_iter=3000))], cv=4).fit(X, Y)
    codes = np.unique(Y, return_inverse=True)[1]
    L = np.column_stack(
        [
            cross_val_predict(member, X, Y, cv=4, method="predict_proba")[np.arange(len(Y)), codes]
            for _, member in model.estimators
        ]
    )
    share = np.full(len(Y), 1.0 / len(Y))
    assert abs(share @ np.log(L @ model.weights_) - best_height(L, share)) < 1e-8
    np.testing.assert_allclose(model.trace_[-1], share @ np.log(L @ model.weights_), atol=1e-10)
    mixed = sum(w * m.predict_proba(X) for w, m in zip(model.weights_, model.estimators_, strict=True))
    np.testing.assert_allclose(model.predict_proba(X), mixed, atol=1e-12)
    assert model.trace_[-1] >= (share @ np.log(L)).max() - 1e-9  # no worse than the best expert alone
    assert model.gap_ <= model.tol and model.n_iter_ == len(model.trace_) - 1


def test_the_best_expert_alone_or_a_true_mixture():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    near = rng.standard_normal((2000, 2)) + 1.5 * y[:, None]
    experts = [("right", sl.LinearDiscriminantAnalysis()), ("blind", sl.GaussianNB(var_smoothing=1e6))]
    alone = sl.ScoreInterpolation(experts).fit(near, y)
    assert alone.weights_[0] > 0.99
    halves = np.where(rng.random(2000) < 0.5, 0, 1)  # each expert knows one half of the world
    probabilities = np.where(halves[:, None] == np.arange(2), 0.9, 0.5)
    end = mixture_weights(probabilities, None, 1e-10, 500)
    assert 0.4 < end.weights[0] < 0.6


def test_a_share_held_out_and_prefit_members():
    once = sl.ScoreInterpolation(EXPERTS, cv=0.3, random_state=1).fit(X, Y)
    again = sl.ScoreInterpolation(EXPERTS, cv=0.3, random_state=1).fit(X, Y)
    assert (once.weights_ == again.weights_).all() and once.gap_ <= once.tol
    fitted = [(name, member.__class__().fit(X[::2], Y[::2])) for name, member in EXPERTS]
    prefit = sl.ScoreInterpolation(fitted, cv="prefit").fit(X[1::2], Y[1::2])
    codes = np.unique(Y, return_inverse=True)[1][1::2]
    L = np.column_stack([m.predict_proba(X[1::2])[np.arange(len(codes)), codes] for _, m in fitted])
    np.testing.assert_allclose(prefit.weights_, mixture_weights(L, None, 1e-8, 1000).weights, atol=1e-12)


def test_steps_that_do_not_suffice_warn():
    with pytest.warns(Warning, match="raise max_iter or tol"):
        model = sl.ScoreInterpolation(EXPERTS, max_iter=1, tol=1e-14).fit(X, Y)
    assert model.gap_ > 1e-14 and model.n_iter_ == 1


def test_saved_and_loaded(tmp_path):
    model = sl.ScoreInterpolation(EXPERTS).fit(X, Y)
    sl.save(model, tmp_path / "m.sumlearn")
    assert (sl.load(tmp_path / "m.sumlearn").predict_proba(X) == model.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"cv": 1.5}, "a share between 0 and 1"),
        ({"tol": 0.0}, "tol must be positive"),
        ({"max_iter": 0}, "max_iter"),
        ({"estimators": [("svm", sl.LinearSVC())]}, "no predict_proba"),
        ({"estimators": [("r", sl.Ridge())]}, "no predict_proba"),
    ],
)
def test_what_makes_no_sense_is_refused(parameters, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        sl.ScoreInterpolation(**parameters).fit(X, Y)
