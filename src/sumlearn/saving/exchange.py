"""A folder that takes the place of another as one: whoever looks finds the old one or the new one, whole.

Linux and macOS can exchange two names in one step. Elsewhere, and on file systems that cannot, the old folder is put
aside first; a process that is killed in between leaves it there, and `brought_back` gives it its name again.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import stat
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

AT_CWD, EXCHANGE, SWAP = -100, 2, 2  # AT_FDCWD, RENAME_EXCHANGE of Linux; RENAME_SWAP of macOS


def replace_folder(folder: Path, draft: Path, gone: Collection[str] = ()) -> None:
    """Let the draft be the folder. Files that the draft lacks stay, also those that come while this goes on.

    Those that are to be `gone` do not.
    """
    brought_back(folder)
    own = {*gone, *(file.name for file in draft.iterdir())}
    shutil.copytree(folder, draft, symlinks=True, copy_function=link, dirs_exist_ok=True, ignore=but(folder, own))
    os.chmod(draft, stat.S_IMODE(folder.stat().st_mode))
    old = draft
    if not exchanged(draft, folder):
        old = aside_of(folder)
        os.rename(folder, old)
        try:
            os.rename(draft, folder)
        except BaseException:
            os.rename(old, folder)
            raise
    for late in old.iterdir():
        if not (is_passing(late.name) or late.name in gone or (folder / late.name).exists()):
            os.rename(late, folder / late.name)
    shutil.rmtree(old, ignore_errors=True)


def brought_back(folder: Path) -> None:
    """Where a killed process left the folder aside: as it was; what it had replaced already is removed."""
    aside = aside_of(folder)
    if folder.exists():
        shutil.rmtree(aside, ignore_errors=True)
    elif aside.exists():
        os.rename(aside, folder)


def aside_of(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.before")


def is_passing(name: str) -> bool:
    """Locks and drafts of somebody who writes."""
    return name.startswith(".") and name.endswith((".tmp", ".lock"))


def but(folder: Path, own: set[str]) -> Any:
    """What `copytree` leaves out."""

    def left_out(place: str, names: list[str]) -> set[str]:
        return {name for name in names if is_passing(name) or (Path(place) == folder and name in own)}

    return left_out


def link(source: str, target: str) -> None:
    """The same file under another name; a copy where the system has no such thing."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def exchanged(a: Path, b: Path) -> bool:
    """Exchange two names; False where that cannot be done."""
    try:
        system = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            return system.renamex_np(os.fsencode(a), os.fsencode(b), SWAP) == 0
        return system.renameat2(AT_CWD, os.fsencode(a), AT_CWD, os.fsencode(b), EXCHANGE) == 0
    except (AttributeError, OSError, TypeError):  # a system, or a C library, that does not know it
        return False
