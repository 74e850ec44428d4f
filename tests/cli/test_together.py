"""Commands at once on one model, and commands that are killed: nobody's work is lost.

Every command runs in a process of its own, forked from one that has loaded the library.
"""

import os
import subprocess
import sys

import pytest

from tests.cli.conftest import ENVIRONMENT

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

COMMON = """
import json, os, random, signal, sys, time, warnings
from pathlib import Path
import numpy as np
import sumlearn as sl
from sumlearn.cli import main
from sumlearn.product import train
from sumlearn.product.folder import write_folder

times, seed = int(sys.argv[1]), int(sys.argv[2])
draw = random.Random(seed)
warnings.simplefilter("ignore")
rng = np.random.default_rng(seed)
rows = [f"{a:.6f},{b:.6f},{'yes' if a + b > 0 else 'no'}" for a, b in rng.normal(size=(190, 2))]

def table(name, some):
    Path(name).write_text("\\n".join(["a,b,y", *some]) + "\\n")

table("base.csv", rows[:60])
for i in range(9):
    table(f"part{i}.csv", rows[60 + 10 * i : 70 + 10 * i])
trainings = [train("base.csv", "y", models="lda", cv=2, seed=s) for s in (0, 1)]
table("other.csv", rows[150:])
other = train("other.csv", "y", models="lda", cv=2)

def fresh():
    sl.save(trainings[0].model, "m.skops")

def command(*words):
    child = os.fork()
    if child == 0:
        sys.stdout = sys.stderr = open(os.devnull, "w")
        os._exit(main([*words, "-q"]))
    return child

def ended(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def rows_in(path):
    model = sl.load(path)
    hashes = sum(len(part["hashes"]) for part in model.ledger["parts"])
    assert model.facts["rows"] == model.model.statistic_.rows == hashes
    return hashes

fresh()
for words in (["update", "m.skops", "part0.csv", "--in-place"], ["forget", "m.skops", "part0.csv", "--in-place"]):
    assert main([*words, "-q"]) == 0  # everything is loaded now
"""

AT_ONCE = """
for number in (2, 4, 8) if times > 1 else (3,):
    for _ in range(times):
        fresh()
        children = [command("update", "m.skops", f"part{i}.csv", "--in-place") for i in range(number)]
        assert [ended(child) for child in children] == [0] * number
        assert rows_in("m.skops") == 60 + 10 * number
        children = [command("forget", "m.skops", f"part{i}.csv", "--in-place") for i in range(0, number, 2)]
        children += [command("update", "m.skops", "part8.csv", "--in-place")]
        assert [ended(child) for child in children] == [0] * len(children)
        assert rows_in("m.skops") == 60 + 10 * (number // 2) + 10
        Path("new.skops").unlink(missing_ok=True)  # one file that several want to be the first to write
        children = [command("update", "m.skops", f"part{i}.csv", "-o", "new.skops") for i in range(0, number, 2)]
        codes = sorted(ended(child) for child in children)
        assert codes[0] == 0 and set(codes[1:]) <= {1, 2}, codes
Path("folder").mkdir()  # which knows its newest model
sl.save(trainings[0].model, "folder/model.skops")
children = [command("update", "folder", f"part{i}.csv") for i in range(3)]
assert [ended(child) for child in children] == [0, 0, 0]
assert sorted(os.listdir("folder")) == ["model-2.skops", "model-3.skops", "model-4.skops", "model.skops"]
assert rows_in("folder/model-4.skops") == 90
assert not [name for name in os.listdir() if name.endswith((".lock", ".tmp"))]
print("nothing was lost")
"""

KILLED = """
def whole(folder):
    said = json.loads(Path(folder, "metrics.json").read_text())["seed"]
    assert f"seed = {said}" in Path(folder, "run.toml").read_text()
    assert sl.load(f"{folder}/model.skops").facts["interval"] == trainings[said].metrics["interval"]
    assert Path(folder, "predictions.csv").exists() and Path(folder, "notes.txt").read_text() == "mine"
    return said

def written(number):
    options = {"data": "base.csv", "target": "y", "seed": number % 2}
    write_folder(trainings[number % 2], Path("X"), options)

def changes():
    for i in range(1000):
        main(["update", "m.skops", "part1.csv", "--in-place", "-q"])
        main(["merge", "m.skops", "other.skops", "-o", "m.skops", "--force", "-q"])
        main(["forget", "m.skops", "other.csv", "--in-place", "-q"])
        main(["forget", "m.skops", "part1.csv", "--in-place", "-q"])

def folders():
    for i in range(1000):
        written(i)

def killed(action, most):
    child = os.fork()
    if child == 0:
        sys.stdout = sys.stderr = open(os.devnull, "w")
        action()
    time.sleep(draw.uniform(0.0, most))
    os.kill(child, signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL

sl.save(other.model, "other.skops")
written(0)
Path("X/notes.txt").write_text("mine")
start = time.perf_counter()
written(1)
a_while = 4 * (time.perf_counter() - start)
found = set(), set()
for _ in range(times):
    fresh()
    killed(changes, 8 * a_while)
    found[0].add(rows_in("m.skops"))
    killed(folders, a_while)
    found[1].add(whole("X"))
assert main(["update", "m.skops", "part2.csv", "--in-place", "-q"]) == 0  # no lock is left
assert found[0] <= {60, 70, 110}, found
print(*found)
"""

WHOLE = """
def words(number):
    options = ["--models", "lda", "--cv", "2", "--seed", str(number % 2), "-q"]
    return ["train", "base.csv", "--target", "y", "-o", "X", "--force", *options]

def content():
    said = json.loads(Path("X/metrics.json").read_text())["seed"]
    model = sl.load("X/model.skops")
    assert f"seed = {said}" in Path("X/run.toml").read_text() and rows_in("X/model.skops") == 60
    assert model.facts["interval"] == trainings[said].metrics["interval"]
    assert sorted(os.listdir("X")) in ([*files], sorted([*files, "report.html"])), os.listdir("X")
    return said

files = ["metrics.json", "model.skops", "notes.txt", "predictions.csv", "run.toml", "train.py"]
assert main(words(1)) == 0
Path("X/notes.txt").write_text("mine")
start = time.perf_counter()
assert main(words(0)) == 0
a_while = time.perf_counter() - start
found = []
for number in range(times):
    child = command(*words(number)[:-1])
    time.sleep(a_while * draw.uniform(*draw.choice([(0.0, 1.0), (0.8, 1.4)])))  # often when it writes
    os.kill(child, signal.SIGKILL)
    ended(child)
    found.append(content())
assert main(words(1)) == 0 and content() == 1
assert set(found) == {0, 1}  # before and after
print([name for name in os.listdir() if name.startswith(".")])
"""


def run_script(tmp_path, script, times, seed, limit):
    done = subprocess.run(
        [sys.executable, "-c", COMMON + script, str(times), str(seed)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=ENVIRONMENT | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        timeout=limit,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_f5_f6_at_once_and_killed(tmp_path):
    """F5: commands on one file at once: every row is there, or its command has failed.

    F6: update, forget, merge and `train --force` killed at random moments: the old or the new, never a mixture.
    """
    assert "nothing was lost\n" in run_script(tmp_path, AT_ONCE + KILLED, 1, 0, 120)


@pytest.mark.slow
def test_f5_fifty_times_at_once(tmp_path):
    assert "nothing was lost\n" in run_script(tmp_path, AT_ONCE, 50, 1, 1800)


@pytest.mark.slow
def test_f6_fifty_kills(tmp_path):
    found = run_script(tmp_path, KILLED, 50, 1, 1800)
    assert found.count(",") >= 2  # the kills came at different moments


@pytest.mark.slow
def test_f6_fifty_kills_of_a_whole_training(tmp_path):
    """The folder is the one before or the one after, whole; nothing that is left over is in the way of the next."""
    run_script(tmp_path, WHOLE, 50, 1, 1800)
