"""A model's schema rules how tables are read, whatever else stands in a file; labels that differ as text stay apart."""

import json
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import sumlearn as sl
from sumlearn.product import read_table, train
from sumlearn.product.catalogue import named_candidates
from sumlearn.product.problems import CannotDo, DataProblem
from sumlearn.product.trained import TrainedModel
from sumlearn.product.unseen_levels import UnseenLevelsWarning
from sumlearn.report.fresh import report_on

from tests.cli.conftest import run  # noqa: F401  a fixture

HEADER = "zip,smoker,size,y,label\n"
ZIP, SMOKER = ["01234", "02345", "D-10115"], ["true", "false", "unknown"]


def lines(n=90):
    """Levels that would be numbers and truth values without the last of each."""
    rng = np.random.default_rng(0)
    for i in range(n):
        place, smokes = i % 3, (i // 3) % 3
        y = 10 * (place == 0) + 5 * (smokes == 0) + rng.normal()
        yield f"{ZIP[place]},{SMOKER[smokes]},{rng.normal():.4f},{y:.4f},{['01', '02', 'x'][place]}\n"


def written(path, rows, header=HEADER):
    path.write_text(header + "".join(rows))
    return str(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("reading")
    written(path / "all.csv", lines())
    written(path / "few.csv", [line for line in lines() if "D-" not in line and "unknown" not in line])
    return path


@pytest.fixture(scope="module")
def regression(folder):
    model = train(str(folder / "all.csv"), "y", models="ridge", cv=2, drop=["label"]).model
    sl.save(model, folder / "r.skops")
    return sl.load(folder / "r.skops")


@pytest.fixture(scope="module")
def classifier(folder):
    return train(str(folder / "all.csv"), "label", models="lda", cv=2, drop=["zip"]).model


def test_a_row_has_the_same_answer_alone_and_among_others(regression, folder, tmp_path):
    rows = [line for line in lines() if line.startswith("01234,true")]
    expected = regression.predict(folder / "all.csv")[[i for i, line in enumerate(lines()) if line in rows]]
    alone = written(tmp_path / "alone.csv", rows)
    for given in (alone, read_table(alone)):
        np.testing.assert_array_equal(regression.predict(given), expected)
    np.testing.assert_array_equal(regression.model.predict(pd.read_csv(alone, dtype={"zip": str, "smoker": str})[
        ["zip", "smoker", "size"]]), expected)  # fmt: skip


OTHERS = {
    "y": "tree,model_tree,forest,boosting,neighbours,rbf_svr,kernel_ridge,kernel,rbf,local,unified,network,stack",
    "label": "tree,shallow_tree,rules,forest,boosting,adaboost,naive_bayes,mixed_bayes,neighbours,svm,rbf_svm,rbf,"
    "import_vectors,mixture,extreme,network,stack",
}


@pytest.mark.filterwarnings("ignore::sumlearn.statistics.warnings.IllConditionedWarning")
@pytest.mark.parametrize(("target", "name"), [(t, name) for t, names in OTHERS.items() for name in names.split(",")])
def test_any_kind_of_model_knows_a_row_by_itself(request, folder, tmp_path, target, name):
    known = request.getfixturevalue("regression" if target == "y" else "classifier")
    (candidate,) = named_candidates(name, known.facts["task"])
    fitted = candidate.estimator(drop=["label" if target == "y" else "y"]).fit(folder / "all.csv", target)
    facts = known.facts | {"columns": ["zip", "smoker", "size"]}
    sl.save(TrainedModel(fitted, None, facts), tmp_path / "m.skops")
    model, rows = sl.load(tmp_path / "m.skops"), list(lines())
    among = model.predict(folder / "all.csv")
    assert len(np.unique(among)) > 2
    for i in (0, 4, 85):
        alone = model.predict(written(tmp_path / "alone.csv", [rows[i]]))
        np.testing.assert_array_equal(alone, among[[i]]) if target == "label" else np.testing.assert_allclose(
            alone, among[[i]], rtol=1e-9, atol=1e-9
        )


def test_update_and_forget_know_the_levels_again(regression, folder):
    few = str(folder / "few.csv")
    levels = {name: sorted(names) for name, names in regression.model.design_.level_names.items()}
    assert levels == {"smoker": sorted(SMOKER), "zip": ZIP}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        more = regression.update(few, again=True)
        less = regression.forget(few)
    assert {name: sorted(names) for name, names in more.model.design_.level_names.items()} == levels
    assert less.facts["rows"] == 90 - 40


def test_labels_are_read_as_the_model_knows_them(classifier, folder):
    assert classifier.facts["classes"] == ["01", "02", "x"]
    few = str(folder / "few.csv")
    assert classifier.update(few, again=True).facts["classes"] == ["01", "02", "x"]
    assert classifier.update(read_table(few), again=True).facts["classes"] == ["01", "02", "x"]
    assert classifier.forget(few).facts["rows"] == 50
    assert set(report_on(classifier, few).metrics["classes"]) == {"01", "02", "x"}


def test_a_frame_typed_otherwise_is_refused(regression, classifier, folder):
    frame = pd.read_csv(folder / "few.csv")
    with pytest.raises(
        ValueError, match="column 'zip' holds values of type Int64, where the model has text such as '01"
    ):
        regression.predict(frame)
    with pytest.raises(ValueError, match="column 'zip' holds"):
        regression.update(frame)
    with pytest.raises(ValueError, match="column 'smoker' holds values of type Boolean"):
        classifier.update(frame.assign(label="01"))
    with pytest.raises(
        ValueError, match="column 'label' holds numbers such as 1, where the model has text such as '01'"
    ):
        classifier.update(frame.assign(smoker="true"))


def test_a_typed_file_of_numbers_is_refused_where_the_model_has_text(tmp_path, folder):
    model = sl.TableModel(rare=1).fit(folder / "all.csv", "y")
    frame = pd.read_csv(folder / "few.csv", dtype={"label": str, "smoker": str})
    frame.to_parquet(tmp_path / "t.parquet")
    for call in (model.predict, lambda path: model.partial_fit(path, "y")):
        with pytest.raises(
            ValueError, match="column 'zip' holds number values in .*t.parquet', where the model has text"
        ):
            call(tmp_path / "t.parquet")


def test_text_in_another_encoding_is_the_same_text(tmp_path, folder):
    rows = [f"{'Zürich' if i % 2 else 'Rom'},true,{i},{i % 2},x\n" for i in range(40)]
    model = sl.TableModel(rare=1).fit(written(tmp_path / "u.csv", rows), "y")
    (tmp_path / "t.csv").write_bytes((HEADER + rows[1]).encode("latin-1"))
    with pytest.warns(UserWarning, match="t.csv' is not UTF-8: read as cp1252"):
        answer = model.predict(tmp_path / "t.csv")
    np.testing.assert_array_equal(answer, model.predict(written(tmp_path / "one.csv", rows[1:2])))


def test_numbers_that_became_levels_are_taken():
    """An integer is the level that it was at the fit."""
    codes = pd.Categorical(np.arange(60) % 3)
    frame = pd.DataFrame({"code": codes, "y": np.arange(60) % 3 * 2.0})
    model = sl.TableModel(sl.LinearRegression(), rare=1).fit(frame, "y")
    np.testing.assert_allclose(model.predict(pd.DataFrame({"code": [2, 0, 1]})), [4.0, 0.0, 2.0], atol=1e-9)
    model.partial_fit(pd.DataFrame({"code": [5, 5], "y": [9.0, 9.0]}), "y")
    assert model.design_.level_names["code"] == ["0", "1", "2", "5"]


def test_other_columns_of_a_file_cannot_be_wrong(regression, tmp_path):
    """What the model does not read may hold anything, the target too where nobody asks for it."""
    rows = [f"{ZIP[i % 3]},true,1.0,?,{'a' if i else 1}\n" for i in range(3)]
    assert len(regression.predict(written(tmp_path / "t.csv", rows))) == 3
    with pytest.raises(ValueError, match=r"t\.csv' cannot be read: column 'y': line 2: .*'\?'"):
        regression.update(str(tmp_path / "t.csv"))


def test_the_cell_that_is_no_number_is_named(regression, tmp_path):
    path = written(tmp_path / "t.csv", ["01234,true,1.5,1,x\n", "01234,true,2.5,1,x\n", "01234,true,many,1,x\n"])
    for call in (regression.predict, regression.update):
        with pytest.raises(ValueError, match=r"column 'size': line 4: .*'many'"):
            call(path)


def test_truth_values_are_true_or_false(tmp_path):
    frame = pd.DataFrame({"garden": np.arange(40) % 2 == 0, "y": np.arange(40) % 2 * 3.0})
    model = sl.TableModel(sl.LinearRegression()).fit(frame, "y")
    expected = model.predict(pd.DataFrame({"garden": [True, False]}))
    for text in ("true\nfalse\n", "1\n0\n", "TRUE\nFALSE\n"):
        np.testing.assert_array_equal(model.predict(written(tmp_path / "t.csv", [text], "garden\n")), expected)
    with pytest.raises(ValueError, match=r"column 'garden': line 3: .*'unknown'"):
        model.predict(written(tmp_path / "t.csv", ["true\nunknown\n"], "garden\n"))
    with pytest.raises(ValueError, match="column 'garden', row 1: 7, but the column holds true and false"):
        model.predict(pd.DataFrame({"garden": [1, 7]}))


def test_levels_never_seen_are_counted(regression, tmp_path):
    path = written(tmp_path / "t.csv", ["1234,true,1,1,x\n", "2345,true,1,1,x\n", "1234,no,1,1,x\n"])
    with pytest.warns(UnseenLevelsWarning) as caught:
        regression.predict(path)
    assert [str(w.message) for w in caught] == [
        "column 'zip' has levels never seen in 3 rows, they count as unknown: '1234', '2345'",
        "column 'smoker' has levels never seen in 1 row, they count as unknown: 'no'",
    ]
    with pytest.warns(UnseenLevelsWarning) as caught:
        regression.update(path)
    assert str(caught[1].message) == "column 'smoker' has levels never seen in 1 row, they are new to the model: 'no'"


@pytest.mark.parametrize("days", [["2024-01-01", "2024-02-03 10:30"], ["2024-01-01", "2024-02-03T10:30:00.250"]])
def test_dates_are_learnt_rows_again_without_the_times_of_others(tmp_path, days):
    rows = [f"{days[i % 2]},{i % 7},{i % 5 + i % 2}.5\n" for i in range(40)]
    model = train(written(tmp_path / "t.csv", rows, "day,a,y\n"), "y", models="ridge", cv=2).model
    assert model.facts["columns"] == ["day", "a"]
    for part in (rows[::2], rows[1::2]):
        assert model.forget(written(tmp_path / "part.csv", part, "day,a,y\n")).facts["rows"] == 20


def test_a_model_that_forgot_all_learns_again(regression, folder):
    empty = regression.forget(str(folder / "all.csv"))
    assert empty.facts["rows"] == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnseenLevelsWarning)
        again = empty.update(str(folder / "all.csv"))
    np.testing.assert_allclose(again.predict(folder / "few.csv"), regression.predict(folder / "few.csv"), atol=1e-9)


def test_a_report_counts_levels_never_seen(regression, tmp_path):
    path = written(tmp_path / "t.csv", [f"99{i % 2},true,{i},{i % 7},x\n" for i in range(30)])
    checks = report_on(regression, path).metrics["checks"]
    told = [check["text"] for check in checks if check["code"] == "unseen-levels"]
    assert told == ["column 'zip' has levels never seen in 30 rows, they count as unknown: '990', '991'"]


# -- labels -----------------------------------------------------------------------------------------------------------

APART = {
    "zeros": ["007", "7", "8"],
    "truth": ["true", "TRUE", "false", "FALSE"],
    "truth and numbers": ["true", "1", "false", "0"],
    "powers": ["1e1", "10", "3"],
    "a sign": ["+1", "1", "2"],
}


def labelled(path, labels, n=40):
    return written(path, [f"{i % 7},{i % 5},{labels[i % len(labels)]}\n" for i in range(n)], "a,b,y\n")


@pytest.mark.parametrize("labels", APART.values(), ids=APART)
def test_labels_that_differ_as_text_stay_apart(tmp_path, labels):
    path = labelled(tmp_path / "t.csv", labels)
    assert sl.GaussianNB().fit(path, "y").classes_.tolist() == sorted(labels)
    assert sl.TableModel(sl.GaussianNB()).fit(path, "y").classes_.tolist() == sorted(labels)
    for given in (path, read_table(path)):
        assert train(given, "y", models="naive_bayes", cv=2).model.facts["classes"] == sorted(labels)


@pytest.mark.parametrize("labels", [["1", "-2"], ["1.0", "0.0"], ["True", "False"], ["true", "false"], [" 3", " 4"]])
def test_labels_that_are_written_alike_are_numbers_and_truth_values(tmp_path, labels):
    path = labelled(tmp_path / "t.csv", labels)
    for model in (sl.GaussianNB(), sl.TableModel(sl.GaussianNB())):
        found = model.fit(path, "y").classes_.tolist()
        assert found == sorted(float(x) if x[0] not in "tTfF" else x[0] in "tT" for x in labels)
        assert model.partial_fit(path, "y").classes_.tolist() == found


def test_a_label_further_down_is_refused_by_its_line(tmp_path, monkeypatch):
    from sumlearn.data.readers.text import TextReader

    monkeypatch.setattr(TextReader, "AT_A_TIME", 256)
    monkeypatch.setattr(TextReader, "BLOCK", 256)
    path = labelled(tmp_path / "t.csv", ["7", "8"], 400)
    with open(path, "a") as file:
        file.write("1,2,007\n")
    with pytest.raises(
        ValueError, match=r"column 'y' of .*t.csv', line 402: the label '007' is not written like the oth"
    ):
        sl.GaussianNB().fit(path, "y")


@pytest.mark.parametrize("labels", [["01", "02", "x"], ["1", "2", "x"]])
def test_labels_of_a_second_file_are_read_as_those_of_the_first(tmp_path, labels):
    first = labelled(tmp_path / "1.csv", labels)
    second = labelled(tmp_path / "2.csv", labels[:2])
    for model in (
        sl.GaussianNB(),
        sl.TableModel(sl.GaussianNB()),
        sl.LinearDiscriminantAnalysis(),
        sl.KNeighborsClassifier(),
        sl.OneVsOneClassifier(),
        sl.Committee([("bayes", sl.GaussianNB())]),
        sl.Fusion([("a", sl.GaussianNB(), ["a"])]),
        sl.CostSensitiveClassifier(sl.GaussianNB()),
    ):
        model.fit(first, "y").partial_fit(second, "y")
        assert model.classes_.tolist() == labels
        assert model.forget(second, "y").classes_.tolist() == labels
    over_time = sl.SlidingWindow(sl.GaussianNB(), size=90).fit(first, "y").partial_fit(second, "y")
    assert over_time.classes_.tolist() == labels


def test_a_model_of_numbers_refuses_labels_written_otherwise(tmp_path):
    model = train(labelled(tmp_path / "t.csv", ["7", "8"]), "y", models="naive_bayes", cv=2).model
    assert model.facts["classes"] == [7, 8]
    with pytest.raises(DataProblem, match="the target 'y' holds text such as '007'"):
        model.update(labelled(tmp_path / "u.csv", ["007", "8"]))
    assert model.update(labelled(tmp_path / "v.csv", ["7.0", "8.0"]), again=True).facts["classes"] == [7, 8]


def test_truth_values_written_otherwise_are_refused(tmp_path):
    model = train(labelled(tmp_path / "t.csv", ["true", "false"]), "y", models="naive_bayes", cv=2).model
    assert model.facts["classes"] == [False, True]
    assert model.update(labelled(tmp_path / "u.csv", ["false", "true"], 4), again=True).facts["rows"] == 44
    with pytest.raises(DataProblem, match="are written like TRUE, those that the model has learnt like true"):
        model.update(labelled(tmp_path / "v.csv", ["TRUE", "FALSE"], 4))
    with pytest.raises(DataProblem, match="are written like 7, those that the model has learnt like true"):
        model.update(labelled(tmp_path / "w.csv", ["1", "0"], 4))


def test_ids_of_predictions_are_those_of_the_file(run, tmp_path):  # noqa: F811
    rng = np.random.default_rng(1)
    rows = [f"{i:03d},{rng.normal():.3f},{rng.normal():.3f}\n" for i in range(30)]
    written(tmp_path / "t.csv", rows, "key,a,y\n")
    written(tmp_path / "ids.csv", ["007,1,1\n", "012,2,1\n"], "key,a,y\n")
    assert run("train", "t.csv", "-t", "y", "--ids", "key", "--models", "ridge", "--cv", "2", "-o", "M", "-q").code == 0
    assert [line.split(",")[1] for line in run("predict", "M", "ids.csv").out.splitlines()] == ["key", "007", "012"]
    kept = (tmp_path / "M/predictions.csv").read_text().splitlines()
    assert [line.split(",")[1] for line in kept][:3] == ["key", "000", "001"]


SPELLINGS = {"truth": (["true", "false"], ["TRUE", "FALSE"]), "numbers": (["1", "0"], ["true", "false"])}


@pytest.mark.parametrize("first, second", SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize("learner", [sl.GaussianNB(), sl.TableModel(sl.GaussianNB()), sl.SigmoidNeuron()], ids=str)
def test_files_whose_labels_are_written_otherwise_are_refused(tmp_path, learner, first, second):
    one, other = labelled(tmp_path / "one.csv", first), labelled(tmp_path / "other.csv", second)
    alike = "are written like .*, those that the model has learnt like .*: write them alike"
    model = clone(learner).fit(one, "y")
    classes = model.classes_.tolist()
    with pytest.raises(ValueError, match=alike):
        model.partial_fit(other, "y")
    assert model.partial_fit(one, "y").classes_.tolist() == classes
    if "merge" in sl.abilities(model):
        with pytest.raises(ValueError, match=alike):
            model.forget(other, "y")
        with pytest.raises(ValueError, match=alike):
            model + clone(learner).fit(other, "y")
        sl.save(model, tmp_path / "m.skops")
        with pytest.raises(ValueError, match=alike):
            sl.load(tmp_path / "m.skops").partial_fit(other, "y")


@pytest.mark.parametrize("kind", [sl.GaussianNB, lambda: sl.CostSensitiveClassifier(sl.GaussianNB())])
def test_how_labels_are_written_goes_with_a_sum(tmp_path, kind):
    """Rows in memory have no spelling, those of a file have: the sum of both knows it."""
    one, other = labelled(tmp_path / "one.csv", ["true", "false"]), labelled(tmp_path / "other.csv", ["TRUE", "FALSE"])
    frame = pd.read_csv(one)
    in_memory, of_file = kind().fit(frame[["a", "b"]], frame["y"]), kind().fit(one, "y")
    for both in (in_memory + of_file, of_file + in_memory):
        with pytest.raises(ValueError, match="are written like TRUE, those that the model has learnt like true"):
            both.partial_fit(other, "y")


# -- new classes ------------------------------------------------------------------------------------------------------


def test_new_classes_are_asked_for_and_end_the_score(run, tmp_path):  # noqa: F811
    labelled(tmp_path / "t.csv", ["no", "yes"])
    labelled(tmp_path / "u.csv", ["NO", "YES"], 8)
    assert run("train", "t.csv", "-t", "y", "--models", "naive_bayes", "--cv", "2", "-o", "M", "-q").code == 0
    assert "at its training, on rows left out" in run("info", "M").out
    refused = run("update", "M", "u.csv", "-o", "n.skops")
    assert refused.code == 3
    assert "the target 'y' is 'NO' in row 0" in refused.err and "--new-classes" in refused.err
    assert run("update", "M", "u.csv", "-o", "n.skops", "--new-classes").code == 0
    found = run("info", "n.skops").out
    assert "4 classes: NO, YES, no, yes" in found and "at its training" not in found
    told = json.loads(run("info", "n.skops", "--json").out)
    assert (told["score"], told["interval"]) == (None, [None, None])
    assert run("forget", "n.skops", "u.csv", "-o", "o.skops").code == 0
    assert "at its training" in run("info", "o.skops").out


def test_levels_never_seen_are_said_by_the_command(run, tmp_path, folder, regression):  # noqa: F811
    written(tmp_path / "t.csv", ["D-10115,maybe,1,1,x\n", "01234,true,1,1,x\n"])
    found = run("predict", folder / "r.skops", "t.csv")
    assert found.code == 0
    assert "column 'smoker' has levels never seen in 1 row, they count as unknown: 'maybe'" in found.err


def test_a_parquet_file_keeps_its_types(classifier, tmp_path, folder):
    table = pa.table(pd.read_csv(folder / "few.csv", dtype=str).astype({"size": float, "y": float}))
    pq.write_table(table, tmp_path / "few.parquet")
    assert classifier.forget(str(tmp_path / "few.parquet")).facts["rows"] == 50


def test_models_with_classes_of_their_own_are_merged_if_that_is_wanted(tmp_path):
    colours = {"one": ["red", "green", "blue"], "other": ["green", "blue", "black"], "some": ["green", "blue"]}
    for name, labels in colours.items():
        labelled(tmp_path / f"{name}.csv", labels)
    one, other, some = (train(str(tmp_path / f"{name}.csv"), "y", models="naive_bayes", cv=2).model for name in colours)
    with pytest.raises(CannotDo, match="classes that the other lacks, 'red' and 'black'.*--new-classes"):
        one.merge(other)
    assert one.merge(other, new_classes=True).facts["classes"] == ["black", "blue", "green", "red"]
    assert some.merge(one).facts["classes"] == ["blue", "green", "red"]


def test_models_whose_labels_are_written_otherwise_are_not_merged(tmp_path):
    paths = labelled(tmp_path / "1.csv", ["true", "false"]), labelled(tmp_path / "2.csv", ["TRUE", "FALSE"])
    one, other = (train(path, "y", models="naive_bayes", cv=2).model for path in paths)
    with pytest.raises(CannotDo, match="written like TRUE, those that the model has learnt like true"):
        one.merge(other)
