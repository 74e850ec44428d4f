"""Bad input: an error that names the argument, the column and the row, and a model that stays as it was."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse

import sumlearn as sl
from sumlearn import TableModel

from tests.table.tables import mixed_table, without


@pytest.fixture(scope="module")
def frame():
    return without(mixed_table(100, 40), "y")


@pytest.fixture
def model(frame):
    return TableModel().fit(frame, "y")


def with_cell(frame, column, row, value):
    values = [value if i == row else v for i, v in enumerate(frame[column])]
    return frame.astype({column: object}).assign(**{column: values})


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_is_named(frame, model, value):
    bad = frame.copy()
    bad.loc[17, "size"] = value
    for call in (lambda: TableModel().fit(bad, "y"), lambda: model.partial_fit(bad, "y"), lambda: model.predict(bad)):
        with pytest.raises(ValueError, match=r"(row 17.*'size'|'size'.*row 17)"):
            call()


def test_text_among_numbers_is_named(frame, model):
    bad = with_cell(frame, "rooms", 23, "many")
    before = model.predict(frame)
    for call in (lambda: model.predict(bad), lambda: model.partial_fit(bad, "y"), lambda: model.forget(bad, "y")):
        with pytest.raises(ValueError, match="column 'rooms', row 23.*'many' is text"):
            call()
    np.testing.assert_array_equal(model.predict(frame), before)


def test_numbers_among_dates_are_named(frame, model):
    with pytest.raises(ValueError, match="column 'when', row 0"):
        model.predict(frame.assign(when="last week"))


@pytest.mark.parametrize("target", ["y", "kind"])
def test_a_missing_target_is_named(target):
    frame = without(mixed_table(50, 41), target)
    frame.loc[31, target] = None
    learner = sl.Ridge() if target == "y" else sl.LinearDiscriminantAnalysis()
    with pytest.raises(ValueError, match="y contains NaN: first at row 31"):
        TableModel(learner).fit(frame, target)
    with pytest.raises(ValueError, match="Input y contains NaN: first at row 31"):
        TableModel(learner).fit(frame.drop(columns=target), frame[target].to_numpy())


def test_wrong_names_get_the_nearest(frame, model):
    with pytest.raises(ValueError, match="no column 'yy'.*did you mean 'y'"):
        TableModel().fit(frame, "yy")
    with pytest.raises(ValueError, match="no column 'sizes' for drop.*'size'"):
        TableModel(drop=["sizes"]).fit(frame, "y")
    with pytest.raises(ValueError, match="no column 'size', which the model needs.*'sise'"):
        model.predict(frame.rename(columns={"size": "sise"}))
    with pytest.raises(ValueError, match="column 'extra' that was not there"):
        model.predict(frame.assign(extra=1.0))


def test_unknown_levels_can_be_refused(frame):
    model = TableModel(handle_unknown="error").fit(frame, "y")
    model.predict(frame)
    with pytest.raises(ValueError, match="column 'city', row 3: 'Atlantis' was not among the levels"):
        model.predict(with_cell(frame, "city", 3, "Atlantis"))


@pytest.mark.parametrize(
    "parameters",
    [{"rare": -1}, {"rare": "few"}, {"max_levels": 0}, {"max_levels": 2.5}, {"handle_unknown": "skip"}],
)
def test_bad_parameters_are_named(frame, parameters):
    with pytest.raises(ValueError, match=rf"^{next(iter(parameters))} must be .*got "):
        TableModel(**parameters).fit(frame, "y")


def test_what_is_no_table_or_no_learner(frame):
    with pytest.raises(TypeError, match="learner must be a classifier or a regressor"):
        TableModel("ridge").fit(frame, "y")
    with pytest.raises(TypeError, match="[Ss]parse"):
        TableModel().fit(sparse.eye(5).tocsr(), np.arange(5.0))
    with pytest.raises(ValueError, match="2D"):
        TableModel().fit(np.arange(5.0), np.arange(5.0))
    with pytest.raises(ValueError, match="dim 3"):
        TableModel().fit(np.zeros((5, 2, 2)), np.arange(5.0))
    with pytest.raises(ValueError, match="could not convert string"):
        TableModel().fit(frame, "y", ["1"] * 100)
    with pytest.raises(ValueError, match="X has 100 rows, sample_weight has 99"):
        TableModel().fit(frame, "y", np.ones(99))
    assert not hasattr(TableModel(), "keep_ledger")
    with pytest.raises(ValueError, match="requires y"):
        TableModel().fit(frame)
    with pytest.raises(ValueError, match="column 'size' stands more than once in X: rename or drop one of them"):
        TableModel().fit(pd.concat([frame, frame], axis=1), np.arange(100.0))


def test_dask_is_learnt_from_and_not_asked(frame):
    dask = pytest.importorskip("dask.dataframe")
    blocks = dask.from_pandas(frame, npartitions=2)
    model = TableModel().fit(blocks, "y")
    np.testing.assert_allclose(model.predict(frame), TableModel().fit(frame, "y").predict(frame), rtol=1e-9)
    with pytest.raises(TypeError, match="a Dask collection is not read as a table .*write it to Parquet"):
        model.predict(blocks)


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_bad_weights_are_named(frame, weight):
    weights = np.ones(100)
    weights[5] = weight
    with pytest.raises(ValueError, match="sample_weight.*row 5"):
        TableModel().fit(frame, "y", weights)


def test_a_bad_file_is_named(tmp_path, frame):
    frame.to_csv(tmp_path / "a.csv", index=False)
    model = TableModel().fit(tmp_path / "a.csv", "y")
    with_cell(frame, "rooms", 12, "many").to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(ValueError, match=r"b.csv.*(rooms|many)|rooms.*b.csv"):
        model.partial_fit(tmp_path / "b.csv", "y")
    with pytest.raises(ValueError, match=r"b.csv.*(rooms|many)|rooms.*b.csv"):
        model.predict(tmp_path / "b.csv")
