"""Passes that are interrupted go on to the same bits, or say why they do not."""

import os
import subprocess
import sys
import warnings
from itertools import cycle

import numpy as np
import pytest

import sumlearn as sl
from sumlearn.data import Files
from sumlearn.data.files import FileSource
from sumlearn.data.readers.reader import Reader
from sumlearn.engines.journal import open_journal
from sumlearn.learners import Stepwise
from sumlearn.saving import checkpoints
from sumlearn.statistics import Moments

from tests.saving.checkpointed import Broken, breaking, csv, parquet

ROWS = 61_000  # eight parts of a one-pass learner


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    parquet(folder / "t.parquet", ROWS)
    (folder / "csv").mkdir()
    for number, rows in enumerate([9_000, 13_000, 1, 20_000, 5_000]):
        csv(folder / "csv" / f"{number}.csv", rows, number)
    return folder


LEARNERS = {  # and at how many parts reading breaks off
    "ridge": (lambda: sl.Ridge(alpha=2.0), "y", 5),
    "table": (lambda: sl.TableModel(sl.Ridge()), "y", 5),
    "basis": (lambda: sl.RBFNetwork(4, random_state=0), "y", 9),
    "logistic": (lambda: sl.LogisticRegression(), "label", 9),
    "k-means": (lambda: sl.KMeans(3, n_init=1, random_state=0, max_iter=4, tol=0.0), None, 12),
    "mixture": (lambda: sl.GaussianMixture(2, random_state=0, max_iter=2, tol=0.0), None, 12),
}


def dropped(where, target):
    return Files(where, drop=[name for name in ("y", "label") if name != target])


def fitted_in_pieces(make, where, target, place, tries=200):
    """Fits again and again until one comes to its end; the learner, and where every run went on."""
    starts = []
    for _ in range(tries):
        learner = make()
        try:
            with checkpoints(place, every=0) as kept:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)  # too few steps
                    learner.fit(dropped(where, target), target)
                return learner, starts
        except Broken:
            starts.append(kept.resumed)
    raise AssertionError(f"it never ends: {starts[-3:]}")


def assert_same_model(a, b, folder):
    """To the bit: the same model gives the same file."""
    for name, model in [("a", a), ("b", b)]:
        sl.save(model, folder / name)
    assert (folder / "a").read_bytes() == (folder / "b").read_bytes()


@pytest.fixture(params=[1, 2], ids=["one worker", "two workers"])
def workers(request, monkeypatch):
    monkeypatch.setattr("sumlearn.engines.engine.cores", lambda: request.param)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("where", ["t.parquet", "csv"])
@pytest.mark.thinned(3)
def test_the_bits_are_those_of_a_fit_that_nobody_disturbed(folder, tmp_path, monkeypatch, workers, name, where):
    make, target, every = LEARNERS[name]
    expected = make()
    with warnings.catch_warnings(), checkpoints(tmp_path / "whole"):
        warnings.simplefilter("ignore", UserWarning)
        expected.fit(dropped(folder / where, target), target)
    breaking(monkeypatch, every, np.random.default_rng(every))
    found, starts = fitted_in_pieces(make, folder / where, target, tmp_path / "kept")
    assert not (tmp_path / "kept").exists() and not list(tmp_path.glob(".*"))
    assert_same_model(found, expected, tmp_path)
    known = [start for start in starts if start is not None]
    assert starts and known == sorted(known) and (known or len(starts) < 3)  # the first may come too early


def test_one_pass_is_the_same_without_any_checkpoint(folder, tmp_path, monkeypatch, workers):
    expected = sl.Ridge().fit(dropped(folder / "csv", "y"), "y")
    breaking(monkeypatch, 5, np.random.default_rng(0))
    found, _ = fitted_in_pieces(sl.Ridge, folder / "csv", "y", tmp_path / "kept")
    assert_same_model(found, expected, tmp_path)


def test_other_workers_may_go_on(folder, tmp_path, monkeypatch):
    expected = sl.Ridge().fit(dropped(folder / "t.parquet", "y"), "y")
    breaking(monkeypatch, 3)
    counts = cycle([2, 1, 4, 1, 3])

    def make():
        count = next(counts)
        monkeypatch.setattr("sumlearn.engines.engine.cores", lambda: count)
        return sl.Ridge()

    found, _ = fitted_in_pieces(make, folder / "t.parquet", "y", tmp_path / "kept")
    assert_same_model(found, expected, tmp_path)


def test_what_was_read_is_not_read_again(folder, tmp_path, monkeypatch):
    """Row groups and whole files are left out; of a text file in the middle the lines are parsed again."""
    for where, most in [("t.parquet", 3), ("csv", 2)]:
        with monkeypatch.context() as patch:
            patch.setattr("sumlearn.engines.engine.cores", lambda: 1)
            breaking(patch, 5)
            with pytest.raises(Broken), checkpoints(tmp_path / where, every=0):
                sl.Ridge().fit(dropped(folder / where, "y"), "y")
        seen, batches = [], Reader.batches

        def counting(self, types, rows, skip=0, seen=seen, batches=batches):
            for first, batch in batches(self, types, rows, skip):
                seen.append((self.file, first))
                yield first, batch

        with monkeypatch.context() as patch:
            patch.setattr(Reader, "batches", counting)
            source = FileSource(dropped(folder / where, "y"), "y", "number", None, None)
            whole = sum(1 for _ in source.parts(2))
            every = len(seen)
            seen.clear()
            with checkpoints(tmp_path / where, every=0) as kept:
                model = sl.Ridge().fit(dropped(folder / where, "y"), "y")
        assert kept.resumed is not None and kept.resumed[1] >= 2 and whole > kept.resumed[1]
        assert len(seen) < every and (most is None or len(set(seen)) <= every - 2)
        assert model.statistic_.rows == source.rows if source.rows else True


def test_sums_of_folds_go_on(folder, tmp_path, monkeypatch):
    where, learner = dropped(folder / "t.parquet", "y"), sl.Ridge()
    expected = sl.cross_validate(learner, where, "y", cv=3, scoring="neg_mean_squared_error")["test_score"]
    breaking(monkeypatch, 4, np.random.default_rng(0))
    starts = []
    while True:
        try:
            with checkpoints(tmp_path / "kept", every=0) as kept:
                found = sl.cross_validate(learner, where, "y", cv=3, scoring="neg_mean_squared_error")["test_score"]
            break
        except Broken:
            starts.append(kept.resumed)
            assert len(starts) < 60
    assert found.tolist() == expected.tolist() and starts and starts[-1] is not None


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.fixture
def interrupted(tmp_path, monkeypatch):
    """A file, and the folder of a fit over it that broke off."""
    file = parquet(tmp_path / "t.parquet", 40_000)
    with monkeypatch.context() as patch:
        patch.setattr("sumlearn.engines.engine.cores", lambda: 1)
        breaking(patch, 4)
        with pytest.raises(Broken), checkpoints(tmp_path / "kept", every=0):
            sl.Ridge().fit(dropped(file, "y"), "y")
    return file, tmp_path / "kept"


def again(file, place, learner=None, target="y", drop=("label",)):
    with checkpoints(place, every=0) as kept:
        return (learner or sl.Ridge()).fit(Files(file, drop=list(drop)), target), kept


def test_it_goes_on_and_is_removed(interrupted):
    file, place = interrupted
    assert place.exists()
    model, kept = again(file, place)
    assert kept.resumed is not None and kept.resumed[1] >= 2 and model.statistic_.rows == 40_000
    assert not place.exists()


def touch(file):
    os.utime(file, ns=(1, 1))


def other_rows(file):
    status = file.stat()
    data = bytearray(file.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 64] = bytes(64)
    file.write_bytes(bytes(data))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def longer(file):
    parquet(file, 41_000)


@pytest.mark.parametrize(
    "change, message",
    [(touch, "the time of its last change"), (other_rows, "other content"), (longer, "bytes, it had")],
)
def test_a_file_that_changed_is_refused(interrupted, change, message):
    file, place = interrupted
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    change(file)
    with pytest.raises(ValueError, match="does not belong to this run: .* has changed: .*; remove the folder") as told:
        again(file, place)
    assert message in str(told.value) and "t.parquet" in str(told.value)
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before


def test_other_files_parameters_columns_and_learners_are_refused(interrupted, tmp_path):
    file, place = interrupted
    other = parquet(tmp_path / "other.parquet", 40_000)
    for arguments, message in [
        ({"file": other}, r"t\.parquet' is not among the files, .*other\.parquet' is new"),
        ({"file": [file, other]}, r"other\.parquet' is new"),
        ({"learner": sl.Ridge(alpha=3.0)}, r"alpha was 1\.0 and is 3\.0"),
        ({"learner": sl.LinearRegression()}, "learner was 'Ridge' and is 'LinearRegression'"),
        ({"drop": ["label", "x3"]}, "column 'x3' was 'double' and is not there"),
        ({"target": "x3", "drop": ["label", "y"]}, "column 'y' was"),
    ]:
        with pytest.raises(ValueError, match=message):
            again(**{"file": file, "place": place} | arguments)
    assert again(file, place)[1].resumed is not None


class Drawing(Stepwise):
    """Sums with weights that are drawn."""

    max_iter = 1

    def start(self, rows, look):
        drawn = np.random.default_rng().random(4)
        return rows.total(lambda chunk: Moments.of(chunk.X * drawn))

    def step(self, state, rows):
        return state

    def done(self, before, after):
        return True

    def attributes(self, state):
        return {"mean_": state.mean}


def test_a_draw_without_a_seed_is_refused(tmp_path, monkeypatch):
    file = parquet(tmp_path / "t.parquet", 75_000)
    monkeypatch.setattr("sumlearn.engines.engine.cores", lambda: 1)
    with monkeypatch.context() as patch:
        breaking(patch, 3)
        with pytest.raises(Broken), checkpoints(tmp_path / "kept", every=0):
            Drawing().fit(dropped(file, "y"), "y")
    with pytest.raises(ValueError, match="random_state=None, which draws anew"), checkpoints(tmp_path / "kept"):
        Drawing().fit(dropped(file, "y"), "y")


def test_another_version_is_refused(interrupted, monkeypatch):
    file, place = interrupted
    monkeypatch.setattr("sumlearn.saving.checkpoint_files.__version__", "99.0")
    with pytest.raises(ValueError, match=r"it is of sumlearn .*, this is 99\.0"):
        again(file, place)


def test_a_folder_of_somebody_else_is_left_alone(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear all")
    with pytest.raises(ValueError, match="is no checkpoint"), checkpoints(tmp_path / "mine"):
        pass
    assert (tmp_path / "mine" / "letter.txt").exists()


def test_two_at_once_are_refused(tmp_path):
    with checkpoints(tmp_path / "kept"), pytest.raises(TimeoutError), checkpoints(tmp_path / "kept"):
        pass


@pytest.mark.parametrize("every", ["soon", "-1s", -1.0, "", float("nan")])
def test_a_time_that_is_none(tmp_path, every):
    with pytest.raises(ValueError, match="is no time"), checkpoints(tmp_path / "kept", every=every):
        pass


# -- damage ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "strange"])
def test_a_damaged_file_is_not_used_and_said(interrupted, tmp_path, damage):
    file, place = interrupted
    expected = sl.Ridge().fit(dropped(file, "y"), "y")
    (path,) = place.iterdir()
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes({"cut": data[: len(data) // 2], "flip": data, "empty": b"", "strange": b"PK hello"}[damage])
    with pytest.warns(UserWarning, match="is damaged and not used, what it held is read again"):
        model, kept = again(file, place)
    assert kept.resumed is None
    assert_same_model(model, expected, tmp_path)


def test_a_damaged_file_of_finished_passes_is_not_used_and_said(tmp_path, monkeypatch):
    file = parquet(tmp_path / "t.parquet", 40_000)
    with checkpoints(tmp_path / "whole"):
        expected = sl.LogisticRegression().fit(dropped(file, "label"), "label")
    for _ in range(2):
        with monkeypatch.context() as patch:
            breaking(patch, 8)
            with pytest.raises(Broken), checkpoints(tmp_path / "kept", every=0):
                sl.LogisticRegression().fit(dropped(file, "label"), "label")
    first = min(tmp_path.glob("kept/passes-*"))
    first.write_bytes(first.read_bytes()[:-1])
    with pytest.warns(UserWarning, match="is damaged and not used"), checkpoints(tmp_path / "kept", every=0):
        found = sl.LogisticRegression().fit(dropped(file, "label"), "label")
    assert_same_model(found, expected, tmp_path)


def test_what_cannot_be_kept_is_said(tmp_path):
    file = parquet(tmp_path / "t.parquet", 3_000)
    for learner, what in [
        (sl.Perceptron(max_iter=2, tol=None), "rows in their order"),
        (sl.SVC(), "gathers its rows"),
    ]:
        with pytest.warns(UserWarning, match=f"{what}.*is not kept in checkpoints"), checkpoints(tmp_path / "kept"):
            learner.fit(dropped(file, "label"), "label")


def test_a_full_disk_does_not_end_the_fit(tmp_path, monkeypatch):
    file = parquet(tmp_path / "t.parquet", 40_000)

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sumlearn.saving.pass_keeper.write_sums", full)
    with pytest.warns(UserWarning, match="no checkpoint could be written, the run goes on without: .*No space left"):
        assert again(file, tmp_path / "kept")[0].statistic_.rows == 40_000


def test_nothing_is_kept_outside_of_the_block(folder, tmp_path):
    with checkpoints(tmp_path / "kept"):
        assert open_journal.get() is not None
    assert open_journal.get() is None
    with pytest.raises(ZeroDivisionError), checkpoints(tmp_path / "kept"):
        _ = 1 / 0
    assert open_journal.get() is None and not (tmp_path / "kept").exists()


# -- killed ------------------------------------------------------------------------------------------------------------

FITTING = """
import sys, sumlearn as sl
from sumlearn.data import Files
from sumlearn.saving import checkpoints
import sumlearn.engines.engine as engine

def fit(where, place, workers, out, every=0):
    engine.cores = lambda: int(workers)
    with checkpoints(place, every=every):
        model = sl.TableModel(sl.Ridge()).fit(Files(where, drop=["label"]), "y")
    sl.save(model, out)
"""

KILLING = """
import os, random, signal, time
where, folder, kills, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
fit(where, folder + "/kept", 1, folder + "/expected")
draw, count, number, resumed = random.Random(seed), 0, 0, 0
while count < kills:
    longest, number = 0.05, number + 1
    out = folder + f"/model-{number}"
    while not os.path.exists(out):
        resumed += os.path.exists(folder + "/kept/open.checkpoint")
        child = os.fork()
        if child == 0:
            fit(where, folder + "/kept", draw.choice([1, 2]), out)
            os._exit(0)
        time.sleep(draw.uniform(0.0, longest))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        count, longest = count + 1, 1.1 * longest
    assert open(out, "rb").read() == open(folder + "/expected", "rb").read(), number
print(count, number, resumed)
"""


def killed(where, folder, kills, seed):
    """A fit is killed at random moments until it comes to its end, and again; how often it went on from a part."""
    command = [sys.executable, "-c", FITTING + KILLING, *map(str, (where, folder, kills, seed))]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    count, _, resumed = map(int, ended.stdout.split())
    assert count >= kills
    return resumed


def test_f4_killed_at_random_moments(folder, tmp_path):
    assert killed(folder / "t.parquet", tmp_path, 5, 0) >= 0


@pytest.mark.slow
@pytest.mark.parametrize("where", ["t.parquet", "csv"])
def test_f4_killed_at_fifty_random_moments(folder, tmp_path, where):
    assert killed(folder / where, tmp_path, 50, 1) > 0


PRESSED = """
import os, sys
from sumlearn.data.files import FileSource
parts = FileSource.parts

def pressing(self, *arguments):
    for number, part in enumerate(parts(self, *arguments)):
        if number == 6:
            os.kill(os.getpid(), 2)
        yield part

FileSource.parts = pressing
"""


def test_f4_control_c(folder, tmp_path):
    """What was summed when the key was pressed is kept, also where nothing was written before."""
    last = FITTING + "fit(*sys.argv[1:], every='1h')"
    for program, name in [(PRESSED + last, "first"), (last, "second")]:
        arguments = (folder / "t.parquet", tmp_path / "kept", 1, tmp_path / name)
        ended = subprocess.run([sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True)
        assert ("KeyboardInterrupt" in ended.stderr) == (name == "first"), ended.stderr
        assert (tmp_path / "kept").exists() == (name == "first")
    sl.save(sl.TableModel(sl.Ridge()).fit(dropped(folder / "t.parquet", "y"), "y"), tmp_path / "expected")
    assert (tmp_path / "second").read_bytes() == (tmp_path / "expected").read_bytes()
