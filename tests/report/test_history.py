"""What happened since the training: scores before learning, effective sample size, distance from a refit."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from sumlearn.product import read_table, train
from sumlearn.report import report_on
from sumlearn.report.blocks import Chart, Grid, Prose
from sumlearn.report.sections.history import history


@pytest.fixture(scope="module")
def pima():
    return read_table("pima").frame


@pytest.fixture(scope="module")
def changed(pima):
    model = train(pima.slice(0, 300), "diabetes", models="lda", cv="2").model
    return model, model.update(pima.slice(300, 80), "one").update(pima.slice(380, 70), "two").forget(pima.slice(0, 50))


def texts(section):
    return " ".join(block.text for block in section.blocks if isinstance(block, Prose))


def test_scores_over_time(pima, changed):
    first, last = changed
    report = report_on(last, pima.slice(500))
    section = history(report.evidence)
    (grid,) = (block for block in section.blocks if isinstance(block, Grid))
    assert [row[3] for row in grid.rows] == [300, 380, 450, 400]
    (chart,) = (block for block in section.blocks if isinstance(block, Chart))
    line, points = chart.figure.panels[0].items
    asked = [(first, pima.slice(300, 80)), (first.update(pima.slice(300, 80)), pima.slice(380, 70))]
    wanted = [roc_auc_score(rows["diabetes"].to_numpy() == "pos", one.answers(rows).scores) for one, rows in asked]
    assert points.y == pytest.approx([first.facts["score"], *wanted, report.metrics["score"]])
    assert (points.low[-1], points.high[-1]) == pytest.approx(tuple(report.metrics["interval"]))
    assert points.low[1] == points.high[1] == points.y[1] and len(line.x) == 4
    assert [text for _, text in chart.figure.panels[0].x_ticks] == ["training", "+80", "+70", "now"]
    assert [row[4] for row in grid.rows] == [None, f"AUC {wanted[0]:.3f}", f"AUC {wanted[1]:.3f}", None]


def test_the_distance_from_a_refit_is_told_where_it_can_be_known(pima, changed):
    _, last = changed
    whole = report_on(last, pima.slice(50, 400))
    assert whole.metrics["rows_learnt"] == 400 and 0 <= whole.metrics["refit"] < 1e-12
    assert "fitted to them again" in texts(history(whole.evidence))
    assert [check["code"] for check in whole.metrics["checks"]][:1] == ["rows-learnt"]
    part = report_on(last, pima.slice(40, 400))
    assert part.metrics["rows_learnt"] == 390 and part.metrics["refit"] is None
    assert "this is another" in texts(history(part.evidence))
    fresh = report_on(last, pima.slice(450))
    assert fresh.metrics["rows_learnt"] == 0 and not fresh.metrics["checks"]
    last.ledger, kept = None, last.ledger
    try:
        assert "no hashes" in texts(history(report_on(last, pima.slice(450)).evidence))
    finally:
        last.ledger = kept


def test_a_refit_of_chosen_columns(pima):
    """Columns that were not chosen, and ids, are no part of it."""
    table = pima.append_column("key", [[f"k{i}" for i in range(768)]])
    model = train(table.slice(0, 300), "diabetes", models="lda", features="sfs:3", ids=["key"], cv="2").model
    report = report_on(model.update(table.slice(300, 50)), table.slice(0, 350))
    assert report.metrics["rows_learnt"] == 350 and report.metrics["refit"] < 1e-12


def test_a_model_that_is_not_the_refit_is_found_out(pima, changed):
    """The distance is measured: sums that were tampered with show."""
    _, last = changed
    bad = last.update(pima.slice(450, 10)).forget(pima.slice(450, 10))
    bad.model.partial_fit(pima.slice(600, 1).drop_columns(["diabetes"]), np.array(["pos"]))
    off = report_on(bad, pima.slice(50, 400)).metrics["refit"]
    assert 1e-5 < off < 1


@pytest.mark.slow
def test_the_effective_sample_size_is_the_weight(pima, changed):
    _, last = changed
    assert "Effective sample size: 400, the weight of the 400 rows" in texts(
        history(report_on(last, pima.slice(450)).evidence)
    )
    weights = np.where(np.arange(768) % 2 == 0, 0.5, 1.0)
    table = pima.append_column("w", [weights])
    model = train(table.slice(0, 300), "diabetes", models="lda", weights="w", cv="2").model
    model = model.update(table.slice(300, 100))
    said = texts(history(report_on(model, table.slice(500)).evidence))
    assert "Effective sample size: 300, the weight of the 400 rows that the model holds." in said


def test_a_model_that_never_changed_has_no_history(pima, changed):
    first, _ = changed
    assert history(report_on(first, pima.slice(500)).evidence) is None
