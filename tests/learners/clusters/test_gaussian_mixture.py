"""Mixtures: likelihoods that rise, both roads to the sums, sources, components without rows, online EM, joining."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import sumlearn as sl
from sumlearn import GaussianMixture, GaussianMixtureClassifier
from sumlearn.compiled.quadratic_forms import add_moments
from sumlearn.data import load_example
from sumlearn.learners.clusters.parts import gaussians
from sumlearn.learners.clusters.parts.expectation import Rules, mixture_of
from sumlearn.learners.clusters.parts.gaussians import Gaussians, factors_of
from sumlearn.learners.clusters.parts.mixture_starts import FORMS, STARTS
from sumlearn.learners.clusters.parts.soft_sums import soft_sums
from sumlearn.learners.clusters.parts.whitening import Whitening
from sumlearn.statistics import IllConditionedWarning
from sumlearn.testing import assert_same_model, check_statistic

TYPES = list(FORMS)
each_type = pytest.mark.parametrize("kind", TYPES)
unsettled = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def groups(rows=300, columns=3, k=3, apart=4.0, seed=0):
    rng = np.random.default_rng(seed)
    centres = apart * rng.normal(size=(k, columns))
    return centres[rng.integers(k, size=rows)] + rng.normal(size=(rows, columns)) @ rng.normal(size=(columns, columns))


# -- likelihood -------------------------------------------------------------------------------------------------------


@unsettled
@settings(max_examples=25)
@given(
    kind=st.sampled_from(TYPES), init=st.sampled_from(STARTS), k=st.integers(1, 5), apart=st.sampled_from([0.5, 4.0]),
    seed=st.integers(0, 99), weighted=st.booleans(),
)  # fmt: skip
def test_no_step_lowers_the_likelihood(kind, init, k, apart, seed, weighted):
    X = groups(90, apart=apart, seed=seed)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, len(X)) if weighted else None
    try:
        model = GaussianMixture(k, covariance_type=kind, init_params=init, reg_covar=0.0, tol=0.0, max_iter=30)
        model.fit(X, sample_weight=weight)
    except ValueError as error:
        assert "ill-defined" in str(error)  # a component has collapsed
        return
    assert (np.diff(model.lower_bounds_) >= -1e-11 * np.abs(model.lower_bounds_[1:])).all()
    assert model.score(X, sample_weight=weight) >= model.lower_bound_ - 1e-11 * abs(model.lower_bound_)


@unsettled
@each_type
def test_starts_share_their_passes(kind):
    """Three starts at once are three fits; the best counts, with its own steps."""
    X = groups(apart=1.0)
    random = np.random.RandomState(3)
    alone = [GaussianMixture(4, covariance_type=kind, init_params="random", random_state=random).fit(X) for _ in "abc"]
    random = np.random.RandomState(3)
    model = GaussianMixture(4, covariance_type=kind, init_params="random", n_init=3, random_state=random).fit(X)
    best = max(alone, key=lambda one: one.lower_bound_)
    np.testing.assert_allclose(model.lower_bounds_, best.lower_bounds_, rtol=1e-12)
    assert (model.n_iter_, model.converged_) == (best.n_iter_, best.converged_)


def test_warning_is_that_of_the_best_start():
    X = groups()
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        model = GaussianMixture(3, max_iter=1).fit(X)
    assert not model.converged_ and model.n_iter_ == 1
    assert GaussianMixture(3, max_iter=0).fit(X).n_iter_ == 0


def test_warm_start_goes_on():
    X = groups(apart=1.0)
    whole = GaussianMixture(3, max_iter=1000, tol=1e-5).fit(X)
    model = GaussianMixture(3, max_iter=40, tol=1e-5, warm_start=True)
    steps = 0
    with pytest.warns(ConvergenceWarning):
        while not getattr(model, "converged_", False):
            steps += model.fit(X).n_iter_
    assert steps == whole.n_iter_
    np.testing.assert_allclose(model.means_, whole.means_, rtol=1e-9)


# -- sums -------------------------------------------------------------------------------------------------------------


def mixture(form, d, spread, k=4):
    """Components in the coordinates of a fit, and rows there."""
    rng = np.random.default_rng(1)
    means = rng.normal(size=(k, d))
    A = rng.normal(size=(k, d, d))
    covariances = spread**2 * (A @ A.swapaxes(1, 2) / d + 0.3 * np.eye(d))
    given = {"full": covariances, "tied": covariances[0], "diag": np.diagonal(covariances, axis1=1, axis2=2)}[form]
    found = Gaussians(form, np.full(k, 1.0 / k), means, factors_of(form, given))
    rows = means[rng.integers(k, size=700)] + spread * rng.normal(size=(700, d))
    return found, rows, rng.uniform(0.5, 2.0, size=700)


@pytest.mark.parametrize("form", ["full", "tied", "diag"])
@pytest.mark.parametrize(("d", "spread"), [(2, 1.0), (4, 1.0), (11, 1.0), (11, 0.1)])  # fours, and what is left
def test_both_roads_give_the_same_step(form, d, spread):
    start, X, weight = mixture(form, d, spread)
    where = Whitening(np.zeros(d), np.ones(d), form == "diag")
    kind = Rules(form, 0.0, 0.0)
    steps = []
    for about_means in (False, True):
        sums = soft_sums([start, start], about_means, where, X, weight)
        parts = (sums.shares[1], sums.first[1], sums.second[1])
        steps.append((sums.values[1], mixture_of(start, *parts, about_means, kind, where)))
    (value, step), (other, exact) = steps
    assert value == pytest.approx(other, rel=1e-13)
    for mine, its in zip(step[1:], exact[1:], strict=True):
        np.testing.assert_allclose(mine, its, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("d", [1, 4, 11])
def test_moments_of_rows_without_a_share_to_speak_of(d):
    """Rows of which a component has few, some, none or all: most are left out where nobody can tell."""
    rng = np.random.default_rng(0)
    Z, shares = rng.normal(size=(d, 700)), 10.0 ** rng.uniform([[-300.0], [-40.0], [0.0]], 0.0, size=(3, 700))
    shares = np.vstack([shares, np.zeros(700), np.eye(700)[699], np.full(700, 1e-200)])
    sums = np.zeros((6, d + 1, d + 1))
    add_moments(Z, shares, sums)
    for share, found in zip(shares, sums, strict=True):
        rows = np.vstack([Z, np.ones(700)])
        np.testing.assert_allclose(
            np.triu(found), np.triu((share * rows) @ rows.T), rtol=1e-12, atol=1e-14 * share.sum()
        )


def test_a_far_row_is_shared_out_by_differences(monkeypatch):
    """Far along what both components have in common, between them across: products leave little of the difference."""
    along, across = np.array([1.0, 1.0]) / np.sqrt(2.0), np.array([1.0, -1.0]) / np.sqrt(2.0)
    covariance = np.outer(along, along) + 1e-4 * np.outer(across, across)
    two = Gaussians.with_covariances("full", np.full(2, 0.5), np.stack([5e-3 * across, -5e-3 * across]),
                                     np.stack([covariance] * 2))  # fmt: skip
    where, X = Whitening(np.zeros(2), np.ones(2), False), (1e4 * along + 3e-3 * across)[None]
    odds = np.exp(2.0 * 5e-3 * (X[0] @ across) / 1e-4)
    wanted = np.array([[odds, 1.0]]) / (1.0 + odds)
    assert two.are_wide
    np.testing.assert_allclose(soft_sums([two], False, where, X).shares, wanted, rtol=3e-7)
    monkeypatch.setattr("sumlearn.learners.clusters.parts.soft_sums.DOUBTFUL", np.inf)
    assert np.abs(soft_sums([two], False, where, X).shares - wanted).max() > 1e-6


@pytest.mark.parametrize("form", ["full", "tied", "diag"])
@pytest.mark.parametrize("about_means", [False, True])
def test_soft_sums_add_up(form, about_means):
    start, X, weight = mixture(form, 3, 1.0)
    where = Whitening(np.full(3, 0.1), np.array([1.0, 0.5, 2.0]), form == "diag")
    made = [soft_sums([start], about_means, where, X[i], weight[i]) for i in (slice(0), slice(300), slice(300, 700))]
    check_statistic(made, soft_sums([start], about_means, where, X, weight))


@each_type
def test_files_clusters_and_tables(kind, tmp_path):
    """A file in parts, a Dask frame and a data frame: the same starts, the same mixture, the same criterion."""
    dd = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(groups(9000, apart=2.0), columns=["a", "b", "c"])
    frame.to_csv(tmp_path / "rows.csv", index=False)
    learner = {"n_components": 3, "covariance_type": kind, "max_iter": 8, "tol": 1e-2}
    model = GaussianMixture(**learner).fit(frame)
    streamed = GaussianMixture(**learner).fit(str(tmp_path / "rows.csv"))
    spread = GaussianMixture(**learner).fit(dd.from_pandas(frame, npartitions=3))
    alone = GaussianMixture(**learner, n_jobs=1).fit(frame)
    for other, bound in ((streamed, 1e-9), (spread, 1e-9), (alone, 0.0)):
        assert_same_model(other, model, frame, bound)
    assert streamed.bic(str(tmp_path / "rows.csv")) == pytest.approx(model.bic(frame), rel=1e-9)


# -- components that collapse or have no rows -------------------------------------------------------------------------


@each_type
def test_components_without_rows_stay_and_are_told(kind):
    X = groups(k=2, apart=10.0)
    far = np.vstack([X[0], X.mean(axis=0) + 1e3])
    shape = {"full": (2, 3, 3), "tied": (3, 3), "diag": (2, 3), "spherical": (2,)}[kind]
    precisions = np.ones(shape) if kind in ("diag", "spherical") else np.broadcast_to(np.eye(3), shape)
    with pytest.warns(IllConditionedWarning, match=r"no rows belong to component\(s\) \[1\]"):
        model = GaussianMixture(
            2, covariance_type=kind, weights_init=[0.5, 0.5], means_init=far, precisions_init=precisions
        ).fit(X)
    assert model.weights_.tolist() == [1.0, 0.0]
    np.testing.assert_allclose(model.means_[1], far[1], rtol=1e-12)
    one = GaussianMixture(1, covariance_type=kind).fit(X)
    np.testing.assert_allclose(model.score_samples(X), one.score_samples(X), rtol=1e-9)
    assert model.sample(50)[1].tolist() == [0] * 50


@each_type
def test_collapse_is_an_error_without_a_floor_and_told_with_one(kind):
    X = np.repeat(np.array([[0.0, 0.0], [5.0, 5.0], [9.0, 1.0]]), 5, axis=0)
    with pytest.raises(ValueError, match=r"ill-defined empirical covariance .* component \d.* do not vary"):
        GaussianMixture(3, covariance_type=kind, reg_covar=0.0).fit(X)
    with pytest.warns(IllConditionedWarning, match="vary by less than reg_covar"):
        model = GaussianMixture(3, covariance_type=kind).fit(X)
    assert np.sort(model.weights_).round(6).tolist() == [1 / 3] * 3 or np.allclose(model.weights_, 1 / 3)
    assert len(set(model.predict(X).tolist())) == 3


def test_constant_and_dependent_columns():
    X = groups()
    with pytest.warns(IllConditionedWarning, match=r"column\(s\) 3 are constant"):
        model = GaussianMixture(2).fit(np.column_stack([X, np.full(len(X), 7.0)]))
    assert np.isfinite(model.score_samples(np.column_stack([X, np.full(len(X), 7.0)]))).all()
    with pytest.warns(IllConditionedWarning, match="vary by less than reg_covar"):
        doubled = GaussianMixture(2).fit(np.column_stack([X, X[:, 0]]))
    assert np.array_equal(doubled.predict(np.column_stack([X, X[:, 0]])), GaussianMixture(2).fit(X).predict(X))


# -- starts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("init", STARTS)
def test_starts_find_groups(init):
    X = groups(apart=20.0, seed=4)
    model = GaussianMixture(3, init_params=init, n_init=5, max_iter=300).fit(X)
    assert model.score(X) == pytest.approx(GaussianMixture(3, n_init=5).fit(X).score(X), rel=1e-3)


def test_means_alone_take_the_rows_nearest_to_them():
    """Covariances and weights are those of the same rows, whatever the order of the means."""
    X = groups(apart=20.0, seed=4)
    means = GaussianMixture(3).fit(X).means_
    for order in ([0, 1, 2], [2, 0, 1]):
        model = GaussianMixture(3, means_init=means[order], max_iter=0).fit(X)
        own = model.predict(X)
        np.testing.assert_allclose(model.weights_, np.bincount(own) / len(X), rtol=1e-12)
        np.testing.assert_allclose(model.means_, means[order], rtol=1e-12)


def test_order_of_rows_does_not_matter():
    X = groups(apart=1.0)
    order = np.random.default_rng(0).permutation(len(X))
    a, b = GaussianMixture(3).fit(X), GaussianMixture(3).fit(X[order])
    np.testing.assert_allclose(a.means_, b.means_, rtol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components must be a whole number of at least 1"),
        ({"covariance_type": "round"}, "covariance_type must be one of"),
        ({"init_params": "?"}, "init_params must be one of"),
        ({"reg_covar": -1.0}, "reg_covar must not be negative"),
        ({"reg_covar": [1.0, 2.0]}, "reg_covar has 2 numbers for 3 columns"),
        ({"tol": np.inf}, "tol must be finite"),
        ({"learning_decay": 0.5}, "learning_decay must be above 0.5"),
        ({"n_components": 400}, "Expected n_samples >= n_components"),
        ({"n_components": 2, "weights_init": [0.5, 0.6]}, "should be normalized"),
        ({"n_components": 2, "means_init": np.zeros((2, 2))}, r"should have the shape of \(2, 3\)"),
        ({"n_components": 1, "precisions_init": -np.eye(3)[None]}, "symmetric, positive-definite"),
    ],
)
def test_parameters_that_make_no_sense(parameters, message):
    with pytest.raises(ValueError, match=message):
        GaussianMixture(**parameters).fit(groups())


# -- use --------------------------------------------------------------------------------------------------------------


@each_type
def test_draws_have_the_moments_of_the_mixture(kind):
    model = GaussianMixture(3, covariance_type=kind).fit(groups() + 1e6)
    X, labels = model.sample(60_000)
    away = X - 1e6
    np.testing.assert_allclose(away.mean(axis=0), model.weights_ @ (model.means_ - 1e6), atol=0.1)
    np.testing.assert_allclose(np.bincount(labels) / len(X), model.weights_, atol=0.01)
    assert model.score(X) == pytest.approx(model.score(model.sample(60_000)[0]), abs=0.05)


def test_regression_by_names_and_refusals():
    frame = pd.DataFrame(groups(), columns=["a", "b", "c"])
    model = GaussianMixture(2).fit(frame)
    by_name = model.conditional(frame[["c", "a"]], ["c", "a"])
    np.testing.assert_allclose(by_name, model.conditional(frame[["a", "c"]].to_numpy(), [0, 2]), rtol=1e-10)
    for given_columns in (["z"], [3], [0, 0], [], [0, 1, 2], [True]):
        with pytest.raises(ValueError, match="column|given"):
            model.conditional(np.zeros((1, 2)), given_columns)
    with pytest.raises(ValueError, match="first at row 0, column 1"):
        model.conditional([[0.0, np.nan]], [0, 1])


def test_what_was_not_fitted_is_refused():
    """Another covariance_type after the fit, and a row whose squares are no numbers."""
    model = GaussianMixture(2).fit(groups())
    with pytest.raises(ValueError, match="row 1 is so far"):
        model.score_samples([[0.0, 0.0, 0.0], [1e200, 0.0, 0.0]])
    with pytest.raises(ValueError, match="fit anew"):
        model.set_params(covariance_type="tied").predict(groups())


def test_saved_models_say_the_same(tmp_path):
    X = groups() + 1e9
    for model in (GaussianMixture(3).fit(X), GaussianMixtureClassifier(2).fit(X, X[:, 0] > X[:, 0].mean())):
        sl.save(model, tmp_path / "model.sumlearn")
        assert_same_model(sl.load(tmp_path / "model.sumlearn"), model, X, 0.0)


# -- more rows, another site ------------------------------------------------------------------------------------------


@each_type
def test_online_steps_come_near_to_a_fit(kind):
    """Twenty batches against one fit; a batch that says what is known already changes little."""
    X = groups(4000, apart=8.0, seed=1)
    whole = GaussianMixture(3, covariance_type=kind, tol=1e-5).fit(X)
    online = GaussianMixture(3, covariance_type=kind, tol=1e-5)
    for part in np.array_split(X, 20):
        online.partial_fit(part)
    assert online.n_samples_ == 4000.0
    assert whole.score(X) - 0.05 < online.score(X) <= whole.score(X) + 0.05
    assert list(sl.abilities(online)) == [] and sl.abilities(online).inexact == ("partial_fit",)


@each_type
def test_a_step_towards_the_same_rows_is_a_step_of_em(kind):
    """With a decay of one and as much weight again, it goes half the way; towards itself it stays."""
    X = groups(apart=3.0)
    model = GaussianMixture(3, covariance_type=kind, tol=1e-12, max_iter=2000, learning_decay=1.0).fit(X)
    before = model.means_.copy()
    np.testing.assert_allclose(model.partial_fit(X).means_, before, atol=1e-4)


@each_type
def test_joined_models(kind):
    """The union is the mixture of both densities; fewer components keep mean and covariance of all rows."""
    X, Y = groups(seed=1), groups(200, seed=2) + 3.0
    a, b = (GaussianMixture(2, covariance_type=kind).fit(rows) for rows in (X, Y))
    both = np.vstack([X, Y])
    if kind != "tied":
        union = a.combine(b, n_components=4)
        mixed = np.logaddexp(np.log(0.6) + a.score_samples(both), np.log(0.4) + b.score_samples(both))
        np.testing.assert_allclose(union.score_samples(both), mixed, rtol=1e-9)
    less = a.combine(b)
    assert less.means_.shape == (2, 3) and less.n_samples_ == 500.0
    np.testing.assert_allclose(less.weights_ @ less.means_, both.mean(axis=0), rtol=1e-8)
    if kind == "full":
        away = less.means_ - both.mean(axis=0)
        whole = np.einsum("k,kij->ij", less.weights_, less.covariances_) + (away.T * less.weights_) @ away
        np.testing.assert_allclose(whole, np.cov(both.T, bias=True), rtol=1e-5)
    assert not hasattr(a, "__radd__") or "merge" not in sl.abilities(a)


def test_joining_is_refused_where_models_differ():
    X = groups()
    model = GaussianMixture(2).fit(X)
    with pytest.raises(ValueError, match="covariance_type differs"):
        model.combine(GaussianMixture(2, covariance_type="diag").fit(X))
    with pytest.raises(ValueError, match="different columns"):
        model.combine(GaussianMixture(2).fit(X[:, :2]))
    with pytest.raises(ValueError, match="at most 4"):
        model.combine(model, 5)


# -- classes ----------------------------------------------------------------------------------------------------------


def test_classes_in_groups():
    from sumlearn.data import make_xor

    X, y = make_xor(400)
    model = GaussianMixtureClassifier(2).fit(X, y)
    assert model.score(X, y) > 0.98
    assert model.priors_.tolist() == [0.5, 0.5] and [len(one.weights_) for one in model.learners_] == [2, 2]
    one, other = (GaussianMixture(2, reg_covar=1e-3 * X.var(axis=0)).fit(X[y == c]) for c in (0, 1))
    np.testing.assert_allclose(
        np.diff(model.predict_log_proba(X))[:, 0], other.score_samples(X) - one.score_samples(X), atol=1e-6
    )


def test_a_class_of_few_rows_has_fewer_gaussians():
    iris = load_example("iris")
    rows = np.r_[0:50, 50:53, 100:150]
    with pytest.warns(IllConditionedWarning, match="class 'versicolor' has fewer rows"):
        model = GaussianMixtureClassifier(4, random_state=0).fit(iris.X[rows], iris.y[rows])
    assert [len(one.weights_) for one in model.learners_] == [4, 3, 4]


def test_differences_say_the_same_as_products():
    X = groups(400, columns=6)
    wide = GaussianMixture(2).fit(X)
    saved, gaussians.PRODUCTS = gaussians.PRODUCTS, 0.0
    try:
        other = GaussianMixture(2).fit(X)
    finally:
        gaussians.PRODUCTS = saved
    np.testing.assert_allclose(other.covariances_, wide.covariances_, rtol=1e-9, atol=1e-10)


def test_classes_as_heavy_as_floats_go():
    X, y = np.r_[np.arange(10.0), 30 + np.arange(10.0)][:, None], np.repeat([0, 1], 10)
    model = GaussianMixtureClassifier(2).fit(X, y, sample_weight=np.full(20, 1e300))
    assert np.allclose(model.predict_proba(X), GaussianMixtureClassifier(2).fit(X, y).predict_proba(X))
