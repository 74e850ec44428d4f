"""Networks and units: columns and targets far from zero, of extreme size, in deviations."""

import numpy as np
import pytest

import sumlearn as sl
from sumlearn import MLPRegressor

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
X = np.random.default_rng(0).standard_normal((120, 3))


@pytest.mark.parametrize("solver", ["adam", "lbfgs"])
def test_columns_of_extreme_size_are_learnt_in_deviations(solver):
    """Times in nanoseconds lie a hundred deviations from zero, and are of a size at which weights learn nothing."""
    options = {"hidden_layer_sizes": (8,), "solver": solver, "learning_rate_init": 0.02, "max_iter": 150}
    near = MLPRegressor(**options).fit(X, X[:, 0] ** 2).score(X, X[:, 0] ** 2)
    assert near > 0.9
    for scale, offset in ((1e200, 0.0), (1e-160, 0.0), (1e15, 1.7e18)):
        rows = X * [scale, 1.0, 1.0] + [offset, 0.0, 0.0]
        model = MLPRegressor(**options).fit(rows, X[:, 0] ** 2)
        assert model.score(rows, X[:, 0] ** 2) > 0.9
        told = np.maximum((rows @ model.coefs_[0]) + model.intercepts_[0], 0.0) @ model.coefs_[1] + model.intercepts_[1]
        if not offset:  # the weights that are told are those of the rows as they came
            assert told[:, 0] == pytest.approx(model.predict(rows), rel=1e-6, abs=1e-9)


SCALES = [(1e6, 3e6), (1e-7, 0.0), (1.0, 1e9)]


@pytest.mark.parametrize(
    "options", [{"n_iter_no_change": 200}, {"solver": "lbfgs"}, {"hidden_layer_sizes": ()}], ids=str
)
def test_targets_in_any_unit(options):
    """Prices and lengths of atoms: without a scale Adam never comes there, or never sees them."""
    options = {"hidden_layer_sizes": (10,), "scale_target": True, "max_iter": 200, "learning_rate_init": 0.02} | options
    y = X[:, 0] ** 2 if options["hidden_layer_sizes"] else X[:, 0] - X[:, 1]
    two = np.column_stack([y, -3e4 * y])
    for scale, offset in SCALES:
        model = MLPRegressor(**options).fit(X, scale * y + offset)
        assert model.score(X, scale * y + offset) > 0.9
        said = X
        for W, b in zip(model.coefs_, model.intercepts_, strict=True):  # what is told has the unit of y
            said = said @ W + b if W is model.coefs_[-1] else np.maximum(said @ W + b, 0.0)
        assert said[:, 0] == pytest.approx(model.predict(X), rel=1e-9)
        assert MLPRegressor(**options).fit(X, scale * two + offset).score(X, scale * two + offset) > 0.9
    near, far = (MLPRegressor(**options).fit(X, y * unit).predict(X) / unit for unit in (1.0, 2.0**20))
    assert np.array_equal(near, far)


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_targets_of_extreme_size_are_scaled_unasked(scale, tmp_path):
    """They overflowed, or were taken for zero without a word; single precision has no such weights."""
    options = {"hidden_layer_sizes": (10,), "solver": "lbfgs", "max_iter": 300}
    for rows in (X, X.astype(np.float32)):
        model = MLPRegressor(**options).fit(rows, scale * X[:, 0])
        assert model.predict(rows) / scale == pytest.approx(X[:, 0], abs=0.1)
        sl.save(model, tmp_path / "network.sl")
        assert np.array_equal(sl.load(tmp_path / "network.sl").predict(rows), model.predict(rows))


def test_a_scale_goes_on_with_more_rows():
    """partial_fit after half of the epochs is the whole course, in the units of the first rows."""
    options = {"hidden_layer_sizes": (6,), "shuffle": False, "batch_size": 30, "tol": 0.0, "scale_target": True}
    y = 1e5 * X[:, 0] + 7e5
    whole, half = MLPRegressor(**options, max_iter=6).fit(X, y), MLPRegressor(**options, max_iter=3).fit(X, y)
    for _ in range(3):
        half.partial_fit(X, y)
    assert half.predict(X) == pytest.approx(whole.predict(X), rel=1e-12)


def test_models_of_before_had_no_unit_of_targets():
    model = MLPRegressor(hidden_layer_sizes=(5,), max_iter=2).fit(X + 1e9, X[:, 0])
    before = model.predict(X + 1e9)
    del model.place_["unit"]
    assert np.array_equal(model.predict(X + 1e9), before)
    assert np.isfinite(model.partial_fit(X + 1e9, X[:, 0]).predict(X + 1e9)).all()


def test_the_network_of_train_knows_no_unit():
    """Prices in euros, thousands or millions: the same network, which learns something."""
    from sumlearn.product.catalogue import named_candidates

    (candidate,) = named_candidates("network", "regress")
    y = X[:, 0] + X[:, 1]
    thousand, one = (candidate.learner().fit(X, unit * y).predict(X) / unit for unit in (2.0**10, 1.0))
    assert np.array_equal(thousand, one)
    assert np.corrcoef(one, y)[0, 1] > 0.9


def test_counts_far_from_zero_are_counts():
    """Their offset is no part of the last sum, whose exponential they are."""
    counts = np.random.default_rng(0).poisson(1e7, 120)
    model = MLPRegressor("poisson", (), solver="lbfgs", max_iter=300).fit(X, counts)
    assert model.predict(X) == pytest.approx(counts, rel=0.01)
    assert model.place_ is None is MLPRegressor("poisson", (), max_iter=2).fit(X, counts).place_
