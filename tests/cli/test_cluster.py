"""`sumlearn cluster` on mixed tables: the folder, the page, the saved model, the choice of k."""

import json

import numpy as np
import pytest

import sumlearn as sl
from sumlearn.cli.running import main
from sumlearn.product import DataProblem, UsageProblem, cluster

pa = pytest.importorskip("pyarrow")
pytest.importorskip("typer")


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """Three kinds of customers: numbers, categories, dates, gaps, a name for each row, and one column of noise."""
    rng = np.random.default_rng(0)
    kind = rng.choice([0, 0, 1, 2], 400)
    age, income = (
        np.array([25, 45, 68])[kind] + 4 * rng.standard_normal(400),
        np.array([20, 70, 35])[kind] + 5 * rng.standard_normal(400),
    )
    lines = ["id,age,income,city,plan,since,note"]
    for i in range(400):
        city = "" if i % 11 == 0 else ["Rome", "Oslo", "Bonn"][kind[i] if i % 5 else rng.integers(3)]
        years = "" if i % 17 == 0 else f"{age[i]:.1f}"
        plan = "free" if rng.random() < [0.9, 0.2, 0.5][kind[i]] else "<b>pro</b>"
        lines.append(f"c{i},{years},{1000 * income[i]:.0f},{city},{plan},20{10 + i % 9}-03-{1 + i % 28:02d},{i % 2}")
    path = tmp_path_factory.mktemp("shop") / "shop.csv"
    path.write_text("\n".join(lines) + "\n")
    return path, kind


@pytest.mark.parametrize("method", ["kmeans", "gmm"])
def test_kinds_of_customers_are_found_again(shop, method, tmp_path, capfd):
    path, kind = shop
    out = tmp_path / "out"
    command = ["cluster", str(path), "-k", "2..5", "--method", method, "--ids", "id", "--drop", "since", "-o", str(out)]
    assert main([*command, "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert told["k"] == 3 and told["sizes"] == sorted(told["sizes"], reverse=True) and sum(told["sizes"]) == 400
    assert {file.name for file in out.iterdir()} == {"report.html", "model.skops", "clusters.csv", "clusters.json"}
    lines = (out / "clusters.csv").read_text().splitlines()
    assert lines[0] == "row,id,prediction"
    found = np.array([int(line.split(",")[2]) for line in lines[1:]])
    assert max((np.array(names)[kind] == found).mean() for names in ([1, 2, 3], [1, 3, 2])) > 0.95
    assert told["profiles"][0]["column"] in ("age", "income")
    assert [line["k"] for line in told["tried"]] == [2, 3, 4, 5]
    page = (out / "report.html").read_text()
    assert "<b>pro</b>" not in page and "What the clusters are like" in page
    assert ("but for what the floor under the spread" in page) == (method == "gmm")
    assert ("Every step improves what is minimised" in page) == (method == "kmeans")
    assert main(["predict", str(out), str(path), "-o", str(tmp_path / "again.csv"), "-q"]) == 0
    assert (tmp_path / "again.csv").read_text() == (out / "clusters.csv").read_text()
    assert main(["predict", str(out), str(path), "--proba", "-q"]) == (0 if method == "gmm" else 2)
    assert main(["info", str(out)]) == 0 and "3, the" in capfd.readouterr().out
    assert main(["update", str(out), str(path)]) == 1 and "holds clusters" in capfd.readouterr().err
    assert main(command) == 2 and "--force" in capfd.readouterr().err
    loaded = sl.load(out / "model.skops")
    assert loaded.predict(str(path)).tolist() == found.tolist()


def test_names_of_rows_stay_as_they_are_written(tmp_path):
    """Numbers with zeros in front and dates, in the table of clusters as in that of predictions."""
    path, out = tmp_path / "days.csv", tmp_path / "out"
    path.write_text("id,when,x\n" + "".join(f"0{i},{i}.01.2020,{i % 2}.{i}\n" for i in range(1, 9)))
    assert main(["cluster", str(path), "-k", "2", "--ids", "id,when", "-o", str(out), "-q"]) == 0
    told = (out / "clusters.csv").read_text()
    assert told.splitlines()[3].startswith("2,03,3.01.2020,")
    assert main(["predict", str(out), str(path), "-o", str(tmp_path / "again.csv"), "-q"]) == 0
    assert (tmp_path / "again.csv").read_text() == told


def test_splits_of_a_codebook(tmp_path, capfd):
    out = tmp_path / "out"
    assert main(["cluster", "faithful", "-k", "1..6", "--method", "lbg", "-o", str(out)]) == 0
    text = capfd.readouterr()
    assert "clusters  2   the largest mean silhouette" in text.out
    assert "How the codebook grew" in (out / "report.html").read_text()


def test_no_unit_and_no_reference_level_decides():
    """Levels are equally far from each other, and numbers count in deviations."""
    found = cluster("iris", k="3")
    metres = found.table.frame.set_column(0, "Sepal.Length", pa.array(found.frame.column(0).to_numpy() * 1000.0))
    again = cluster(metres, k="3", target="Species")
    np.testing.assert_array_equal(found.labels, again.labels)
    table = pa.table({"level": ["a"] * 30 + ["b"] * 20 + ["c"] * 20 + ["d"] * 20, "x": np.arange(90.0) % 2})
    space = cluster(table, k="2").space
    z = space.frame.coordinates(space.X)[[0, 30, 50, 70], :]
    apart = ((z[:, None] - z) ** 2).sum(axis=2)
    np.testing.assert_allclose(apart, 1.0 - np.eye(4), atol=1e-12)


def test_a_target_may_be_dropped_by_name():
    """The target of a bundled table is not clustered by, whether it is named or not."""
    plain, named = cluster("iris", k="2"), cluster("iris", k="2", drop=["Species"])
    np.testing.assert_array_equal(plain.labels, named.labels)


def test_gaps_are_no_reason_to_belong_together():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.standard_normal(100), 8.0 + rng.standard_normal(100)])
    y = [None if i % 9 == 0 else float(v) for i, v in enumerate(x + rng.standard_normal(200))]
    found = cluster(pa.table({"x": x, "y": y}), k="2..4")
    assert found.metrics["k"] == 2 and len(set(found.labels[:100].tolist())) == 1
    z = found.space.frame.coordinates(found.space.X)
    assert z.shape[1] == 3 and np.ptp(z[:, np.argmin(np.ptp(z, axis=0))]) < 1e-3  # the flag of the gaps


def test_weights_are_rows():
    table = pa.table({"x": [0.0, 1.0, 2.0, 10.0, 11.0], "w": [1.0, 2.0, 0.0, 1.0, 1.0]})
    found = cluster(table, k="2", weights="w")
    assert found.metrics["sizes"] == [3.0, 2.0] and len(found.labels) == 5


def test_questions_that_make_no_sense():
    for options, words in (
        ({"k": "0"}, "-k '0'"),
        ({"k": "5..2"}, "-k"),
        ({"k": "many"}, "-k"),
        ({"method": "ward"}, "--method 'ward'"),
        ({"seed": -1}, "--seed"),
    ):
        with pytest.raises(UsageProblem, match=words):
            cluster("faithful", **options)
    with pytest.raises(DataProblem, match="no column 'waitin'.*did you mean 'waiting'"):
        cluster("faithful", drop=["waitin"])
    with pytest.raises(DataProblem, match="no column is left"):
        cluster("faithful", drop=[], weights="waiting", target="eruptions")
    with pytest.raises(DataProblem, match="different rows"):
        cluster(pa.table({"x": [1.0, 1.0, 2.0]}), k="3")


@pytest.mark.parametrize("words", [["--drop", "waiting", "--drop=eruptions"], ["-k", "2", "--clusters", "3"]])
def test_a_second_value_of_an_option_is_refused(words, capfd):
    """The last one would be taken without a word, and a column that is to be dropped be used."""
    assert main(["cluster", "faithful", *words]) == 2
    assert "is said twice" in capfd.readouterr().err


def test_one_cluster_and_one_column():
    one = cluster("faithful", k="1")
    assert one.metrics["k"] == 1 and one.metrics["silhouette"] is None
    from sumlearn.report.clusters.cluster_page import cluster_report

    assert "nothing to be told apart" in cluster_report(one)
    single = cluster("faithful", drop=["waiting"], k="2")
    assert "along the feature" in cluster_report(single)


@pytest.mark.parametrize("aside", ["target", "weights"])
@pytest.mark.parametrize("other", ["drop", "ids"])
def test_a_column_is_set_aside_once(aside, other):
    with pytest.raises(UsageProblem, match=f"'x' is in --{other}, but --{aside} sets it aside"):
        cluster(pa.table({"x": [1.0, 2.0, 3.0], "z": [0.0, 1.0, 5.0]}), **{"k": "2", aside: "x", other: ["x"]})
