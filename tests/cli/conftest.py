"""The command, as a user calls it: in a process of its own, or in this one where speed matters."""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import sumlearn
from sumlearn.cli import main

SOURCE = str(Path(sumlearn.__file__).parent.parent)
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join([SOURCE, *filter(None, [os.environ.get("PYTHONPATH")])])}


class Run(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(capfd, tmp_path, monkeypatch):
    """Run the command in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        return Run(code, *capfd.readouterr())

    return call


@pytest.fixture(scope="session")
def made_once(tmp_path_factory):
    """made_once(make, here): what make() leaves in an empty folder, copied to `here`; it is made for the first test."""
    places = {}

    def made(make, here):
        if make not in places:
            place = tmp_path_factory.mktemp(make.__name__)
            with contextlib.chdir(place):
                make()
            places[make] = place
        shutil.copytree(places[make], here, dirs_exist_ok=True)

    return made


@pytest.fixture
def command(tmp_path):
    """Run the command in a process of its own."""

    def call(*arguments, **options):
        done = subprocess.run(
            [sys.executable, "-m", "sumlearn", *map(str, arguments)],
            capture_output=True,
            cwd=tmp_path,
            env=ENVIRONMENT | options.pop("env", {}),
            check=False,
            **options,
        )
        return Run(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call
