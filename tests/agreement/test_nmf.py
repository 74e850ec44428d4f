"""NMF against scikit-learn's steps from equal starts, the note's steps, and non-negative least squares."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.optimize import nnls
from sklearn.decomposition import NMF as Reference
from sklearn.exceptions import ConvergenceWarning

import sumlearn as sl
from sumlearn import NMF

RNG = np.random.default_rng(0)
DENSE = np.abs(RNG.standard_normal((90, 12))) + 0.01
GAPPY = np.where(RNG.random((90, 12)) < 0.4, DENSE, 0.0)
W0, H0 = np.abs(RNG.standard_normal((90, 4))), np.abs(RNG.standard_normal((4, 12)))
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def both(X, **options):
    """Ours and scikit-learn's, with W, from equal starts."""
    found = []
    for kind in (NMF, Reference):
        model = kind(4, init="custom", random_state=2, **options)
        found += [model, model.fit_transform(X, W=W0.astype(X.dtype), H=H0.astype(X.dtype))]
    return found


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"alpha_W": 0.003, "l1_ratio": 0.4},
        {"alpha_W": 0.002, "alpha_H": 0.0, "shuffle": True},
        {"solver": "mu"},
        {"solver": "mu", "alpha_W": 0.003, "alpha_H": 0.001, "l1_ratio": 0.5},
        {"solver": "mu", "beta_loss": "kullback-leibler"},
        {"solver": "mu", "beta_loss": "kullback-leibler", "alpha_W": 0.003, "l1_ratio": 0.5},
        {"solver": "mu", "beta_loss": 0.5},
        {"solver": "mu", "beta_loss": 3},
    ],
    ids=str,
)
def test_steps_are_scikit_learns(options, form):
    X = form(DENSE if options.get("beta_loss") == 0.5 else GAPPY)
    ours, W, theirs, wanted = both(X, max_iter=60, tol=1e-3, **options)
    assert ours.n_iter_ == theirs.n_iter_
    np.testing.assert_allclose(ours.components_, theirs.components_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(W, wanted, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.reconstruction_err_, theirs.reconstruction_err_, rtol=1e-8)


def test_itakura_saito_and_its_zeros():
    ours, W, theirs, wanted = both(DENSE, solver="mu", beta_loss="itakura-saito", max_iter=20)
    np.testing.assert_allclose(W @ ours.components_, wanted @ theirs.components_, rtol=1e-8)
    with pytest.raises(ValueError, match="When beta_loss <= 0 and X contains zeros"):
        NMF(2, solver="mu", beta_loss=0).fit(GAPPY)


def test_the_notes_steps():
    """Rows in columns: C <- C * W'X / (W'W C), then W <- W * X C' / (W C C'); the loss never grows."""
    X, W, C = GAPPY.T, H0.T.copy(), W0.T.copy()
    losses = [np.inf]
    for _ in range(25):
        C = C * (W.T @ X) / (W.T @ W @ C)
        W = W * (X @ C.T) / (W @ C @ C.T)
        losses.append(((X - W @ C) ** 2).sum())
    assert (np.diff(losses[1:]) <= 0).all()
    model = NMF(4, solver="mu", init="custom", max_iter=25, tol=0)
    codes = model.fit_transform(GAPPY, W=W0, H=H0)
    np.testing.assert_allclose(codes, C.T, rtol=1e-10)
    np.testing.assert_allclose(model.components_, W.T, rtol=1e-10)
    np.testing.assert_allclose(model.reconstruction_err_, np.sqrt(losses[-1]), rtol=1e-12)


@pytest.mark.parametrize("init", ["random", "nndsvd", "nndsvda", None])
def test_starts_are_scikit_learns(init):
    ours, theirs = (kind(3, init=init, max_iter=1, random_state=5).fit(DENSE) for kind in (NMF, Reference))
    np.testing.assert_allclose(ours.components_, theirs.components_, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("alpha", [0.0, 0.01])
def test_codes_are_least_squares_of_every_row_by_itself(alpha):
    model = NMF(3, tol=1e-12, max_iter=3000, alpha_W=alpha).fit(GAPPY)
    H = model.components_
    ridge = np.sqrt(12 * alpha) * np.eye(3)
    wanted = [nnls(np.vstack([H.T, ridge]), np.append(x, np.zeros(3)))[0] for x in GAPPY]
    np.testing.assert_allclose(model.transform(GAPPY), wanted, atol=1e-8)
    np.testing.assert_allclose(model.transform(sparse.csr_array(GAPPY)), wanted, atol=1e-8)
    np.testing.assert_allclose(model.transform(GAPPY)[7:8], model.transform(GAPPY[7:8]), rtol=1e-12)
    np.testing.assert_allclose(model.inverse_transform(wanted), np.array(wanted) @ H, rtol=1e-12)
    divergent = NMF(3, solver="mu", beta_loss=1, random_state=0, alpha_W=alpha).fit(GAPPY)
    np.testing.assert_allclose(divergent.transform(GAPPY)[7:8], divergent.transform(GAPPY[7:8]), rtol=1e-12)


def test_files_clusters_weights_and_parts_are_one_table(tmp_path):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(np.round(np.tile(GAPPY, (50, 1)), 6), columns=list("abcdefghijkl"))  # more than one part
    learner = NMF(3, max_iter=15, tol=1e-6)
    whole = learner.fit(frame).components_
    frame.to_csv(tmp_path / "rows.csv", index=False)
    for source in (
        str(tmp_path / "rows.csv"),
        dd.from_pandas(frame, npartitions=3),
        sparse.csr_array(frame.to_numpy()),
    ):
        np.testing.assert_allclose(learner.fit(source).components_, whole, rtol=1e-7, atol=1e-9)
    once = learner.fit(frame.to_numpy()[:90], sample_weight=np.full(90, 50.0)).components_
    np.testing.assert_allclose(once, whole, rtol=1e-6, atol=1e-8)


def test_rows_of_weight_zero_are_absent():
    weight = RNG.integers(0, 3, 90).astype(float)
    wild = np.where(weight[:, None] > 0, GAPPY, -1.0)
    for options in ({}, {"init": "random", "random_state": 0}, {"solver": "mu", "beta_loss": 1}):
        model = NMF(3, max_iter=30, **options).fit(wild, sample_weight=weight)
        wanted = NMF(3, max_iter=30, **options).fit(GAPPY[weight > 0], sample_weight=weight[weight > 0])
        np.testing.assert_allclose(model.components_, wanted.components_, rtol=1e-9, atol=1e-12)
    codes = NMF(3).fit_transform(GAPPY, sample_weight=weight)
    assert codes.shape == (90, 3)


def test_float32_stays_and_models_do_not_add():
    narrow = NMF(3, max_iter=40).fit(DENSE.astype(np.float32))
    assert narrow.components_.dtype == narrow.transform(DENSE.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(narrow.components_, NMF(3, max_iter=40).fit(DENSE).components_, rtol=2e-2, atol=2e-2)
    assert not list(sl.abilities(narrow)) and not hasattr(narrow, "partial_fit")


def test_more_parts_than_rows_or_columns_carry():
    tied = np.outer(np.arange(1.0, 7.0), [1.0, 2.0, 0.0])  # of rank one
    for k in (3, 5):
        assert NMF(k, max_iter=500, random_state=0).fit(tied).reconstruction_err_ < 0.2
    assert np.isfinite(NMF(2).fit(np.zeros((5, 3))).components_).all()
    assert NMF(2).fit([[1.0, 2.0, 0.0]]).transform([[1.0, 2.0, 0.0]]).shape == (1, 2)


def test_what_is_refused():
    bad = GAPPY.copy()
    bad[5, 3] = -2.0
    for X in (bad, sparse.csr_array(bad)):
        with pytest.raises(ValueError, match="Negative values in data passed to `X`: -2, first at row 5, column 3"):
            NMF(2).fit(X)
        with pytest.raises(ValueError, match="first at row 5, column 3"):
            NMF(2).fit(GAPPY).transform(X)
    bad[5, 3] = np.nan
    with pytest.raises(ValueError, match="NaN: first at row 5, column 3"):
        NMF(2).fit(bad)
    for options, message in (
        ({"solver": "hals"}, "solver must be one of"),
        ({"init": "svd"}, "init must be one of"),
        ({"beta_loss": 1}, "solver 'cd' does not handle beta_loss = 1"),
        ({"beta_loss": "huber", "solver": "mu"}, "beta_loss must be a number or one of"),
        ({"l1_ratio": 1.5}, "l1_ratio must be a number from 0 to 1"),
        ({"alpha_W": -1.0}, "alpha_W must be a number from 0"),
        ({"tol": np.nan}, "tol must be a number"),
        ({"max_iter": 0}, "max_iter must be a whole number"),
        ({"n_components": 20, "init": "nndsvd"}, "can only be used when n_components"),
        ({"init": "custom"}, "init='custom' needs W and H"),
    ):
        with pytest.raises(ValueError, match=message):
            NMF(**({"n_components": 2} | options)).fit(GAPPY)
    with pytest.raises(ValueError, match="Expected 90, but got 89"):
        NMF(4, init="custom").fit_transform(GAPPY, W=W0[1:], H=H0)
    with pytest.raises(TypeError, match="same dtype as X"):
        NMF(4, init="custom").fit_transform(GAPPY, W=W0, H=H0.astype(np.float32))
    with pytest.warns(ConvergenceWarning, match="2 steps were not enough"), warnings.catch_warnings():
        warnings.simplefilter("always")
        NMF(2, max_iter=2).fit(GAPPY)


@pytest.mark.parametrize("unit", [2.0**-400, 2.0**-30, 2.0**30, 2.0**300])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"init": "random", "alpha_W": 0.003, "alpha_H": 0.001, "l1_ratio": 1.0},
        {"init": "nndsvdar", "solver": "mu"},
        {"solver": "mu", "beta_loss": "kullback-leibler", "alpha_W": 0.003},
        {"init": "custom", "solver": "mu", "beta_loss": 0.5},
    ],
    ids=str,
)
def test_rows_in_any_unit(options, unit):
    """W and H have the root of the unit; each penalty has what is left of the unit of the divergence, to the beta."""
    beta = {"kullback-leibler": 1.0, 0.5: 0.5}.get(options.get("beta_loss"), 2.0)
    root, given = np.sqrt(unit), options.get("init") == "custom"
    plain = NMF(4, random_state=0, **options)
    power = beta - 0.5 if options.get("l1_ratio") else beta - 1.0
    penalties = {name: value * unit**power for name, value in options.items() if name.startswith("alpha")}
    moved = NMF(4, random_state=0, **options | penalties)
    W = plain.fit_transform(DENSE, **({"W": W0, "H": H0} if given else {}))
    found = moved.fit_transform(DENSE * unit, **({"W": W0 * root, "H": H0 * root} if given else {}))
    assert moved.n_iter_ == plain.n_iter_
    np.testing.assert_allclose(moved.components_ / root, plain.components_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found / root, W, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(moved.transform(DENSE * unit) / root, plain.transform(DENSE), rtol=1e-4, atol=1e-4)
    assert moved.reconstruction_err_ / unit ** (beta / 2) == pytest.approx(plain.reconstruction_err_)


@pytest.mark.parametrize("unit", [1e-30, 1e30])
def test_single_rows_in_any_unit(unit):
    X = (DENSE * unit).astype(np.float32)
    model = NMF(4).fit(X)
    missed = model.inverse_transform(model.transform(X)).astype(float) / unit - DENSE
    plain = NMF(4).fit(DENSE)
    assert np.linalg.norm(missed) <= 1.01 * plain.reconstruction_err_


@pytest.mark.parametrize("scale", [2.0**-64, 2.0**-600])
def test_small_numbers_start_as_others_do(scale):
    """Entries of a start are faint beside the others, and squares of small numbers are not lost."""
    plain, small = (NMF(3, init="nndsvd", random_state=0).fit(DENSE * one) for one in (1.0, scale))
    near, far = (m.inverse_transform(m.transform(DENSE * s)) / s for m, s in ((plain, 1.0), (small, scale)))
    np.testing.assert_allclose(far, near, atol=1e-5)
