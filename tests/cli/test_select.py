"""`sumlearn select`: the columns of the searches in Python, categories as one column, an honest score beside J."""

import csv
import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from sumlearn import LinearDiscriminantAnalysis, LinearRegression, SubsetSearch, cross_validate
from sumlearn.data import load_example
from sumlearn.selection import FCBF, Ranker

from tests.cli.conftest import ENVIRONMENT
from tests.cli.tables import mixed, shuffled, write

PIMA = load_example("pima")


def chosen_by(search, table=PIMA):
    found = search.fit(table.X, table.y)
    return [table.columns[j] for j in found.subset_], found


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("method", "options", "parameters"),
    [
        ("sfs", [], {}),
        ("sbe", ["-k", "parsimonious"], {"k": "parsimonious"}),
        ("sffs", ["--criterion", "auc", "--cv", "4"], {"criterion": "auc", "cv": shuffled(4)}),
        ("sbfs", ["-k", "3"], {"k": 3}),
        ("pta:3,1", [], {"plus": 3, "minus": 1}),
        ("gsfs:3", ["-k", "6"], {"block": 3, "k": 6}),
        ("gpta:1,2", ["-k", "2"], {"plus": 1, "minus": 2, "k": 2}),
        ("exhaustive", ["--drop", "glucose"], {"excluded": [PIMA.columns.index("glucose")]}),
        ("bnb", ["-k", "3"], {"k": 3, "criterion": "mahalanobis"}),
        ("astar", ["-k", "4", "--criterion", "trace"], {"k": 4, "criterion": "trace"}),
    ],
)
def test_searches_are_those_of_python(run, method, options, parameters):
    """The command standardises the columns, which changes none of these criteria.

    Rounding may break the tie of a pair of rows, which moves the area under a curve by 2e-5; a row that is decided
    otherwise would move the accuracy by 1e-3.
    """
    found = run("select", "pima", "--method", method, *options, "--json")
    assert found.code == 0, found.err
    told = json.loads(found.out)
    columns, search = chosen_by(SubsetSearch(method.split(":")[0], **{"cv": shuffled()} | parameters))
    assert told["chosen"] == columns
    assert told["score"] == pytest.approx(search.score_, abs=5e-5)
    assert told["evaluations"] == search.evaluations_
    scores = {line["size"]: line["score"] for line in told["sizes"]}
    assert scores == pytest.approx(search.scores_by_size_, abs=5e-5)
    assert told["proven"] == (not search.approximate_)
    if search.standard_error_ is None:
        assert told["standard_error"] is None
    else:
        assert told["standard_error"] == pytest.approx(search.standard_error_, abs=5e-5)


def test_branch_and_bound_says_beforehand_how_long_it_may_take(run):
    found = run("select", "pima", "--method", "bnb", "-k", "3")
    assert "work      up to 56 subsets, at most a few seconds\n" in found.err
    found = run("select", "dna", "--target", "Class", "--method", "astar", "-k", "9", "--max-seconds", "0.1")
    assert "too many for all of them; --max-seconds ends it with the best so far" in " ".join(found.err.split())


def test_a_numeric_target(run):
    told = json.loads(run("select", "diabetes", "--method", "sffs", "--criterion", "bic", "--json").out)
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True, as_frame=True)
    search = SubsetSearch("sffs", LinearRegression(), "bic").fit(X, y)
    assert told["task"] == "regress"
    assert told["chosen"] == [X.columns[j] for j in search.subset_]
    assert told["score"] == pytest.approx(search.score_)


@pytest.mark.parametrize("name", ["f", "pearson", "mi", "su", "fisher", "one_feature"])
def test_rankers_give_the_order_and_the_criterion_is_asked_along_it(run, name):
    told = json.loads(run("select", "pima", "--method", f"rank:{name}", "--json").out)
    score = {"mi": "mutual_information", "su": "symmetric_uncertainty"}.get(name, name)
    bins = 8 if name in ("mi", "su") else None
    order = Ranker(score, task="classification", bins=bins).fit(PIMA.X, PIMA.y).order_
    assert told["sizes"][-1]["columns"] == [PIMA.columns[j] for j in order]
    for line in told["sizes"][::3]:
        columns = np.sort(order[: line["size"]])
        scores = cross_validate(LinearDiscriminantAnalysis(), PIMA.X[:, columns], PIMA.y, cv=shuffled())["test_score"]
        assert line["score"] == pytest.approx(scores.mean())
    best = max(told["sizes"], key=lambda line: line["score"])
    assert (told["score"], told["chosen"]) == (best["score"], best["columns"])


@pytest.mark.parametrize("name", ["mi", "su"])
def test_numbers_are_ranked_by_information_in_bins(run, name):
    from sklearn.datasets import load_diabetes
    from sklearn.metrics import mutual_info_score, normalized_mutual_info_score

    X, y = load_diabetes(return_X_y=True, as_frame=True)
    told = json.loads(run("select", "diabetes", "--method", f"rank:{name}", "--json").out)
    measure = {"mi": mutual_info_score, "su": normalized_mutual_info_score}[name]

    def bins(values):
        """The edge of a share is the least value that so many lie below."""
        different = np.unique(values)
        below = np.searchsorted(np.sort(values), different) / len(values)
        edges = [different[below >= share][0] for share in np.arange(1, 8) / 8 if (below >= share).any()]
        return np.searchsorted(edges, values, side="right")

    scores = {column: measure(bins(X[column]), bins(y)) for column in X}
    assert told["sizes"][-1]["columns"] == sorted(scores, key=scores.get, reverse=True)


def test_rank_sizes(run):
    smallest = json.loads(run("select", "pima", "--method", "rank:f", "-k", "parsimonious", "--json").out)
    best = json.loads(run("select", "pima", "--method", "rank:f", "--json").out)
    least = best["score"] - best["standard_error"]
    sizes = [line["size"] for line in best["sizes"] if line["score"] >= least]
    assert len(smallest["chosen"]) == sizes[0] < len(best["chosen"])
    three = json.loads(run("select", "pima", "--method", "rank:f", "-k", "3", "--json").out)
    assert three["chosen"] == ["glucose", "mass", "age"]


def test_fcbf_keeps_what_the_filter_keeps(run):
    told = json.loads(run("select", "pima", "--method", "fcbf:0.01", "--json").out)
    order = FCBF(0.01, bins=8).fit(PIMA.X, PIMA.y).order_
    assert told["chosen"] == [PIMA.columns[j] for j in order]
    none = run("select", "pima", "--method", "fcbf:0.9")
    assert none.code == 3
    assert "--method fcbf:0" in none.err


def test_levels_of_a_category_enter_together(run, tmp_path):
    mixed(tmp_path / "shop.csv")
    found = run("select", "shop.csv", "-t", "label", "--method", "exhaustive", "--json")
    assert found.code == 0, found.err
    told = json.loads(found.out)
    names = {"size", "city", "new", "day"}  # the key numbers the rows and is left out
    assert set().union(*(line["columns"] for line in told["sizes"])) == names
    assert [line["size"] for line in told["sizes"]] == [1, 2, 3, 4]
    assert all(line["size"] == len(line["columns"]) for line in told["sizes"])
    assert told["evaluations"] == 15
    assert {"size", "city"} <= set(told["chosen"])
    assert "key" in {line["column"] for line in told["columns_left_out"]}


def test_what_is_printed(run, tmp_path):
    found = run("select", "pima", "--outer", "3", "-o", "sizes.csv", "-k", "2")
    assert found.code == 0, found.err
    assert "reading   pima  768 rows x 9 columns" in found.err
    lines = found.out.splitlines()
    assert lines[0].split() == ["columns", "J"]
    assert "  chosen    2 of 8 columns: glucose, mass" in lines
    assert any(line.startswith("  J         accuracy 0.7670 +- ") and "optimistic" in line for line in lines)
    assert any(line.startswith("  honest    accuracy 0.") for line in lines)
    assert "--outer" not in found.out
    with open(tmp_path / "sizes.csv", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["size", "J", "chosen", "columns"]
    assert rows[1][0::2] == ["2", "1"]
    assert rows[1][3] == "glucose;mass"
    plain = run("select", "pima", "--method", "sfs", "-k", "2", "--quiet")
    assert plain.err == ""
    assert "optimistic: the same rows chose the columns; --outer 5 gives an honest score" in plain.out


def test_a_file_is_not_overwritten(run, tmp_path):
    (tmp_path / "sizes.csv").write_text("mine")
    found = run("select", "iris", "-o", "sizes.csv")
    assert found.code == 2
    assert "--force" in found.err
    assert (tmp_path / "sizes.csv").read_text() == "mine"
    assert run("select", "iris", "-o", "sizes.csv", "--force").code == 0
    assert (tmp_path / "sizes.csv").read_text().startswith("size,J")


def test_honest_score_of_noise_is_that_of_guessing(run, tmp_path):
    rng = np.random.default_rng(0)
    names = [f"x{j}" for j in range(60)]
    rows = np.column_stack([rng.standard_normal((100, 60)).round(6), rng.permutation(np.arange(100) % 2)])
    write(tmp_path / "noise.csv", [*names, "label"], rows.tolist())
    options = ["--method", "sfs", "--outer", "5", "--json"]
    told = json.loads(run("select", "noise.csv", "-t", "label", *options).out)
    low, high = told["honest"]["interval"]
    assert told["score"] > 0.65  # the largest of many
    assert low < 0.5 < high
    assert abs(told["honest"]["score"] - 0.5) < 0.15  # three standard errors of a hundred coins
    assert list(told["honest"]["counts"]) == names


def test_honest_score_is_that_of_nested_score(run):
    """Where nothing is to be filled or pooled, codes learnt inside the folds are a change of scale."""
    from sumlearn.selection import nested_score

    told = json.loads(run("select", "iris", "--method", "sffs", "--outer", "4", "--json").out)["honest"]
    iris = load_example("iris")
    found = nested_score(SubsetSearch("sffs", cv=shuffled()), iris.X, iris.y, cv=shuffled(4))
    assert told["score"] == pytest.approx(found.score)
    assert told["interval"] == pytest.approx(list(found.interval))
    assert told["stability"] == pytest.approx(found.stability)
    assert list(told["counts"].values()) == found.counts.tolist()


@pytest.mark.parametrize("options", [["--method", "sffs"], ["--method", "rank:f"], ["--method", "bnb", "-k", "2"]])
def test_a_table_larger_than_memory_is_summed_from_its_file(run, tmp_path, options):
    rows = np.column_stack([PIMA.X, (np.asarray(PIMA.y) == "pos").astype(int)])
    write(tmp_path / "rows.csv", [*PIMA.columns[:8], "ill"], rows.tolist())
    small = run("select", "rows.csv", "-t", "ill", *options, "--drop", "age", "--memory", "1kB", "--json")
    assert small.code == 0, small.err
    assert "larger than memory" in small.err
    whole = run("select", "rows.csv", "-t", "ill", *options, "--drop", "age", "--json")
    a, b = json.loads(small.out), json.loads(whole.out)
    assert a["chosen"] == b["chosen"]
    assert "age" not in a["chosen"]
    assert a["score"] == pytest.approx(b["score"])
    refused = run("select", "rows.csv", "-t", "ill", "--outer", "3", "--memory", "1kB")
    assert refused.code == 2
    assert "--outer" in refused.err


@pytest.mark.parametrize("memory", [[], ["--memory", "1kB"]], ids=["in memory", "in blocks"])
def test_codes_that_may_be_labels_are_said_to_be_taken_for_numbers(run, tmp_path, memory):
    codes = np.arange(240) % 12
    rows = np.column_stack([np.random.default_rng(0).standard_normal((240, 2)).round(3), codes])
    write(tmp_path / "letters.csv", ["u", "v", "letter"], [[u, v, int(code)] for u, v, code in rows])
    question = ("select", "letters.csv", "-t", "letter", *memory)
    said = " ".join(run(*question).err.split())
    assert "which may be labels, and is taken for numbers: say --task classify if they are labels" in said
    for task in ("classify", "regress"):
        assert "may be labels" not in run(*question, "--task", task).err


def test_a_larger_table_holds_numbers_only(run, tmp_path):
    mixed(tmp_path / "shop.csv")
    found = run("select", "shop.csv", "-t", "label", "--memory", "1kB")
    assert found.code == 3
    assert "column 'key' holds no numbers" in found.err


def test_a_budget_ends_the_search(run):
    found = run("select", "digits", "--method", "sffs", "--max-seconds", "0.01", "--json")
    assert found.code == 0, found.err
    assert json.loads(found.out)["interrupted"]
    assert "budget was spent" in found.err


@pytest.mark.slow
def test_ctrl_c_is_no_answer(tmp_path):
    """The search would be content with the best so far; who presses Ctrl-C wants none."""
    words = [sys.executable, "-m", "sumlearn", "select", "dna", "-o", "sizes.csv", "--outer", "5"]
    started = subprocess.Popen(
        words, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert "reading" in started.stderr.readline()
    time.sleep(0.3)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert started.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == "error: interrupted; nothing was written"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["pima", "--method", "sff"], 2, "did you mean 'sffs'"),
        (["pima", "--method", "pta:2,2"], 2, "two different whole numbers"),
        (["pima", "--method", "gsfs:x"], 2, "no method 'gsfs:x'"),
        (["pima", "--method", "sfs:3"], 2, "no method 'sfs:3'"),
        (["pima", "--method", "rank:pearsn"], 2, "did you mean 'pearson'"),
        (["pima", "--method", "fcbf:2"], 2, "between 0 and 1"),
        (["pima", "--method", "bnb"], 2, "-k NUMBER"),
        (["pima", "--method", "bnb", "-k", "2", "--criterion", "auc"], 2, "--criterion"),
        (["pima", "--criterion", "r2"], 2, "no criterion 'r2'"),
        (["pima", "--criterion", "mahalanobis", "-k", "parsimonious"], 2, "mean over folds"),
        (["pima", "-k", "9"], 2, "there are 8 columns"),
        (["pima", "-k", "few"], 2, "best or parsimonious"),
        (["pima", "--cv", "1"], 2, "--cv"),
        (["pima", "--max-seconds", "0"], 2, "--max-seconds"),
        (["pima", "--task", "guess"], 2, "--task"),
        (["pima", "-t", "diabetis"], 3, "did you mean 'diabetes'"),
        (["pima", "--drop", "glucos"], 3, "did you mean 'glucose'"),
        (["pima", "--drop", "diabetes"], 2, "names the target"),
        (["pima", "-o", "nowhere/sizes.csv"], 2, "no folder"),
        (["diabetes", "--method", "bnb", "-k", "2"], 2, "is for classes"),
        (["diabetes", "--method", "rank:fisher"], 2, "is for classes"),
        (["diabetes", "--method", "fcbf"], 2, "is for classes"),
        (["nowhere.csv"], 3, "nowhere.csv"),
    ],
)
def test_errors_are_one_sentence(run, options, code, words):
    found = run("select", *options)
    assert found.code == code
    assert words in found.err
    assert found.out == ""
    assert len([line for line in found.err.splitlines() if line.startswith("error:")]) == 1
    assert "Traceback" not in found.err


def test_the_order_of_the_rows_does_not_matter_where_a_table_is_sorted(run, tmp_path):
    """By its target: consecutive folds would ask about numbers that no training row comes near."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(90, 2))
    y = x[:, 0] + 0.3 * rng.normal(size=90)
    order = np.argsort(y)
    rows = [[f"{a:.6f}", f"{b:.6f}", f"{c:.6f}"] for (a, b), c in zip(x[order], y[order], strict=True)]
    path = write(tmp_path / "sorted.csv", ["a", "b", "y"], rows)
    told = json.loads(run("select", str(path), "-t", "y", "-m", "sfs", "-k", "1", "--outer", "5", "--json").out)
    assert told["chosen"] == ["a"] and told["seed"] == 0
    assert told["score"] > 0.85 and told["honest"]["score"] > 0.85
    blocks = json.loads(run("select", str(path), "-t", "y", "-m", "sfs", "-k", "1", "--memory", "1kB", "--json").out)
    assert blocks["score"] == pytest.approx(told["score"])


def test_select_and_compare_read_files_as_train_does(run, tmp_path):
    rng = np.random.default_rng(5)
    x, y = rng.integers(1, 9, 60), rng.integers(0, 2, 60)
    rows = [[f"{n},500", "?" if n == 3 else f"{n}.5", f"{n}/{m + 1}/2023", "uv"[m]] for n, m in zip(x, y, strict=True)]
    path = str(write(tmp_path / "everyday.csv", ["a", "b", "day", "kind"], rows))
    for command in (["select", path, "-m", "sfs"], ["compare", path, "--models", "lda,naive_bayes", "--cv", "2"]):
        found = run(*command, "-t", "kind")
        assert found.code == 3 and "--d" in found.err  # which sign, which order
        found = run(*command, "-t", "kind", "--decimal", "comma", "--dates", "mdy", "--encoding", "ascii")
        assert found.code == 0, found.err
        assert "numbers: 'b' holds numbers: '?' as a gap" in found.err
        assert "dates: 'day' holds dates" in found.err
    told = json.loads(run("select", path, "-t", "kind", "--decimal", "comma", "--dates", "dmy", "--json").out)
    assert set().union(*(line["columns"] for line in told["sizes"])) <= {"a", "b", "day"}
    assert told["columns_left_out"] == [
        {"column": "b", "what": "filled", "why": told["columns_left_out"][0]["why"]}
    ]  # none for its levels
