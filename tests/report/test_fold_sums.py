"""Sums of splits travel with the page: single persons must not come out of them."""

import base64
import importlib

import numpy as np
import pytest

from sumlearn.product import train
from sumlearn.report.evidence import evidence_of

from tests.report.tables import mixed_table

refit = importlib.import_module("sumlearn.report.sections.refit")  # the folder has a function of that name


@pytest.fixture(scope="module")
def evidence():
    table = mixed_table(240)
    return evidence_of(train(table, "rent", models="ridge", cv="3", drop=["key"]))


def unpacked(said):
    p, numbers = said["size"], np.frombuffer(base64.b64decode(said["numbers"]))
    scatter = np.zeros((p, p))
    scatter[np.triu_indices(p)] = numbers[p:]
    return said["weight"], numbers[:p], scatter + np.triu(scatter, 1).T


def persons(section):
    """The attack: a flag, or two flags at once, of few rows of a split; of one row the products are that row."""
    found = []
    sums = [fold[side] for fold in section.blocks[0].data["folds"] for side in ("train", "test")]
    for W, mean, scatter in map(unpacked, [*sums, section.blocks[0].data["all"]["train"]]):
        products = scatter + W * np.outer(mean, mean)
        flags = np.flatnonzero(np.abs(products.diagonal() - W * mean) < 1e-6)
        counts = products[np.ix_(flags, flags)]
        found += counts[(counts > 0.5) & (counts < 4.5)].round().tolist()
    return found


def test_attack_3_fold_sums(evidence, monkeypatch):
    section = refit.refit(evidence)
    assert persons(section) == []
    left = {*section.blocks[0].data["columns"]}
    assert "age" in left and left < {"size", "age", "city", "new"}
    assert "Left out, since" in section.lead
    monkeypatch.setattr(refit, "telling_columns", lambda *a: set())
    assert persons(refit.refit(evidence))  # without the check the attack succeeds


def test_a_target_of_few_rows_has_no_section():
    table = mixed_table(240).drop_columns(["rent"])
    rare = np.array(["no"] * 240)
    rare[[3, 50, 90, 130, 170, 210, 239]] = "yes"
    training = train(table.append_column("y", [rare]), "y", models="lda", cv="3", drop=["key"])
    assert refit.refit(evidence_of(training)) is None
