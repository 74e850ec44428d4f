"""A folder takes the place of another as one: killed at every step, the old one or the new one is there, whole."""

import contextlib
import os

import pytest

from sumlearn.saving import exchange
from sumlearn.saving.exchange import aside_of, brought_back, replace_folder


class Killed(BaseException):
    """What a killed process does: nothing more."""


def filled(folder, text, more=()):
    folder.mkdir()
    for name in ("model", "metrics", *more):
        (folder / name).write_text(text)
    return folder


def contents(folder):
    return {file.name: file.read_text() for file in folder.iterdir() if file.is_file()}


@pytest.fixture
def folders(tmp_path):
    old = filled(tmp_path / "X", "old", more=["notes"])
    (old / "plots").mkdir()
    (old / "plots" / "a.png").write_text("mine")
    return old, filled(tmp_path / ".X.draft", "new")


@pytest.fixture(params=["exchange", "two names"])
def system(request, monkeypatch):
    """With the step of Linux and macOS, and without."""
    if request.param == "two names":
        monkeypatch.setattr(exchange, "exchanged", lambda a, b: False)
    elif not hasattr(os, "fork"):
        pytest.skip("no such step here")


def test_what_the_draft_lacks_stays(folders, system):
    folder, draft = folders
    folder.chmod(0o750)
    replace_folder(folder, draft)
    assert contents(folder) == {"model": "new", "metrics": "new", "notes": "old"}
    assert (folder / "plots" / "a.png").read_text() == "mine"
    assert folder.stat().st_mode & 0o777 == 0o750
    assert os.listdir(folder.parent) == ["X"]


def test_what_comes_late_stays(folders, system, monkeypatch):
    folder, draft = folders
    plain = exchange.exchanged

    def meanwhile(a, b):
        (folder / "late").write_text("late")
        return plain(a, b)

    monkeypatch.setattr(exchange, "exchanged", meanwhile)
    replace_folder(folder, draft)
    assert contents(folder) == {"model": "new", "metrics": "new", "notes": "old", "late": "late"}


@pytest.mark.parametrize("step", range(12))
def test_killed_at_every_step(folders, system, monkeypatch, step):
    folder, draft = folders
    calls = []

    def counted(name):
        plain = getattr(os, name)

        def call(*arguments, **more):
            calls.append(name)
            if len(calls) > step:
                raise Killed
            return plain(*arguments, **more)

        return call

    with monkeypatch.context() as patch:
        for name in ("link", "rename", "unlink", "rmdir", "chmod"):
            patch.setattr(os, name, counted(name))
        with contextlib.suppress(Killed):
            replace_folder(folder, draft)
    brought_back(folder)
    found = contents(folder)
    assert found.pop("notes") == "old"
    assert found in ({"model": "old", "metrics": "old"}, {"model": "new", "metrics": "new"})
    assert not aside_of(folder).exists()


def test_a_draft_that_cannot_take_the_name_leaves_the_old(folders, monkeypatch):
    folder, draft = folders
    monkeypatch.setattr(exchange, "exchanged", lambda a, b: False)
    plain = os.rename

    def rename(a, b):
        if a == draft:
            raise OSError(28, "No space left on device")
        plain(a, b)

    monkeypatch.setattr(os, "rename", rename)
    with pytest.raises(OSError, match="No space"):
        replace_folder(folder, draft)
    assert contents(folder)["model"] == "old"
