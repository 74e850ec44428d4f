"""Every update is scored on its own rows before they are learnt."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import r2_score, roc_auc_score

from sumlearn.product import read_table, train
from sumlearn.product.labelled_rows import labelled_rows
from sumlearn.product.row_ledger import RowLedger
from sumlearn.product.tables import as_table


@pytest.fixture(scope="module")
def pima():
    return read_table("pima").frame


def test_an_update_keeps_the_score_of_rows_it_did_not_know(pima):
    model = train(pima.slice(0, 400), "diabetes", models="lda", cv="2").model
    fresh = pima.slice(400, 150)
    line = model.update(fresh, "week.csv").facts["history"][-1]
    truth = fresh["diabetes"].to_numpy() == "pos"
    assert line == {
        "what": "update",
        "rows": 150,
        "source": "week.csv",
        "metric": "auc",
        "score": pytest.approx(roc_auc_score(truth, model.answers(fresh).scores)),
    }
    assert "score" not in model.update(fresh).forget(fresh).facts["history"][-1]


def test_numbers_with_weights():
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=200), rng.integers(1, 4, 200).astype(float)
    table = pa.table({"x": x, "y": 2 * x + rng.normal(size=200), "w": w})
    model = train(table.slice(0, 120), "y", models="ridge", weights="w", cv="2").model
    fresh = table.slice(120)
    line = model.update(fresh).facts["history"][-1]
    wanted = r2_score(fresh["y"].to_numpy(), model.predict(fresh), sample_weight=w[120:])
    assert (line["metric"], line["score"]) == ("r2", pytest.approx(wanted))


def test_rows_without_a_score_have_none(pima):
    """One class only has no AUC; a class that was never met has no answer."""
    model = train(pima.slice(0, 300), "diabetes", models="lda", cv="2").model
    some = pima.slice(300)
    positive = some.filter(pa.array(some["diabetes"].to_numpy() == "pos"))
    assert "score" not in model.update(positive).facts["history"][-1]
    iris = read_table("iris").frame
    two = train(iris.slice(0, 100), "Species", models="lda", cv="2").model
    line = two.update(iris.slice(100), new_classes=True).facts["history"][-1]
    assert line["rows"] == 50 and "score" not in line


def test_the_ledger_knows_its_rows(pima):
    model = train(pima.slice(0, 300), "diabetes", models="lda", cv="2").model
    changed = model.update(pima.slice(400, 10)).forget(pima.slice(0, 5))
    asked = labelled_rows(as_table(pima.slice(0, 420)), changed.facts)
    known = RowLedger.of_dict(changed.ledger).known(asked.words)
    wanted = np.zeros(420, dtype=bool)
    wanted[5:300] = wanted[400:410] = True
    assert np.array_equal(known, wanted)
    merged = changed.merge(train(pima.slice(500, 100), "diabetes", models="lda", cv="2").model)
    asked = labelled_rows(as_table(pima.slice(490, 20)), merged.facts)
    assert RowLedger.of_dict(merged.ledger).known(asked.words).tolist() == [False] * 10 + [True] * 10
