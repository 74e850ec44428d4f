"""Cross-validation of files and Dask collections: the scores of the same rows in memory."""

import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit, TimeSeriesSplit

from sumlearn import (
    PCA,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LinearRegression,
    QuadraticDiscriminantAnalysis,
    Ridge,
    RidgeCV,
    cross_validate,
)
from sumlearn.data.files import FileSource
from sumlearn.data.stream import between
from sumlearn.evaluation.resampling import held_out

from tests.agreement.problems import regression

N = 9001  # several chunks, and no multiple of anything
X, Y = regression(N, 3)
LABEL = np.array(["low", "mid", "top"])[np.digitize(Y, np.quantile(Y, [0.3, 0.7]))]
RNG = np.random.default_rng(5)
WEIGHT = RNG.integers(0, 4, N) / 2.0
GROUP = RNG.integers(0, 7, N)
FRAME = pd.DataFrame(X, columns=["a", "b", "c"]).assign(number=Y, label=LABEL, weight=WEIGHT, group=GROUP)
TARGET = {LinearRegression: "number", Ridge: "number", PCA: None}


def table(*names):
    return FRAME[["a", "b", *names, "c"]]


def csv(frame, path):
    frame.to_csv(path / "rows.csv", index=False)
    return str(path / "rows.csv")


def parquet_files(frame, path):
    """Three files of unequal length."""
    for number, (start, stop) in enumerate([(0, 10), (10, 6000), (6000, len(frame))]):
        frame.iloc[start:stop].to_parquet(path / f"{number}.parquet")
    return str(path / "*.parquet")


def dask_frame(frame, path):
    dd = pytest.importorskip("dask.dataframe")
    parts = [frame.iloc[:100], frame.iloc[100:100], frame.iloc[100:5000], frame.iloc[5000:]]
    return dd.from_map(lambda part: part, parts, meta=frame.iloc[:0])


each_stream = pytest.mark.parametrize("stream", [csv, parquet_files, dask_frame], ids=lambda f: f.__name__)
SPLITTERS = {
    "KFold": KFold(4),
    "shuffled": KFold(3, shuffle=True, random_state=0),
    "number": 5,
    "repeated": RepeatedKFold(n_splits=2, n_repeats=2, random_state=0),
    "ShuffleSplit": ShuffleSplit(2, test_size=0.1, train_size=0.3, random_state=0),
    "TimeSeriesSplit": TimeSeriesSplit(3, gap=7),
    "drawn twice": [(RNG.integers(0, 500, 800), RNG.integers(400, N, 300)), (np.arange(50), np.arange(60, 90))],
}


def assert_same(found, expected):
    for key in expected:
        if key.startswith(("test_", "train_")):
            assert found[key] == pytest.approx(expected[key], rel=1e-9, abs=1e-12), key


@pytest.mark.thinned(3)
@each_stream
@pytest.mark.parametrize("splitter", SPLITTERS)
def test_every_splitter(tmp_path, stream, splitter):
    frame = table("number")
    options = {"cv": SPLITTERS[splitter], "scoring": ["r2", "neg_mean_absolute_error"], "return_train_score": True}
    expected = cross_validate(Ridge(5.0), frame, "number", **options)
    assert_same(cross_validate(Ridge(5.0), stream(frame, tmp_path), "number", **options), expected)


@each_stream
@pytest.mark.parametrize(
    ("learner", "scoring"),
    [
        (GaussianNB(), ["accuracy", "neg_log_loss", "roc_auc_ovr"]),
        (LinearDiscriminantAnalysis(), None),
        (QuadraticDiscriminantAnalysis(reg_param=0.3), "balanced_accuracy"),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.thinned(3)
def test_classifiers(tmp_path, stream, learner, scoring):
    """Stratified folds: the labels of all rows are known before the rows are read."""
    frame = table("label")
    expected = cross_validate(learner, frame, "label", scoring=scoring)
    assert_same(cross_validate(learner, stream(frame, tmp_path), "label", scoring=scoring), expected)


@each_stream
def test_a_learner_without_a_target(tmp_path, stream):
    expected = cross_validate(PCA(2), table(), cv=3)
    assert_same(cross_validate(PCA(2), stream(table(), tmp_path), cv=3), expected)


@each_stream
@pytest.mark.parametrize("scoring", ["r2", "neg_mean_absolute_error"])
def test_weights(tmp_path, stream, scoring):
    frame = table("number")
    expected = cross_validate(Ridge(), frame, "number", cv=3, scoring=scoring, sample_weight=WEIGHT)
    given = stream(table("number", "weight"), tmp_path)
    weight = "weight"
    if stream is dask_frame:
        weight, given = given["weight"], given.drop(columns="weight")
    assert_same(cross_validate(Ridge(), given, "number", cv=3, scoring=scoring, sample_weight=weight), expected)


@each_stream
@pytest.mark.parametrize("name", ["group", "label"])
def test_groups_may_name_a_column(tmp_path, stream, name):
    """Numbers or text; the column is no feature."""
    plain = cross_validate(
        LinearRegression(), table("number"), "number", groups=FRAME[name], cv=GroupKFold(3), return_estimator=True
    )
    frame = table("number", name)
    for given in (frame, stream(frame, tmp_path)):
        found = cross_validate(
            LinearRegression(), given, "number", groups=name, cv=GroupKFold(3), return_estimator=True
        )
        assert_same(found, plain)
        assert found["estimator"][0].feature_names_in_.tolist() == ["a", "b", "c"]
        assert found["estimator"][0].coef_ == pytest.approx(plain["estimator"][0].coef_, rel=1e-9)


def test_dask_arrays():
    da = pytest.importorskip("dask.array")
    given = da.from_array(X, chunks=(4096, 2)), da.from_array(Y, chunks=4096)
    groups = da.from_array(GROUP, chunks=1000)
    options = {"cv": GroupKFold(3), "scoring": ["r2", "neg_max_error"]}
    expected = cross_validate(LinearRegression(), X, Y, groups=GROUP, **options)
    assert_same(cross_validate(LinearRegression(), *given, groups=groups, **options), expected)


def test_several_targets_of_a_dask_array():
    da = pytest.importorskip("dask.array")
    targets = np.column_stack([Y, X[:, 0] + 0.1 * Y])
    given = da.from_array(X, chunks=(3000, 3)), da.from_array(targets, chunks=(3000, 2))
    options = {"cv": 3, "scoring": ["r2", "neg_mean_absolute_error"]}
    expected = cross_validate(LinearRegression(), X, targets, **options)
    assert_same(cross_validate(LinearRegression(), *given, **options), expected)


@each_stream
@pytest.mark.parametrize(
    "options",
    [
        {"cv": 3},
        {"cv": KFold(4, shuffle=True, random_state=1), "scoring": "neg_median_absolute_error"},
        {"cv": ShuffleSplit(2, random_state=0), "scoring": "neg_mean_squared_error"},
        {},
    ],
)
def test_ridge_cv(tmp_path, stream, options):
    frame = table("number")
    alphas = np.logspace(-2, 5, 8)
    expected = RidgeCV(alphas, **options).fit(frame, "number")
    found = RidgeCV(alphas, **options).fit(stream(frame, tmp_path), "number")
    assert found.alpha_ == expected.alpha_
    assert found.best_score_ == pytest.approx(expected.best_score_, rel=1e-9)
    assert found.coef_ == pytest.approx(expected.coef_, rel=1e-9)


def test_ridge_cv_keeps_the_errors_of_a_file(tmp_path):
    frame = table("number", "weight")
    expected = RidgeCV(store_cv_results=True).fit(table("number"), "number", WEIGHT)
    found = RidgeCV(store_cv_results=True).fit(csv(frame, tmp_path), "number", "weight")
    assert found.cv_results_ == pytest.approx(expected.cv_results_, rel=1e-8, abs=1e-10)


def test_nearly_exact_fits_read_the_rows(tmp_path):
    frame = table("number").assign(number=X @ [1.0, -2.0, 0.5] + 1e-6 * Y)
    options = {"cv": 3, "scoring": "neg_mean_squared_error"}
    expected = cross_validate(LinearRegression(), frame, "number", **options)["test_score"]
    found = cross_validate(LinearRegression(), csv(frame, tmp_path), "number", **options)["test_score"]
    assert found == pytest.approx(expected, rel=1e-6)


def test_leave_one_out_of_a_file(tmp_path):
    frame = table("label").iloc[:60]
    expected = cross_validate(GaussianNB(), frame, "label", cv=LeaveOneOut())
    assert_same(cross_validate(GaussianNB(), csv(frame, tmp_path), "label", cv=LeaveOneOut()), expected)


@pytest.mark.parametrize(("room", "reads"), [(2**28, 1), (2 * (N // 4 + 1) * 24, 2), (1, 4)])
def test_as_many_folds_are_gathered_as_there_is_room(tmp_path, monkeypatch, room, reads):
    seen = []
    gather = FileSource.gather
    monkeypatch.setattr(held_out, "AT_A_TIME", room)
    monkeypatch.setattr(FileSource, "gather", lambda self, sets: seen.append(len(sets)) or gather(self, sets))
    frame = table("number")
    options = {"cv": 4, "scoring": "neg_mean_absolute_error"}
    found = cross_validate(Ridge(), csv(frame, tmp_path), "number", **options)
    assert len(seen) == reads and sum(seen) == 4
    assert_same(found, cross_validate(Ridge(), frame, "number", **options))


def test_sums_need_no_second_read(tmp_path, monkeypatch):
    monkeypatch.setattr(FileSource, "gather", None)
    reads = []
    cut = FileSource.cut
    monkeypatch.setattr(FileSource, "cut", lambda self, *given: reads.append(list(given[1])) or cut(self, *given))
    cross_validate(Ridge(), csv(table("number"), tmp_path), "number", cv=10)
    assert reads == [["number"], ["a", "b", "c", "number"]]


# -- what is refused --------------------------------------------------------------------------------------------------


def test_a_bad_value_is_named(tmp_path):
    frame = table("number").copy()
    frame.loc[7000, "b"] = np.nan
    with pytest.raises(ValueError, match=r"NaN: first at row 7000 of '.*rows.csv', line 7002, column 'b'"):
        cross_validate(Ridge(), csv(frame, tmp_path), "number", cv=KFold(3, shuffle=True, random_state=0))
    pytest.importorskip("dask")
    with pytest.raises(ValueError, match=r"NaN: first at row 2000 of block 3, column 'b'"):
        cross_validate(Ridge(), dask_frame(frame, tmp_path), "number", cv=3)


def test_a_bad_label_is_named(tmp_path):
    frame = table("label").assign(label=LABEL.astype(object))
    frame.loc[8, "label"] = None
    with pytest.raises(ValueError, match=r"y contains NaN: first at row 8 of '.*', line 10"):
        cross_validate(GaussianNB(), csv(frame, tmp_path), "label", cv=3)
    pytest.importorskip("dask")
    with pytest.raises(ValueError, match=r"y contains NaN or infinity: first at row 8 of block 0"):
        cross_validate(GaussianNB(), dask_frame(frame, tmp_path), "label", cv=3)


def test_a_foreign_estimator_needs_its_rows_in_memory(tmp_path):
    with pytest.raises(ValueError, match="X names files: one-pass learners are .*, Lasso is not; load the table"):
        cross_validate(sklearn.linear_model.Lasso(), csv(table("number"), tmp_path), "number")


def test_a_group_that_is_no_column(tmp_path):
    with pytest.raises(ValueError, match="no column 'grp'"):
        cross_validate(Ridge(), csv(table("number", "group"), tmp_path), "number", groups="grp", cv=GroupKFold(2))
    frame = table("number", "label").assign(label=LABEL.astype(object))
    frame.loc[8, "label"] = None
    with pytest.raises(ValueError, match=r"Input groups contains NaN: first at row 8 of '.*', line 10"):
        cross_validate(Ridge(), csv(frame, tmp_path), "number", groups="label", cv=GroupKFold(2))
    with pytest.raises(ValueError, match="groups = 'grp' names a column, so X must be a data frame"):
        cross_validate(Ridge(), X, Y, groups="grp", cv=GroupKFold(2))


def test_an_empty_split_is_refused():
    with pytest.raises(ValueError, match="split 1 of cv has 3 rows to train on and 0 to test on"):
        cross_validate(Ridge(), X, Y, cv=[(np.arange(4), np.arange(4, 9)), (np.arange(3), np.arange(0))])


def test_rows_between():
    found = between([(3, np.array([0, 2, 2, 5])), (1, np.array([7])), (0, np.array([4]))], 2, 5)
    assert [(pattern, rows.tolist()) for pattern, rows in found] == [(3, [0, 0]), (0, [2])]
