"""Bootstrap samples against refits on resampled rows, and the .632 family against its definition, written anew."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.linear_model
import sklearn.neighbors
from scipy.stats import bootstrap as scipy_bootstrap
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.tree import DecisionTreeClassifier

import sumlearn
from sumlearn.evaluation import bootstrap, bootstrap_error
from sumlearn.evaluation import bootstrap as bootstrap_function
from sumlearn.evaluation.resampling.bootstrap import in_batches
from sumlearn.evaluation.resampling.refits import refits
from sumlearn.testing import assert_same_statistic

from tests.agreement.problems import classes, regression

PAIRS = {
    "LinearRegression": (sumlearn.LinearRegression(), sklearn.linear_model.LinearRegression()),
    "Ridge": (sumlearn.Ridge(7.0), sklearn.linear_model.Ridge(7.0, solver="svd")),
    "Ridge without intercept": (
        sumlearn.Ridge(0.5, fit_intercept=False),
        sklearn.linear_model.Ridge(0.5, fit_intercept=False, solver="svd"),
    ),
}


def samples_of(rows, n, seed):
    """The rows of every sample: N draws of N."""
    rng = np.random.RandomState(seed)
    return [np.sort(rng.randint(0, rows, rows)) for _ in range(n)]


# -- parameters -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("rows", [25, 9000])
def test_replicates_are_refits_on_resampled_rows(name, rows):
    ours, theirs = PAIRS[name]
    X, y = regression(rows, 3)
    found = bootstrap(ours, X, y, n=7, random_state=3)
    models = [clone(theirs).fit(X[i], y[i]) for i in samples_of(rows, 7, 3)]
    assert found.replicates == pytest.approx(np.array([m.coef_ for m in models]), rel=1e-9)
    errors = []
    for model, drawn in zip(models, samples_of(rows, 7, 3), strict=True):
        out = np.setdiff1d(np.arange(rows), drawn)
        errors.append(np.mean((y[out] - model.predict(X[out])) ** 2))
    assert found.errors == pytest.approx(np.array(errors), rel=1e-9)
    assert found.estimate == pytest.approx(clone(theirs).fit(X, y).coef_, rel=1e-9)
    assert found.error_mean == pytest.approx(np.mean(errors))
    assert found.error_variance == pytest.approx(np.var(errors, ddof=1))


def test_any_estimator():
    """A foreign estimator is refitted; the samples are those of ours."""
    X, y = regression(60, 3)
    ours = bootstrap(sumlearn.Ridge(2.0), X, y, n=10, random_state=1)
    theirs = bootstrap(sklearn.linear_model.Ridge(2.0, solver="svd"), X, y, n=10, random_state=1)
    assert theirs.replicates == pytest.approx(ours.replicates, rel=1e-9)
    assert theirs.errors == pytest.approx(ours.errors, rel=1e-9)


def test_summaries_are_those_of_the_replicates():
    X, y = regression(40, 2)
    found = bootstrap(sumlearn.LinearRegression(), X, y, n=50, random_state=0)
    assert found.mean == pytest.approx(found.replicates.sum(axis=0) / 50)
    assert found.bias == pytest.approx(found.mean - found.estimate)
    assert found.standard_error == pytest.approx(np.sqrt(((found.replicates - found.mean) ** 2).sum(axis=0) / 49))
    low, high = found.interval(0.8)
    assert low == pytest.approx(np.percentile(found.replicates, 10, axis=0))
    assert high == pytest.approx(np.percentile(found.replicates, 90, axis=0))


def test_standard_errors_agree_with_theory():
    """Normal noise, many rows: the bootstrap is near sigma sqrt(diag (X'X)^-1); 300 samples leave 4 % of chance."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 3)) @ [[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]]
    y = X @ [1.0, 2.0, 3.0] + 2.0 * rng.standard_normal(4000)
    Z = np.column_stack([np.ones(4000), X])
    expected = 2.0 * np.sqrt(np.linalg.inv(Z.T @ Z).diagonal()[1:])
    found = bootstrap(sumlearn.LinearRegression(), X, y, n=300, random_state=0)
    assert found.standard_error == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize(
    "learner", [sumlearn.GaussianNB(), sumlearn.LinearDiscriminantAnalysis(shrinkage=0.2, solver="lsqr")]
)
def test_classifiers_and_statistics_of_ones_own(learner):
    X, y = classes(80, 3, 3)
    labels = np.array(["a", "b", "c"])[y]
    found = bootstrap(learner, X, labels, n=6, statistic=lambda model: model.predict_proba(X[:2]), random_state=5)
    assert found.replicates.shape == (6, 2, 3) and found.loss == "zero_one"
    for values, error, rows in zip(found.replicates, found.errors, samples_of(80, 6, 5), strict=True):
        model = clone(learner).fit(X[rows], labels[rows])
        assert values == pytest.approx(model.predict_proba(X[:2]), rel=1e-9, abs=1e-12)
        out = np.setdiff1d(np.arange(80), rows)
        assert error == pytest.approx(1.0 - model.score(X[out], labels[out]))


def test_a_learner_without_a_target():
    X, _ = regression(50, 3)
    found = bootstrap(sumlearn.PCA(2), X, n=5, statistic="explained_variance_", random_state=0)
    expected = [sumlearn.PCA(2).fit(X[rows]).explained_variance_ for rows in samples_of(50, 5, 0)]
    assert found.replicates == pytest.approx(np.array(expected), rel=1e-9)
    assert found.errors is None
    with pytest.raises(AttributeError, match="no errors"):
        _ = found.error_mean


@pytest.mark.parametrize("estimator", [sumlearn.Ridge(2.0), sklearn.linear_model.Ridge(2.0, solver="svd")])
def test_weights(estimator):
    """A weight multiplies the count of a row, in the fit and in the error."""
    X, y = regression(40, 2)
    weight = np.random.default_rng(0).uniform(0.1, 2.0, 40)
    found = bootstrap(estimator, X, y, n=4, sample_weight=weight, loss="absolute", random_state=0)
    for coef, error, rows in zip(found.replicates, found.errors, samples_of(40, 4, 0), strict=True):
        model = sklearn.linear_model.Ridge(2.0, solver="svd").fit(X[rows], y[rows], weight[rows])
        assert coef == pytest.approx(model.coef_, rel=1e-9)
        out = np.setdiff1d(np.arange(40), rows)
        assert error == pytest.approx(np.average(np.abs(y[out] - model.predict(X[out])), weights=weight[out]))


def test_the_variance_of_a_sample_shrinks():
    """Lemma 2 of note 002 holds for averages only: the variance of a bootstrap sample is short by (N - 1) / N."""
    X = np.random.default_rng(0).standard_normal((5, 1))
    both = bootstrap(
        sumlearn.PCA(1), X, n=2000, statistic=lambda m: [*m.mean_, m.statistic_.scatter[0, 0] / 5], random_state=0
    )
    chance = 4.0 * both.standard_error / np.sqrt(2000)
    assert both.mean[0] == pytest.approx(X.mean(), abs=chance[0])
    assert both.mean[1] == pytest.approx(0.8 * X.var(), abs=chance[1])
    assert chance[1] < 0.15 * X.var()


@pytest.mark.parametrize("ending", ["csv", "parquet", "dask"])
def test_files_and_clusters(tmp_path, ending):
    X, y = classes(9000, 3, 3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(label=y)
    expected = bootstrap(sumlearn.GaussianNB(), frame, "label", n=6, statistic="theta_", random_state=0)
    given = str(tmp_path / f"rows.{ending}")
    if ending == "dask":
        given = pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=3)
    else:
        frame.to_csv(given, index=False) if ending == "csv" else frame.to_parquet(given)
    found = bootstrap(sumlearn.GaussianNB(), given, "label", n=6, statistic="theta_", random_state=0)
    assert found.replicates == pytest.approx(expected.replicates, rel=1e-9)
    assert found.errors == pytest.approx(expected.errors, rel=1e-9)


def test_batches_change_nothing(monkeypatch):
    X, y = regression(30, 2)
    whole = bootstrap(sumlearn.Ridge(), X, y, n=9, random_state=0)
    monkeypatch.setitem(bootstrap_function.__globals__, "MOST_SAMPLES", 2)
    parts = bootstrap(sumlearn.Ridge(), X, y, n=9, random_state=0)
    assert np.array_equal(whole.replicates, parts.replicates) and np.array_equal(whole.errors, parts.errors)
    table = refits(sumlearn.Ridge(), X, y)
    assert [len(batch) for batch in in_batches(table, 5, 0)] == [2, 2, 1]


def test_sums_of_samples_are_sums_of_their_rows():
    X, y = regression(30, 2)
    rows = samples_of(30, 1, 0)[0]
    model = refits(sumlearn.LinearRegression(), X, y).models([rows])[0]
    assert_same_statistic(model.statistic_, sumlearn.LinearRegression().fit(X[rows], y[rows]).statistic_)


# -- errors -----------------------------------------------------------------------------------------------------------


def by_definition(estimator, X, y, n, seed, loss):
    """in, out (leave-one-out bootstrap), gamma, and in and out of every sample: loops over pairs and rows."""
    rows = len(y)
    whole = clone(estimator).fit(X, y)
    f = whole.predict(X)
    learnt = np.mean([loss(y[i], f[i]) for i in range(rows)])
    gamma = np.mean([[loss(a, b) for b in f] for a in y])
    held = [[] for _ in range(rows)]
    ins, outs = [], []
    for drawn in samples_of(rows, n, seed):
        g = clone(estimator).fit(X[drawn], y[drawn]).predict(X)
        out = np.setdiff1d(np.arange(rows), drawn)
        for i in out:
            held[i].append(loss(y[i], g[i]))
        ins.append(np.mean([loss(y[i], g[i]) for i in drawn]))
        outs.append(np.mean([loss(y[i], g[i]) for i in out]))
    return learnt, np.mean([np.mean(h) for h in held if h]), gamma, np.array(ins), np.array(outs)


PROBLEMS = {
    "classifier of ours": (sumlearn.QuadraticDiscriminantAnalysis(reg_param=0.1), classes(40, 3, 3)),
    "classifier of others": (DecisionTreeClassifier(max_depth=3, random_state=0), classes(40, 3, 2)),
    "regression of ours": (sumlearn.Ridge(0.3), regression(25, 8)),
    "regression of others": (sklearn.linear_model.Lasso(0.1), regression(25, 4)),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_kinds_against_their_definition(name):
    estimator, (X, y) = PROBLEMS[name]
    loss = (lambda a, b: float(a != b)) if "classifier" in name else (lambda a, b: (a - b) ** 2)
    learnt, out, gamma, ins, outs = by_definition(estimator, X, y, 30, 0, loss)
    found = {k: bootstrap_error(estimator, X, y, kind=k, n=30, random_state=0) for k in ("632", "632+", "composition")}
    e = np.e
    assert found["632"].error == pytest.approx(learnt / e + (1 - 1 / e) * out)
    assert found["composition"].error == pytest.approx(np.mean((1 - 1 / e) * ins + outs / e))
    assert found["composition"].replicates == pytest.approx((1 - 1 / e) * ins + outs / e)
    assert found["composition"].variance == pytest.approx(np.var((1 - 1 / e) * ins + outs / e, ddof=1))
    plus = found["632+"]
    assert learnt < out < gamma  # the plain case
    rate = (out - learnt) / (gamma - learnt)
    weight = (1 - 1 / e) / (1 - rate / e)
    assert plus.no_information == pytest.approx(gamma) and plus.overfitting == pytest.approx(rate)
    assert plus.in_sample == pytest.approx(learnt) and plus.out_of_bag == pytest.approx(out)
    assert plus.weight == pytest.approx(weight)
    assert float(plus) == pytest.approx((1 - weight) * learnt + weight * out)
    assert float(bootstrap_error(estimator, X, y, kind="out_of_bag", n=30, random_state=0)) == pytest.approx(out)


@pytest.mark.parametrize("kind", ["632", "632+", "composition", "out_of_bag"])
def test_weights_in_every_mean(kind):
    X, y = regression(20, 3)
    y = y + 5.0 * X[:, 0] / X[:, 0].std()
    weight = np.random.default_rng(0).integers(0, 3, 20).astype(float)
    found = bootstrap_error(sumlearn.Ridge(), X, y, kind=kind, n=12, sample_weight=weight, random_state=0)
    models = []
    for drawn in samples_of(20, 12, 0):
        model = sklearn.linear_model.Ridge().fit(X[drawn], y[drawn], weight[drawn])
        models.append((drawn, np.setdiff1d(np.arange(20), drawn), (y - model.predict(X)) ** 2))
    f = sklearn.linear_model.Ridge().fit(X, y, weight).predict(X)
    learnt = np.average((y - f) ** 2, weights=weight)
    held = [[losses[i] for _, out, losses in models if i in out] for i in range(20)]
    out = np.average([np.mean(h) for h in held], weights=weight)
    gamma = np.average((y[:, None] - f) ** 2, weights=np.outer(weight, weight))
    assert learnt < out < gamma
    if kind == "composition":
        ins = [np.average(losses[drawn], weights=weight[drawn]) for drawn, _, losses in models]
        outs = [np.average(losses[left], weights=weight[left]) for _, left, losses in models]
        expected = np.mean((1 - 1 / np.e) * np.array(ins) + np.array(outs) / np.e)
    else:
        rate = (out - learnt) / (gamma - learnt)
        w = {"632": 1 - 1 / np.e, "632+": (1 - 1 / np.e) / (1 - rate / np.e), "out_of_bag": 1.0}[kind]
        expected = (1 - w) * learnt + w * out
    assert found.error == pytest.approx(expected)


def test_labels_without_meaning():
    """1-NN remembers everything; the true error is 1/2: about .18 (note), .32 (.632), .5 (.632+)."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((1000, 3)), np.arange(1000) % 2
    nearest = sklearn.neighbors.KNeighborsClassifier(1)
    found = {k: bootstrap_error(nearest, X, y, kind=k, n=15, random_state=0) for k in ("632", "632+", "composition")}
    assert found["632"].in_sample == 0.0
    assert found["composition"].error == pytest.approx(0.184, abs=0.03)
    assert found["632"].error == pytest.approx(0.316, abs=0.04)
    assert found["632+"].error == pytest.approx(0.5, abs=0.07)


def test_an_error_above_the_no_information_rate_is_cut_to_it():
    """Labels that alternate along a line: the nearest neighbour left is of the other class."""
    X = np.arange(40.0)[:, None]
    y = np.arange(40) % 2
    found = bootstrap_error(sklearn.neighbors.KNeighborsClassifier(1), X, y, kind="632+", n=30, random_state=0)
    assert found.out_of_bag > found.no_information == pytest.approx(0.5)
    assert found.overfitting == 1.0 and found.error == pytest.approx(0.5)


def test_no_overfitting_gives_632():
    class Constant(sklearn.linear_model.LinearRegression):
        def predict(self, X):
            return np.zeros(len(X))

    X, y = regression(30, 2)
    found = bootstrap_error(Constant(), X, y, n=20, random_state=0)
    assert found.overfitting == 0.0 and found.weight == pytest.approx(1 - 1 / np.e)


def test_a_loss_of_ones_own():
    X, y = regression(30, 2)
    own = bootstrap_error(sumlearn.Ridge(), X, y, n=10, loss=lambda a, b: np.abs(a - b), random_state=0)
    named = bootstrap_error(sumlearn.Ridge(), X, y, n=10, loss="absolute", random_state=0)
    assert own.error == pytest.approx(named.error) and own.error != pytest.approx(
        bootstrap_error(sumlearn.Ridge(), X, y, n=10, random_state=0).error
    )


# -- what is refused --------------------------------------------------------------------------------------------------


def test_bad_arguments(tmp_path):
    X, y = regression(20, 2)
    with pytest.raises(ValueError, match="n must be at least 2"):
        bootstrap(sumlearn.Ridge(), X, y, n=1)
    with pytest.raises(ValueError, match="at least 2 rows, got 1"):
        bootstrap(sumlearn.Ridge(), X[:1], y[:1])
    with pytest.raises(ValueError, match="has no coef_: give the statistic"):
        bootstrap(sumlearn.GaussianNB(), X, y > 0)
    with pytest.raises(ValueError, match="loss must be one of 'zero_one', 'squared', 'absolute'"):
        bootstrap(sumlearn.Ridge(), X, y, loss="hinge")
    with pytest.raises(ValueError, match="loss must give one number per row"):
        bootstrap_error(sumlearn.Ridge(), X, y, loss=lambda a, b: 1.0)
    with pytest.raises(ValueError, match="kind must be one of '632'"):
        bootstrap_error(sumlearn.Ridge(), X, y, kind="633")
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        bootstrap(sumlearn.Ridge(), X, y, n=3).interval(95)
    with pytest.raises(ValueError, match="X has 20 rows, y has 19"):
        bootstrap(sklearn.linear_model.Ridge(), X, y[:-1])
    with pytest.raises(ValueError, match="bootstrap_error asks about single rows"):
        pd.DataFrame(X, columns=["a", "b"]).assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
        bootstrap_error(sumlearn.Ridge(), str(tmp_path / "rows.csv"), "y")
    with pytest.raises(ValueError, match="Lasso needs its rows in memory"):
        bootstrap(sklearn.linear_model.Lasso(), str(tmp_path / "rows.csv"), "y")


def test_bad_values_are_named():
    X, y = regression(20, 2)
    X[13, 1] = np.nan
    for function in (bootstrap, bootstrap_error):
        with pytest.raises(ValueError, match=r"NaN: first at row 13, column 1"):
            function(sumlearn.Ridge(), X, y, n=5)
    with pytest.raises(ValueError, match="the statistic of a sample is not finite"):
        bootstrap(sumlearn.Ridge(), X[:10], y[:10], n=5, statistic=lambda model: np.nan)


def test_a_sample_of_one_class():
    """A class that a sample lacks changes the shape of its parameters; other libraries refuse to fit it."""
    X, y = np.random.default_rng(0).standard_normal((12, 2)), np.r_[np.zeros(11), 1.0]
    with pytest.raises(ValueError, match=r"shape \(1, 2\) in sample \d+ and \(2, 2\) for all rows"):
        bootstrap(sumlearn.GaussianNB(), X, y, n=20, statistic="theta_", random_state=0)
    with pytest.raises(ValueError, match=r"a fit among samples 0 to 19 failed: .*class"):
        bootstrap(sklearn.linear_model.LogisticRegression(), X, y, n=20, random_state=0)


def test_log_loss_as_a_statistic():
    """Anything that can be computed from a fitted model may be bootstrapped."""
    X, y = classes(60, 2, 2)
    found = bootstrap(
        sumlearn.GaussianNB(), X, y, n=5, statistic=lambda m: log_loss(y, m.predict_proba(X)), random_state=0
    )
    assert found.replicates.shape == (5,) and (found.replicates >= found.estimate - 0.05).all()


@pytest.mark.parametrize("kind", ["632", "632+", "composition"])
def test_several_targets(kind):
    """The squared error of a row is the mean over its targets; sums and refits agree."""
    X, Y = regression(40, 3, 2)
    ours, theirs = (
        bootstrap_error(learner, X, Y, kind=kind, n=10, random_state=0)
        for learner in (sumlearn.Ridge(2.0), sklearn.linear_model.Ridge(2.0, solver="svd"))
    )
    assert ours.error == pytest.approx(theirs.error, rel=1e-9)
    assert ours.replicates == pytest.approx(theirs.replicates, rel=1e-9)
    model = sklearn.linear_model.Ridge(2.0).fit(X, Y)
    if kind != "composition":
        assert ours.in_sample == pytest.approx(np.mean((Y - model.predict(X)) ** 2))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables(library):
    X, y = regression(40, 3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y)
    table = {"pandas": frame, "polars": pl.from_pandas(frame), "pyarrow": pa.Table.from_pandas(frame)}[library]
    expected = bootstrap_error(sumlearn.Ridge(), X, y, n=5, random_state=0).error
    assert bootstrap_error(sumlearn.Ridge(), table, "y", n=5, random_state=0).error == pytest.approx(expected, rel=1e-9)


def test_a_plain_statistic_of_a_sample():
    """Against SciPy's bootstrap, and by hand for the mean."""
    x = np.random.default_rng(8).exponential(size=80)
    median = bootstrap(np.median, x, n=2000, random_state=0)
    reference = scipy_bootstrap((x,), np.median, n_resamples=2000, method="percentile", rng=np.random.default_rng(1))
    assert median.estimate == np.median(x) and median.errors is None
    assert median.standard_error == pytest.approx(reference.standard_error, rel=0.1)
    assert median.interval() == pytest.approx(np.array(reference.confidence_interval), abs=0.1)
    mean = bootstrap(np.mean, x, n=2000, random_state=0)
    assert mean.standard_error == pytest.approx(x.std() / 80**0.5, rel=0.06)
    pairs = bootstrap(lambda x, y: np.corrcoef(x, y)[0, 1], x, x**2, n=20, random_state=0)
    assert pairs.estimate == pytest.approx(np.corrcoef(x, x**2)[0, 1])
    assert bootstrap(lambda X: X.mean(axis=0), np.ones((5, 3)), n=4, random_state=0).replicates.shape == (4, 3)
    with pytest.raises(ValueError, match="takes no weights"):
        bootstrap(np.median, x, sample_weight=np.ones(80))
    with pytest.raises(ValueError, match="has no loss"):
        bootstrap(np.median, x, loss="absolute")
    with pytest.raises(ValueError, match="load the table into memory"):
        bootstrap(np.median, "rows.csv", "y")
    with pytest.raises(ValueError, match="as many of X as of y"):
        bootstrap(np.median, x, x[:3])
