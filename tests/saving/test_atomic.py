"""The old file or the new one, whole, whatever happens in between."""

import os
import resource
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import sumlearn as sl
from sumlearn.saving import describe

ROWS = np.random.default_rng(0).standard_normal((60, 25))


def model(alpha):
    return sl.Ridge(alpha=alpha).fit(ROWS, ROWS.sum(axis=1))


@pytest.fixture
def path(tmp_path):
    sl.save(model(1.0), tmp_path / "model.sumlearn", notes="old")
    return tmp_path / "model.sumlearn"


def only_the_old(path):
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    assert sl.load(path).alpha == 1.0 and describe(path)["notes"] == "old"


SAVER = """
import sys, numpy as np, sumlearn as sl
rows = np.random.default_rng(0).standard_normal((60, 25))
models = [sl.Ridge(alpha=float(a)).fit(rows, rows.sum(axis=1)) for a in range(2, 12)]
sl.save(models[0], sys.argv[1])
print("ready", flush=True)
while True:
    for model in models:
        sl.save(model, sys.argv[1])
"""


def killed_while_saving(path, after):
    """Start a process that saves over and over, and kill it `after` seconds after its first file."""
    child = subprocess.Popen([sys.executable, "-c", SAVER, str(path)], stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"ready\n"
    time.sleep(after)
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()


FORKED = """
import os, random, signal, sys, time, numpy as np, sumlearn as sl
path, kills, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rows = np.random.default_rng(0).standard_normal((60, 25))
models = [sl.Ridge(alpha=float(a)).fit(rows, rows.sum(axis=1)) for a in range(2, 12)]
sl.save(models[0], path)
start = time.perf_counter()
for model in models:
    sl.save(model, path)
several = max(0.06, time.perf_counter() - start)  # seconds in which a busy machine too replaces the file many times
draw = random.Random(seed)
for number in range(kills):
    child = os.fork()
    if child == 0:
        while True:
            for model in models:
                sl.save(model, path)
    time.sleep(draw.uniform(0.0, several))
    os.kill(child, signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    found = sl.load(path)
    assert found.alpha in range(2, 12) and found.statistic_.rows == 60
    print(found.alpha)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("kills", [15, pytest.param(50, marks=pytest.mark.slow)])
def test_f2_killed_at_random_moments(path, kills):
    """F2: after each of the kills a whole model is there."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", FORKED, str(path), str(kills), "1"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == kills
    assert len(set(done.stdout.split())) > 3  # the file was indeed replaced between kills


@pytest.mark.slow
def test_f2_killed_processes_of_their_own(path):
    for after in np.random.default_rng(0).uniform(0.0, 0.3, 12):
        killed_while_saving(path, after)
        assert sl.load(path).alpha in range(2, 12)


def test_f3_a_full_disk(path):
    """F3: the system refuses to write more than a few bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    try:
        with pytest.raises(OSError):
            sl.save(model(2.0), path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    only_the_old(path)


@pytest.mark.parametrize("step", ["open", "fsync", "replace", "chmod"])
@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["disk", "Ctrl-C"])
def test_f3_a_fault_at_every_step(step, fault, path, monkeypatch):
    calls = []

    def fail(*arguments, **more):
        calls.append(arguments)
        raise fault

    new = model(2.0)
    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        with pytest.raises(type(fault)):
            sl.save(new, path)
    assert len(calls) == 1
    only_the_old(path)


def test_f3_a_folder_that_cannot_be_written(path):
    if os.geteuid() == 0:
        pytest.skip("the administrator may write everywhere")
    path.parent.chmod(0o500)
    try:
        with pytest.raises(PermissionError):
            sl.save(model(2.0), path)
    finally:
        path.parent.chmod(0o700)
    only_the_old(path)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        sl.save(model(2.0), tmp_path / "no" / "model.sumlearn")
    with pytest.raises(IsADirectoryError):
        sl.save(model(2.0), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_model_that_cannot_be_saved_leaves_the_old_one(path):
    with pytest.raises(ValueError, match="cannot be saved"):
        sl.save(sl.Ridge(alpha=print), path)
    only_the_old(path)


def test_mode_and_link_are_kept(path, tmp_path):
    path.chmod(0o640)
    (tmp_path / "latest").symlink_to(path)
    sl.save(model(2.0), tmp_path / "latest")
    assert (tmp_path / "latest").is_symlink() and sl.load(path).alpha == 2.0
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_follows_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        sl.save(model(2.0), tmp_path / "new")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_a_path_may_be_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sl.save(model(3.0), "relative.sumlearn")
    assert sl.load("relative.sumlearn").alpha == 3.0 and sl.load(Path("relative.sumlearn")).alpha == 3.0
