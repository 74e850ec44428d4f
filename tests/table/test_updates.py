"""Updated, merged and unlearnt models are those of a new fit, also where the tables have different levels."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import sumlearn as sl
from sumlearn import TableModel

from tests.table.tables import mixed_table, pairs, together, without

LEARNERS = {
    "least squares": (sl.LinearRegression(), "y"),
    "ridge": (sl.Ridge(alpha=0.7), "y"),
    "linear discriminant": (sl.LinearDiscriminantAnalysis(), "kind"),
    "linear discriminant, full sums": (sl.LinearDiscriminantAnalysis("lsqr", priors=[0.2, 0.3, 0.5]), "kind"),
    "quadratic discriminant": (sl.QuadraticDiscriminantAnalysis(reg_param=0.1), "kind"),
    "naive Bayes": (sl.GaussianNB(var_smoothing=0.01), "kind"),
    "least-squares classifier": (sl.LeastSquaresClassifier(0.5), "kind"),
    "Fisher": (sl.FisherDiscriminant(), "kind"),
}
each_learner = pytest.mark.parametrize("name", LEARNERS)


def outputs(model, frame):
    if hasattr(model, "predict_proba"):
        return model.predict_proba(frame)
    return model.decision_function(frame) if hasattr(model, "decision_function") else model.predict(frame)


def assert_same(model, expected, frame, tolerance=1e-9):
    assert model.feature_names_out_ == expected.feature_names_out_
    found, wanted = outputs(model, frame), outputs(expected, frame)
    size = np.abs(wanted[np.isfinite(wanted)]).max()
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * size)
    if hasattr(expected.learner_, "coef_"):
        scale = np.abs(expected.learner_.coef_).max()
        np.testing.assert_allclose(model.learner_.coef_, expected.learner_.coef_, rtol=0, atol=tolerance * scale)
    assert [note[:3] for note in model.report_] == [note[:3] for note in expected.report_]


@pytest.mark.thinned(2)
@each_learner
@pytest.mark.filterwarnings("ignore::sumlearn.IllConditionedWarning")
@settings(max_examples=3)
@given(tables=pairs(), rare=st.sampled_from([1, 5, 0.1]), scale=st.booleans())
def test_update_forget_and_merge_are_a_new_fit(name, tables, rare, scale):
    learner, target = LEARNERS[name]
    first, second = (without(table, target) for table in tables)
    if target == "kind" and set(first.kind) != {"cheap", "dear", "fair"}:
        return
    plain = TableModel(learner, rare=rare, scale=scale)
    whole = together(first, second)
    try:
        everything = clone(plain).fit(whole, target)
        alone = clone(plain).fit(first, target)
    except ValueError as error:
        assert "1 sample" in str(error)  # a class with one row has no covariance
        return
    updated = clone(plain).fit(first, target).partial_fit(second, target)
    assert_same(updated, everything, whole)
    other = clone(plain).partial_fit(second, target)
    assert_same(alone + other, everything, whole)
    assert_same(other + alone, everything, whole)
    assert_same((alone + other) - other, alone, first)
    assert_same(updated.forget(second, target), alone, first)
    assert updated.statistic_.parts == alone.statistic_.parts


@each_learner
def test_decayed_rows_are_rows_of_less_weight(name):
    learner, target = LEARNERS[name]
    old, new = mixed_table(90, 1).drop(columns="rooms"), mixed_table(70, 2, ("Rome", "Lima")).drop(columns="rooms")
    old, new = without(old, target), without(new, target)
    plain = TableModel(learner, rare=3)
    model = clone(plain).fit(old, target).decay(0.5).partial_fit(new, target)
    weight = np.repeat([0.5, 1.0], [len(old), len(new)])
    assert_same(model, clone(plain).fit(together(old, new), target, weight), together(old, new))


def test_many_chunks_with_levels_of_their_own():
    """20,000 rows are several chunks; the last rows bring levels that the first do not have."""
    frame = without(mixed_table(20_000, 3), "y")
    frame.loc[15_000:, "city"] = "Lima"
    model = TableModel(sl.Ridge()).fit(frame, "y")
    parts = [TableModel(sl.Ridge()).fit(frame[i : i + 3000], "y") for i in range(0, 20_000, 3000)]
    assert_same(sum(parts), model, frame)
    assert "city=Rome" in model.feature_names_out_


def test_rows_without_weight_bring_no_level():
    frame = without(mixed_table(60, 4), "y")
    more = without(mixed_table(10, 5, ("Nowhere",)), "y")
    model = TableModel(rare=1).fit(together(frame, more), "y", np.repeat([1.0, 0.0], [60, 10]))
    assert_same(model, TableModel(rare=1).fit(frame, "y"), frame)
    assert ("city", "=Nowhere") not in model.statistic_.parts


def test_a_category_that_grows_beyond_the_limit_is_left_out_in_any_order():
    def table(start):
        rng = np.random.default_rng(start)
        codes = [f"c{start + i % 30}" for i in range(90)]
        return pd.DataFrame({"code": codes, "x": rng.random(90), "y": rng.random(90)})

    a, b, c = (TableModel(max_levels=50, rare=1).fit(table(start), "y") for start in (0, 30, 60))
    whole = TableModel(max_levels=50, rare=1).fit(together(table(0), table(30), table(60)), "y")
    for model in ((a + b) + c, a + (b + c), (c + a) + b):
        assert model.feature_names_out_ == whole.feature_names_out_ == ["x"]
        np.testing.assert_allclose(model.learner_.coef_, whole.learner_.coef_, rtol=1e-12)
        assert [note.column for note in model.report_] == ["code"]
    assert len(a.feature_names_out_) == 30


def test_an_empty_column_may_be_filled_later():
    first = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "late": np.nan, "word": None, "y": [1.0, 2.0, 4.0, 4.0]})
    second = pd.DataFrame(
        {
            "x": [2.0, 0.0, 5.0, 1.0],
            "late": [7.0, np.nan, 9.0, 4.0],
            "word": ["a", "b", "a", None],
            "y": [0.0, 1.0, 3.0, 2.0],
        }
    )
    plain = TableModel(sl.Ridge(), rare=1)
    whole = clone(plain).fit(together(first, second), "y")
    assert "late" in whole.feature_names_out_ and "word=b" in whole.feature_names_out_
    assert_same(clone(plain).fit(first, "y").partial_fit(second, "y"), whole, second)
    assert_same(clone(plain).fit(second, "y") + clone(plain).fit(first, "y"), whole, second)


def test_what_was_never_learnt_cannot_be_forgotten():
    frame = without(mixed_table(60, 6), "y")
    model = TableModel().fit(frame, "y")
    before = model.predict(frame)
    with pytest.raises(ValueError, match="'Nowhere' in column 'city'"):
        model.forget(without(mixed_table(5, 7, ("Nowhere",), missing=0.0), "y"), "y")
    with pytest.raises(ValueError, match="cannot remove"):
        model.forget(together(frame, frame), "y")
    np.testing.assert_array_equal(model.predict(frame), before)


def test_tables_that_do_not_fit_together_are_refused():
    frame = without(mixed_table(60, 8), "y")
    model = TableModel().fit(frame, "y")
    other = TableModel().fit(frame.assign(rooms=frame.rooms.astype(str)), "y")
    with pytest.raises(ValueError, match="'rooms' holds numbers on one side and categories on the other"):
        _ = model + other
    with pytest.raises(ValueError, match="differ in their columns"):
        _ = model + TableModel().fit(frame.rename(columns={"rooms": "doors"}), "y")
    with pytest.raises(ValueError, match="learner"):
        _ = model + TableModel(sl.Ridge(2.0)).fit(frame, "y")


def test_parameters_may_change_after_the_fit():
    frame = without(mixed_table(200, 9), "y")
    model = TableModel(sl.Ridge(1.0)).fit(frame, "y")
    for change in ({"learner__alpha": 50.0}, {"rare": 1}, {"scale": False}):
        model.set_params(**change)
        assert_same(model, clone(model).fit(frame, "y"), frame)


def test_restrict_is_a_fit_on_those_columns():
    frame = without(mixed_table(150, 10), "y")
    model = TableModel(sl.Ridge()).fit(frame, "y").restrict(["city", "size"])
    assert_same(model, TableModel(sl.Ridge()).fit(frame[["city", "size", "y"]], "y"), frame[["city", "size"]])


def test_hyperparameters_by_coded_column_are_not_read_as_others():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    given = sl.BayesianRegression(prior_mean=[1.0, 0.0, 0.0], prior_precision=np.diag([9.0, 1.0, 1.0]))
    with pytest.raises(ValueError, match="for each of the 3 features that the table was coded as"):
        TableModel(given).fit(frame, frame.a).restrict(["a", "b"])
    TableModel(sl.BayesianRegression()).fit(frame, frame.a + frame.b).restrict(["a", "b"])



def test_the_learner_inside_knows_that_rows_went_by_weight():
    """How many rows are left cannot be told then: 30 rows came out as 15."""
    table = mixed_table(30, 1)
    y, model = np.arange(30.0) % 7, TableModel(sl.LinearRegression(), rare=1)
    model.fit(table, y, np.full(30, 2.0))
    assert model.learner_.inference("precision").weight == 30
    for _ in range(3):
        model.forget(table[:5], y[:5], np.full(5, 0.5))
    with pytest.raises(ValueError, match="forgotten by weight"):
        model.learner_.inference("precision")
    assert model.learner_.inference().weight == pytest.approx(52.5)
