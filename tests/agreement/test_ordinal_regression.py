"""OrdinalRegression against statsmodels' OrderedModel, logistic regression, closed forms and extended precision."""

import warnings
from dataclasses import replace

import mpmath
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, ndtr
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as ScikitLogistic
from statsmodels.miscmodels.ordinal_model import OrderedModel

from sumlearn import LogisticRegression, OrdinalRegression, PerfectSeparationWarning
from sumlearn.data.source import open_source
from sumlearn.objectives import Coding, Frame
from sumlearn.objectives.ordinal_losses import ORDINAL_LOSSES
from sumlearn.objectives.ordinal_objective import OrdinalObjective, RankCoding
from sumlearn.solvers import newton

from tests.agreement.problems import distance, whole_weights
from tests.cluster.blocks import LABEL, WEIGHT
from tests.cluster.blocks import X as BLOCKS
from tests.files.tables import FRAME, NAMES, columns, write_csv, write_parquet

LINKS = {"logit": expit, "probit": ndtr}
each_link = pytest.mark.parametrize("link", LINKS)


def problem(n=300, d=3, k=4, seed=0, scale=1.0):
    """Columns with offsets and unequal scales; classes 0 .. k - 1 are slices of a noisy linear score."""
    rng = np.random.default_rng([seed, n, d, k])
    Z = rng.standard_normal((n, d))
    score = scale * Z @ rng.standard_normal(d) + rng.logistic(size=n)
    cuts = np.quantile(score, np.sort(rng.uniform(0.1, 0.9, k - 1))) + 1e-3 * np.arange(k - 1)
    return Z * 10.0 ** rng.uniform(-1.0, 1.0, d) + rng.uniform(-5.0, 5.0, d), np.digitize(score, cuts)


def probabilities(w, cuts, X, link):
    """The definition: differences of F(theta_k - w'x)."""
    cumulative = LINKS[link](cuts - (X @ w)[:, None])
    return np.diff(np.column_stack([np.zeros(len(X)), cumulative, np.ones(len(X))]), axis=1)


def risk(w, cuts, X, y, weight, alpha, link):
    p = probabilities(w, cuts, X, link)[np.arange(len(y)), y]
    return -(weight * np.log(p)).sum() + 0.5 * alpha * w @ w


def difference(found, wanted):
    """The larger one of coefficients and thresholds; infinite between models of different classes."""
    if not np.array_equal(found.classes_, wanted.classes_):
        return np.inf
    return max(distance(found.coef_, wanted.coef_), distance(found.thresholds_, wanted.thresholds_))


# -- the model --------------------------------------------------------------------------------------------------------


def election():
    data = sm.datasets.anes96.load_pandas().data
    return data[["logpopul", "selfLR", "age", "educ", "income"]].to_numpy(), data["PID"].to_numpy().astype(int)


def marriage():
    data = sm.datasets.fair.load_pandas().data
    X = data[["age", "yrs_married", "children", "religious", "educ"]].to_numpy()
    return X, data["rate_marriage"].to_numpy().astype(int)


@each_link
@pytest.mark.parametrize("table", [election, marriage])
def test_maximum_likelihood_agrees_with_statsmodels(table, link):
    """Seven degrees of party identification, five of a happy marriage. BFGS stops at a gradient of 1e-7."""
    X, y = table()
    mean, spread = X.mean(axis=0), X.std(axis=0)
    reference = OrderedModel(y, (X - mean) / spread, distr=link)
    fitted = reference.fit(method="bfgs", gtol=1e-7, maxiter=500, disp=False)
    w = fitted.params[: X.shape[1]] / spread
    cuts = reference.transform_threshold_params(fitted.params)[1:-1] + w @ mean
    model = OrdinalRegression(alpha=0.0, link=link).fit(X, y)
    assert np.abs(model.coef_ - w).max() < 1e-6
    assert np.abs(model.thresholds_ - cuts).max() < 1e-6
    assert abs(model.solutions_[0].objective + fitted.llf) < 1e-8 * abs(fitted.llf)
    assert np.abs(model.predict_proba(X) - fitted.predict()).max() < 1e-6
    assert np.array_equal(model.classes_, np.unique(y))


@settings(max_examples=40)
@given(
    link=st.sampled_from(sorted(LINKS)),
    k=st.integers(2, 6),
    d=st.integers(1, 4),
    alpha=st.sampled_from([0.0, 1e-3, 1.0, 50.0]),
    weighted=st.booleans(),
    balanced=st.booleans(),
    seed=st.integers(0, 99),
)
def test_is_the_minimum_of_the_definition(link, k, d, alpha, weighted, balanced, seed):
    """Value as defined, and central differences of it vanish: with any penalty, weights and number of classes.

    Two cuts may lie so close that no row falls between them: then the classes are those that came.
    """
    X, labels = problem(200, d, k, seed)
    classes, y = np.unique(labels, return_inverse=True)
    k = len(classes)
    given = 0.25 + whole_weights(200, seed) if weighted else np.ones(200)
    counts = np.bincount(y, given)
    weight = given * (counts.sum() / (k * counts))[y] if balanced else given
    model = OrdinalRegression(alpha, link=link, class_weight="balanced" if balanced else None)
    model.fit(X, labels, given if weighted else None)
    w, cuts = model.coef_, model.thresholds_
    value = risk(w, cuts, X, y, weight, alpha, link)
    assert abs(model.solutions_[0].objective - value) <= 1e-9 * value
    for direction in np.eye(d + k - 1):
        step = 1e-5 * direction
        ends = [risk(w + s * step[:d], cuts + s * step[d:], X, y, weight, alpha, link) for s in (-1.0, 1.0)]
        curvature = (ends[0] + ends[1] - 2.0 * value) / 1e-10
        assert abs(ends[1] - ends[0]) / 2e-5 <= 1e-6 * max(curvature, 1.0) + 1e-9 * value / 1e-5
        assert min(ends) >= value * (1.0 - 1e-12)
    p = probabilities(w, cuts, X, link)
    assert np.abs(model.predict_proba(X) - p).max() < 1e-12
    assert np.allclose(np.exp(model.predict_log_proba(X)), p, rtol=1e-9, atol=1e-14)
    assert np.allclose(model.latent_score(X), X @ w, rtol=1e-12)
    assert np.array_equal(model.predict(X), classes[model.predict_proba(X).argmax(axis=1)])


@pytest.mark.parametrize("alpha", [1e-6, 0.1, 1.0, 30.0])
def test_two_classes_are_logistic_regression(alpha):
    X, y = problem(k=2)
    model = OrdinalRegression(alpha).fit(X, y)
    ours = LogisticRegression(C=1.0 / alpha).fit(X, y)
    theirs = ScikitLogistic(C=1.0 / alpha, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(X, y)
    for reference, bound in ((ours, 1e-9), (theirs, 1e-6)):
        assert distance(model.coef_, reference.coef_[0]) < bound
        assert distance(-model.thresholds_, reference.intercept_) < bound
        assert distance(model.decision_function(X), reference.decision_function(X)) < bound
        assert distance(model.predict_proba(X), reference.predict_proba(X)) < bound


def test_two_classes_with_probit_are_probit_regression():
    X, y = problem(k=2)
    reference = sm.Probit(y, sm.add_constant(X)).fit(disp=False, method="newton", tol=1e-14)
    model = OrdinalRegression(0.0, link="probit").fit(X, y)
    assert distance(model.coef_, reference.params[1:]) < 1e-9
    assert distance(-model.thresholds_, reference.params[:1]) < 1e-9


@each_link
def test_columns_that_say_nothing_leave_the_shares(link):
    """Shares 1/2, 1/4, 1/4: cuts at F^-1(1/2) = 0 and F^-1(3/4), by hand."""
    y = np.array(["a", "a", "b", "c"] * 5)
    model = OrdinalRegression(link=link).fit(np.full((20, 2), 7.0), y)
    upper = {"logit": np.log(3.0), "probit": 0.6744897501960817}[link]
    assert np.allclose(model.thresholds_, [0.0, upper], atol=1e-12)
    assert (model.coef_ == 0.0).all()
    assert np.allclose(model.predict_proba([[7.0, 7.0]]), [[0.5, 0.25, 0.25]], atol=1e-12)


@each_link
def test_the_scale_may_be_read_backwards(link):
    """Both distributions are symmetric: the reversed order has -w and the cuts -theta, reversed."""
    X, y = problem()
    up, down = (OrdinalRegression(link=link, order=order).fit(X, y) for order in (range(4), range(3, -1, -1)))
    assert distance(down.coef_, -up.coef_) < 1e-9
    assert distance(down.thresholds_, -up.thresholds_[::-1]) < 1e-9
    assert distance(down.predict_proba(X), up.predict_proba(X)[:, ::-1]) < 1e-9
    assert down.classes_.tolist() == [3, 2, 1, 0]
    assert np.array_equal(down.predict(X), up.predict(X))


# -- what is added up -------------------------------------------------------------------------------------------------


def objective_of(X, y, link, standardised, weight=None, alpha=0.7):
    k = len(np.unique(y))
    frame = Frame(X.mean(axis=0), X.std(axis=0), True, standardised)
    ranks = RankCoding(Coding(np.arange(k)), np.arange(k))
    share = np.bincount(y) / len(y)
    return OrdinalObjective.over(
        open_source(X, y, weight), ranks, loss=ORDINAL_LOSSES[link](), alpha=alpha, frame=frame, share=share
    )


@each_link
@pytest.mark.parametrize("standardised", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_gradient_and_hessian_are_those_of_the_value(link, standardised, weighted):
    X, y = problem(k=5)
    objective = objective_of(X, y, link, standardised, whole_weights(300) + 0.5 if weighted else None)
    point = np.concatenate([[0.3, -0.8, 0.5], [-1.5, -0.4, 0.1, 2.0]])
    found = objective.expand(point, 2)
    step = 1e-5
    ends = [[objective.expand(point + s * step * e, 1) for s in (1.0, -1.0)] for e in np.eye(7)]
    slopes = np.array([(b.value - a.value) / (2.0 * step) for b, a in ends])
    bends = np.array([(b.gradient - a.gradient) / (2.0 * step) for b, a in ends])
    assert distance(found.gradient, slopes) < 1e-7
    assert distance(found.hessian, bends) < 1e-7
    assert np.linalg.eigvalsh(found.hessian).min() > 0.0
    direction = np.arange(7.0) - 3.0
    assert distance(objective.product(point, direction), found.hessian @ direction) < 1e-12


def test_cuts_out_of_order_cost_infinitely_much():
    X, y = problem()
    objective = objective_of(X, y, "logit", False)
    for cuts in ([0.0, -1.0, 2.0], [0.0, 0.0, 1.0], [0.0, 1.0, np.nan]):
        assert objective.expand(np.concatenate([np.zeros(3), cuts])).value == np.inf


@each_link
def test_losses_are_right_in_both_tails(link):
    """Against differences in 400 digits, where those of doubles are zero; probit loses eps / gap at close cuts."""
    F = {"logit": lambda t: 1 / (1 + mpmath.exp(-t)), "probit": mpmath.ncdf}[link]
    density = {"logit": lambda t: mpmath.exp(-t) / (1 + mpmath.exp(-t)) ** 2, "probit": mpmath.npdf}[link]
    loss = ORDINAL_LOSSES[link]()
    with mpmath.workdps(400):
        for a in (-28.0, -9.0, -1.0, -1e-3, 0.0, 0.5, 8.0, 27.0, -np.inf):
            for gap in (1e-3, 0.1, 1.0, 6.0, np.inf):
                b = gap - 20.0 if np.isinf(a) and np.isfinite(gap) else 2.0 if np.isinf(a) else a + gap
                found = loss.terms(np.array([a]), np.array([b]), np.array([b - a]))
                low, high = (mpmath.mpf(0) if np.isinf(a) else F(mpmath.mpf(a))), mpmath.mpf(1)
                high = high if np.isinf(b) else F(mpmath.mpf(b))
                ends = [mpmath.mpf(0) if np.isinf(t) else density(mpmath.mpf(t)) for t in (a, b)]
                wanted = [-mpmath.log(high - low), ends[0] / (high - low), -ends[1] / (high - low)]
                for value, exact in zip(found[:3], map(float, wanted), strict=True):
                    assert abs(value[0] - exact) <= 1e-11 * abs(exact) + 1e-300, (a, b)
                assert all(np.isfinite(part[0]) and part[0] >= 0.0 for part in found[3:])


def test_a_weight_is_a_number_of_rows():
    X, y = problem()
    weight = whole_weights(300)
    repeated = np.repeat(np.arange(300), weight)
    for link in LINKS:
        found = OrdinalRegression(0.3, link=link).fit(X, y, weight)
        assert difference(found, OrdinalRegression(0.3, link=link).fit(X[repeated], y[repeated])) < 1e-9


def test_class_weights_are_weights_of_rows():
    X, y = problem()
    factor = {0: 3.0, 2: 0.5}
    wanted = OrdinalRegression().fit(X, y, np.array([factor.get(label, 1.0) for label in y]))
    assert difference(OrdinalRegression(class_weight=factor).fit(X, y), wanted) < 1e-9


def test_a_class_of_weight_zero_is_absent():
    X, y = problem()
    for absent in range(4):
        kept = y != absent
        for class_weight in (None, "balanced"):
            model = OrdinalRegression(class_weight=class_weight).fit(X, y, kept.astype(float))
            assert difference(model, OrdinalRegression(class_weight=class_weight).fit(X[kept], y[kept])) < 1e-9


# -- where rows come from ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("write", [write_parquet, write_csv])
def test_files_give_the_fit_of_memory(tmp_path, write):
    """Rows sorted by label, so that no file has all classes; strings whose order is not the alphabet's."""
    ending = "parquet" if write is write_parquet else "csv"
    frame = columns("text", weight=True).sort_values("text", kind="stable")
    for i, start in enumerate(range(0, len(frame), 25_000)):
        write(frame.iloc[start : start + 25_000], tmp_path / f"{i}.{ending}")
    options = {"order": ["top", "mid", "low"], "link": "probit"}
    model = OrdinalRegression(**options).fit(f"{tmp_path}/*.{ending}", "text", sample_weight="weight")
    wanted = OrdinalRegression(**options).fit(frame[NAMES], frame["text"], frame["weight"])
    assert difference(model, wanted) < 1e-9
    assert model.classes_.tolist() == ["top", "mid", "low"]
    assert np.abs(model.predict_proba(FRAME[NAMES]) - wanted.predict_proba(FRAME[NAMES])).max() < 1e-9


def test_dask_gives_the_fit_of_memory():
    da = pytest.importorskip("dask.array")
    rows = 50_000
    blocks = (da.from_array(values, chunks=(rows, *values.shape[1:])) for values in (BLOCKS, LABEL, WEIGHT))
    assert difference(OrdinalRegression().fit(*blocks), OrdinalRegression().fit(BLOCKS, LABEL, WEIGHT)) < 1e-9


@each_link
def test_a_sample_for_the_start_does_not_change_the_answer(monkeypatch, link):
    X, y = problem(n=6000, k=3)
    wanted = OrdinalRegression(link=link).fit(X, y)
    monkeypatch.setattr(newton, "MANY_ROWS", 1000)
    found = OrdinalRegression(link=link).fit(X, y)
    assert found.solutions_[0].passes != int(found.solutions_[0].passes)  # some passes over a sample
    assert difference(found, wanted) < 1e-8


def test_a_sample_without_one_of_the_classes_is_none():
    X, y = problem(n=600, k=3)
    whole = objective_of(X, y, "logit", False)
    sample = whole.thinned(6)
    assert sample.source.rows == 100 and sample.multiplier == 6.0
    part = objective_of(X[::6], y[::6], "logit", False, alpha=0.7 / 6.0)
    part = replace(part, frame=whole.frame)
    point = np.array([0.3, -0.8, 0.5, -1.5, -0.4])
    assert distance(sample.expand(point, 2).hessian, 6.0 * part.expand(point, 2).hessian) < 1e-12
    y[y == 1] = 0
    y[1] = 1
    assert objective_of(X, y, "logit", False).thinned(6) is None


def test_without_a_hessian_the_answer_is_the_same():
    """Sparse rows of more than 750 columns take conjugate gradients, dense ones a Hessian."""
    X = sparse.random_array((300, 800), density=0.02, rng=np.random.default_rng(0), format="csr")
    y = np.digitize(X.sum(axis=1), [5.0, 8.0, 10.0])
    found, wanted = OrdinalRegression().fit(X, y), OrdinalRegression().fit(X.toarray(), y)
    assert difference(found, wanted) < 1e-6
    assert np.abs(found.predict_proba(X) - wanted.predict_proba(X.toarray())).max() < 1e-7


@each_link
def test_units_and_offsets_change_nothing(link):
    X, y = problem()
    X = np.round(X * 1024) / 1024
    for alpha in (0.0, 1.0):
        plain = OrdinalRegression(alpha, link=link).fit(X, y).predict_proba(X)
        far = X + np.array([1e9, 0.0, -1e9])
        moved = OrdinalRegression(alpha, link=link).fit(far, y)
        assert np.abs(moved.predict_proba(far) - plain).max() < 1e-6
        assert np.allclose(moved.latent_score(far), far @ moved.coef_, rtol=1e-9)
        assert np.abs(moved.predict_proba(sparse.csr_array(far)) - plain).max() < 1e-5  # w'x itself has ten digits
        for scale in (2.0**-300, 2.0**300):
            scaled = OrdinalRegression(alpha * scale**2, link=link).fit(X * scale, y)
            assert np.abs(scaled.predict_proba(X * scale) - plain).max() < 1e-9


def test_float32_stays_float32():
    X, y = problem()
    model, wanted = OrdinalRegression().fit(X.astype(np.float32), y), OrdinalRegression().fit(X, y)
    assert model.coef_.dtype == model.thresholds_.dtype == np.float32
    assert model.predict_proba(X.astype(np.float32)).dtype == np.float32
    assert distance(model.coef_, wanted.coef_) < 1e-5


# -- edges ------------------------------------------------------------------------------------------------------------


@each_link
def test_perfect_separation_is_named_and_stays_finite(link):
    X, y = np.arange(30.0)[:, None], np.arange(30) // 10
    with pytest.warns(PerfectSeparationWarning):
        model = OrdinalRegression(0.0, link=link).fit(X, y)
    assert np.isfinite(model.coef_).all() and np.isfinite(model.thresholds_).all()
    assert np.array_equal(model.predict(X), y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(OrdinalRegression(0.01, link=link).fit(X, y).predict(X), y)
    with pytest.warns(ConvergenceWarning), warnings.catch_warnings():
        warnings.simplefilter("error", PerfectSeparationWarning)  # with a penalty there is a minimum, if not yet found
        assert np.array_equal(OrdinalRegression(1e-9, link=link, max_iter=8).fit(X, y).predict(X), y)


@each_link
def test_separation_of_the_top_class_alone_is_named(link):
    X, y = problem()
    with pytest.warns(PerfectSeparationWarning):
        model = OrdinalRegression(0.0, link=link).fit(np.column_stack([X, y == 3]), y)
    assert np.isfinite(model.coef_).all() and np.isfinite(model.predict_proba(np.column_stack([X, y == 3]))).all()


def test_one_class_is_predicted():
    model = OrdinalRegression(order=["low", "high"]).fit([[1.0], [2.0]], ["high", "high"])
    assert model.predict([[0.0], [9.0]]).tolist() == ["high", "high"]
    assert model.predict_proba([[0.0]]).tolist() == [[1.0]]
    assert model.thresholds_.shape == (0,)


@pytest.mark.parametrize("constant", [0.0, 0.1, 7.0, 1e12])
def test_constant_and_repeated_columns_change_nothing(constant):
    X, y = problem()
    plain = OrdinalRegression(0.0).fit(X, y)
    more = np.column_stack([X, np.full(300, constant), X[:, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = OrdinalRegression(0.0).fit(more, y)
    assert model.coef_[3] == 0.0
    assert abs(model.coef_[0] + model.coef_[4] - plain.coef_[0]) < 1e-6
    assert np.abs(model.predict_proba(more) - plain.predict_proba(X)).max() < 1e-6


def test_labels_that_do_not_occur_are_passed_over():
    X, y = problem()
    names = np.array(["cold", "mild", "warm", "hot"])
    order = ["icy", "cold", "mild", "unknown", "warm", "hot"]
    model = OrdinalRegression(order=order).fit(pd.DataFrame(X), pd.Series(names[y]))
    assert model.classes_.tolist() == names.tolist()
    assert distance(model.coef_, OrdinalRegression().fit(X, y).coef_) < 1e-12
    assert set(model.predict(pd.DataFrame(X))) <= set(names)


def test_a_label_outside_the_order_is_named_with_its_row(tmp_path):
    y = np.array(["low"] * 7 + ["high"] * 5 + ["hihg"] + ["low"] * 7)
    with pytest.raises(ValueError, match=r"not in order: 'hihg', first at row 12"):
        OrdinalRegression(order=["low", "high"]).fit(np.arange(20.0)[:, None], y)
    pd.DataFrame({"x": np.arange(20.0), "y": y}).to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(ValueError, match=r"not in order: 'hihg', first at row .*12"):
        OrdinalRegression(order=["low", "high"]).fit(tmp_path / "a.csv", "y")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": "low"}, "order must be a sequence"),
        ({"order": 3}, "order must be a sequence"),
        ({"order": [0, 1, 2, 1]}, "order names a label twice: 1"),
        ({"link": "cauchit"}, "link must be one of 'logit', 'probit', got 'cauchit'"),
        ({"alpha": -1.0}, "alpha must be finite and not negative, got -1.0"),
        ({"alpha": np.nan}, "alpha must be finite"),
        ({"alpha": "1"}, "alpha must be finite"),
        ({"tol": -1e-3}, "tol must not be negative"),
        ({"max_iter": -1}, "max_iter must not be negative"),
        ({"class_weight": {1: 0.0}}, "class_weight of class 1 must be positive"),
        ({"class_weight": {7: 1.0}}, "class_weight names a class that is not in y: 7"),
    ],
)
def test_wrong_parameters_are_named(options, message):
    X, y = problem()
    with pytest.raises(ValueError, match=message):
        OrdinalRegression(**options).fit(X, y)


def test_a_class_of_next_to_no_weight_is_refused():
    X, y = problem()
    with pytest.raises(ValueError, match="class 2 holds .* of the weight"):
        OrdinalRegression().fit(X, y, np.where(y == 2, 1e-20, 1.0))
    model = OrdinalRegression(0.0).fit(X, y, np.where(y == 2, 1e-10, 1.0))
    without = OrdinalRegression(0.0).fit(X[y != 2], y[y != 2])
    assert distance(model.coef_, without.coef_) < 1e-6
    assert 0.0 < model.thresholds_[2] - model.thresholds_[1] < 1e-8


# -- an order that the target declares ---------------------------------------------------------------------------------


SCALE = ["poor", "fair", "good", "superb"]  # sorted by spelling: fair, good, poor, superb


def rated(n=300):
    X, y = problem(n, 2, 3, seed=7)
    return X, np.array(["poor", "fair", "superb"])[y]  # nobody says "good"


def ordered_forms(words):
    """The same ordered words by every library that can declare an order."""
    import dask.dataframe as dd
    import polars as pl
    import pyarrow as pa

    series = pd.Series(pd.Categorical(words, categories=SCALE, ordered=True), name="y")
    codes = pa.array(series.cat.codes.to_numpy())
    arrow = pa.DictionaryArray.from_arrays(codes, pa.array(SCALE), ordered=True)
    return {
        "pandas": series,
        "polars": pl.Series("y", words, dtype=pl.Enum(SCALE)),
        "arrow": arrow,
        "arrow in chunks": pa.chunked_array([arrow[:100], arrow[100:]]),
        "dask": dd.from_pandas(series, npartitions=3),
    }


def test_an_ordered_category_keeps_its_order():
    import dask.dataframe as dd

    X, words = rated()
    wanted = OrdinalRegression(order=SCALE).fit(X, words)
    assert wanted.classes_.tolist() == ["poor", "fair", "superb"]
    for form, y in ordered_forms(words).items():
        rows = dd.from_pandas(pd.DataFrame(X, columns=["a", "b"]), npartitions=3) if form == "dask" else X
        found = OrdinalRegression().fit(rows, y)
        assert found.classes_.tolist() == ["poor", "fair", "superb"], form
        assert difference(found, wanted) < (1e-9 if form == "dask" else 1e-15), form
    assert difference(OrdinalRegression().fit(X, words), wanted) == np.inf  # plain labels are sorted
    backwards = OrdinalRegression(order=SCALE[::-1]).fit(X, ordered_forms(words)["pandas"])
    assert backwards.classes_.tolist() == ["superb", "fair", "poor"]  # what is given rules


def test_a_named_column_keeps_its_order(tmp_path):
    import dask.dataframe as dd
    import polars as pl
    import pyarrow as pa

    X, words = rated()
    wanted = OrdinalRegression(order=SCALE).fit(X, words)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=pd.Categorical(words, categories=SCALE, ordered=True))
    frame[:120].to_parquet(tmp_path / "1.parquet")
    frame[120:].to_parquet(tmp_path / "2.parquet")
    frame.to_feather(tmp_path / "t.feather", compression="uncompressed")
    frame.to_csv(tmp_path / "t.csv", index=False)
    forms = {
        "pandas": frame,
        "polars": pl.from_pandas(frame.assign(y=words)).with_columns(pl.col("y").cast(pl.Enum(SCALE))),
        "arrow": pa.Table.from_pandas(frame),
        "parquet": str(tmp_path / "*.parquet"),
        "feather": str(tmp_path / "t.feather"),
        "dask": dd.from_pandas(frame, npartitions=3),
    }
    for form, table in forms.items():
        found = OrdinalRegression().fit(table, "y")
        assert found.classes_.tolist() == ["poor", "fair", "superb"], form
        assert difference(found, wanted) < 1e-9, form
    assert difference(OrdinalRegression(order=SCALE).fit(str(tmp_path / "t.csv"), "y"), wanted) < 1e-9


def test_numbers_may_have_an_order_of_their_own():
    X, y = problem(200, 2, 3, seed=8)
    values = np.array([30, 10, 20])[y]
    found = OrdinalRegression().fit(X, pd.Series(pd.Categorical(values, categories=[30, 10, 20], ordered=True)))
    assert found.classes_.tolist() == [30, 10, 20]
    assert difference(found, OrdinalRegression(order=[30, 10, 20]).fit(X, values)) == 0.0


def test_categories_without_an_order_are_sorted():
    X, words = rated()
    wanted = OrdinalRegression().fit(X, words)
    found = OrdinalRegression().fit(X, pd.Series(pd.Categorical(words, categories=SCALE)))
    assert difference(found, wanted) == 0.0


def test_an_order_that_dask_does_not_know_is_asked_for():
    import dask.dataframe as dd

    X, words = rated()
    frame = dd.from_pandas(pd.DataFrame(X, columns=["a", "b"]), npartitions=2)
    series = dd.from_pandas(pd.Series(pd.Categorical(words, categories=SCALE, ordered=True)), npartitions=2)
    y = series.cat.as_unknown()
    with pytest.raises(ValueError, match=r"Dask does not know: give order, or y with y\.cat\.as_known\(\)"):
        OrdinalRegression().fit(frame, y)
    assert OrdinalRegression(order=SCALE).fit(frame, y).classes_.tolist() == ["poor", "fair", "superb"]


def test_a_missing_label_of_an_arrow_category_is_refused():
    """Arrow hands a null out as the last category."""
    import pyarrow as pa

    X, words = rated()
    codes = pa.array([None, *(SCALE.index(word) for word in words[1:])])
    with pytest.raises(ValueError, match="Input y contains NaN: first at row 0"):
        OrdinalRegression().fit(X, pa.DictionaryArray.from_arrays(codes, pa.array(SCALE), ordered=True))
