"""What sums tell of few rows: attacks that give rows back, and that what is shared withstands them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.neighbors import KNeighborsRegressor

import sumlearn as sl
from sumlearn.saving import describe
from sumlearn.saving.cells import cells_of
from sumlearn.statistics import Counts, Moments


def people(n=200, seed=0):
    """A table in which levels of a city and of a job have many rows."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {"age": rng.integers(20, 80, n).astype(float), "city": rng.choice(["Rome", "Oslo", "Bonn"], n)}
    )
    table["job"] = rng.choice(["baker", "smith"], n)
    table["wage"] = 1000 + 10 * table["age"] + rng.normal(size=n).round(2)
    return table


def with_one(n=200):
    """The same, and one person in Kiel."""
    one = pd.DataFrame({"age": [47.0], "city": ["Kiel"], "job": ["smith"], "wage": [9876.5]})
    return pd.concat([people(n), one], ignore_index=True)


def fitted(table, learner=None):
    return sl.TableModel(learner or sl.LinearRegression()).fit(table, "wage")


def rare_rows(statistic):
    """The attack: a flag that one row has is multiplied with all columns; the products are the row."""
    moments, found = statistic.overall(), []
    for j, part in enumerate(statistic.parts):
        if part[1].startswith("=") and round(moments.weight * moments.mean[j]) == 1:
            product = moments.scatter[j] + moments.weight * moments.mean[j] * moments.mean
            found.append(dict(zip([*statistic.parts, "target"], product, strict=True)))
    return found


def test_the_attacks_work_on_plain_sums():
    """What the other tests defend against: a person is recovered completely, target included."""
    statistic = fitted(with_one()).statistic_
    (person,) = rare_rows(statistic)
    assert person["target"] == pytest.approx(9876.5)
    assert person["job", "=smith"] == pytest.approx(1.0)
    assert person["age", "value"] + statistic.schema["age"].origin == pytest.approx(47.0)
    later = (fitted(with_one()).statistic_ - fitted(people()).statistic_).overall()
    assert later.mean[-1] == pytest.approx(9876.5)


def test_a_rare_level_is_named():
    found = sl.disclosure(fitted(with_one()))
    assert ("level", (("city", "=Kiel"),), 1) in [finding[:3] for finding in found]
    assert "level: city = Kiel, 1 row" in map(str, found)
    assert sl.disclosure(fitted(people())) == []
    assert sl.disclosure(fitted(people()), least=50)
    with pytest.raises(ValueError, match="least"):
        sl.disclosure(fitted(people()), least=0)


LEARNERS = {
    "moments": (sl.LinearRegression(), "wage"),
    "pooled": (sl.LinearDiscriminantAnalysis(), "class"),
    "grouped": (sl.QuadraticDiscriminantAnalysis(), "class"),
    "diagonal": (sl.GaussianNB(), "class"),
}


@pytest.mark.parametrize("kind", LEARNERS)
def test_attack_1_on_what_was_shared(kind, tmp_path):
    """No flag of what is shared has few rows, in no class, and no pair of flags either."""
    learner, target = LEARNERS[kind]
    table = with_one(400)
    table["class"] = np.where(table["age"] + np.arange(401) % 7 > 50, "b", "a")
    table.loc[[3, 4], "age"] = np.nan
    table = table.drop(columns="wage" if target == "class" else "class")
    model = sl.TableModel(learner).fit(table, target)
    before = model.predict(table)
    sl.save(model, tmp_path / "shared", share=True)
    assert np.array_equal(model.predict(table), before)  # the model at home is as it was
    shared = sl.load(tmp_path / "shared")
    assert sl.disclosure(shared) == []
    assert not rare_rows(shared.statistic_)
    assert shared.statistic_.rows == 401
    assert ("city", "=Kiel") not in shared.statistic_.parts and ("age", "missing") not in shared.statistic_.parts
    done = describe(tmp_path / "shared")["shared"]
    assert done["least"] == 5 and "2 levels of 'city' became one" in done["done"]
    assert "missing values of 'age' were filled with its mean" in done["done"]
    assert b"Kiel" not in (tmp_path / "shared").read_bytes()
    assert (shared + shared).statistic_.rows == 802  # it adds up


def test_what_is_shared_is_the_model_of_pooled_levels(tmp_path):
    """Pooling on the sums is pooling in the table."""
    table = with_one()
    sl.save(fitted(table), tmp_path / "shared", share=True)
    (pooled,) = [p for p in sl.load(tmp_path / "shared").statistic_.parts if p[1] == "=(pooled)"]
    left = {p[1][1:] for p in sl.load(tmp_path / "shared").statistic_.parts if p[0] == "city"}
    renamed = table.assign(city=[c if c in left else "(pooled)" for c in table["city"]])
    other = fitted(renamed)
    np.testing.assert_allclose(sl.load(tmp_path / "shared").predict(renamed), other.predict(renamed), rtol=1e-9)
    assert pooled == ("city", "=(pooled)")


def test_attack_2_versions(tmp_path):
    """Two shared versions never differ by few rows, nor by few rows of a level."""
    model = fitted(people())
    sl.save(model, tmp_path / "first", share=True)
    sl.save(model, tmp_path / "again", share=True)  # the same sums tell nothing new
    one = people(1, seed=9)
    model.partial_fit(one, "wage")
    assert [finding.kind for finding in sl.disclosure(model)][:1] == ["version"]
    with pytest.raises(ValueError, match="not shared: version: since the model was shared 1 row changed"):
        sl.save(model, tmp_path / "second", share=True)
    assert not (tmp_path / "second").exists()
    model.partial_fit(people(5, seed=10), "wage").forget(people().iloc[:3], "wage")  # nine came or went, three are more
    with pytest.raises(ValueError, match="3 rows changed"):
        sl.save(model, tmp_path / "second", share=True)
    sl.save(model, tmp_path / "home")  # what was shared is remembered in the file
    model = sl.load(tmp_path / "home").partial_fit(people(60, seed=11), "wage")
    sl.save(model, tmp_path / "second", share=True)
    a, b = sl.load(tmp_path / "first").statistic_, sl.load(tmp_path / "second").statistic_
    apart = b.overall().weight * b.overall().mean[:-1] - a.overall().weight * a.overall().mean[:-1]
    if a.parts == b.parts:
        assert all(abs(n) < 0.5 or abs(n) > 4.5 for p, n in zip(b.parts, apart, strict=True) if p[1].startswith("="))


def test_attack_2_on_a_version_before_the_last(tmp_path):
    """Far from the last version, and one row from the first."""
    model = fitted(people())
    sl.save(model, tmp_path / "first", share=True)
    sl.save(model.partial_fit(people(60, seed=11), "wage"), tmp_path / "second", share=True)
    model.forget(people(60, seed=11), "wage").partial_fit(people(1, seed=9), "wage")
    assert "version: since the model was shared 1 row changed" in map(str, sl.disclosure(model))
    sl.save(model, tmp_path / "home")
    for kept in (model, sl.load(tmp_path / "home")):
        with pytest.raises(ValueError, match="not shared: version: since the model was shared 1 row changed"):
            sl.save(kept, tmp_path / "third", share=True)


def test_attack_2_on_what_another_site_sent(tmp_path):
    """The other site subtracts its own sums from those of both: what is left must not rest on few rows either."""
    sl.save(fitted(people(seed=5)), tmp_path / "theirs", share=True)
    theirs, ours = sl.load(tmp_path / "theirs"), people()
    ours = ours[(ours["city"] != "Bonn") | (np.cumsum(ours["city"] == "Bonn") == 1)]  # one of them is left
    assert "2 levels" in str(describe_shared(fitted(ours), tmp_path))
    for both in (theirs + fitted(ours), fitted(ours) + theirs):
        sl.save(both, tmp_path / "both", share=True)
        assert ("city", "=Bonn") not in sl.load(tmp_path / "both").statistic_.parts
    more = sl.load(tmp_path / "theirs").partial_fit(people(1, seed=9), "wage")
    with pytest.raises(ValueError, match="not shared: version: since the model was shared 1 row changed"):
        sl.save(more, tmp_path / "more", share=True)
    sl.save(more, tmp_path / "more")
    assert "shared" not in describe(tmp_path / "more")  # it is another model than the one that was


def describe_shared(model, folder):
    sl.save(model, folder / "alone", share=True)
    return describe(folder / "alone")["shared"]["done"]


def test_a_level_that_few_new_rows_have_is_pooled(tmp_path):
    model = fitted(people())
    sl.save(model, tmp_path / "first", share=True)
    new = people(60, seed=3)
    new["city"] = ["Rome"] * 29 + ["Oslo"] * 29 + ["Bonn"] * 2
    model.partial_fit(new, "wage")
    assert "version: since the model was shared 2 rows with city = Bonn changed" in map(str, sl.disclosure(model))
    sl.save(model, tmp_path / "second", share=True)
    parts = [part for part in sl.load(tmp_path / "second").statistic_.parts if part[0] == "city"]
    assert ("city", "=(pooled)") in parts and ("city", "=Bonn") not in parts
    sl.save(model.partial_fit(people(80, seed=4), "wage"), tmp_path / "third", share=True)  # pooled they stay
    assert ("city", "=Bonn") not in sl.load(tmp_path / "third").statistic_.parts


def test_pairs_are_pooled(tmp_path):
    table = people(400)
    table.loc[table.index[(table["city"] == "Bonn") & (table["job"] == "smith")][2:], "job"] = "baker"
    assert any(finding.kind == "pair" for finding in sl.disclosure(fitted(table)))
    sl.save(fitted(table), tmp_path / "shared", share=True)
    assert sl.disclosure(sl.load(tmp_path / "shared")) == []


@pytest.mark.filterwarnings("ignore::sumlearn.IllConditionedWarning")
def test_a_column_is_left_out_where_pooling_is_not_enough(tmp_path):
    table = people().assign(rare=["x"] * 198 + ["z"] * 2, flag=[True] + [False] * 199)
    table["value"] = [1.0, 2.0] + [np.nan] * 198
    sl.save(fitted(table), tmp_path / "shared", share=True)
    assert {part[0] for part in sl.load(tmp_path / "shared").statistic_.parts} == {"age", "city", "job"}
    done = describe(tmp_path / "shared")["shared"]["done"]
    assert {f"{name!r} was left out" for name in ("rare", "flag", "value")} <= set(done)


@pytest.mark.parametrize("weight", [np.arange(1.0, 201.0)])
def test_weighted_rows_are_refused(weight, tmp_path):
    model = sl.TableModel(sl.LinearRegression()).fit(people(), "wage", weight)
    with pytest.raises(ValueError, match="not shared: weights"):
        sl.save(model, tmp_path / "shared", share=True)


def test_what_is_refused(tmp_path):
    X = np.random.default_rng(0).standard_normal((40, 3))
    few = np.array(["a"] * 38 + ["b"] * 2)
    flag = np.column_stack([X, np.arange(40) == 7])
    cases = {
        "group: class b has 2 rows": sl.LinearDiscriminantAnalysis().fit(X, few),
        "column 3 = 1, 1 row": sl.LinearRegression().fit(flag, X[:, 0]),
        "the target = 1, 1 row": sl.LinearRegression().fit(X, flag[:, 3]),
        "rows: rows are held": sl.NadarayaWatson().fit(X, X[:, 0]),
        "no more than columns": sl.Ridge().fit(X[:4], X[:4, 0]),
        "unknown": sl.RBFNetwork(3).fit(X, X[:, 0]),
        "has no sums": sl.LogisticRegression().fit(X, np.arange(40) % 2),
        "has no sums|unknown": sl.TableModel(KNeighborsRegressor()).fit(people(), "wage"),
    }
    for why, model in cases.items():
        assert sl.disclosure(model), why
        with pytest.raises(ValueError, match=why):
            sl.save(model, tmp_path / "shared", share=True)
    with pytest.raises(ValueError, match="has no sums"):
        sl.save(Moments.of(X), tmp_path / "shared", share=True)
    assert not list(tmp_path.iterdir())


def test_rows_that_sums_hold(tmp_path):
    """Fewer rows than columns are held as they are: named, refused, and no square is formed for that."""
    X = np.random.default_rng(0).standard_normal((30, 1000))
    labels = np.array(["a", "b"])[np.arange(30) % 2]
    wide = sl.TableModel(sl.Ridge()).fit(pd.DataFrame(X[:, :200], columns=[f"x{j}" for j in range(200)]), X[:, 0])
    for model in (
        sl.Ridge().fit(X, X[:, 0]),
        sl.QuadraticDiscriminantAnalysis(reg_param=0.5).fit(X[:, :200], labels),
        wide,
    ):
        assert {finding.kind for finding in sl.disclosure(model)} == {"rows"}
        with pytest.raises(ValueError, match="not shared: rows: rows are held"):
            sl.save(model, tmp_path / "shared", share=True)


def test_what_was_shared_is_remembered_after_a_new_fit(tmp_path):
    model = fitted(people())
    sl.save(model, tmp_path / "first", share=True)
    model.fit(people(201), "wage")
    with pytest.raises(ValueError, match="not shared: version"):
        sl.save(model, tmp_path / "second", share=True)


def test_the_ledger_does_not_travel(tmp_path):
    X = np.random.default_rng(0).standard_normal((40, 3))
    model = sl.Ridge().keep_ledger().fit(X, X[:, 0])
    assert [finding.kind for finding in sl.disclosure(model)] == ["hashes"]
    sl.save(model, tmp_path / "shared", share=True)
    assert "_ledger" not in vars(sl.load(tmp_path / "shared")) and model.verify(X, X[:, 0])


def test_counts():
    assert [f.rows for f in sl.disclosure(Counts.of(["a"] * 9 + ["b"] * 2))] == [2]


@pytest.mark.parametrize("values", [(0, 1), (1, 2), (-1, 1), (-1, 0), (2019, 2020)])
@pytest.mark.parametrize("form", ["full", "diagonal"])
def test_two_values_are_found_whatever_they_are(values, form):
    """Codes 1 and 2 tell the same rows as 0 and 1 do, for whoever knows the codes."""
    X = np.random.default_rng(0).standard_normal((50, 3))
    X[:, 1] = np.where(np.arange(50) < 2, values[1], values[0])
    cells = cells_of(Moments.of(X, form=form))
    assert cells.atoms == (("column 1", f"={values[1]}"), ("column 1", f"={values[0]}"))
    assert cells.counts[""] == pytest.approx([2, 48])
    table = people().assign(code=X[np.arange(200) % 50, 1])
    table.loc[:20, "code"] = np.nan  # beside gaps as well
    table.loc[100:, "code"] = values[0]
    learner = sl.LinearRegression() if form == "full" else sl.GaussianNB()
    model = sl.TableModel(learner).fit(table.drop(columns="job"), "wage") if form == "full" else sl.TableModel(
        learner).fit(table.drop(columns="wage"), "job")  # fmt: skip
    n = int((table["code"] == values[1]).sum())
    assert n == 2
    assert f"level: code = {values[1]}, 2 rows" in map(str, sl.disclosure(model))


@pytest.mark.parametrize("form", ["full", "diagonal"])
@pytest.mark.parametrize(("amount", "rows"), [(17.0, 1), (1234.5, 3), (-0.25, 2)])
def test_an_amount_that_few_have_is_a_flag(amount, rows, form):
    """Zero for everybody else: the products of the column with the others are what these rows have."""
    column = np.zeros(50)
    column[:rows] = amount
    X = np.random.default_rng(0).standard_normal((50, 2))
    cells = cells_of(Moments.of(np.column_stack([X, column]), form=form))
    assert cells.atoms == (("column 2", f"={amount:g}"), ("column 2", "=0"))
    np.testing.assert_allclose(cells.counts[""], [rows, 50 - rows], rtol=1e-12)


@pytest.mark.parametrize("learner", [sl.Ridge(), sl.Lasso(0.1), sl.GaussianNB(), sl.BayesianRegression()], ids=str)
def test_attack_1_on_an_amount(learner, tmp_path):
    table = people().assign(gain=np.where(np.arange(200) == 7, 17.5, 0.0))
    y = table.pop("wage") if not hasattr(learner, "predict_proba") else (table.pop("wage") > 1500)
    bare = clone(learner).fit(table[["age", "gain"]], y)
    assert "level: gain = 17.5, 1 row" in map(str, sl.disclosure(bare))
    with pytest.raises(ValueError, match="not shared: level: gain = 17.5, 1 row"):
        sl.save(bare, tmp_path / "bare", share=True)
    model = sl.TableModel(learner).fit(table, y)
    assert "level: gain = 17.5, 1 row" in map(str, sl.disclosure(model))
    sl.save(model, tmp_path / "shared", share=True)
    shared = sl.load(tmp_path / "shared")
    assert sl.disclosure(shared) == [] and "gain" not in {column for column, _ in shared.statistic_.parts}


def test_numbers_are_no_flags():
    X = np.random.default_rng(0).standard_normal((50, 2))
    assert cells_of(Moments.of(np.column_stack([X, np.round(3 * X), np.arange(50) % 3]))).atoms == ()


SOME = np.random.default_rng(0).standard_normal((60, 3))
SIGNS = np.where(SOME.sum(axis=1) > 0, "a", "b")
LEARNT = {
    "support vectors in a table": (sl.TableModel(sl.SVC()), SIGNS),
    "leaves in a table": (sl.TableModel(sl.DecisionTreeRegressor()), SOME[:, 0] * SOME[:, 1]),
    "a member with rows": (sl.Committee([("sums", sl.GaussianNB()), ("rows", sl.SVC())]), SIGNS),
    "a member with leaves": (sl.StackingRegressor([("r", sl.Ridge()), ("t", sl.DecisionTreeRegressor())]), SOME[:, 0]),
    "labels of rows": (sl.SelfTrainingClassifier(sl.GaussianNB()), SIGNS),
    "a path": (sl.RidgeCV(), SOME[:, 0]),
    "powers, in another origin": (sl.PolynomialClassifier(2), SIGNS),
    "powers in a table": (sl.TableModel(sl.PolynomialClassifier(2)), SIGNS),
}


@pytest.mark.filterwarnings("ignore:y contains no unlabeled samples")
@pytest.mark.parametrize("kind", LEARNT)
def test_what_is_held_beside_sums_is_named(kind, tmp_path):
    """Sums somewhere in a model say nothing of what else it holds."""
    learner, y = LEARNT[kind]
    model = learner.fit(SOME, y)
    assert "unknown" in {finding.kind for finding in sl.disclosure(model)}
    with pytest.raises(ValueError, match="not shared"):
        sl.save(model, tmp_path / "shared", share=True)


@pytest.mark.filterwarnings("ignore::sumlearn.IllConditionedWarning")
def test_sums_of_many_classes_are_counted(tmp_path):
    flag, labels = np.column_stack([SOME, np.arange(60) == 7]), np.array(list("abc") * 20)
    model = sl.OneVsOneClassifier(sl.LinearDiscriminantAnalysis()).fit(flag, labels)
    assert {"level: column 3 = 1, 1 row", "group: column 3 = 1 of class b, 1 row"} == set(
        map(str, sl.disclosure(model))
    )
    clear = sl.OneVsOneClassifier(sl.LinearDiscriminantAnalysis()).fit(SOME, labels)
    sl.save(clear, tmp_path / "shared", share=True)
    assert (sl.load(tmp_path / "shared").predict(SOME) == clear.predict(SOME)).all()
