"""One writer at a time: a lock that ends with the process that holds it, also with one that was killed.

The system locks an empty file beside the one that is written (`flock`; on Windows the first byte of it). Nothing is
stale: a lock file that a killed process left behind is taken like a new one. Folders of a network whose system knows no
locks are guarded by `stamp_of` alone: what was read is compared with what is there just before it is replaced.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from .archive import DIGEST

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

WAIT = 600.0  # seconds, for others to come to their end
PAUSE = 0.02


class ChangedMeanwhile(OSError):
    """A file is no longer the one that was read: nothing was written."""


@contextlib.contextmanager
def locked(path: Path, wait: float = WAIT) -> Iterator[None]:
    """Be the only one who writes a file; raises TimeoutError where others do not come to an end."""
    target = Path(os.path.realpath(path))
    place = target.with_name(f".{target.name}.lock")
    until = time.monotonic() + wait
    while (handle := taken(place)) is None:
        if time.monotonic() > until:
            raise TimeoutError(f"{str(path)!r} is being written by another process; nothing was written: try again")
        time.sleep(PAUSE)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # the folder may be another; Windows keeps the name of an open file
            if os.path.samestat(os.fstat(handle), os.stat(place)):
                place.unlink()
        os.close(handle)


def taken(place: Path) -> int | None:
    """A handle of the lock file, locked; None if another has it, or has just taken its name away."""
    handle = os.open(place, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        lock(handle)
        if os.path.samestat(os.fstat(handle), os.stat(place)):
            return handle
    except (BlockingIOError, PermissionError, FileNotFoundError):
        pass
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def lock(handle: int) -> None:
    """Raises BlockingIOError or PermissionError where another process has the lock."""
    if sys.platform == "win32":
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if isinstance(error, BlockingIOError):
                raise  # any other is of a system without locks


def stamp_of(path: Path) -> bytes | None:
    """What tells one version of a model file from another: the checksum at its end; None where there is no file."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - DIGEST))
            return file.read(DIGEST)
    except FileNotFoundError:
        return None
