"""Naive Bayes on mixed columns as a candidate of train: inside a TableModel, on files of words, in the command."""

import json

import numpy as np
import pandas as pd
import pytest

import sumlearn as sl
from sumlearn.data import load_example
from sumlearn.features.table.sums import TableSums, diagonal_by_label
from sumlearn.product import train
from sumlearn.statistics.warnings import UnseenLevelsWarning

from tests.cli.conftest import run  # noqa: F401
from tests.learners.bayes.test_naive_bayes import EDIBLE, FUNGI

COUNTS = {"count_features": ["rings"]}


GAPS = FUNGI.assign(nothing=np.nan, bruises=FUNGI.bruises.astype("boolean").mask(FUNGI.index % 5 == 2))


def inside(**options):
    return sl.TableModel(sl.NaiveBayes(**COUNTS), **options)


def assert_same(a, b, frame=FUNGI):
    assert a.classes_.tolist() == b.classes_.tolist()
    np.testing.assert_allclose(a.predict_proba(frame), b.predict_proba(frame), rtol=1e-9, atol=1e-12)


def test_a_table_model_is_the_model_itself(tmp_path):
    own, model = sl.NaiveBayes(**COUNTS).fit(FUNGI, EDIBLE), inside().fit(FUNGI, EDIBLE)
    assert_same(model, own)
    assert list(sl.abilities(inside())) == list(sl.abilities(own)) == ["update", "merge", "forget", "decay", "restrict"]
    more, labels = FUNGI.iloc[:6].assign(cap="sunken", bruises=None), np.array(["maybe"] * 6)
    a, b = inside().fit(FUNGI, EDIBLE), inside().fit(more, labels)
    assert_same(a + b, own + sl.NaiveBayes(**COUNTS).fit(more, labels))
    assert_same((a + b) - b, own)
    assert_same((a + b).forget(more, labels), own)
    assert str(model.explain(FUNGI[3:4], "no")) == str(own.explain(FUNGI[3:4], "no"))
    assert_same(inside().fit(FUNGI[:50], EDIBLE[:50]).partial_fit(FUNGI[50:], EDIBLE[50:]), own)
    fewer = ["rings", "odour"]
    assert_same(model.restrict(fewer), own.restrict(fewer), FUNGI[fewer])
    sl.save(a + b, tmp_path / "model")
    assert_same(sl.load(tmp_path / "model") - b, own)


def test_a_column_may_lose_all_its_values():
    table = pd.DataFrame({"a": ["u", "v", None, None, "u"], "k": [1.0, 2.0, None, None, 0.0], "c": [1.0, 2, 3, 5, 4]})
    labels = np.array(list("pqpqr"))
    model = sl.TableModel(sl.NaiveBayes(count_features=["k"])).fit(table, labels)
    left = model.forget(table.iloc[[0, 1, 4]], labels[[0, 1, 4]])
    own = sl.NaiveBayes().fit(table[["c"]][2:4], labels[2:4])
    assert left.classes_.tolist() == ["p", "q"]
    np.testing.assert_allclose(left.predict_proba(table), own.predict_proba(table[["c"]]), rtol=1e-9)


def test_levels_never_met_inside_a_table_model():
    strange = FUNGI.iloc[:3].assign(odour="fishy")
    with pytest.warns(UnseenLevelsWarning, match="fishy"):
        found = inside().fit(FUNGI, EDIBLE).predict_proba(strange)
    np.testing.assert_allclose(found, inside().fit(FUNGI, EDIBLE).predict_proba(strange.assign(odour=None)))
    own = sl.NaiveBayes().fit(FUNGI, EDIBLE)
    with pytest.warns(UnseenLevelsWarning, match="fishy"):
        assert ("odour = fishy", 0.0) in own.explain(strange[:1]).parts
    for learner in (sl.NaiveBayes(), sl.DecisionTreeClassifier(max_depth=2)):
        model = sl.TableModel(learner, handle_unknown="error").fit(FUNGI, EDIBLE)
        with pytest.raises(ValueError, match="column 'odour' has the level 'fishy', never seen before, in row 0"):
            model.predict(strange)


def test_what_a_table_model_refuses():
    learner = inside().fit(FUNGI, EDIBLE).learner_
    for bad, said in (([[9.0, 0, 0, 1, 2]], "9 in row 0, the code of no level"), ([[1.0]], "as 5 columns")):
        with pytest.raises(ValueError, match=said):
            learner.predict(bad)
    with pytest.raises(ValueError, match="drop of the NaiveBayes inside: give it to the TableModel"):
        sl.TableModel(sl.NaiveBayes(drop=["cap"])).fit(FUNGI, EDIBLE)
    with pytest.raises(TypeError, match="CandidateElimination reads tables itself"):
        sl.TableModel(sl.CandidateElimination()).fit(FUNGI, EDIBLE)
    with pytest.raises(ValueError, match="handle_unknown must be one of"):
        inside(handle_unknown="ignore").fit(FUNGI, EDIBLE)
    with pytest.raises(ValueError, match="alpha must be"):
        sl.TableModel(sl.NaiveBayes(alpha=-1)).fit(FUNGI, EDIBLE)


@pytest.mark.parametrize("size", [0, 1, 7, 90])
def test_counted_levels_are_the_sums_of_flags(size):
    """Exactly, and through the algebra: what was counted and what was flagged takes each other back."""
    source = sl.NaiveBayes(**COUNTS).open(GAPS, EDIBLE, None, reset=True)
    chunk = source.chunk(next(iter(source.parts())))
    chunk = chunk._replace(X=chunk.X.take(slice(0, size)), y=chunk.y[:size])
    counted = TableSums.by_class(chunk, source.columns)
    flagged = TableSums.of(chunk, source.columns, lambda coded: diagonal_by_label(coded.X, coded.y, coded.weight))
    if not size:
        assert counted.rows == flagged.rows == 0
        return
    assert counted.parts == flagged.parts and counted.labels == flagged.labels
    for label, part in counted.sums.items():
        other = flagged.sums[label]
        assert (part.count, part.total) == (other.count, other.total)
        np.testing.assert_array_equal(part.mean, other.mean)
        np.testing.assert_allclose(part.scatter, other.scatter, rtol=1e-12, atol=0)
    assert counted.remove(flagged).rows == flagged.remove(counted).rows == 0


def test_train_chooses_it_and_scores_the_model_that_it_saves():
    """Odours decide as a parity of two columns would not; half of the cells of one of them are gaps."""
    rng = np.random.default_rng(3)
    edible = rng.choice(["yes", "no"], 240)
    odds = {"yes": [0.6, 0.3, 0.1], "no": [0.1, 0.3, 0.6]}
    table = pd.DataFrame({f"c{j}": [rng.choice(list("uvw"), p=odds[e]) for e in edible] for j in range(6)})
    table.loc[::2, "c0"] = None
    found = train(table.assign(edible=edible), "edible", models="mixed_bayes,naive_bayes", cv="3", refits=0)
    scores = {line["model"]: line["score"] for line in found.metrics["leaderboard"]}
    assert set(scores) == {"mixed_bayes", "naive_bayes", *scores} and scores["mixed_bayes"] > 0.9
    params = found.metrics["chosen"]["params"] if found.metrics["chosen"]["model"] == "mixed_bayes" else {}
    problem = found.problem
    candidate = next(c for c in problem.candidates if c.name == "mixed_bayes")
    params = {"learner__alpha": params.get("alpha", 1.0)}
    fold, asked = problem.splits[0]
    coded = problem.coded(fold, asked)(candidate)
    learner = candidate.learner().set_params(alpha=params["learner__alpha"]).with_columns(coded.columns)
    scored = learner.fit(coded.features, coded.values).predict_proba(coded.asked)
    saved = problem.fit(candidate, params, fold)
    np.testing.assert_allclose(saved.predict_proba(problem.frame.take(asked)), scored, rtol=1e-12)


def nucleotides(rows):
    """The bundled DNA as letters: three flags say which of four a place has."""
    dna = load_example("dna")
    codes = dna.X[:rows].reshape(rows, -1, 3) @ np.array([1, 2, 3])
    letters = np.array(list("TACG"))[codes.astype(int)][:, 20:40]
    return pd.DataFrame(letters, columns=[f"p{j}" for j in range(20)]).assign(site=dna.y[:rows])


@pytest.mark.parametrize(
    ("table", "target"), [(nucleotides(400), "site"), (FUNGI.assign(edible=EDIBLE), "edible")], ids=["dna", "fungi"]
)
def test_the_command_needs_no_encoding(run, tmp_path, table, target):  # noqa: F811
    """Words and gaps in; what is forgotten leaves the model of the other half."""
    half = len(table) // 2
    for name, part in {"all": table, "b": table[half:], "x": table.drop(columns=target)}.items():
        part.to_csv(tmp_path / f"{name}.csv", index=False)
    words = ["--models", "mixed_bayes", "--can", "update,forget,merge", "--cv", "2", "-q", "--budget", "none"]
    assert run("train", "all.csv", "-t", target, *words, "-o", "W").code == 0
    assert json.loads((tmp_path / "W" / "metrics.json").read_text())["chosen"]["can"] == ["update", "forget", "merge"]
    assert run("predict", "W", "x.csv", "-o", "p.csv").code == 0
    assert np.mean(pd.read_csv("p.csv", keep_default_na=False)["prediction"] == table[target].to_numpy()) > 0.7
    assert run("forget", "W", "b.csv", "-o", "left.skops").code == 0
    left, rows = sl.load("left.skops"), table.drop(columns=target)
    own = sl.NaiveBayes(alpha=left.model.learner_.alpha).fit(rows[:half], table[target][:half])
    np.testing.assert_allclose(left.predict_proba(rows), own.predict_proba(rows), rtol=1e-9, atol=1e-12)


def test_levels_that_another_file_types_otherwise_are_refused(run, tmp_path):  # noqa: F811
    """A column of words in one file holds numbers in the other: no sums of both."""
    FUNGI.assign(edible=EDIBLE).to_csv(tmp_path / "a.csv", index=False)
    FUNGI.assign(cap=np.arange(len(FUNGI)) % 3 + 0.5, edible=EDIBLE).to_csv(tmp_path / "b.csv", index=False)
    words = ["-t", "edible", "--models", "mixed_bayes", "--cv", "2", "-q"]
    assert [run("train", f"{name}.csv", *words, "-o", name.upper()).code for name in "ab"] == [0, 0]
    found = run("merge", "A", "B", "-o", "m.skops")
    assert found.code != 0 and "'cap' holds categories on one side and numbers on the other" in found.err
    a, b = (sl.NaiveBayes().fit(tmp_path / f"{name}.csv", "edible") for name in "ab")
    with pytest.raises(ValueError, match="'cap' holds categories on one side and numbers on the other"):
        a + b
