"""`train --resume`: an interrupted training goes on, and writes what an undisturbed one would have written."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

import sumlearn as sl
from sumlearn.product import train
from sumlearn.product.budget import TimePlan
from sumlearn.product.problems import DataProblem
from sumlearn.product.tables import open_table
from sumlearn.product.unfinished import Unfinished
from sumlearn.testing import assert_same_bits

from tests.cli.tables import pima_part
from tests.saving.checkpointed import table

SMALL = {"target": "diabetes", "models": "lda,naive_bayes", "cv": "2", "budget": "none", "refits": 3}
LARGE = {"target": "label", "models": "lda", "drop": ["y"], "cv": "3", "budget": "none", "memory": "3MB", "refits": 3}


class Pulled(Exception):
    """The plug."""


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Every step is kept, however quick it was, and tables come in several blocks."""
    monkeypatch.setattr("sumlearn.product.unfinished.PATIENCE", 0.0)
    monkeypatch.setattr("sumlearn.product.unfinished.EVERY", 0.0)
    monkeypatch.setattr("sumlearn.product.table_blocks.ROWS_AT_A_TIME", 2_000)


@pytest.fixture
def small(tmp_path):
    return pima_part(tmp_path / "p.csv", 0, 300)


@pytest.fixture
def large(tmp_path):
    pyarrow.parquet.write_table(table(24_000), tmp_path / "big.parquet", row_group_size=5_000)
    return tmp_path / "big.parquet"


def in_pieces(file, place, options, every):
    """Trained again and again, each time broken off at so many signs of life more; the outcome, and what was reused."""
    reused, most = [], every
    while True:
        alive = [0]

        def pull(what, done, total, alive=alive, most=most):
            alive[0] += 1
            if alive[0] > most:
                raise Pulled

        opened = open_table(file, 1e5 if "memory" in options else np.inf)
        steps = Unfinished.at(place, options, opened, resume=True)
        try:
            with steps:
                return train(opened, **options, progress=pull, unfinished=steps), reused
        except Pulled:
            reused.append(list(steps.reused))
            most *= 2


def assert_same_training(found, expected):
    assert json.dumps(found.metrics) == json.dumps(expected.metrics)
    assert found.predictions == expected.predictions
    for name, place in [("found", found), ("expected", expected)]:
        assert place.model.facts["rows"] == expected.model.facts["rows"], name
    statistics = (found.model.model.statistic_, expected.model.model.statistic_)
    assert_same_bits(*statistics)


@pytest.mark.parametrize("kind, options, every", [("small", SMALL, 15), ("large", LARGE, 12)])
def test_the_outcome_is_that_of_an_undisturbed_run(request, tmp_path, kind, options, every):
    file = request.getfixturevalue(kind)
    expected = train(open_table(file, 1e5 if kind == "large" else np.inf), **options)
    assert ("sample" in expected.metrics) == (kind == "large")
    found, reused = in_pieces(file, tmp_path / "kept", options, every)
    assert_same_training(found, expected)
    assert len(reused) > 2 and any(reused)
    assert not (tmp_path / "kept").exists()


def test_other_options_and_other_tables_are_refused(small, tmp_path):
    place = tmp_path / "kept"

    def interrupted(**others):
        opened = open_table(small, np.inf)
        with Unfinished.at(place, SMALL | others, opened, resume=True) as steps:
            steps.step("plan", lambda: {"kept": []})
            raise Pulled

    with pytest.raises(Pulled):
        interrupted()
    with pytest.raises(
        DataProblem, match="another one: seed was not there and is '3'; without --resume it is begun anew"
    ):
        interrupted(seed=3)
    with pytest.raises(Pulled):  # more time is no other training
        interrupted(budget="5min")
    pima_part(small, 0, 301)
    with pytest.raises(DataProblem, match=r"another one: the file '.*p\.csv' has changed: "):
        interrupted()


def test_another_budget_is_another_plan(small, tmp_path, monkeypatch):
    """More time takes up what was dropped, less leaves what is finished; refits are those of the saved model."""
    options = SMALL | {"models": "qda,naive_bayes,lda"}
    expected = train(open_table(small, np.inf), **options)

    def plan(problem, sets, clock):
        kept = problem.candidates if clock.endless else problem.candidates[:-1]
        return TimePlan(list(kept), 1.0, {} if clock.endless else {"lda": "no time"})

    def run(budget):
        opened = open_table(small, np.inf)
        with Unfinished.at(tmp_path / "kept", options | {"budget": budget}, opened, resume=True) as steps:
            return train(opened, **options | {"budget": budget}, unfinished=steps), steps.reused

    monkeypatch.setattr("sumlearn.product.training.planned", plan)
    for budget, done in [("1h", []), ("none", ["model-qda", "model-naive_bayes"])]:
        with monkeypatch.context() as patch, pytest.raises(Pulled):
            patch.setattr("sumlearn.product.training.account_of", pulled)
            run(budget)
        kept = {path.stem for path in (tmp_path / "kept").iterdir()}
        assert {*done, "model-naive_bayes"} <= kept and ("model-lda" in kept) == (budget == "none")
    found, reused = run("1h")  # lda was dropped by this plan, and is done all the same
    assert not found.metrics["dropped"] and "model-lda" in reused
    assert_same_training(found, expected)


def pulled(*given):
    raise Pulled


def test_damage_is_said_and_done_again(small, tmp_path):
    opened = open_table(small, np.inf)
    with pytest.raises(Pulled), Unfinished.at(tmp_path / "kept", SMALL, opened, resume=True) as steps:
        steps.step("plan", lambda: 1)
        raise Pulled
    path = tmp_path / "kept" / "plan.part"
    path.write_bytes(path.read_bytes()[:-3])
    said = pytest.warns(UserWarning, match=r"plan\.part' is damaged and done again")
    with said, Unfinished.at(tmp_path / "kept", SMALL, opened, resume=True) as steps:
        assert steps.step("plan", lambda: 2) == 2


def test_without_resume_a_training_begins_anew(small, tmp_path):
    opened = open_table(small, np.inf)
    for resume in (True, False):
        with pytest.raises(Pulled), Unfinished.at(tmp_path / "kept", SMALL, opened, resume) as steps:
            assert not steps.exists
            steps.step("plan", lambda: 1)
            raise Pulled


COMMAND = """
import sys
import sumlearn.product.unfinished as unfinished, sumlearn.product.table_blocks as blocks
unfinished.PATIENCE = unfinished.EVERY = 0.0
blocks.ROWS_AT_A_TIME = 2000
from sumlearn.cli import main
print("ready", flush=True)
sys.exit(main(sys.argv[1:]))
"""


def killed_until_done(folder, file, words, times, seed):
    """The command, killed at random moments; metrics, predictions and sums as of an undisturbed one."""
    draw, kills, longest = np.random.default_rng(seed), 0, 1.0
    command = [sys.executable, "-c", COMMAND, "train", str(file), *words, "-q"]
    subprocess.run([*command, "-o", folder / "whole"], check=True, capture_output=True)
    while kills < times:
        while not (folder / "kept" / "metrics.json").exists():
            child = subprocess.Popen([*command, "-o", folder / "kept", "--resume"], stdout=subprocess.PIPE)
            assert child.stdout.readline() == b"ready\n"
            time.sleep(draw.uniform(0.0, longest))
            child.send_signal(signal.SIGKILL)
            child.wait()
            child.stdout.close()
            kills, longest = kills + 1, 1.5 * longest
        for name in ("metrics.json", "predictions.csv"):
            assert (folder / "kept" / name).read_bytes() == (folder / "whole" / name).read_bytes()
        sums = [sl.saving.describe(folder / place / "model.skops")["statistics"][0] for place in ("kept", "whole")]
        assert sums[0] == sums[1]
        longest = 1.0
        for path in (folder / "kept").iterdir():
            path.unlink()
        Path(folder / "kept").rmdir()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["small", "large"])
def test_f4_killed_at_random_moments(request, tmp_path, kind):
    file = request.getfixturevalue(kind)
    options = SMALL if kind == "small" else LARGE
    words = [
        w
        for name, value in options.items()
        for w in (f"--{name}", ",".join(value) if isinstance(value, list) else str(value))
    ]
    killed_until_done(tmp_path, file, words, 12, 0)


def test_the_command_says_that_it_goes_on(small, tmp_path, monkeypatch, run):
    """Ctrl-C keeps what is done, and says how to go on; the next one writes the folder and leaves nothing else."""
    words = ["train", str(small), "-t", "diabetes", "--models", "lda,naive_bayes", "--cv", "2", "--budget", "none"]
    words += ["--refits", "3", "-o", str(tmp_path / "out")]
    whole = run(*words[:-1], str(tmp_path / "whole"), "-q")
    assert whole.code == 0
    with monkeypatch.context() as patch:
        patch.setattr(
            "sumlearn.product.training.choice_on_all", lambda nested: (_ for _ in ()).throw(KeyboardInterrupt)
        )
        stopped = run(*words)
    assert stopped.code == 130 and "--resume goes on" in stopped.err and not (tmp_path / "out").exists()
    found = run(*words, "--resume")
    assert found.code == 0 and "3 steps were done before" in found.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "p.csv", "whole"]
    for name in ("metrics.json", "predictions.csv"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert "begins at the beginning" in run(*words, "--resume", "--force").err
