"""The same rows twice are refused unless that is meant; what cannot be compared is said."""

import copy

import numpy as np
import pyarrow as pa
import pytest

from sumlearn import load, save
from sumlearn.product import train
from sumlearn.product.opened_table import OpenedTable
from sumlearn.product.problems import CannotDo, DataProblem
from sumlearn.product.repeats import identity_of


def made(n, seed, levels=0):
    """Rows of numbers, or of few levels: those repeat themselves."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, levels, (n, 2)).astype(str) if levels else rng.normal(size=(n, 2))
    y = np.where(rng.random(n) < 0.5, "no", "yes")
    return pa.table({"a": x[:, 0], "b": x[:, 1], "y": y})


def trained(table, **more):
    return train(table, "y", models="lda", cv="2", **more).model


@pytest.fixture(scope="module")
def model():
    return trained(made(60, 0))


@pytest.fixture(scope="module")
def unhashed():
    return trained(OpenedTable(made(60, 0), "t", "", "digest0"), row_hashes=False)


def test_rows_that_are_held_are_refused(model):
    some = pa.concat_tables([made(60, 0).slice(5, 3), made(20, 1)])
    with pytest.raises(DataProblem, match="3 of these 23 rows are in the model already.*--again"):
        model.update(some)
    again = model.update(some, again=True)
    assert again.facts["rows"] == again.model.statistic_.rows == 83
    assert again.facts["history"][-1]["held"] == 3
    assert again.forget(made(60, 0).slice(5, 3)).forget(made(60, 0)).facts["rows"] == 20


def test_rows_that_were_forgotten_may_come_again(model):
    more = made(20, 1)
    with pytest.raises(DataProblem, match="20 of these 20"):
        model.update(more).update(more)
    assert model.update(more).forget(more).update(more).facts["rows"] == 80


def test_a_score_is_that_of_rows_it_has_not_learnt(model):
    """Half the rows were learnt: the score is that of the other half alone."""
    new = made(40, 2)
    both = pa.concat_tables([made(60, 0).slice(0, 40), new])
    line = model.update(both, again=True).facts["history"][-1]
    assert line["score"] == model.update(new).facts["history"][-1]["score"]
    assert "score" not in model.update(made(60, 0), again=True).facts["history"][-1]


@pytest.mark.parametrize("n", [8, 40, 400])
def test_tables_that_repeat_themselves(n):
    """New rows of a table of few levels are held by chance: said, not refused; the same file twice is refused."""
    model = trained(OpenedTable(made(300, 0, levels=5), "t", "", "digest0"))
    line = model.update(made(n, 1, levels=5)).facts["history"][-1]
    assert line["held"] > n / 2
    with pytest.raises(DataProblem, match="this very file"):
        model.update(OpenedTable(made(300, 0, levels=5), "t", "", "digest0"))


def test_chance_does_not_explain_a_table_that_is_held():
    """Some repeats do not explain that all is held; neither does writing every row twice."""
    table = pa.concat_tables([made(60, 0), made(60, 0).slice(0, 6)])
    model = trained(table)
    with pytest.raises(DataProblem, match="66 of these 66"):
        model.update(table)
    new = pa.concat_tables([made(60, 0), made(60, 0)])
    with pytest.raises(DataProblem, match="120 of these 120"):
        model.update(new)


def test_without_hashes_files_are_compared(unhashed):
    table = OpenedTable(made(60, 0), "t", "", "digest0")
    with pytest.raises(DataProblem, match="this very file"):
        unhashed.update(table)
    assert unhashed.update(table, again=True).facts["history"][-1]["held"] is None
    assert unhashed.update(made(60, 0)).facts["history"][-1]["held"] is None  # nothing tells
    fresh = OpenedTable(made(20, 1), "t", "", "digest1")
    assert unhashed.update(fresh).forget(fresh).update(fresh).facts["rows"] == 80
    with pytest.raises(DataProblem, match="this very file"):
        unhashed.update(fresh).update(fresh)


# -- merging ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["model", "unhashed"])
def test_a_model_and_its_copy_are_never_merged(kind, request):
    model = request.getfixturevalue(kind)
    for other in (model, copy.deepcopy(model)):
        for again in (False, True):
            with pytest.raises(CannotDo, match="one and the same"):
                model.merge(other, again=again)
    changed = model.update(made(20, 1))
    with pytest.raises(CannotDo, match="one and the same"):
        changed.merge(changed.forget(made(20, 1).slice(0, 5)), again=True)


def test_versions_of_a_model(model, unhashed):
    a, b = model.update(made(20, 1)), model.update(made(20, 2))
    with pytest.raises(DataProblem, match="60 rows are in both models.*--again"):
        a.merge(b)
    assert a.merge(b, again=True).facts["rows"] == 160
    apart = a.merge(b.forget(made(60, 0)))  # the hashes tell that nothing is held twice
    assert (apart.facts["rows"], apart.facts["history"][-1]["held"]) == (100, 0)
    a, b = unhashed.update(made(20, 1)), unhashed.update(made(20, 2))
    with pytest.raises(DataProblem, match="trainings in common, and no hashes"):
        a.merge(b)
    assert a.merge(b, again=True).facts["rows"] == 160


def test_merging_one_after_the_other(model):
    other = trained(made(40, 3))
    both = model.merge(other)
    assert both.facts["history"][-1]["held"] is None  # other salts
    for twice in (other, model):
        with pytest.raises(DataProblem, match="rows are in both models"):
            both.merge(twice)


def test_two_trainings_on_one_file():
    a, b = (trained(OpenedTable(made(60, 0), "t", "", "digest0")) for _ in range(2))
    assert identity_of(a) != identity_of(b)
    with pytest.raises(DataProblem, match="learnt the same file"):
        a.merge(b)
    assert a.merge(b, again=True).facts["rows"] == 120


def test_rows_that_decayed_are_not_forgotten(model, tmp_path):
    faded = copy.deepcopy(model)
    faded.model.decay(0.5)
    save(faded, tmp_path / "faded.skops")
    other = trained(made(20, 1))
    for decayed in (faded, load(tmp_path / "faded.skops"), faded.update(made(20, 2)), other.merge(faded)):
        with pytest.raises(CannotDo, match="the rows decayed since they were learnt"):
            decayed.forget(made(60, 0).slice(0, 5))
