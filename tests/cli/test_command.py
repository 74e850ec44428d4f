"""The command itself: help, version, exit codes, and errors as one sentence."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from sumlearn.cli import main, output
from sumlearn.cli.output import Output
from sumlearn.data.examples import list_examples

from tests.cli.conftest import ENVIRONMENT, SOURCE
from tests.cli.tables import pima_part

HEAVY = ["numba", "numpy", "pandas", "pyarrow", "scipy", "sklearn", "skops"]
COMMANDS = ["train", "predict", "update", "forget", "merge", "info", "compare", "select", "models", "datasets", "demo"]


def test_help_is_light_and_quick():
    code = (
        "import sys, time, json; start = time.perf_counter(); from sumlearn.cli import main; main(['--help']); "
        "seconds = time.perf_counter() - start; "
        f"print(json.dumps([seconds, [m for m in {HEAVY} if m in sys.modules]]))"
    )
    found = [
        json.loads(subprocess.check_output([sys.executable, "-c", code], env=ENVIRONMENT).splitlines()[-1])
        for _ in range(3)
    ]
    assert all(loaded == [] for _, loaded in found)
    assert min(seconds for seconds, _ in found) < 0.5


def test_help_names_every_command(run):
    found = run("--help")
    assert found.code == 0
    assert all(f"\n  {name} " in found.out for name in COMMANDS)


def test_help_of_train_lists_what_is_honoured_and_nothing_else(run):
    text = run("train", "--help").out
    for option in ("--target", "--task", "--models", "--can", "--positive", "--cost", "--cv", "--metric", "--drop"):
        assert option in text
    for option in ("--features", "--memory", "--ids", "--weights", "--seed", "--output", "--fail-under", "--config"):
        assert option in text
    for option in ("--json", "--force", "--quiet"):
        assert option in text
    for option in ("--engine", "--device"):  # honoured: tests/product/test_workers.py
        assert option in text


def test_version(command):
    import sumlearn

    assert command("--version") == (0, f"sumlearn {sumlearn.__version__}\n", "")


def test_datasets_are_those_of_the_library(run):
    found = json.loads(run("datasets", "--json").out)
    assert set(list_examples()) < set(found)
    assert {"three_points", "xor", "separable", "overlapping", "noisy_curve", "two_class_scores"} < set(found)
    assert {"occluded_digits", "digits", "wine", "breast_cancer", "diabetes", "linnerud"} < set(found)
    assert all(table["target"] in table["columns"] for table in found.values() if table["target"])
    assert run("datasets").out.splitlines()[0].split() == ["name", "rows", "columns", "target", "what", "it", "is"]


def test_models_say_what_they_can(run):
    lines = json.loads(run("models", "--json").out)["models"]
    can = {(line["task"], line["model"]): line["can"] for line in lines}
    assert can["classify", "lda"] == can["regress", "ridge"] == ["update", "forget", "merge"]
    assert can["classify", "logistic"] == can["regress", "huber"] == []
    assert [line["model"] for line in lines if line["yardstick"]] == ["sklearn_boosting", "sklearn_boosting"]
    assert "lda" in run("models").out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["trian"], 2, "trian"),
        (["train", "pima", "--targte", "x"], 2, "--target"),
        (["train"], 2, "which table?"),
        (["train", "pima", "-t", "diabets"], 3, "did you mean 'diabetes'? (--target)"),
        (["train", "pima", "--drop", "glucos"], 3, "did you mean 'glucose'? (--drop)"),
        (["train", "pima", "--ids", "agee"], 3, "did you mean 'age'? (--ids)"),
        (["train", "pima", "--weights", "peddigree"], 3, "did you mean 'pedigree'? (--weights)"),
        (["train", "pima", "--cv", "group:agee"], 3, "did you mean 'age'? (--cv)"),
        (["train", "pima", "--cv", "banana"], 2, "holdout:0.2"),
        (["train", "pima", "--cv", "1"], 2, "at least two folds"),
        (["train", "pima", "--cv", "loo"], 2, "--cv 10"),
        (["train", "pima", "--metric", "aucc"], 2, "did you mean 'auc'? (--metric)"),
        (["train", "pima", "--metric", "r2"], 2, "(--metric)"),
        (["train", "pima", "--models", "ldaa"], 2, "did you mean 'lda'? (--models)"),
        (["train", "pima", "--models", "sklearn_boosting"], 2, "yardstick"),
        (["train", "pima", "--models", "logistic", "--can", "forget"], 2, "cannot forget (--can)"),
        (["train", "pima", "--can", "updaet"], 2, "did you mean 'update'? (--can)"),
        (["train", "pima", "--positive", "poss"], 2, "did you mean 'pos'? (--positive)"),
        (["train", "iris", "--positive", "setosa"], 2, "two classes"),
        (["train", "pima", "--cost", "FX=1"], 2, "--cost"),
        (["train", "iris", "--cost", "FA=1"], 2, "two classes"),
        (["train", "pima", "--task", "guess"], 2, "auto, classify or regress"),
        (["train", "pima", "--task", "regress"], 3, "--task classify"),
        (["train", "pima", "--fail-under", "auk=1"], 2, "did you mean 'auc'? (--fail-under)"),
        (["train", "pima", "--config", "no.toml"], 2, "(--config)"),
        (["train", "faithful"], 2, "--target"),
        (["train", "no.csv", "-t", "y"], 3, "no.csv"),
        (["train", "pimma", "-t", "y"], 3, "did you mean 'pima'?"),
        (["train", "pima", "-o", "no/such/folder"], 2, "-o names another"),
        (["predict", "no.skops", "pima"], 3, "no.skops"),
        (["update", "no.skops", "pima"], 3, "no.skops"),
        (["merge", "a.skops"], 2, "two or more"),
        (["merge", "a.skops", "b.skops"], 2, "-o C"),
        (["compare", "pima", "--models", "lda"], 2, "--models"),
        (["compare", "pima", "--metric", "aux"], 2, "did you mean 'auc'? (--metric)"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_error_is_one_sentence(run, arguments, code, words):
    found = run(*arguments)
    lines = [line for line in found.err.splitlines() if not line.startswith("  ")]  # notes are indented
    assert found.code == code
    assert found.out == ""
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    assert words in lines[0]
    assert "Traceback" not in found.err
    assert os.listdir() == []


def test_debug_shows_a_traceback(run):
    found = run("train", "pima", "-t", "diabets", "--debug")
    assert found.code == 3
    assert "Traceback" in found.err
    assert "DataProblem" in found.err


@pytest.mark.slow
def test_no_colour_and_no_bars_off_a_terminal(command, tmp_path):
    pima_part(tmp_path / "a.csv", 0, 120)
    words = ["train", "a.csv", "-t", "diabetes", "--models", "lda", "--cv", "2"]
    found = command(*words, env={"NO_COLOR": "1", "TERM": "xterm"})
    assert found.code == 0
    assert "\033" not in found.out + found.err
    assert "\r" not in found.err


def test_ctrl_c_exits_with_130_and_leaves_nothing(tmp_path):
    """Interrupted in the middle of the training, which has begun when the reading was noted."""
    started = subprocess.Popen(
        [sys.executable, "-m", "sumlearn", "train", "dna", "-o", "out"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert "reading" in started.stderr.readline()
    time.sleep(0.3)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert started.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == "error: interrupted; nothing was written"
    assert list(tmp_path.iterdir()) == []


LOST = """
import os, signal, sys
from sumlearn.product import training
from sumlearn.cli import main

def interrupted(name, memory, dialect):
    press = "os.kill(os.getpid(), signal.SIGINT)"
    {place}

training.opened = interrupted
sys.exit(main(["train", "iris"]))
"""
PLACES = {
    "evaluated text": "exec(press)",
    "a finaliser": """class Closed:
        def __del__(self):
            exec(press)
    Closed()
    raise RuntimeError("no compiled object yet")""",
}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("place", PLACES)
def test_ctrl_c_where_python_mistakes_it(place, tmp_path):
    """Through evaluated text it ends the interpreter by a signal; in a finaliser it is lost, and something breaks."""
    (tmp_path / "lost.py").write_text(LOST.format(place=PLACES[place]))
    words = [sys.executable, "-m", "lost"]
    done = subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 130, done.stderr
    assert done.stderr.splitlines()[-1] == "error: interrupted; nothing was written"


def test_missing_extra_is_named():
    code = "import sys; sys.modules['typer'] = None; from sumlearn.cli import main; sys.exit(main(['datasets']))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, cwd=SOURCE, check=False
    )
    assert done.returncode == 1
    assert done.stderr == "error: the command needs typer: pip install 'sumlearn[cli]'\n"


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_is_no_error(run, tmp_path):
    """As in `sumlearn predict ... | head -1`; the rows come from standard input."""
    pima_part(tmp_path / "a.csv", 0, 120)
    run("train", "a.csv", "-t", "diabetes", "--models", "lda", "--cv", "2", "-q")
    shell = f"cat a.csv | {sys.executable} -m sumlearn predict a-report | head -1; echo ${{PIPESTATUS[1]}}"
    done = subprocess.run(
        ["bash", "-c", shell], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "row,prediction\n0\n"
    assert done.stderr == ""


@pytest.mark.slow
def test_demo_takes_less_than_half_a_minute(command):
    start = time.perf_counter()
    found = command("demo")
    assert found.code == 0, found.err
    assert time.perf_counter() - start < 30
    assert "forget    60 rows forgotten; the model holds 400 rows" in found.out
    assert "merge     2 models added; the model holds 700 rows" in found.out


def test_the_budget_is_shown_as_it_is_spent(monkeypatch, capsys):
    """On a terminal every step says how much of the time is gone: samples, fits and refits."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    out, moments = Output(), iter([100.0, 103.0, 103.0, 103.0])
    monkeypatch.setattr(output.time, "monotonic", lambda: next(moments))
    out.spend(60.0)
    out.progress("fits", 0, 9)
    assert "fits 0/9   3 of 60 s spent" in capsys.readouterr().err


def test_train_says_what_there_is_to_spend(monkeypatch, tmp_path):
    told = []
    monkeypatch.setattr(Output, "spend", lambda self, seconds: told.append(seconds))
    words = f"train iris --models lda --cv 2 --refits 0 --budget 7min -q -o {tmp_path / 'out'}"
    assert main(words.split()) == 0
    assert told == [420.0]
