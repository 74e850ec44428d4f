"""The predictive band, its coverage, the evidence, and intervals of coefficients: closed forms and statsmodels."""

import numpy as np
import pyarrow as pa
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal, norm
from sklearn.preprocessing import StandardScaler
from statsmodels.stats.proportion import proportion_confint

import sumlearn as sl
from sumlearn.product import read_table, train
from sumlearn.report import report_on
from sumlearn.report.evidence import evidence_of
from sumlearn.report.plots.figure import Line, Mark, Points, Spans
from sumlearn.report.sections.bayes import bayes, left_out, strongest, wilson
from sumlearn.report.sections.forest import cramer_rao, deviations
from sumlearn.report.sections.model_card import model_card

from .tables import mixed, two_classes


def table(n=90, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * [1.0, 3.0, 0.2, 5.0][:d]
    y = X @ [1.0, -0.8, 0.3, 0.0][:d] + rng.normal(size=n)
    return pa.table({f"x{j}": X[:, j] for j in range(d)} | {"y": y})


def arrays(found):
    frame = found.problem.frame
    return np.column_stack([frame[name].to_numpy() for name in frame.column_names]), found.target.values


def posterior(X, y, penalty):
    """Closed form in standardised features: coefficients, their covariance, s2 = RSS / (n - d - 1)."""
    n, d = X.shape
    A = X.T @ X + penalty * np.eye(d)
    coef = np.linalg.solve(A, X.T @ (y - y.mean()))
    s2 = np.sum((y - y.mean() - X @ coef) ** 2) / (n - d - 1)
    return coef, s2 * np.linalg.inv(A), s2


@pytest.fixture(scope="module", params=["ridge", "linear"])
def fitted(request):
    return train(table(), "y", models=request.param, cv="3")


def penalty_of(found):
    return found.metrics["chosen"]["params"].get("alpha", 0.0)


def test_the_band_is_the_posterior_predictive(fitted):
    X, y = arrays(fitted)
    Z = StandardScaler().fit_transform(X)
    coef, S, s2 = posterior(Z, y, penalty_of(fitted))
    evidence = evidence_of(fitted)
    j = strongest(evidence)
    assert j == np.argmax(np.abs(coef))
    dots, whole, mean_only = bayes(evidence).blocks[0].figure.panels[0].items
    assert whole.y == pytest.approx(y.mean() + coef[j] * whole.x, rel=1e-9)
    model = s2 / len(y) + S[j, j] * whole.x**2
    half = norm.ppf(0.975)
    assert mean_only.high - mean_only.y == pytest.approx(half * np.sqrt(model), rel=1e-8)
    assert whole.y - whole.low == pytest.approx(half * np.sqrt(model + s2), rel=1e-8)
    others = np.delete(Z, j, axis=1) @ np.delete(coef, j)
    assert np.sort(dots.y) == pytest.approx(np.sort(y - others), rel=1e-8)


def test_coverage_is_counted_on_rows_left_out(fitted):
    X, y = arrays(fitted)
    inside, parts = [], []
    for rows, test in fitted.nested.splits:
        scaler = StandardScaler().fit(X[rows])
        coef, S, s2 = posterior(scaler.transform(X[rows]), y[rows], penalty_of(fitted))
        Z = scaler.transform(X[test])
        model = s2 / len(rows) + np.einsum("ij,jk,ik->i", Z, S, Z)
        off = np.abs(y[test] - y[rows].mean() - Z @ coef)
        inside.append(off <= norm.ppf(0.975) * np.sqrt(s2 + model))
        parts.append((off**2, model, np.full(len(test), s2)))
    share = np.concatenate(inside).mean()
    squares, model, noise = (np.concatenate(part) for part in zip(*parts, strict=True))
    _, chart, grid, _ = bayes(evidence_of(fitted)).blocks
    assert f"held {share:.1%} of {len(y)} rows left out" in chart.caption
    told = {row[0]: row[1] for row in grid.rows}
    assert told["noise"] == pytest.approx(np.sqrt(noise.mean()), rel=1e-8)
    assert told["together"] == pytest.approx(np.sqrt((noise + model).mean()), rel=1e-8)
    assert told["errors that were made"] == pytest.approx(np.sqrt(squares.mean()), rel=1e-8)


def test_the_evidence_is_the_density_of_the_targets(fitted):
    """ln N(Q'y; 0, I / beta + Q'X X'Q / alpha) without the mean, at the best beta; up to a constant."""
    X, y = arrays(fitted)
    Z = StandardScaler().fit_transform(X)
    basis = np.linalg.svd(np.ones((1, len(y))))[2][1:]

    def density(alpha):
        K = basis @ Z @ Z.T @ basis.T / alpha

        def cost(log_beta):
            return -multivariate_normal(cov=np.exp(-log_beta) * np.eye(len(K)) + K).logpdf(basis @ y)

        return -minimize_scalar(cost, bounds=(-5, 5), method="bounded", options={"xatol": 1e-9}).fun

    chart = bayes(evidence_of(fitted)).blocks[-1]
    curve, top = chart.figure.panels[0].items
    some = [0, 25, 40, 55, 80]
    wanted = np.array([density(curve.x[i]) for i in some])
    assert curve.y[some] - curve.y[40] == pytest.approx(wanted - wanted[2], rel=1e-6, abs=1e-5)
    assert isinstance(top, Mark) and top.y >= curve.y.max() - 1e-9 and top.x == pytest.approx(curve.x[40])


def test_bayesian_regression_has_its_own_band():
    found = train(table(), "y", models="bayes", cv="3")
    learner = found.model.model.learner_
    _, whole, _ = bayes(evidence_of(found)).blocks[0].figure.panels[0].items
    rows = np.zeros((len(whole.x), 4))
    rows[:, strongest(evidence_of(found))] = whole.x
    mean, deviation = learner.predict(rows, return_std=True)
    assert whole.y == pytest.approx(mean) and whole.high == pytest.approx(mean + norm.ppf(0.975) * deviation)
    top = bayes(evidence_of(found)).blocks[-1].figure.panels[0].items[1]
    assert top.x == pytest.approx(learner.alpha_) and top.y == pytest.approx(learner.log_evidence_)


@pytest.mark.slow
def test_who_has_no_band():
    assert bayes(evidence_of(two_classes())) is None
    assert bayes(evidence_of(train(table(), "y", models="median", cv="2"))) is None
    few = pa.table({f"x{j}": np.random.default_rng(j).normal(size=40) for j in range(39)} | {"y": np.arange(40.0)})
    assert bayes(evidence_of(train(few, "y", models="linear", cv="2"))) is None  # no row is left to measure noise


def test_gaps_and_categories_have_a_band_too():
    section = bayes(evidence_of(mixed()))
    assert [block.name for block in section.blocks if hasattr(block, "figure")] == ["band", "band-left-out", "evidence"]
    truth, mean, model, noise = left_out(evidence_of(mixed()))
    answers = evidence_of(mixed()).chosen.labels
    assert np.corrcoef(mean, answers)[0, 1] > 0.99  # whose penalty was chosen within each split
    assert (model > 0).all() and (noise > 0).all() and len(truth) == 240


def test_fresh_rows_are_held_against_the_band():
    frame = read_table("diabetes").frame
    model = train(frame.slice(0, 300), "progression", models="ridge", cv="2").model
    captions = [getattr(block, "caption", "") for block in bayes(report_on(model, frame.slice(300)).evidence).blocks]
    assert any("of 142 fresh rows" in text for text in captions)


@pytest.mark.parametrize(("share", "count"), [(0.0, 7), (0.5, 10), (0.95, 400), (1.0, 30)])
def test_limits_of_a_share_are_wilsons(share, count):
    assert wilson(share, count) == pytest.approx(proportion_confint(share * count, count, method="wilson"), abs=1e-12)


# -- coefficients ----------------------------------------------------------------------------------------------------


def test_intervals_of_least_squares_are_those_of_statsmodels():
    found = train(table(), "y", models="linear", cv="2")
    X, y = arrays(found)
    theirs = sm.OLS(y, sm.add_constant(StandardScaler().fit_transform(X))).fit()
    evidence = evidence_of(found)
    assert deviations(evidence) == pytest.approx(theirs.bse[1:], rel=1e-9)
    assert cramer_rao(evidence) == pytest.approx(theirs.bse[1:], rel=1e-9)  # which least squares reaches
    chart = next(block for block in model_card(evidence).blocks if getattr(block, "name", "") == "forest")
    interval, bound = (item for item in chart.figure.panels[0].items if isinstance(item, Spans))
    order = np.argsort(-np.abs(theirs.params[1:]))
    assert interval.x == pytest.approx(theirs.params[1:][order], rel=1e-9)
    assert interval.high - interval.x == pytest.approx(norm.ppf(0.975) * theirs.bse[1:][order], rel=1e-9)
    assert bound.low == pytest.approx(interval.low) and interval.y.tolist() == [0, -1, -2, -3]
    assert [text for _, text in chart.figure.panels[0].y_ticks] == [f"x{j}" for j in order]


def test_a_penalty_makes_intervals_shorter_than_the_bound():
    evidence = sl.evaluate(sl.Ridge(alpha=30.0), table(), "y", cv=2).evidence
    assert (deviations(evidence) < cramer_rao(evidence)).all()
    X = StandardScaler().fit_transform(np.column_stack([evidence.frame[f"x{j}"].to_numpy() for j in range(4)]))
    _, S, s2 = posterior(X, evidence.target.values, 30.0)
    assert deviations(evidence) == pytest.approx(np.sqrt(np.diag(S)), rel=1e-9)
    assert cramer_rao(evidence) == pytest.approx(np.sqrt(s2 * np.diag(np.linalg.inv(X.T @ X))), rel=1e-9)


def test_labels_have_no_forest_and_long_names_are_cut():
    names = [getattr(block, "name", "") for block in model_card(evidence_of(two_classes())).blocks]
    assert "forest" not in names
    wide = table(d=2).rename_columns(["a" * 40, "b", "y"])
    chart = model_card(evidence_of(train(wide, "y", models="linear", cv="2"))).blocks[-1]
    assert [text for _, text in chart.figure.panels[0].y_ticks] == ["b", "a" * 21 + "…"]
    lines = [item for item in chart.figure.panels[0].items if isinstance(item, Line | Points)]
    assert len(lines) == 1 and lines[0].x.tolist() == [0, 0]
