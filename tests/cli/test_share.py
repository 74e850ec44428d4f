"""`sumlearn share`: what leaves the house, what stays, and what is remembered."""

import json
from pathlib import Path

import numpy as np
import pytest

import sumlearn
from sumlearn.product import train

from tests.cli.tables import write


def patients(path, n, seed, city=None):
    rng = np.random.default_rng(seed)
    rows = [[f"{a:.4f}", f"{b:.4f}", city or rng.choice(["Rome", "Oslo", "Bonn"]), "yes" if a + b > 0 else "no"]
            for a, b in rng.normal(size=(n, 2))]  # fmt: skip
    write(path, ["a", "b", "city", "ill"], rows)


def two_sites():
    """A model of 200 patients, one of them in Kiel, and one of another site."""
    patients("most.csv", 199, 0)
    patients("one.csv", 1, 1, "Kiel")
    patients("other.csv", 150, 2)
    lines = [Path(name).read_text().splitlines() for name in ("most.csv", "one.csv")]
    Path("all.csv").write_text("\n".join([*lines[0], *lines[1][1:]]) + "\n")
    for name in ("all", "other"):
        sumlearn.save(train(f"{name}.csv", "ill", models="lda", cv="2").model, f"{name}.skops")


@pytest.fixture
def home(tmp_path, made_once):
    made_once(two_sites, tmp_path)
    return tmp_path


def test_a_shared_model(run, home):
    before = sumlearn.load("all.skops")
    found = run("share", "all.skops", "-o", "shared.skops")
    assert found.code == 0, found.err
    assert "2 levels of 'city' became one" in found.out and "sums are not anonymous" in found.err
    shared = sumlearn.load("shared.skops")
    assert sumlearn.disclosure(shared) == [] and shared.ledger is None
    data = Path("shared.skops").read_bytes()
    assert (
        b"Kiel" not in data and before.facts["history"][0]["sha256"].encode() not in data and b"all" not in data[:200]
    )
    assert shared.facts["identity"] and shared.facts["rows"] == 200
    # the model at home is the same, and remembers
    after = sumlearn.load("all.skops")
    assert after.facts == before.facts and after.ledger is not None and after._shared["rows"] == 200
    assert json.loads(run("info", "shared.skops", "--json").out)["shared"]["least"] == 5
    assert run("predict", "shared.skops", "other.csv", "-o", "p.csv").code == 0
    assert run("update", "shared.skops", "other.csv", "-o", "u.skops").code == 0
    assert run("merge", "shared.skops", "other.skops", "-o", "both.skops").code == 0
    assert sumlearn.load("both.skops").facts["rows"] == 350


def test_a_model_and_what_was_shared_of_it_are_one(run, home):
    run("share", "all.skops", "-o", "shared.skops")
    for words in (["all.skops", "shared.skops"], ["shared.skops", "shared.skops"]):
        found = run("merge", *words, "-o", "m.skops", "--again")
        assert found.code == 1 and "one and the same" in found.err
    run("update", "all.skops", "other.csv", "-o", "more.skops")
    found = run("merge", "more.skops", "shared.skops", "-o", "m.skops")
    assert found.code == 3 and "trainings in common, and no hashes" in found.err


def test_the_next_version_waits(run, home):
    assert run("share", "all.skops", "-o", "first.skops").code == 0
    patients(home / "new.csv", 2, 5, "Rome")
    patients(home / "many.csv", 120, 6)
    run("update", "all.skops", "new.csv", "--in-place")
    before = Path("all.skops").read_bytes()
    found = run("share", "all.skops", "-o", "second.skops")
    assert found.code == 3 and "since the model was shared 2 rows changed" in found.err
    assert not Path("second.skops").exists() and Path("all.skops").read_bytes() == before
    run("update", "all.skops", "many.csv", "--in-place")
    assert run("share", "all.skops", "-o", "second.skops").code == 0


def test_versions_in_a_folder(run, home):
    """Models of one folder differ by few rows, the one that is trained anew on a longer table as well."""
    words = ["-t", "ill", "-o", "m", "--models", "lda", "--cv", "2", "--budget", "none", "-q"]
    assert run("train", "all.csv", *words).code == 0
    patients(home / "new.csv", 1, 5, "Rome")
    assert run("update", "m", "new.csv").code == 0
    assert run("share", "m", "-o", "newest.skops").code == 0
    found = run("share", "m/model.skops", "-o", "older.skops")
    assert found.code == 3 and "since the model was shared 1 row changed" in found.err
    assert run("train", "all.csv", *words, "--force").code == 0
    found = run("share", "m", "-o", "older.skops")
    assert found.code == 3 and "since the model was shared 1 row changed" in found.err


def test_what_another_site_sent_is_known_to_it(run, home):
    """Their rows hide ours of a rare level from nobody who has theirs."""
    assert run("share", "other.skops", "-o", "theirs.skops").code == 0
    patients(home / "few.csv", 2, 7, "Bonn")
    assert run("update", "theirs.skops", "few.csv", "-o", "both.skops").code == 0
    found = run("share", "both.skops", "-o", "back.skops")
    assert found.code == 3 and "since the model was shared 2 rows changed" in found.err


def test_places(run, home):
    assert run("share", "all.skops").code == 2
    assert run("share", "all.skops", "-o", "all.skops", "--force").code == 2
    Path("there.skops").write_text("")
    assert run("share", "all.skops", "-o", "there.skops").code == 2
    assert run("share", "all.skops", "-o", "there.skops", "--force", "--least", "10").code == 0
    found = run("share", "all.skops", "-o", "x.skops", "--least", "150")
    assert found.code == 3 and "not shared: group: class" in found.err
