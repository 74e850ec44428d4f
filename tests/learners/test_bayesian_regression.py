"""BayesianRegression: draws, bands, streams, the ends of the evidence, and bad parameters."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
from scipy.stats import kstest, norm
from sklearn.datasets import make_regression
from sklearn.model_selection import cross_val_score

import sumlearn as sl
from sumlearn import BayesianRegression, LinearRegression
from sumlearn.features import Polynomial, RandomBasis

from tests.agreement.problems import distance, regression


def line(n=40, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 3.0, (n, 1))
    return X, 1.0 + 2.0 * X[:, 0] + noise * rng.standard_normal(n)


# -- draws ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"prior_on_intercept": True}, {"fit_intercept": False}, {"ard": True}])
def test_draws_have_the_moments_of_the_posterior(options):
    X, y = regression(30, 3)
    model = BayesianRegression(**options).fit(X, y)
    draws = model.sample_weights(40_000, random_state=0)
    intercept = model.fit_intercept
    assert draws.shape == (40_000, 3 + intercept)
    error = 5.0 * np.sqrt(np.maximum(model.sigma_.diagonal(), 0.0) / 40_000)
    assert (np.abs(draws[:, -3:].mean(axis=0) - model.coef_) <= error + 1e-12).all()
    assert distance(np.cov(draws[:, -3:].T), model.sigma_) < 0.05
    inputs = X[:4] + 1.0
    values = draws[:, -3:] @ inputs.T + (draws[:, :1] if intercept else 0.0)
    assert distance(values.var(axis=0), model.predict_variance(inputs)[1]) < 0.05
    outputs = model.sample(inputs, 1, n=40_000)
    mean, deviation = model.predict(inputs, return_std=True)
    assert outputs.shape == (40_000, 4)
    for j in range(4):
        assert kstest((outputs[:, j] - mean[j]) / deviation[j], "norm").pvalue > 1e-4
    assert np.array_equal(outputs, model.sample(inputs, 1, n=40_000))
    assert model.sample(inputs).shape == (4,) and model.sample_weights().shape == (1, 3 + intercept)


def test_numbers_of_draws():
    X, y = regression(30, 3)
    model = BayesianRegression().fit(X, y)
    for bad in (0, 1.5, "many"):
        with pytest.raises(ValueError, match="n must be a whole number of at least 1"):
            model.sample_weights(bad)
    assert np.array_equal(model.sample(X, 7), model.sample(X, 7, n=1)[0])


def test_weights_that_are_out_are_never_drawn():
    X, y = regression(100, 3)
    X = np.column_stack([X, np.random.default_rng(5).standard_normal((100, 5))])
    model = BayesianRegression(ard=True).fit(X, y)
    out = np.isinf(model.alpha_)
    assert out.any() and (model.sample_weights(50, 0)[:, 1:][:, out] == 0.0).all()


def test_bands_cover_what_they_promise():
    """Prior drawn, weights drawn, rows drawn: new outputs fall into central intervals as often as these say."""
    rng = np.random.default_rng(0)
    z = []
    for _ in range(600):
        w = rng.standard_normal(3)  # alpha = 1
        X, new = rng.standard_normal((8, 3)), rng.standard_normal((5, 3))
        y = X @ w + 0.5 * rng.standard_normal(8)
        model = BayesianRegression(1.0, 4.0, fit_intercept=False).fit(X, y)
        mean, deviation = model.predict(new, return_std=True)
        z.append((new @ w + 0.5 * rng.standard_normal(5) - mean) / deviation)
    z = np.abs(np.concatenate(z))
    for share in (0.5, 0.8, 0.95):
        assert (z < norm.ppf(0.5 + share / 2)).mean() == pytest.approx(share, abs=0.025)


def test_bayes_is_less_sure_than_maximum_likelihood():
    X, y = line(12)
    model = BayesianRegression(1e-4, LinearRegression().fit(X, y).noise_precision_).fit(X, y)
    far, near = (model.predict([[x]], return_std=True)[1][0] for x in (20.0, X.mean()))
    assert far > near > LinearRegression().fit(X, y).noise_precision_ ** -0.5


# -- where rows come from ---------------------------------------------------------------------------------------------


def test_offsets_change_no_band():
    X, y = regression(60, 3)
    X = np.round(X * 1024) / 1024
    for options in ({}, {"ard": True}):  # the mean ends at its 16th digit
        near, far = BayesianRegression(**options).fit(X, y), BayesianRegression(**options).fit(X + 1e9, y)
        assert distance(far.predict(X + 1e9, True)[1], near.predict(X, True)[1]) < 1e-7
        assert far.log_evidence_ == pytest.approx(near.log_evidence_, rel=1e-9)


@pytest.mark.parametrize("exponent", [-240, -30, 100, 240])
def test_units_change_no_band(exponent):
    """Powers of two of y and X: the same numbers, and the evidence of a density in other units."""
    X, y = regression(40, 3)
    unit = 2.0**exponent
    for options in ({}, {"ard": True}):
        plain, other = BayesianRegression(**options).fit(X, y), BayesianRegression(**options).fit(X * unit, y / unit)
        assert distance(other.predict(X * unit, True)[1] * unit, plain.predict(X, True)[1]) < 1e-12
        assert other.log_evidence_ == pytest.approx(plain.log_evidence_ + 39 * exponent * np.log(2.0), rel=1e-12)


@pytest.mark.parametrize(
    ("x", "y", "message"), [(600, 0, "variance of column 1"), (0, 600, "variance of y leaves"), (300, -300, "column 1")]
)
def test_units_out_of_range_are_refused(x, y, message):
    X, target = np.ones((20, 3)), np.arange(20.0)
    X[:, 1] = target**2 % 7.0
    with pytest.raises(ValueError, match=message):
        BayesianRegression().fit(X * 2.0**x, target * 2.0**y)


def test_sparse_rows_and_single_precision():
    X, y = regression(50, 3)
    X = np.where(np.abs(X) > 1.0, X, 0.0)
    model = BayesianRegression().fit(sparse.csr_array(X), y)
    dense = BayesianRegression().fit(X, y)
    assert distance(model.predict(sparse.csr_array(X), True)[1], dense.predict(X, True)[1]) < 1e-12
    single = BayesianRegression().fit(X.astype(np.float32), y.astype(np.float32))
    mean, deviation = single.predict(X.astype(np.float32), return_std=True)
    assert mean.dtype == deviation.dtype == single.coef_.dtype == single.sigma_.dtype == np.float32
    assert distance(deviation, model.predict(X, True)[1]) < 1e-4


def test_files_and_clusters_with_a_basis(tmp_path):
    da = pytest.importorskip("dask.array")
    X, y = line(9000)
    options = {"basis": RandomBasis(8, domain=(-2.0, 3.0))}
    wanted = BayesianRegression(**options).fit(X, y).predict(X[:20], True)
    frame = pd.DataFrame({"x": X[:, 0], "y": y})
    frame.to_parquet(tmp_path / "rows.parquet")
    streamed = BayesianRegression(**options).fit(str(tmp_path / "rows.parquet"), "y").predict(frame[["x"]][:20], True)
    blocks = BayesianRegression(**options).fit(da.from_array(X, chunks=(1000, 1)), da.from_array(y, chunks=1000))
    for found in (streamed, blocks.predict(X[:20], True)):
        assert distance(found[0], wanted[0]) < 1e-9 and distance(found[1], wanted[1]) < 1e-9


def test_a_file_keeps_everything(tmp_path):
    X, y = regression(40, 3)
    model = BayesianRegression(prior_mean=np.ones(3), prior_precision=2.0 * np.eye(3)).fit(X, y)
    sl.save(model, tmp_path / "m.sumlearn")
    copy = sl.load(tmp_path / "m.sumlearn")
    assert np.array_equal(copy.predict(X, True)[1], model.predict(X, True)[1])
    assert copy.log_evidence_ == model.log_evidence_


# -- the ends of the evidence -----------------------------------------------------------------------------------------


def test_no_slope_at_all():
    """Where the columns say nothing, the evidence wants alpha infinite: the mean, with its own uncertainty."""
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((30, 2)), rng.standard_normal(30)
    X -= X.mean(axis=0)
    y -= X @ np.linalg.lstsq(X, y, rcond=None)[0]
    for options in ({}, {"ard": True}):
        model = BayesianRegression(**options).fit(X, y)
        assert np.isinf(model.alpha_).all() and (model.coef_ == 0.0).all() and model.gamma_ == 0.0
        mean, deviation = model.predict(X, return_std=True)
        assert np.allclose(mean, y.mean())
        assert np.allclose(deviation**2, y.var(ddof=1) * (1.0 + 1.0 / 30), rtol=1e-6)
        assert np.isfinite(model.sample(X, 0, n=3)).all() and np.isfinite(model.log_evidence_)
        with pytest.raises(ValueError, match="alpha_ is infinite"):
            model.posterior_as_prior()


@pytest.mark.parametrize("options", [{}, {"ard": True}])
def test_perfect_fits_and_constant_targets(options):
    X, _ = regression(50, 3)
    model = BayesianRegression(**options).fit(X, X @ [1.0, -2.0, 0.0] + 7.0)
    assert np.allclose(model.coef_, [1.0, -2.0, 0.0], atol=1e-10)
    assert (model.predict(X, True)[1] < 1e-5).all()
    for value in (0.0, 5.0, 1e9):
        constant = BayesianRegression(**options).fit(X, np.full(50, value))
        mean, deviation = constant.predict(X, return_std=True)
        assert (mean == value).all() and (constant.coef_ == 0.0).all()
        assert (deviation <= 1e-14 * max(value, 1.0)).all() and np.isfinite(deviation).all()


@pytest.mark.parametrize("options", [{}, {"ard": True}, {"alpha": 1.0}, {"beta": 2.0}, {"alpha": 1.0, "beta": 2.0}])
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_few_rows(options, rows):
    X, y = regression(3, 5)
    model = BayesianRegression(**options).fit(X[:rows], y[:rows])
    mean, deviation = model.predict(X, return_std=True)
    assert np.isfinite(mean).all() and np.isfinite(deviation).all() and np.isfinite(model.sigma_).all()
    if rows == 1:
        assert np.allclose(mean, y[0])


@pytest.mark.parametrize("options", [{}, {"ard": True}, {"prior_on_intercept": True}])
def test_dependent_and_constant_columns(options):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    y = X @ [2.0, -1.0] + 0.1 * rng.standard_normal(60) + 1.0
    wide = np.column_stack([X, X[:, 0], np.full(60, 3.0), X[:, 0] - X[:, 1]])
    model = BayesianRegression(**options).fit(wide, y)
    mean, deviation = model.predict(wide, return_std=True)
    assert np.isfinite(mean).all() and np.isfinite(deviation).all()
    assert distance(mean, LinearRegression().fit(X, y).predict(X)) < 0.05
    if options == {}:
        assert model.coef_[3] == 0.0 and model.coef_[0] == pytest.approx(model.coef_[2], rel=1e-6)


def test_a_column_twice_is_one_with_half_the_precision():
    """b1 + b2 ~ N(0, 2 / alpha): also where the prior is so weak that the difference b1 - b2 is nearly free."""
    X, y = line()
    for alpha, beta in ((2.0, 1.0), (1e-12, 1e6)):
        twice = BayesianRegression(alpha, beta).fit(np.hstack([X, X]), y)
        once = BayesianRegression(alpha / 2.0, beta).fit(X, y)
        found, wanted = twice.predict(np.hstack([X, X]), True), once.predict(X, True)
        assert distance(found[0], wanted[0]) < 1e-9 and distance(found[1], wanted[1]) < 1e-9
        assert twice.sigma_[0, 0] == pytest.approx(0.25 * once.sigma_[0, 0] + 0.5 / alpha, rel=1e-9)


def test_alpha_and_beta_can_change_after_the_fit():
    X, y = regression(50, 3)
    model = BayesianRegression().fit(X, y).set_params(alpha=0.5, beta=2.0)
    assert distance(model.sigma_, BayesianRegression(0.5, 2.0).fit(X, y).sigma_) < 1e-14


# -- bad parameters ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0.0}, "alpha must be 'evidence' or a positive finite number, got 0.0"),
        ({"alpha": "ridge"}, "alpha must be 'evidence'"),
        ({"alpha": True}, "alpha must be 'evidence'"),
        ({"beta": -1.0}, "beta must be 'evidence'"),
        ({"beta": np.inf}, "beta must be 'evidence'"),
        ({"beta": np.nan}, "beta must be 'evidence'"),
        ({"prior_mean": [1.0]}, r"prior_mean must have 3 or 4 numbers, got shape \(1,\)"),
        ({"prior_mean": [1.0, np.nan, 2.0]}, "prior_mean must be finite"),
        ({"prior_mean": np.ones(4), "fit_intercept": False}, "prior_mean must have 3 numbers"),
        ({"prior_precision": np.ones((3, 2))}, "prior_precision must be square, with 3 or 4 rows"),
        ({"prior_precision": np.triu(np.ones((3, 3)))}, "prior_precision must be symmetric and positive definite"),
        ({"prior_precision": -np.eye(3)}, "prior_precision must be symmetric and positive definite"),
        ({"prior_precision": np.ones((3, 3))}, "prior_precision must be symmetric and positive definite"),
        ({"prior_mean": np.ones(3), "prior_precision": np.eye(4)}, "prior_mean has 3 numbers, prior_precision 4 rows"),
        ({"ard": True, "alpha": 1.0}, "ard=True estimates a precision for each weight"),
        ({"ard": True, "prior_mean": np.ones(3)}, "ard=True estimates a precision for each weight"),
        ({"ard": True, "prior_on_intercept": True}, "ard=True estimates a precision for each weight"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        BayesianRegression(**options).fit(*regression(20, 3))


@pytest.mark.parametrize("options", [{}, {"ard": True}, {"alpha": 2.0, "beta": 3.0}, {"fit_intercept": False}])
def test_several_targets_are_a_regression_each(options):
    """Each target with its own noise, prior and posterior; sums of them merge and forget as those of one."""
    X, Y = regression(80, 3, targets=2)
    Y = Y * [1.0, 30.0] + 1e3
    model = BayesianRegression(**options).fit(X, Y)
    alone = [BayesianRegression(**options).fit(X, Y[:, t]) for t in range(2)]
    for name in ("coef_", "beta_", "sigma_", "gamma_", "log_evidence_", "alpha_"):
        assert getattr(model, name) == pytest.approx(np.array([getattr(one, name) for one in alone]), rel=1e-9), name
    for found, each in zip(
        model.predict(X, return_std=True),
        zip(*(o.predict(X, return_std=True) for o in alone), strict=True),
        strict=True,
    ):
        assert found == pytest.approx(np.column_stack(each), rel=1e-9)
    assert model.predict_variance(X)[1].shape == model.sample(X, 0).shape == (80, 2)
    assert model.sample(X, 0, n=3).shape == (3, 80, 2)
    draws = model.sample_weights(4000, 0)
    assert draws.shape == (4000, 3 + model.fit_intercept, 2)
    assert draws[:, -1, 1].std() == pytest.approx(np.sqrt(alone[1].sigma_[-1, -1]), rel=0.1)
    halves = [BayesianRegression(**options).fit(X[i::2], Y[i::2]) for i in (0, 1)]
    assert sum(halves).coef_ == pytest.approx(model.coef_, rel=1e-7)
    with pytest.raises(ValueError, match="a prior is of one target"):
        model.posterior_as_prior()
    with pytest.raises(ValueError, match="no target"):
        BayesianRegression(**options).solve(sl.PCA().fit(X).statistic_)
    column = BayesianRegression(**options).fit(X, Y[:, :1])
    assert column.predict(X) == pytest.approx(alone[0].predict(X))


def test_priors_must_agree_for_models_to_add():
    X, y = regression(20, 3)
    a = BayesianRegression(prior_mean=np.ones(3)).fit(X, y)
    with pytest.raises(ValueError, match="differ in prior_mean"):
        a + BayesianRegression(prior_mean=np.zeros(3)).fit(X, y)
    assert (a + BayesianRegression(prior_mean=np.ones(3)).fit(X, y)).statistic_.rows == 40


def test_a_polynomial_of_the_note_is_not_overfitted():
    """Ten noisy points of a sine, degree nine: least squares follows the noise, a prior does not."""
    x, new = np.linspace(0.0, 1.0, 10)[:, None], np.linspace(0.0, 1.0, 101)[:, None]
    least_squares = LinearRegression(basis=Polynomial(9))
    bayes = BayesianRegression(5e-3, 11.1, prior_on_intercept=True, basis=Polynomial(9))
    errors = {least_squares: [], bayes: []}
    for seed in range(20):
        t = np.sin(2.0 * np.pi * x[:, 0]) + 0.3 * np.random.default_rng(seed).standard_normal(10)
        for model, found in errors.items():
            found.append(((model.fit(x, t).predict(new) - np.sin(2.0 * np.pi * new[:, 0])) ** 2).mean())
    assert np.mean(errors[bayes]) < 0.2 * np.mean(errors[least_squares])


def test_targets_without_noise_on_as_many_rows_as_weights():
    """The slope of the evidence is rounding there, whose sign depends on how many points are asked for at once."""
    X, Y = make_regression(random_state=42, n_targets=5, n_samples=11, n_features=10)
    assert BayesianRegression().fit(X, Y).predict(X) == pytest.approx(Y, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("columns", [[2, 0], [1], [0, 1, 2]])
def test_a_prior_goes_with_its_columns(columns):
    """What is left out has weight zero: so steps and columns may come in any order."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((40, 3)) @ np.triu(np.ones((3, 3)))
    y = X @ [1.0, 2.0, 3.0] + rng.standard_normal(40)
    known = {"alpha": 0.5, "beta": 2.0}
    plain = BayesianRegression(**known, prior_mean=[1.0, 2.0, 3.0]).fit(X, y).restrict(columns)
    cut = BayesianRegression(**known, prior_mean=np.array([1.0, 2.0, 3.0])[columns]).fit(X[:, columns], y)
    assert plain.coef_ == pytest.approx(cut.coef_, rel=1e-9)
    assert (plain + cut).coef_.shape == (len(columns),)
    first = BayesianRegression(**known, prior_on_intercept=True).fit(X[:15], y[:15])
    stepped = first.posterior_as_prior().fit(X[15:], y[15:]).restrict(columns)
    whole = BayesianRegression(**known, prior_on_intercept=True).fit(X[:, columns], y)
    assert stepped.coef_ == pytest.approx(whole.coef_, rel=1e-7)
    assert stepped.intercept_ == pytest.approx(whole.intercept_, rel=1e-7)
    assert stepped.predict_variance(X[:, columns])[1] == pytest.approx(
        whole.predict_variance(X[:, columns])[1], rel=1e-7
    )


def test_a_search_cuts_the_prior():
    rng = np.random.default_rng(6)
    X = rng.standard_normal((40, 4))
    y = X @ [3.0, 0.0, 3.0, 0.0] + rng.standard_normal(40)
    mean = np.array([3.0, 0.0, 3.0, 0.0])
    search = sl.SubsetSearch("sfs", BayesianRegression(50.0, 1.0, prior_mean=mean), "r2", k=2).fit(X, y)
    model = BayesianRegression(50.0, 1.0, prior_mean=mean[[0, 2]])
    assert search.subset_.tolist() == [0, 2]
    assert search.score_ == pytest.approx(cross_val_score(model, X[:, [0, 2]], y, cv=5).mean(), rel=1e-9)
