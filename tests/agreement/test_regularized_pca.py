"""RegularizedPCA: the closed form, ridge regressions in turn, and a direct minimiser agree; gaps are left out."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

import sumlearn as sl
from sumlearn import PCA, RegularizedPCA
from sumlearn.testing import assert_same_model

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 5)) @ np.diag([4.0, 2.0, 1.0, 0.5, 0.2]) @ RNG.standard_normal((5, 5)) + [9.0, 0, -3, 0, 1]
GAPPY = np.where(RNG.random(X.shape) < 0.25, np.nan, X)


def objective(A, W, C, gamma):
    return np.nansum((A - W @ C) ** 2) + gamma * (W**2).sum() + gamma * (C**2).sum()


@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize("gamma", [0.0, 1.0, 6.0, 1e3])
@pytest.mark.parametrize("k", [2, None])
def test_closed_form(k, gamma, centre):
    A = X - X.mean(axis=0) if centre else X
    U, sizes, V = np.linalg.svd(A, full_matrices=False)
    shrunk = np.maximum(sizes - gamma, 0.0)[:k]
    model = RegularizedPCA(k, gamma, centre=centre).fit(X)
    np.testing.assert_allclose(model.shrunk_values_, shrunk, rtol=1e-9, atol=1e-9)
    assert model.rank_ == (shrunk > 0).sum()
    W = model.transform(X)
    np.testing.assert_allclose(W @ model.components_, U[:, :k] * shrunk @ V[:k], atol=1e-8)
    np.testing.assert_allclose(objective(A, W, model.components_, gamma), model.objective_, rtol=1e-8, atol=1e-8)
    if gamma == 0.0 and centre:
        pca = PCA(k).fit(X)
        np.testing.assert_allclose(model.inverse_transform(W), pca.inverse_transform(pca.transform(X)))


@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize("init", ["svd", "random"])
def test_turns_end_where_the_closed_form_is(init, centre):
    options = {"n_components": 4, "gamma": 2.0, "centre": centre}
    closed = RegularizedPCA(**options).fit(X)
    turns = RegularizedPCA(**options, solver="als", init=init, tol=1e-15, max_iter=5000, random_state=3).fit(X)
    np.testing.assert_allclose(turns.objective_, closed.objective_, rtol=1e-11)
    np.testing.assert_allclose(turns.components_, closed.components_, atol=1e-5)
    np.testing.assert_allclose(turns.mean_, closed.mean_, atol=1e-6)
    np.testing.assert_allclose(turns.transform(X), closed.transform(X), atol=1e-5)
    assert (np.diff(turns.trace_) <= 1e-9 * turns.trace_[0]).all()


def test_gaps_are_left_out():
    A, k, gamma = GAPPY[:14, :4], 2, 0.7
    model = RegularizedPCA(k, gamma, solver="als", tol=1e-15, max_iter=5000).fit(A)

    def loss(numbers):
        W, C, level = np.split(numbers, [14 * k, 14 * k + k * 4])
        return objective(A - level, W.reshape(14, k), C.reshape(k, 4), gamma)

    start = np.concatenate([model.transform(A).ravel(), model.components_.ravel(), model.mean_])
    np.testing.assert_allclose(loss(start), model.objective_, rtol=1e-8)
    better = min(minimize(loss, start + 0.3 * RNG.standard_normal(len(start))).fun for _ in range(3))
    assert model.objective_ <= better * (1 + 1e-6)
    filled = model.inverse_transform(model.transform(A))
    assert np.isfinite(filled).all()
    assert model.reconstruction_error(A) == pytest.approx(np.nansum((A - filled) ** 2) / 14)


def test_offsets_weights_chunks_and_other_sources(tmp_path):
    pd, da = pytest.importorskip("pandas"), pytest.importorskip("dask.array")
    learner = RegularizedPCA(2, 1.5, solver="als")
    model = learner.fit(GAPPY)
    near, far = model.transform(GAPPY), RegularizedPCA(2, 1.5, solver="als").fit(GAPPY + 2.0**30)
    np.testing.assert_allclose(far.transform(GAPPY + 2.0**30), near, atol=1e-5)
    np.testing.assert_allclose(far.components_, model.components_, atol=1e-5)
    twice = learner.fit(np.vstack([GAPPY, GAPPY[:20]])).components_
    weight = np.repeat([2.0, 1.0, 0.0], [20, 40, 3])
    weighted = learner.fit(np.vstack([GAPPY, np.full((3, 5), np.inf)]), sample_weight=weight).components_
    np.testing.assert_allclose(weighted, twice, atol=1e-8)
    many, few = np.tile(GAPPY, (600, 1)), RegularizedPCA(2, 1.5, solver="als", max_iter=3)  # more than one part
    with pytest.warns(ConvergenceWarning):
        spread, whole = few.fit(da.from_array(many, (9000, 5))).components_, few.fit(many).components_
    np.testing.assert_allclose(whole, spread, rtol=1e-9)
    frame = pd.DataFrame(X.astype(np.float32))
    assert RegularizedPCA(2).fit(frame.to_numpy()).transform(frame.to_numpy()).dtype == np.float32


def test_what_adds_up_and_what_does_not(tmp_path):
    closed, turns = RegularizedPCA(2, 3.0), RegularizedPCA(2, 3.0, solver="als")
    assert {"merge", "forget", "decay", "restrict"} <= set(sl.abilities(closed)) and not list(sl.abilities(turns))
    assert_same_model(RegularizedPCA(2, 3.0).fit(X[:20]) + RegularizedPCA(2, 3.0).fit(X[20:]), closed.fit(X), X)
    sl.save(turns.fit(GAPPY), tmp_path / "model")
    np.testing.assert_array_equal(sl.load(tmp_path / "model").transform(GAPPY), turns.transform(GAPPY))


def test_what_is_refused():
    with pytest.raises(ValueError, match="NaN: first at row"):
        RegularizedPCA(2).fit(GAPPY)
    empty = GAPPY.copy()
    empty[:, 3] = np.nan
    with pytest.raises(ValueError, match="column 3 holds nothing but gaps"):
        RegularizedPCA(2, solver="als").fit(empty)
    wild = GAPPY.copy()
    wild[4, 1] = np.inf
    with pytest.raises(ValueError, match="infinity: first at row 4, column 1"):
        RegularizedPCA(2, solver="als").fit(wild)
    with pytest.raises(ValueError, match="infinity: first at row 4, column 1"):
        RegularizedPCA(2, solver="als").fit(GAPPY).transform(wild)
    for options, message in (
        ({"gamma": -1.0}, "gamma must be a finite number"),
        ({"n_components": 6}, "at most the number of features, 5"),
        ({"solver": "sgd"}, "solver must be one of"),
        ({"init": "zero"}, "init must be one of"),
    ):
        with pytest.raises(ValueError, match=message):
            RegularizedPCA(**options).fit(X)


@pytest.mark.parametrize("share", [1e-6, 0.3, 50.0])
def test_weights_weigh_against_the_penalty(share):
    """All weights times c are rows times its root: the same product under a penalty of that root, other codes."""
    plain, light = RegularizedPCA(gamma=2.0).fit(X), RegularizedPCA(gamma=2.0 * np.sqrt(share))
    light.fit(X, sample_weight=np.full(len(X), share))
    np.testing.assert_allclose(light.shrunk_values_, np.sqrt(share) * plain.shrunk_values_, rtol=1e-9, atol=1e-12)
    wanted = plain.inverse_transform(plain.transform(X))
    np.testing.assert_allclose(light.inverse_transform(light.transform(X)), wanted, rtol=1e-9, atol=1e-9)
    assert RegularizedPCA(gamma=2.0).fit(X, sample_weight=np.full(len(X), 1e-6)).rank_ == 0
