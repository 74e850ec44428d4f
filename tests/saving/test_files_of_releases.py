"""Files of earlier formats load, learn more, forget and merge, with the numbers that were written beside them."""

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import InconsistentVersionWarning

import sumlearn as sl
from sumlearn.saving import describe
from sumlearn.saving.manifest import FORMAT

from tests.laws.discovered import LEARNERS
from tests.saving.make_files import FILES, batch, cases, rows, said, story

EVERY = sorted(FILES.glob("*/*.sumlearn"))
pytestmark = pytest.mark.filterwarnings("ignore::sumlearn.IllConditionedWarning")


def facts_of(path):
    return json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))


def assert_close(found, expected):
    assert found.keys() >= expected.keys()  # a later release may say more
    for name, value in expected.items():
        value = np.array(value)
        if value.dtype.kind == "f":
            np.testing.assert_allclose(found[name], value, rtol=1e-7, atol=1e-9, err_msg=name)
        else:
            assert np.array(found[name]).tolist() == value.tolist(), name


@pytest.mark.parametrize("path", [p for p in EVERY if p.stem != "pipeline"], ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_file_of_every_format_goes_on(path):
    facts = facts_of(path)
    model = sl.load(path)
    assert type(model).__name__ == facts["class"] == describe(path)["class"]
    found = story(model, facts["named"])
    assert found.keys() == facts["story"].keys()
    for stage, expected in facts["story"].items():
        assert_close(found[stage], expected)


@pytest.mark.parametrize("path", [p for p in EVERY if p.stem != "pipeline"], ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_loaded_model_is_that_of_a_fit(path):
    """What the file holds is the model of its rows, whoever wrote it."""
    facts = facts_of(path)
    model = sl.load(path)
    anew = clone(model).fit(*batch(model, facts["named"], 0, 60))
    assert_close(said(model, facts["named"]), said(anew, facts["named"]))
    if "_ledger" in vars(model):
        assert model.verify(*batch(model, facts["named"], 0, 60))
    assert model.statistic_.rows == 60
    assert model.forget(*batch(model, facts["named"], 0, 40)).statistic_.rows == 20


@pytest.mark.parametrize("path", [p for p in EVERY if p.stem == "pipeline"], ids=lambda p: p.parent.name)
@pytest.mark.filterwarnings("ignore", category=InconsistentVersionWarning)
def test_a_pipeline_of_every_format(path):
    found = sl.load(path).predict_proba(rows(200, 206))
    np.testing.assert_allclose(found, facts_of(path)["proba"], rtol=1e-7)


def test_every_learner_has_a_file_of_the_present_format():
    there = {path.stem for path in EVERY if path.parent.name == str(FORMAT)}
    assert {kind.__name__ for kind in LEARNERS} <= there, "run python -m tests.saving.make_files"
    assert {name for name, _, _ in cases()} | {"pipeline"} <= there


def test_every_format_has_files():
    assert {path.parent.name for path in EVERY} == {str(number) for number in range(1, FORMAT + 1)}
