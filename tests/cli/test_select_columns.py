"""`sumlearn select`: weights, columns that are fixed, columns that depend on others, and too few rows."""

import json

import numpy as np
import pytest

from sumlearn import LinearDiscriminantAnalysis, LinearRegression, SubsetSearch
from sumlearn.data import load_example
from sumlearn.selection import FCBF, Ranker, nested_score
from sumlearn.selection.workflow_steps.choosing import in_quantiles

from tests.cli.tables import mixed, shuffled, write

PIMA = load_example("pima")
NAMES = list(PIMA.columns[:8])
WEIGHT = np.random.default_rng(0).integers(0, 4, 768)
ILL = np.asarray(PIMA.y)


@pytest.fixture
def weighed(tmp_path):
    """The Pima table with weights, and the same with every row as often as it weighs."""
    rows = [[*x, w, y] for x, w, y in zip(PIMA.X.tolist(), WEIGHT.tolist(), ILL.tolist(), strict=True)]
    write(tmp_path / "weighed.csv", [*NAMES, "times", "ill"], rows)
    return tmp_path


def told(found):
    assert found.code == 0, found.err
    return json.loads(found.out)


@pytest.mark.parametrize("method", ["sffs", "sfs --criterion auc", "bnb -k 3", "sbe --criterion likelihood -k 2"])
def test_searches_weigh_rows(run, weighed, method):
    name, *options = method.split()
    found = told(run("select", "weighed.csv", "-t", "ill", "--weights", "times", "--method", name, *options, "--json"))
    criterion = options[1] if "--criterion" in options else "mahalanobis" if name == "bnb" else "accuracy"
    k = int(options[-1]) if "-k" in options else "best"
    model = LinearDiscriminantAnalysis() if criterion in ("accuracy", "auc") else None
    search = SubsetSearch(name, model, criterion, k=k, cv=shuffled()).fit(PIMA.X, ILL, sample_weight=WEIGHT)
    assert found["chosen"] == [NAMES[j] for j in search.subset_]
    assert found["score"] == pytest.approx(search.score_, abs=5e-5)  # a tie of two rows may be broken otherwise
    assert found["weights"] == "times"
    plain = SubsetSearch(name, model, criterion, k=k, cv=shuffled()).fit(PIMA.X, ILL)
    assert abs(plain.score_ - search.score_) > 1e-3  # weights matter here


@pytest.mark.parametrize("method", ["rank:f", "rank:mi", "rank:su", "fcbf:0.01"])
def test_filters_weigh_rows(run, weighed, method):
    found = told(run("select", "weighed.csv", "-t", "ill", "--weights", "times", "--method", method, "--json"))
    score = {"rank:f": "f", "rank:mi": "mutual_information", "rank:su": "symmetric_uncertainty"}.get(method)
    bins = None if score == "f" else 8
    filter = FCBF(0.01, bins=8) if score is None else Ranker(score, task="classification", bins=bins)
    order = filter.fit(PIMA.X, ILL, sample_weight=WEIGHT).order_
    assert found["sizes"][-1]["columns"] == [NAMES[j] for j in order]
    assert order.tolist() != filter.fit(PIMA.X, ILL).order_.tolist()


def test_a_weight_is_a_number_of_rows(run, weighed):
    """Ranked by information, numbers are put into bins of equal weight: the target as well."""
    y = PIMA.X[:, 1]
    repeated = np.repeat(np.arange(768), WEIGHT)
    np.testing.assert_array_equal(in_quantiles(y, 5, WEIGHT.astype(float))[repeated], in_quantiles(y[repeated], 5))
    other = [name for name in NAMES if name != "glucose"]
    rows = [[*x, g] for x, g in zip(np.delete(PIMA.X, 1, axis=1)[repeated].tolist(), y[repeated].tolist(), strict=True)]
    write(weighed / "repeated.csv", [*other, "glucose"], rows)
    words = ["-t", "glucose", "--task", "regress", "--method", "rank:mi", "--json"]
    weighty = told(run("select", "weighed.csv", "--weights", "times", "--drop", "ill", *words))
    assert weighty["sizes"][-1]["columns"] == told(run("select", "repeated.csv", *words))["sizes"][-1]["columns"]


def test_an_honest_score_weighs_rows(run, weighed):
    words = ["weighed.csv", "-t", "ill", "--weights", "times", "--method", "sfs", "--outer", "4", "--json"]
    found = told(run("select", *words))["honest"]
    search, weight = SubsetSearch("sfs", cv=shuffled()), WEIGHT.astype(float)
    expected = nested_score(search, PIMA.X, ILL, cv=shuffled(4), sample_weight=weight)
    assert found["score"] == pytest.approx(expected.score)
    assert found["score"] != pytest.approx(nested_score(search, PIMA.X, ILL, cv=shuffled(4)).score)
    assert list(found["counts"]) == NAMES  # weights are no feature


def test_files_weigh_rows(run, weighed):
    rows = [[*x, w, int(y == "pos")] for x, w, y in zip(PIMA.X.tolist(), WEIGHT.tolist(), ILL.tolist(), strict=True)]
    write(weighed / "numbers.csv", [*NAMES, "times", "ill"], rows)
    for method in ("sffs", "rank:f", "fcbf"):
        words = ["numbers.csv", "-t", "ill", "--weights", "times", "--fixed", "age", "--method", method, "--json"]
        small, whole = (told(run("select", *words, *more)) for more in (["--memory", "1kB"], []))
        assert small["chosen"] == whole["chosen"]
        assert small["score"] == pytest.approx(whole["score"])
        assert "times" not in small["sizes"][-1]["columns"]


# -- columns that are always chosen -----------------------------------------------------------------------------------


def test_fixed_columns_are_always_chosen(run):
    found = told(run("select", "pima", "--fixed", "triceps, pressure", "--method", "sfs", "-k", "4", "--json"))
    search = SubsetSearch("sfs", k=4, fixed=[2, 3], cv=shuffled()).fit(PIMA.X, PIMA.y)
    assert found["chosen"] == [NAMES[j] for j in search.subset_]
    assert found["fixed"] == ["triceps", "pressure"]
    assert all({"triceps", "pressure"} <= set(line["columns"]) for line in found["sizes"])
    ranked = told(run("select", "pima", "--fixed", "triceps", "--method", "rank:f", "-k", "3", "--json"))
    assert ranked["chosen"] == ["triceps", "glucose", "mass"]


def test_a_fixed_category_keeps_all_its_levels(run, tmp_path):
    mixed(tmp_path / "shop.csv")
    words = ["shop.csv", "-t", "label", "--fixed", "city", "--method", "exhaustive", "--outer", "2", "--json"]
    found = told(run("select", *words))
    assert all("city" in line["columns"] for line in found["sizes"])
    assert found["evaluations"] == 8  # subsets of the other three
    assert found["honest"]["counts"]["city"] == 2


# -- columns that depend on others, and too few rows ------------------------------------------------------------------


@pytest.fixture
def tangled(tmp_path):
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, 120)).round(6)
    y = np.where(a + rng.standard_normal(120) > 0, "yes", "no")
    columns = [a, b, 2 * a, a + b, c, y.tolist()]
    write(tmp_path / "tangled.csv", ["a", "b", "twice", "sum", "c", "y"], list(zip(*columns, strict=True)))
    few = [*zip(a[:6].tolist(), b[:6].tolist(), ["u", "v"] * 3, b[:6].tolist(), strict=True)]
    write(tmp_path / "few.csv", ["a", "b", "y", "z"], few)
    return tmp_path


@pytest.mark.parametrize("method", ["sbe", "sbfs", "gpta:1,2"])
def test_what_begins_with_all_columns_names_those_it_leaves_out(run, tangled, method):
    found = run("select", "tangled.csv", "-t", "y", "--method", method, "--json")
    assert told(found)["dependent"] == ["twice", "sum"]
    assert "the columns 'twice', 'sum' depend on others" in found.err
    assert "[2, 3]" not in found.err


def test_a_ranking_passes_over_columns_that_depend_on_better_ones(run, tangled):
    found = run("select", "tangled.csv", "-t", "y", "--method", "rank:f", "-k", "3", "--json")
    answer = told(found)
    assert answer["chosen"] == ["a", "sum", "c"]
    assert answer["dependent"] == ["twice", "b"]
    assert np.isfinite(answer["score"])
    assert "'twice', 'b' depend on others" in found.err


@pytest.mark.parametrize(
    ("method", "advice"),
    [
        (["sffs", "-k", "5"], "--drop twice,sum, or -k 3 at most"),
        (["sbe", "-k", "4"], "--drop twice,sum, or -k 3 at most"),
        (["exhaustive", "-k", "4"], "--drop twice,sum, or -k 3 at most"),
        (["bnb", "-k", "2"], "--drop twice,sum"),
        (["astar", "-k", "2", "--criterion", "trace"], "--drop twice,sum"),
    ],
)
def test_columns_that_cannot_be_judged_together_are_named(run, tangled, method, advice):
    found = run("select", "tangled.csv", "-t", "y", "--method", *method)
    assert found.code == 3
    assert found.out == ""
    assert "'twice', 'sum' depend on those before" in found.err
    assert found.err.strip().endswith(advice)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["few.csv", "-t", "y"], 3, "the largest class has 3 rows: too few for 5 folds (--cv)"),
        (["few.csv", "-t", "z", "--cv", "7"], 3, "there are 6 rows: too few for 7 folds (--cv)"),
        (["pima", "--fixed", "glucos"], 3, "did you mean 'glucose'? (--fixed)"),
        (["pima", "--fixed", "diabetes"], 2, "--fixed names the target 'diabetes'"),
        (["pima", "--fixed", "age", "--drop", "age"], 2, "--drop names the column of --fixed, 'age'"),
        (["pima", "--fixed", "age,mass", "-k", "1"], 2, "-k 1: 2 columns are always chosen (--fixed)"),
        (["pima", "--weights", "diabetes"], 2, "--weights names the target 'diabetes'"),
        (["pima", "--weights", "weight"], 3, "(--weights)"),
        (["tangled.csv", "-t", "y", "--weights", "a"], 3, "weights are not negative (--weights)"),
        (["digits", "--fixed", "pixel00"], 3, "the column 'pixel00' cannot be chosen: constant"),
        (["wine", "--criterion", "auc"], 2, "auc is for two classes, the target has 3"),
        (["pima", "--method", "fcbf:0.9"], 3, "no column has a symmetric uncertainty above 0.9; --method fcbf:0"),
    ],
)
def test_errors_are_one_sentence(run, tangled, words, code, message):
    found = run("select", *words)
    assert found.code == code
    assert message in found.err
    assert found.out == ""
    assert len([line for line in found.err.splitlines() if line.startswith("error:")]) == 1


def test_without_anything_to_choose(run, tmp_path):
    rng = np.random.default_rng(0)
    write(tmp_path / "n.csv", ["a", "y"], [[x, y] for x, y in zip([0, 1, 0, 1] * 10, [0, 0, 1, 1] * 10, strict=True)])
    found = run("select", "n.csv", "-t", "y", "--method", "fcbf")
    assert found.code == 3
    assert "no column says anything about the target" in found.err
    write(tmp_path / "c.csv", ["a", "y"], [[3, y] for y in rng.integers(0, 2, 40).tolist()])
    assert "no column varies" in run("select", "c.csv", "-t", "y").err


def test_values_that_are_taken_for_levels_are_said(run):
    found = run("select", "pima", "--criterion", "nearest", "-k", "2")
    assert "'pedigree' has 517 values in 768 rows, each a level of its own" in found.err
    assert "'pregnant' has" not in found.err


def test_long_lists_are_cut_in_the_table_and_whole_below(run):
    found = run("select", "digits", "--method", "sfs", "-k", "12", "--criterion", "trace")
    lines = found.out.splitlines()
    assert lines[12].endswith(", ... (12)")
    chosen = next(line for line in lines if line.startswith("  chosen"))
    assert chosen.count("pixel") == 12


def test_many_sizes_are_shown_around_the_chosen_one(run, tmp_path):
    words = ["digits", "--method", "rank:f", "-k", "40", "--criterion", "trace"]
    found = run("select", *words, "-o", "all.csv")
    sizes = [int(line.split()[0]) for line in found.out.splitlines()[1:] if line[0].isdigit()]
    assert sizes == list(range(25, 55))
    assert "30 of 61 are shown; -o FILE and --json have all" in found.err
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 62
    assert len(told(run("select", *words, "--json"))["sizes"]) == 61


def test_numbers_with_fixed_columns(run):
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True, as_frame=True)
    found = told(run("select", "diabetes", "--fixed", "age", "--method", "sffs", "--criterion", "bic", "--json"))
    search = SubsetSearch("sffs", LinearRegression(), "bic", fixed=["age"]).fit(X, y)
    assert found["chosen"] == [X.columns[j] for j in search.subset_]
