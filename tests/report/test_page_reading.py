"""What a reader sees: the saved model's score first, known names, tables that fold, a refit that opens at the model."""

from dataclasses import replace

import numpy as np
import pytest

from sumlearn import LeastSquaresClassifier, LinearDiscriminantAnalysis, LinearRegression, LogisticRegression, Ridge
from sumlearn.report.blocks import Grid
from sumlearn.report.charts import drawing
from sumlearn.report.evidence import evidence_of
from sumlearn.report.headline import correction, whole_procedure
from sumlearn.report.html_report import report_of
from sumlearn.report.numbers import three
from sumlearn.report.page import environment
from sumlearn.report.plots.score_plots import score_box
from sumlearn.report.plots.with_plotly import in_lines
from sumlearn.report.sections.confusion import by_class
from sumlearn.report.sections.leaderboard import leaderboard
from sumlearn.report.sections.refit import penalty_of, refit
from sumlearn.report.sections.working_point import RATES, beside_headline, roc
from sumlearn.statistics import Moments

from .tables import many_classes, searched, two_classes


@pytest.fixture(scope="module")
def page():
    return report_of(two_classes()).html


def test_the_saved_model_stands_first_and_the_procedure_beside_it(page):
    found = two_classes().metrics
    assert f"<b>{three(found['procedure']['score'])}</b> the whole procedure" in page
    assert page.index(f"<strong>{three(found['score'])}</strong>") < page.index("the whole procedure")
    assert "The best AUC wins" in page
    assert "unless another is significantly better" not in page


def test_a_procedure_outside_of_the_interval_is_explained():
    found = evidence_of(two_classes())
    check = {"code": "procedure-differs", "text": "the splits chose otherwise"}
    assert whole_procedure(replace(found, metrics=found.metrics | {"checks": [check]}))["why"] == (
        "The splits chose otherwise."
    )
    assert whole_procedure(found)["why"] == ""
    assert whole_procedure(replace(found, metrics=found.metrics | {"procedure": None})) is None


def test_what_was_taken_off_for_the_choice_is_said():
    found = evidence_of(two_classes())
    assert "corrected by 0.012" in correction(replace(found, metrics=found.metrics | {"optimism": 0.012}))
    assert correction(replace(found, metrics=found.metrics | {"optimism": 0.0})) == ""


def test_headline_and_picture_have_one_equal_error_rate_or_the_picture_says_why():
    found = evidence_of(two_classes())
    told = found.metrics["scores"]["eer"]
    drawn = float(next(item.text for item in roc(found).panels[0].items if getattr(item, "text", "")[:3] == "EER")[4:])
    assert drawn == pytest.approx(told["score"] + told["optimism"], abs=6e-4)
    same = found.metrics["scores"] | {"eer": told | {"score": found.curve.diagonal_point.fpr}}
    assert beside_headline(replace(found, metrics=found.metrics | {"scores": same})) == ""
    other = found.metrics["scores"] | {"eer": told | {"score": drawn + 0.01}}
    assert f"{drawn:.3f}, and what" in beside_headline(replace(found, metrics=found.metrics | {"scores": other}))


def test_rates_have_the_names_of_medicine_beside_those_of_the_notes():
    titles = [title for title, _ in RATES.values()]
    for name in ("sensitivity", "specificity", "PPV", "NPV"):
        assert any(name in title for title in titles), name
        assert any(name in header for header in by_class(evidence_of(many_classes())).headers), name
    assert any("recall" in title for title in titles) and any("care" in title for title in titles)


def test_models_left_out_for_time_are_named():
    found = evidence_of(two_classes())
    nested = replace(found.nested, dropped={"svm": "12 s, and 5 s are left"})
    grids = [
        block
        for block in leaderboard(replace(found, nested=nested)).blocks
        if block.headers[0].startswith("model left")
    ]
    assert grids[0].rows == [["svm", "12 s, and 5 s are left"]]


def test_long_tables_fold_and_wide_ones_name_their_cells():
    macro = environment().get_template("macros.html.j2").module.grid
    page = str(macro(Grid(["name", "a", "b", "c", "<d>"], [["r", 1, 2, 3, 4]] * 13)))
    assert 'class="wide long"' in page
    assert 'data-name="&lt;d&gt;"' in page
    assert "data-name" not in str(macro(Grid(["name", "a"], [["r", 1]])))


def test_names_of_classes_are_broken_into_lines():
    assert (
        "<br>"
        in drawing(score_box(np.repeat(["a name that takes some room", "b"], 5), np.arange(10.0)))["layout"]["xaxis"][
            "ticktext"
        ][0]
    )
    assert in_lines("<i>") == "&lt;i&gt;"


@pytest.mark.parametrize("learner", [LinearRegression(), Ridge(3.0), LeastSquaresClassifier(alpha=2.0)])
def test_the_refit_opens_at_the_penalty_of_the_saved_model(learner):
    assert penalty_of(learner, None) == learner.get_params().get("alpha", 0.0)


def test_other_models_have_no_penalty_of_this_kind():
    assert penalty_of(LogisticRegression(C=3.0), None) is None


@pytest.mark.parametrize("shrinkage", [None, 0.1, 0.6])
def test_the_refit_opens_in_the_direction_of_a_shrunk_discriminant(shrinkage):
    """Least squares at the penalty that the page opens at points where the discriminant does."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)) * [1.0, 2.0, 0.5, 3.0], np.repeat([0.0, 1.0], [20, 40])
    X[:, 1:] += 0.7 * y[:, None]
    moments = Moments.of(X, y)
    discriminant = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(X, y)
    line, mine = Ridge(penalty_of(discriminant, moments)).solve(moments).coef_, discriminant.coef_[0]
    assert line @ mine == pytest.approx(np.linalg.norm(line) * np.linalg.norm(mine), rel=1e-12)


def test_a_penalty_without_end_is_that_of_the_slider():
    X, y = np.random.default_rng(0).normal(size=(9, 2)), np.arange(9) % 2.0
    assert penalty_of(LinearDiscriminantAnalysis(solver="lsqr", shrinkage=1), Moments.of(X, y)) == 1e5


def test_the_refit_opens_at_the_columns_of_the_saved_model():
    found = searched()
    live = next(block for block in refit(evidence_of(found)).blocks if block.kind == "live")
    columns, chosen = live.data["columns"], found.metrics["features"]["chosen"]
    assert [columns[k] for k in live.data["start"]] == [name for name in columns if name in chosen]
    assert live.words["saved"] == live.data["start"]
