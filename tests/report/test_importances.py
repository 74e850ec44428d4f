"""Importances by permutation: what a model loses on rows left out, by column of the table, for any learner."""

import sys

import numpy as np
import pyarrow as pa
import pytest
from sklearn.inspection import permutation_importance

from sumlearn.product import train
from sumlearn.report import sections
from sumlearn.report.evidence import evidence_of
from sumlearn.report.plots.figure import Spans
from sumlearn.report.sections.importances import importances, losses_of, models

from .tables import many_classes, mixed, numbers, two_classes


def told(section):
    """Loss by column, as drawn."""
    (panel,) = section.blocks[0].figure.panels
    (spans,) = [item for item in panel.items if isinstance(item, Spans)]
    names = {float(y): name for y, name in panel.y_ticks}
    assert (spans.low <= spans.x).all() and (spans.x <= spans.high).all()
    return {names[float(y)]: float(x) for x, y in zip(spans.x, spans.y, strict=True)}


@pytest.mark.parametrize("make", [two_classes, many_classes, numbers, mixed])
def test_every_kind_of_model_has_them(make):
    found = make()
    section = importances(evidence_of(found))
    losses = told(section)
    assert set(losses) <= set(found.model.facts["columns"]) and max(losses.values()) > 0
    assert section.key == "importances" and importances in sections.ORDER


def test_what_is_known_of_rents():
    """Rent is made of size, city, age and whether it is new; the identifier is not read."""
    losses = told(importances(evidence_of(mixed())))
    assert "key" not in losses and losses["city"] > losses["new"] > -0.05
    assert losses["size"] > losses["new"]


def forest():
    """Two columns that say something, one that says it again, noise, and words with gaps."""
    rng = np.random.default_rng(0)
    n = 300
    x, z, noise = rng.normal(size=(3, n))
    word = rng.choice(["a", "b", "c", "d"], n)
    y = np.where(x + 2.0 * np.isin(word, ["a", "c"]) + 0.3 * rng.normal(size=n) > 1.0, "yes", "no")
    words = pa.array(word, mask=rng.random(n) < 0.1)
    return train(
        pa.table({"x": x, "z": z, "noise": noise, "word": words, "y": y}), "y", models="forest", cv="3", refits=0
    )


def test_a_forest_on_words_and_gaps():
    found = forest()
    evidence = evidence_of(found)
    losses = told(importances(evidence))
    assert min(losses["word"], losses["x"]) > 0.05
    assert abs(losses["z"]) < 0.03 and abs(losses["noise"]) < 0.03
    keys = [section.key for section in sections.sections_of(evidence)]
    assert {"importances", "selection", "regions", "projections", "complexity"} <= set(keys)


def test_the_same_as_scikit_learns_on_one_split():
    """The mean over shuffles of the loss of R^2, on the rows left out: other shuffles, the same means."""
    evidence = evidence_of(numbers())
    asked = next(models(evidence))
    columns = evidence.columns_read
    ours = losses_of(evidence, asked, columns, 60)
    truth = evidence.target.values[asked.rows]
    assert evidence.metric.name == "r2"
    theirs = permutation_importance(asked.learner, asked.features, truth, n_repeats=60, random_state=1, scoring="r2")
    by_column = [theirs.importances_mean[asked.owners.index(column)] for column in columns]
    error = np.array([theirs.importances_std[asked.owners.index(column)] for column in columns]) * np.sqrt(2 / 60)
    assert (np.abs(ours - by_column) <= 5 * error + 1e-3).all()


def test_tables_that_are_too_wide_or_too_long_have_none(monkeypatch):
    evidence, module = evidence_of(many_classes()), sys.modules[importances.__module__]
    monkeypatch.setattr(module, "MOST_COLUMNS", 3)
    assert importances(evidence) is None
    monkeypatch.setattr(module, "MOST_COLUMNS", 100)
    monkeypatch.setattr(module, "MOST_ANSWERS", 100)
    assert importances(evidence) is None
