"""A cube in a file: the same to the bit, appended to, and whole whatever happens meanwhile."""

import itertools
import os
import signal
import sys
import time

import numpy as np
import pytest

import sumlearn as sl
from sumlearn.saving import journal
from sumlearn.saving.locking import ChangedMeanwhile

from tests.streams.cube_tables import FEATURES, table

COLUMNS = [*FEATURES, "y", "shop", "lane", "ts"]
WHERE = {"time": "ts", "grain": "1d", "by": ["shop", "lane"]}

pytestmark = pytest.mark.filterwarnings("ignore:the smallest group of rows")


def cube_of(frame, learner=None):
    return sl.ModelCube(learner or sl.Ridge(alpha=0.5), **WHERE).fit(frame[COLUMNS], "y")


def assert_equal(cube, other):
    assert cube.keys_ == other.keys_
    a, b = (c._tree.leaves for c in (cube, other))
    assert np.array_equal(a.codes, b.codes)
    for mine, theirs in zip(
        cube._tree.stack.take(a.numbers).arrays, other._tree.stack.take(b.numbers).arrays, strict=True
    ):
        assert np.array_equal(mine, theirs)
    assert np.array_equal(cube[:].coef_, other[:].coef_)


@pytest.mark.parametrize("how", ["save", "journal"])
def test_a_file_holds_the_cube_to_the_bit(tmp_path, how):
    frame, path = table(500), tmp_path / "cube"
    cube = cube_of(frame)
    sl.save(cube, path) if how == "save" else cube.save(path)
    again = sl.load(path)
    assert_equal(cube, again)
    again.append(frame[COLUMNS].iloc[:50])
    assert again[:].statistic_.rows == 550
    assert repr(again).startswith("ModelCube(Ridge(alpha=0.5), time='ts'")
    assert sl.saving.describe(path)["class"] == "ModelCube"


@pytest.mark.parametrize("learner", [sl.LinearDiscriminantAnalysis(), sl.PCA(2), sl.GaussianNB()])
def test_sums_of_any_kind_are_kept(tmp_path, learner):
    frame = table(300)
    frame["y"] = np.where(frame["y"] > 0, "up", "down")
    target = None if isinstance(learner, sl.PCA) else "y"
    cube = sl.ModelCube(learner, **WHERE).fit(frame[COLUMNS] if target else frame[COLUMNS].drop(columns="y"), target)
    cube.save(tmp_path / "cube")
    again = sl.load(tmp_path / "cube")
    for name in ("means_", "components_", "theta_"):
        if hasattr(cube["2026-02"], name):
            assert np.array_equal(getattr(cube["2026-02"], name), getattr(again["2026-02"], name))


def test_a_day_that_is_appended_is_all_that_is_written(tmp_path):
    frame, path = table(3000).sort_values("ts")[COLUMNS], tmp_path / "cube"
    cube = cube_of(frame.iloc[:2800])
    cube.save(path)
    size = path.stat().st_size
    cube.append(frame.iloc[2800:2830])
    cube.save(path)
    assert path.stat().st_size - size < size / 10
    cube.save(path)  # nothing has changed
    assert sl.saving.describe(path)["appended"] == 1
    again = sl.load(path)
    assert_equal(cube, again)
    again.append(frame.iloc[2830:2900].assign(shop="new"))
    again.apply(old=frame.iloc[:1], new=frame.iloc[:1].assign(y=5.0))
    gone = frame[frame["ts"].dt.date == frame["ts"].dt.date.iloc[2]].iloc[1:]
    again.apply(old=gone)
    again.save(path)
    assert sl.saving.describe(path)["appended"] == 2
    assert_equal(again, sl.load(path))
    with pytest.raises(ChangedMeanwhile, match="load it again"):
        cube.append(frame.iloc[2900:]).save(path)
    assert_equal(again, sl.load(path))


def test_a_journal_that_has_outgrown_its_beginning_is_written_anew(tmp_path):
    frame, path = table(1000)[COLUMNS], tmp_path / "cube"
    cube = cube_of(frame.iloc[:300])
    cube.save(path)
    for start in range(300, 1000, 100):
        cube.append(frame.iloc[start : start + 100]).save(path)
    assert sl.saving.describe(path).get("appended", 0) < 7
    assert_equal(cube, sl.load(path))
    assert {entry.name for entry in tmp_path.iterdir()} == {"cube"}


def test_whatever_was_written_behind_what_counts_is_not_there(tmp_path):
    frame, path = table(400)[COLUMNS], tmp_path / "cube"
    cube = cube_of(frame.iloc[:300])
    cube.save(path)
    old = path.read_bytes()
    cube.append(frame.iloc[300:])
    cube.save(path)
    new = path.read_bytes()
    begin = journal.BEGIN
    for cut in range(len(old), len(new), (len(new) - len(old)) // 7):
        path.write_bytes(new[:0] + old[:begin] + new[begin:cut])  # killed while the record was written
        assert sl.load(path)[:].statistic_.rows == 300
        again = sl.load(path)
        again.append(frame.iloc[300:]).save(path)
        assert_equal(sl.load(path), cube)
    path.write_bytes(old[:begin] + new[begin:])  # and before the slot was
    assert sl.load(path)[:].statistic_.rows == 300
    torn = bytearray(new)
    torn[journal.SLOTS[0] + 20 : journal.SLOTS[0] + 30] = bytes(10)
    path.write_bytes(torn)
    with pytest.warns(UserWarning, match="may be missing"):
        assert sl.load(path)[:].statistic_.rows == 300


def test_damage_is_noticed(tmp_path):
    frame, path = table(200)[COLUMNS], tmp_path / "cube"
    cube = cube_of(frame.iloc[:150])
    cube.save(path)
    cube.append(frame.iloc[150:]).save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.integers(journal.BEGIN, len(whole), 40).tolist():
        bad = bytearray(whole)
        bad[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(bad)
        with pytest.raises(ValueError, match="damaged|checksum|record"):
            sl.load(path)
    path.write_bytes(whole[: len(whole) - 10])
    with pytest.raises(ValueError, match="cut"):
        sl.load(path)
    head = bytearray(whole)
    head[journal.BEGIN : journal.BEGIN + 8] = (2**62).to_bytes(8, "little")
    path.write_bytes(head)
    with pytest.raises(ValueError, match="claims"):
        sl.load(path)


def test_false_parts_are_refused(tmp_path):
    from sumlearn.streams.parts.cube_file import cube_of as built
    from sumlearn.streams.parts.cube_leaves import StackedLeaves

    state = cube_of(table(100)).stored_state()
    leaves = state["leaves"]
    arrays = {name: getattr(leaves, name) for name in StackedLeaves.__dataclass_fields__}
    for name, value in [
        ("codes", arrays["codes"][::-1]),
        ("count", arrays["count"][:-1]),
        ("total", -arrays["total"]),
        ("spread", arrays["spread"][:, :, :-1]),
        ("centre", np.full_like(arrays["centre"], np.nan)),
        ("targets", 9),
    ]:
        with pytest.raises(ValueError, match="do not fit together"):
            StackedLeaves(**(arrays | {name: value}))
    for name, value in [
        ("keys", "[]"),
        ("keys", '[["A", 1], ["A", 1]]'),
        ("zone", "here"),
        ("model", sl.PCA()),
        ("leaves", None),
        ("grain", "never"),
        ("target", 3),
    ]:
        with pytest.raises((ValueError, TypeError)):
            built(sl.ModelCube, state | {name: value})


def append_for_ever(path, frame, said):
    """What the process does that is killed: it appends batch after batch, and says how many rows are safe."""
    cube = sl.load(path)
    os.write(said, b"0\n")
    for start in range(1000, 2000, 50):
        cube.append(frame.iloc[start : start + 50])
        cube.save(path)
        os.write(said, f"{start + 50}\n".encode())


def kill_while_appending(path, times, seed):
    """Fork, let it append, kill it at some moment; what is there is what was safe, or one batch more."""
    rng = np.random.default_rng(seed)
    frame = table(2000).sort_values("ts")[COLUMNS]
    start, fresh, seen = cube_of(frame.iloc[:1000]), {}, set()
    for _ in range(times):
        path.unlink(missing_ok=True)
        start.__dict__["_file"] = None
        start.save(path)
        ours, theirs = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                append_for_ever(path, frame, theirs)
            finally:
                os._exit(0)
        os.close(theirs)
        assert os.read(ours, 2) == b"0\n"
        time.sleep(float(rng.uniform(0.0, 0.4)))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with open(ours, "rb") as pipe:
            said = [int(line) for line in pipe.read().split()]
        found = sl.load(path)
        rows = found[:].statistic_.rows
        safe = said[-1] if said else 1000
        assert rows in {safe, min(safe + 50, 2000)}
        seen.add(rows)
        if rows not in fresh:
            fresh[rows] = cube_of(frame.iloc[:rows])
        np.testing.assert_allclose(found[:].coef_, fresh[rows][:].coef_, rtol=1e-12)
        if rows < 2000:
            found.append(frame.iloc[rows : rows + 10]).save(path)  # and it can go on
            assert sl.load(path)[:].statistic_.rows == rows + 10
    return seen


CAN_FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")


def append_until(step, path, rows):
    """Append rows in a process that dies before its file operation of that number; whether it came to the end."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    try:
        cube, done = sl.load(path).append(rows), itertools.count()

        def reached(event, *_):
            if event in ("open", "os.rename", "os.remove", "sync") and next(done) == step:
                os._exit(9)

        sync = os.fsync
        os.fsync = lambda file: (reached("sync"), sync(file))
        sys.addaudithook(reached)
        cube.save(path)
        os._exit(0)
    finally:
        os._exit(1)


@CAN_FORK
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("more", [50, 900], ids=["appended", "written anew"])
def test_a_process_that_is_killed_at_any_step_leaves_old_or_new(tmp_path, more):
    frame = table(1000).sort_values("ts")[COLUMNS]
    start, path, seen, whole = cube_of(frame.iloc[:100]), tmp_path / "cube", [], False
    start.save(path)
    before = path.read_bytes()
    while not whole:
        path.write_bytes(before)
        whole = append_until(len(seen), path, frame.iloc[100 : 100 + more])
        found = sl.load(path)
        seen.append(found[:].statistic_.rows)
        found.append(frame.iloc[-1:]).save(path)  # and it can go on
        assert sl.load(path)[:].statistic_.rows == seen[-1] + 1
    assert set(seen) == {100, 100 + more} and seen == sorted(seen) and len(seen) < 30


@pytest.mark.slow
@CAN_FORK
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fifty_kills_leave_old_or_new(tmp_path):
    assert len(kill_while_appending(tmp_path / "cube", 50, 1)) > 5


def test_what_a_stranger_could_read(tmp_path):
    frame = table(300)
    cube = cube_of(frame)
    found = sl.disclosure(cube)
    rows = frame.groupby(["shop", "lane", frame["ts"].dt.date]).size()
    assert len(found) == (rows < 5).sum()  # four columns: leaves of no more rows are told as well
    assert {finding.kind for finding in found} == {"leaf"}
    assert "shop = " in str(found[0])
    with pytest.raises(ValueError, match="share the model of a window"):
        sl.save(cube, tmp_path / "cube", share=True)
    sl.save(cube["2026-02"], tmp_path / "february", share=True)
    with pytest.warns(UserWarning, match="the smallest group of rows"):
        sl.save(cube, tmp_path / "cube")
