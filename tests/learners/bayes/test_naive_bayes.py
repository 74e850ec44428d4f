"""Naive Bayes on tables and counts: what comes, goes, is missing or wrong."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse

import sumlearn as sl
from sumlearn.data import load_example
from sumlearn.statistics import Grouped
from sumlearn.statistics.warnings import UnseenLevelsWarning
from sumlearn.testing import assert_same_bits

RNG = np.random.default_rng(0)
N = 90
FUNGI = pd.DataFrame(
    {
        "cap": RNG.choice(["bell", "flat", "conical"], N),
        "odour": RNG.choice(["none", "foul", "almond"], N),
        "bruises": RNG.random(N) < 0.5,
        "rings": RNG.poisson(2.0, N).astype(float),
        "height": RNG.normal(9.0, 2.0, N),
    }
)
EDIBLE = np.where((FUNGI.odour == "foul") ^ (RNG.random(N) < 0.1), "no", "yes")
FUNGI.loc[::7, "odour"] = None
FUNGI.loc[::11, "height"] = np.nan
MODEL = sl.NaiveBayes(count_features=["rings"])


def probabilities(model, frame=FUNGI):
    return model.predict_proba(frame)


def assert_same(a, b):
    assert a.classes_.tolist() == b.classes_.tolist()
    np.testing.assert_allclose(probabilities(a), probabilities(b), rtol=1e-9, atol=1e-12)


def fresh(rows, labels=EDIBLE):
    return sl.NaiveBayes(count_features=["rings"]).fit(FUNGI.iloc[rows], labels[rows])


def test_a_table_with_gaps_trains_and_predicts_without_encoding(tmp_path):
    model = fresh(slice(None))
    assert model.score(FUNGI, EDIBLE) > 0.8
    FUNGI.assign(edible=EDIBLE).to_csv(tmp_path / "fungi.csv", index=False)
    streamed = sl.NaiveBayes(count_features=["rings"]).fit(tmp_path / "fungi.csv", "edible")
    assert_same(streamed, model)
    np.testing.assert_allclose(streamed.predict_proba(str(tmp_path / "fungi.csv")), probabilities(model), rtol=1e-9)
    sl.save(model, tmp_path / "model")
    assert_same(sl.load(tmp_path / "model"), model)


def test_new_levels_and_classes_come_and_go():
    more = FUNGI.iloc[:6].assign(cap="sunken", odour="fishy")
    labels = np.array(["maybe"] * 6)
    model = fresh(slice(None)).partial_fit(more, labels)
    whole = sl.NaiveBayes(count_features=["rings"]).fit(pd.concat([FUNGI, more]), np.r_[EDIBLE, labels])
    assert_same(model, whole)
    assert model.level_probabilities_["cap"]["sunken"].argmax() == 0 and model.classes_[0] == "maybe"
    assert_same(model.forget(more, labels), fresh(slice(None)))
    a, b = fresh(slice(0, 40)), fresh(slice(40, None))
    assert_same(a + b, fresh(slice(None)))
    assert_same((a + b) - b, a)
    part, fewer = fresh(slice(None)).restrict(["odour", "cap"]), FUNGI[["odour", "cap"]]
    np.testing.assert_allclose(
        part.predict_proba(fewer), sl.NaiveBayes().fit(fewer, EDIBLE).predict_proba(fewer), rtol=1e-9
    )


def test_a_level_never_met_says_nothing_or_is_refused():
    strange = FUNGI.iloc[:3].assign(odour="fishy")
    with pytest.warns(UnseenLevelsWarning, match="fishy"):
        found = fresh(slice(None)).predict_proba(strange)
    np.testing.assert_allclose(found, fresh(slice(None)).predict_proba(strange.assign(odour=None)), rtol=1e-12)
    assert sl.NaiveBayes(drop=["cap"]).fit(FUNGI, EDIBLE).left_out_ == {"cap": "asked for"}
    with pytest.raises(ValueError, match="column 'odour' has the level 'fishy', never seen before, in row 0"):
        fresh(slice(None)).set_params(handle_unknown="error").predict(strange)


def test_explanations_add_up_to_the_log_odds():
    model, row = fresh(slice(None)), FUNGI.iloc[3:4]
    told = model.explain(row, label="no", against="yes")
    joint = model.predict_joint_log_proba(row)[0]
    assert told.log_odds == pytest.approx(joint[0] - joint[1], rel=1e-9)
    assert told.probability == pytest.approx(probabilities(model, row)[0, 0])
    assert [name.split(" = ")[0] for name, _ in told.parts] == ["prior", *FUNGI.columns]
    assert str(told).startswith("no against yes: log-odds ") and len(str(told).splitlines()) == 7
    assert ("odour = missing", 0.0) in model.explain(FUNGI.iloc[:1]).parts
    for bad in (FUNGI.iloc[:2], FUNGI.iloc[:0]):
        with pytest.raises(ValueError, match="one row|minimum of 1"):
            model.explain(bad)
    with pytest.raises(ValueError, match="label must be one of"):
        model.explain(row, label="perhaps")


@pytest.mark.parametrize(
    ("parameters", "frame", "said"),
    [
        ({"count_features": ["rings"]}, FUNGI.assign(rings=-FUNGI.rings), r"Negative values .*, column 'rings'"),
        ({"count_features": ["cap"]}, FUNGI, "'cap', which holds no numbers"),
        ({"count_features": ["ring"]}, FUNGI, "no such column"),
        ({"categorical_features": ["hight"]}, FUNGI, "no column 'hight'.*height"),
        ({"count_features": ["rings"], "categorical_features": ["rings"]}, FUNGI, "both name 'rings'"),
        ({"alpha": -1.0}, FUNGI, "alpha must be"),
        ({"var_smoothing": 0.0}, FUNGI, "var_smoothing must be"),
        ({"handle_unknown": "ignore"}, FUNGI, "handle_unknown must be"),
        ({}, FUNGI.assign(height=np.inf), "infinity.*height"),
    ],
)
def test_refusals(parameters, frame, said):
    with pytest.raises(ValueError, match=said):
        sl.NaiveBayes(**parameters).fit(frame, EDIBLE)


def test_dna_as_categories_and_as_truth_values():
    dna = load_example("dna")
    frame = pd.DataFrame(dna.X.astype(bool), columns=dna.columns)
    model = sl.NaiveBayes().fit(frame[:2000], dna.y[:2000])
    assert model.score(frame[2000:], dna.y[2000:]) == pytest.approx(0.9325, abs=5e-5)
    same = sl.BernoulliNB().fit(dna.X[:2000], dna.y[:2000]).predict_proba(dna.X[2000:])
    np.testing.assert_allclose(model.predict_proba(frame[2000:]), same, atol=1e-9)


COUNTS = RNG.integers(0, 5, (40, 4)).astype(float)
LABELS = RNG.choice(["a", "b", "c"], 40)


@pytest.mark.parametrize("kind", [sl.MultinomialNB, sl.ComplementNB, sl.CategoricalNB])
def test_what_is_no_count_is_named(kind):
    bad = COUNTS.copy()
    bad[7, 2] = -1.0
    with pytest.raises(ValueError, match=rf"Negative values in data passed to {kind.__name__} .*row 7, column"):
        kind().fit(bad, LABELS)
    weight = np.ones(40)
    weight[7] = 0.0
    kind().fit(bad, LABELS, weight)  # it is not there
    bad[7, 2] = np.nan
    with pytest.raises(ValueError, match="NaN: first at row 7, column"):
        kind().fit(bad, LABELS)
    if kind is not sl.CategoricalNB:
        weight[7], weight[0], bad[7, 2] = 1.0, 0.0, -1.0
        with pytest.raises(ValueError, match="row 7, column"):
            kind().fit(sparse.csr_array(bad), LABELS, weight)


def test_categories_are_whole_numbers_and_new_ones_say_nothing():
    with pytest.raises(ValueError, match=r"X holds 0.5 in row 3, column 1"):
        sl.CategoricalNB().fit(np.where(np.arange(160).reshape(40, 4) == 13, 0.5, COUNTS), LABELS)
    model = sl.CategoricalNB().fit(COUNTS, LABELS)
    with pytest.raises(ValueError, match=r"X holds 0.5 in row 0"):
        model.predict([[0.5, 0, 0, 0]])
    with pytest.warns(UnseenLevelsWarning, match="column 1 has categories beyond"):
        found = model.predict_proba([[1, 9, 2, 3]])
    np.testing.assert_allclose(found, model.restrict([0, 2, 3]).predict_proba([[1, 2, 3]]), rtol=1e-12)
    with pytest.raises(ValueError, match="number its categories"):
        sl.CategoricalNB().fit([[2**30], [0]], ["a", "b"])


@pytest.mark.parametrize("kind", [sl.MultinomialNB, sl.ComplementNB, sl.BernoulliNB, sl.CategoricalNB])
def test_without_smoothing_nothing_is_nan(kind):
    X, y = np.array([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]]), ["a", "b", "c"]
    asked = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    found = kind(alpha=0.0).fit(X, y).predict_proba(asked)
    assert np.isfinite(found).all() and np.allclose(found.sum(axis=1), 1.0) and found[2, 0] > 0.3


def test_priors_by_place_do_not_move_to_another_class():
    model = sl.MultinomialNB(class_prior=[0.2, 0.3, 0.5]).fit(COUNTS, LABELS)
    with pytest.raises(ValueError, match="no row of class 'a' would be left, and class_prior="):
        model.forget(COUNTS[LABELS == "a"], LABELS[LABELS == "a"])


def test_fractions_that_are_forgotten_leave_nothing_behind():
    rows = RNG.random((40, 4)) / 3.0
    rows[:20, 0] = 0.0
    model = sl.MultinomialNB(alpha=0.0).fit(rows, LABELS).forget(rows[20:], LABELS[20:])
    assert (model.feature_count_[:, 0] == 0.0).all()


def test_limits_of_truth():
    with pytest.raises(ValueError, match="binarize=None takes columns of 0 and 1"):
        sl.BernoulliNB(binarize=None).fit(COUNTS, LABELS)
    with pytest.raises(ValueError, match="most cells of sparse rows"):
        sl.BernoulliNB(binarize=-1.0).fit(sparse.csr_array(COUNTS), LABELS)
    a = sl.BernoulliNB(binarize=2.0).fit(COUNTS, LABELS).predict_proba(COUNTS)
    b = sl.BernoulliNB(binarize=None).fit(COUNTS > 2, LABELS).predict_proba(COUNTS > 2)
    np.testing.assert_allclose(a, b, rtol=1e-12)


def test_a_limit_that_is_moved_is_not_that_of_the_sums(tmp_path):
    """Counts above 0 and rows above 2 would be mixed, without a word."""
    model = sl.BernoulliNB(binarize=0.0).fit(COUNTS, LABELS)
    before = model.score(COUNTS, LABELS)
    sl.save(model, tmp_path / "model")
    for found in (model, sl.load(tmp_path / "model"), sl.BernoulliNB(binarize=0.0).partial_fit(COUNTS, LABELS)):
        found.set_params(binarize=2.0)
        moved = "summed with binarize=0.0, and now it is 2.0: fit anew"
        with pytest.raises(ValueError, match=moved):
            found.predict(COUNTS)
        with pytest.raises(ValueError, match=moved):
            found.partial_fit(COUNTS, LABELS)
        with pytest.raises(ValueError, match=moved):
            sl.BernoulliNB(binarize=2.0).fit(COUNTS, LABELS) + found
        assert found.set_params(binarize=0.0).score(COUNTS, LABELS) == before
        found.set_params(alpha=3.0, binarize=2.0).fit(COUNTS, LABELS).predict(COUNTS)


@pytest.mark.parametrize("kind", [sl.MultinomialNB, sl.ComplementNB, sl.BernoulliNB, sl.CategoricalNB, sl.NaiveBayes])
@pytest.mark.parametrize("labels", [["é", "z", "a"], [3, -1, 7], [True, False, True], [-2.0, 5.0, 9.0]], ids=str)
def test_labels_keep_their_kind_and_one_class_is_predicted(kind, labels):
    y = np.array(labels)[np.arange(40) % 3]
    model = kind().fit(COUNTS, y)
    assert model.classes_.tolist() == sorted(set(labels)) and model.predict(COUNTS).dtype.kind == y.dtype.kind
    one = kind().fit(COUNTS, np.full(40, labels[0]))
    assert (one.predict(COUNTS) == labels[0]).all() and np.allclose(one.predict_proba(COUNTS), 1.0)
    constant = kind().fit(np.ones((40, 2)), y)
    np.testing.assert_allclose(constant.predict_proba(np.ones((1, 2))).sum(), 1.0)


@pytest.mark.parametrize("around", [lambda model: model, sl.TableModel], ids=["itself", "in a table model"])
def test_blocks_of_a_dask_frame_are_one_table(around):
    dask = pytest.importorskip("dask.dataframe")
    blocks = dask.from_pandas(FUNGI.assign(edible=EDIBLE, mass=2.0), npartitions=3)
    model = around(sl.NaiveBayes(count_features=["rings"]))
    assert_same(model.fit(blocks, "edible", "mass"), sl.NaiveBayes(count_features=["rings"]).fit(
        FUNGI, EDIBLE, np.full(N, 2.0)
    ))  # fmt: skip
    late = FUNGI.assign(edible=EDIBLE, height=FUNGI.height.astype(object))
    late.loc[80, "height"] = "tall"
    with pytest.importorskip("dask").config.set({"dataframe.convert-string": False}):  # else numbers become text
        mixed = dask.from_pandas(late, npartitions=3)
        with pytest.raises(ValueError, match="column 'height', row 20 of block 2: .*'tall' is text"):
            around(sl.NaiveBayes()).fit(mixed, "edible")
    with pytest.raises(TypeError, match="give a Dask data frame"):
        around(sl.NaiveBayes()).fit(pytest.importorskip("dask.array").ones((4, 2)), [0, 1, 0, 1])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("dtype", "columns"), [(np.float64, 7), (np.float32, 8), (np.float64, 2)])
def test_rows_by_columns_have_the_sums_of_rows_by_rows(weighted, dtype, columns):
    rng = np.random.default_rng(1)
    X, labels = rng.normal(3.0, 2.0, (30_011, columns)).astype(dtype), rng.integers(0, 4, 30_011)
    weight = rng.random(len(X)) if weighted else None
    wide = np.zeros((columns, 40_000), dtype)[:, 5 : 5 + len(X)]
    wide[:] = X.T
    by_rows = Grouped.of(X, labels, weight, form="diagonal")
    for other in (np.asfortranarray(X), np.asfortranarray(np.repeat(X, 2, axis=0))[::2], wide.T):
        assert_same_bits(Grouped.of(other, labels, weight, form="diagonal"), by_rows)


def test_numbers_that_lie_together_are_summed_as_column_by_column(monkeypatch):
    """A frame of doubles is taken as it is; gaps, infinities, origins and other kinds go column by column."""
    rng = np.random.default_rng(2)
    X, labels = rng.normal(size=(9000, 12)) * np.logspace(-3, 3, 12), rng.integers(0, 3, 9000)
    plain = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)])  # c10 stands before c2 in the sums
    gaps = plain.mask(rng.random(plain.shape) < 0.01)
    tables = {
        "plain": plain, "one by one": pd.DataFrame({name: plain[name].to_numpy() for name in plain}), "gaps": gaps,
        "a late gap": plain.mask((plain.index == 8999).repeat(12).reshape(plain.shape)), "array": X,
        "far": plain + 1e9, "single": plain.astype({"c3": np.float32}), "single row": plain[:1], "others": plain[::-1],
    }  # fmt: skip
    found = {name: sl.NaiveBayes().fit(table, labels[: len(table)]) for name, table in tables.items()}
    monkeypatch.setattr("sumlearn.features.table.sums.numbers_together", lambda rows: None)
    for name, table in tables.items():
        own = sl.NaiveBayes().fit(table, labels[: len(table)])
        assert found[name].statistic_.parts == own.statistic_.parts
        assert_same_bits(found[name].statistic_, own.statistic_)
    monkeypatch.undo()
    turned = plain[list(reversed(plain.columns))]
    more = sl.NaiveBayes().fit(plain[:4000], labels[:4000]).partial_fit(turned[4000:], labels[4000:])
    np.testing.assert_allclose(more.predict_proba(X[:50]), found["plain"].predict_proba(plain[:50]), rtol=1e-9)
    with pytest.raises(ValueError, match=r"infinity.*row 8000.*c7"):
        sl.NaiveBayes().fit(plain.mask((plain.index == 8000)[:, None] & (plain.columns == "c7"), np.inf), labels)


def test_numbers_that_overflow_are_refused_and_not_answered_by_the_priors():
    """As far as that every class is ruled out; where one is left, or a gap, there is an answer."""
    fungi = FUNGI.assign(spots=RNG.poisson(40.0, N).astype(float))
    model = sl.NaiveBayes(count_features=["rings", "spots"]).fit(fungi, EDIBLE)
    for column, far in (("height", -1e160), ("rings", 1.7e308)):
        strange = fungi.copy()
        strange.loc[17, column] = far
        with pytest.raises(ValueError, match=f"column '{column}', row 17: so far from the rows learnt"):
            model.predict(strange)
    table = pd.DataFrame({"x": [0.0, 1.0, 2.0, 0.0, 1e9, 2e9]})
    wide = sl.NaiveBayes().fit(table, list("aaabbb"))
    assert wide.predict_proba(pd.DataFrame({"x": [1e160, np.nan]})).tolist() == [[0.0, 1.0], [0.5, 0.5]]
    never = sl.NaiveBayes(alpha=0.0).fit(FUNGI[["odour"]].dropna(), EDIBLE[FUNGI.odour.notna()])
    assert np.isfinite(never.predict_proba(FUNGI[["odour"]])).all()
