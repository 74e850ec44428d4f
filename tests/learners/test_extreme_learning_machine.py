"""Extreme learning machines against ridge regression on the hidden layer written out, and what a seed binds."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge as RivalRidge
from sklearn.linear_model import RidgeClassifier

import sumlearn as sl
from sumlearn import ExtremeLearningMachineClassifier, ExtremeLearningMachineRegressor, cross_validate
from sumlearn.data import load_example
from sumlearn.features import RandomBasis
from sumlearn.testing import check_learner

from tests.agreement.problems import classes, distance, regression

BOTH = (ExtremeLearningMachineRegressor, ExtremeLearningMachineClassifier)
hidden = {
    "n_hidden": st.integers(1, 30),
    "alpha": st.floats(-3.0, 2.0).map(lambda t: 10.0**t),
    "activation": st.sampled_from(["sigmoid", "tanh", "relu", "rbf"]),
    "scale": st.floats(0.3, 8.0),
    "random_state": st.integers(0, 1000),
}


def layer(options, X):
    basis = RandomBasis(
        options["n_hidden"],
        options["activation"],
        scale=options["scale"],
        random_state=options["random_state"],
        domain=options.get("domain"),
    )
    return basis.fit(X).transform(X)


@settings(max_examples=30)
@given(options=st.fixed_dictionaries(hidden), targets=st.sampled_from([None, 2]), weighted=st.booleans())
def test_output_layer_is_ridge(options, targets, weighted):
    X, y = regression(60, 3, targets)
    weight = np.random.default_rng(0).uniform(0.2, 3.0, 60) if weighted else None
    H = layer(options, X)
    rival = RivalRidge(options["alpha"], solver="svd").fit(H, y, weight)
    model = ExtremeLearningMachineRegressor(**options).fit(X, y, weight)
    assert distance(model.predict(X), rival.predict(H)) < 1e-7
    assert model.coef_.shape == rival.coef_.shape and model.n_features_in_ == 3


@settings(max_examples=30)
@given(options=st.fixed_dictionaries(hidden), k=st.integers(2, 4), balanced=st.booleans())
def test_output_layer_is_ridge_on_the_classes(options, k, balanced):
    X, y = classes(80, 2, k)
    weights = "balanced" if balanced else None
    H = layer(options, X)
    rival = RidgeClassifier(options["alpha"], class_weight=weights, solver="svd").fit(H, y)
    model = ExtremeLearningMachineClassifier(**options, class_weight=weights).fit(X, y)
    assert distance(model.decision_function(X), rival.decision_function(H)) < 1e-7
    assert np.array_equal(model.classes_, rival.classes_)


@settings(max_examples=6)
@given(options=st.fixed_dictionaries(hidden), regressor=st.booleans())
def test_they_add_up_with_a_given_domain(options, regressor):
    kind = BOTH[0] if regressor else BOTH[1]
    X, y = regression(72, 2) if regressor else classes(72, 2, 3)
    try:
        check_learner(kind(**options, domain=(-30.0, 30.0)), X, y, tolerance=1e-7)
    except AssertionError as error:  # a hidden unit at its bound for nearly all rows
        assert "would leave fewer than 3 digits" in str(error)


@pytest.mark.parametrize("kind", BOTH)
def test_ranges_and_seed_of_the_first_fit_stay(kind):
    X, y = regression(90, 2) if kind is BOTH[0] else classes(90, 2, 3)
    model = kind(15, random_state=None).fit(X[:50], y[:50])
    seed = model.basis_.seed_
    model.partial_fit(X[50:], y[50:])
    domain = [(float(a), float(b)) for a, b in zip(X[:50].min(axis=0), X[:50].max(axis=0), strict=True)]
    same = kind(15, domain=domain, random_state=seed).fit(X, y)
    assert model.basis_.seed_ == seed
    found, wanted = (m.predict(X) if kind is BOTH[0] else m.decision_function(X) for m in (model, same))
    assert distance(found, wanted) < 1e-8
    copy = model + model
    assert copy.basis_.seed_ == seed and copy.statistic_.rows == 180


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("random_state", [0, None])
def test_a_default_model_adds_to_those_made_like_it(kind, random_state):
    """However the hidden layer came about: it is the same one."""
    X, y = regression(90, 2) if kind is BOTH[0] else classes(90, 2, 3)
    first = kind(15, random_state=random_state).fit(X[:40], y[:40])
    like = {"domain": first.basis_.domain_, "random_state": first.basis_.seed_}
    second, whole = kind(15, **like).fit(X[40:], y[40:]), kind(15, **like).fit(X, y)
    for both in (first + second, second + first, (first + second + second) - second):
        found, wanted = (m.predict(X) if kind is BOTH[0] else m.decision_function(X) for m in (both, whole))
        assert distance(found, wanted) < 1e-8
    with pytest.raises(ValueError, match="differ in alpha"):
        first + kind(15, **like, alpha=3.0).fit(X, y)
    same = np.vstack([X[:40].min(axis=0), X[:40].max(axis=0), X[50:60].clip(X[:40].min(axis=0), X[:40].max(axis=0))])
    if random_state is not None:  # the same ranges by themselves: two default models
        assert (first + kind(15).fit(same, y[:12])).statistic_.rows == 52


@pytest.mark.parametrize("kind", BOTH)
def test_models_that_do_not_belong_together(kind):
    X, y = regression(60, 2) if kind is BOTH[0] else classes(60, 2, 3)
    with pytest.raises(ValueError, match=r"differ in random_state \(1 and 2\)"):
        kind(5, random_state=1).fit(X, y) + kind(5, random_state=2).fit(X, y)
    with pytest.raises(ValueError, match=r"differ in their basis, seed_ \(\d+ and \d+\)"):
        kind(5, random_state=None).fit(X, y) + kind(5, random_state=None).fit(X, y)
    with pytest.raises(ValueError, match="differ in their basis, domain_.*give both the same domain"):
        kind(5).fit(X[:30], y[:30]) + kind(5).fit(X[30:], y[30:])
    with pytest.raises(ValueError, match="the same domain .* and random_state .such as basis_.seed_"):
        kind(5, random_state=None).fit(X[:30], y[:30]) + kind(5, random_state=None).fit(X[30:], y[30:])
    model = kind(5).fit(X, y)
    assert not hasattr(model, "restrict")  # the columns of the sums are terms of the basis
    with pytest.raises(ValueError, match="the sums are those of RandomBasis"):
        model.set_params(n_hidden=6).predict(X)
    assert np.isfinite(model.set_params(n_hidden=5, alpha=7.0).coef_).all()  # the output layer is solved again


def test_it_learns_the_curve_of_the_note():
    """A sine with noise: the error of the curve is far below the noise, with every activation."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, 1.0, (200, 1))
    t = np.sin(2.0 * np.pi * x[:, 0]) + 0.2 * rng.standard_normal(200)
    new = np.linspace(0.0, 1.0, 101)[:, None]
    truth = np.sin(2.0 * np.pi * new[:, 0])
    for activation in ("sigmoid", "tanh", "relu", "rbf"):
        model = ExtremeLearningMachineRegressor(activation=activation).fit(x, t)
        assert np.sqrt(((model.predict(new) - truth) ** 2).mean()) < 0.07
    for n_hidden, bound in ((5, 0.3), (20, 0.01), (60, 1e-4)):  # without noise any precision, with enough units
        model = ExtremeLearningMachineRegressor(n_hidden, alpha=1e-12).fit(x, np.sin(2.0 * np.pi * x[:, 0]))
        assert np.abs(model.predict(new) - truth)[5:-5].max() < bound


def test_it_classifies_what_no_plane_does():
    pima = load_example("pima")
    scores = cross_validate(ExtremeLearningMachineClassifier(), pima.X, pima.y, cv=5)["test_score"]
    assert scores.mean() > 0.76
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (400, 2))
    y = X[:, 0] * X[:, 1] > 0
    assert ExtremeLearningMachineClassifier(alpha=1e-3).fit(X, y).score(X, y) > 0.97
    assert sl.LeastSquaresClassifier().fit(X, y).score(X, y) < 0.65


def test_files_and_clusters(tmp_path):
    da = pytest.importorskip("dask.array")
    X, y = regression(6000, 2)
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame.assign(y=y).to_parquet(tmp_path / "rows.parquet")
    model = ExtremeLearningMachineRegressor(10, domain=(-30.0, 30.0))
    wanted = model.fit(X, y).predict(X)
    assert distance(model.fit(str(tmp_path / "rows.parquet"), "y").predict(frame), wanted) < 1e-9
    blocks = da.from_array(X, chunks=(1000, 2)), da.from_array(y, chunks=1000)
    assert distance(model.fit(*blocks).predict(X), wanted) < 1e-9
    looked = ExtremeLearningMachineRegressor(10)  # ranges are looked up first
    wanted = looked.fit(X, y).predict(X)
    assert distance(looked.fit(str(tmp_path / "rows.parquet"), "y").predict(frame), wanted) < 1e-9
    assert distance(looked.fit(*blocks).predict(X), wanted) < 1e-9


@pytest.mark.parametrize("kind", BOTH)
def test_single_precision_comes_back(kind):
    X, y = regression(60, 2) if kind is BOTH[0] else classes(60, 2, 3)
    model = kind().fit(X.astype(np.float32), y)
    method = "predict" if kind is BOTH[0] else "decision_function"
    found = getattr(model, method)(X.astype(np.float32))
    assert found.dtype == np.float32
    assert distance(found, getattr(kind().fit(X.astype(np.float32).astype(float), y), method)(X)) < 1e-5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_hidden": 0}, "n_functions must be a whole number"),
        ({"activation": "step"}, "activation must be one of"),
        ({"scale": -1.0}, "scale must be positive"),
        ({"alpha": -1.0}, "alpha must be finite and not negative"),
        ({"domain": (1.0, 1.0)}, "domain must have low < high"),
        ({"random_state": "seed"}, "seed"),
    ],
)
@pytest.mark.parametrize("kind", BOTH)
def test_bad_parameters(kind, options, message):
    X, y = classes(30, 2, 2)
    with pytest.raises(ValueError, match=message):
        kind(**options).fit(X, y)


@pytest.mark.parametrize("network", BOTH, ids=lambda kind: kind.__name__)
def test_without_an_intercept(network):
    X, y = regression(90, 2) if network is ExtremeLearningMachineRegressor else classes(90, 2, 3)
    model = network(12, fit_intercept=False).fit(X, y)
    phi = model.basis_.map(X)
    rival = (RivalRidge if network is ExtremeLearningMachineRegressor else RidgeClassifier)(0.1, fit_intercept=False)
    assert distance(model.coef_, rival.fit(phi, y).coef_) < 1e-8
