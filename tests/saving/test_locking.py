"""One writer at a time, whatever became of the one before."""

import os
import signal
import time

import pytest

from sumlearn.saving import locking
from sumlearn.saving.locking import locked, stamp_of


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_killed_process_holds_no_lock(tmp_path):
    path = tmp_path / "model"
    child = os.fork()
    if child == 0:
        with locked(path):
            time.sleep(60)
        os._exit(0)
    while not (tmp_path / ".model.lock").exists():
        time.sleep(0.01)
    time.sleep(0.05)
    with pytest.raises(TimeoutError, match="model' is being written by another process.*try again"), locked(path, 0.1):
        pass
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert (tmp_path / ".model.lock").exists()
    with locked(path, 0.1):
        pass
    assert not list(tmp_path.iterdir())


def test_a_lock_whose_name_was_taken_away_is_none(tmp_path):
    """Of two that wait, the second may hold a file that the first has removed: it asks again."""
    path, place = tmp_path / "model", tmp_path / ".model.lock"
    with locked(path):
        place.unlink()
        with locked(path, 0.1):  # the first is gone for everybody but itself
            assert place.exists()
    assert not place.exists()


def test_the_lock_of_another_folder_is_left_alone(tmp_path):
    """A folder that was replaced under a lock has locks of its own."""
    folder = tmp_path / "X"
    folder.mkdir()
    with locked(folder / "model"):
        folder.rename(tmp_path / "Y")
        folder.mkdir()
        (folder / ".model.lock").write_text("")
    assert (folder / ".model.lock").exists()


def test_a_system_without_locks(tmp_path, monkeypatch):
    if not hasattr(locking, "fcntl"):
        pytest.skip("Windows has locks")
    monkeypatch.setattr(locking.fcntl, "flock", lambda *a: (_ for _ in ()).throw(OSError(37, "No locks available")))
    with locked(tmp_path / "model"):
        pass
    assert not list(tmp_path.iterdir())


def test_stamps(tmp_path):
    path = tmp_path / "model"
    assert stamp_of(path) is None
    path.write_bytes(b"a" * 100)
    assert stamp_of(path) == b"a" * 64
    path.write_bytes(b"b")
    assert stamp_of(path) == b"b"
    os.unlink(path)
