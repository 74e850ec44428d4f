"""One run of the command: exit codes, and errors as one sentence."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .. import lazy
from .interrupts import listening, pressed, settle

OK, FAILED, USAGE, DATA, NOT_MET, INTERRUPTED = 0, 1, 2, 3, 4, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with some arguments (those of the process by default) and return its exit code.

    0 all went well, 1 the run failed, 2 usage, 3 a problem with the data, 4 `--fail-under` was not met, 130 Ctrl-C.
    """
    lazy.ALONE = arguments is None  # not where Python calls it, which may have other plans
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        import typer

        from .app import program
    except ModuleNotFoundError as error:
        return complain(f"the command needs {error.name}: pip install 'sumlearn[cli]'", FAILED)
    try:
        with listening(), warnings_as_notes("-q" in given or "--quiet" in given):
            code = program.main(args=given, prog_name="sumlearn", standalone_mode=False)
        sys.stdout.flush()
        if code == INTERRUPTED:  # some versions of typer say it so
            raise KeyboardInterrupt
        return code if isinstance(code, int) else OK
    except (KeyboardInterrupt, typer.Abort):
        return interrupted()
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except Exception as error:
        if pressed.is_set():  # what an interrupt leaves behind that was lost in a callback from C
            return interrupted()
        if "--debug" in given:
            traceback.print_exc()
        return complain(*explained(error))


@contextmanager
def warnings_as_notes(quiet: bool) -> Iterator[None]:
    """Warnings of the library as lines among the notes."""

    def show(message: Any, *where: Any) -> None:
        if not quiet:
            print(f"  warning   {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def interrupted() -> int:
    settle()
    return complain("interrupted; nothing was written", INTERRUPTED)


def complain(sentence: str, code: int) -> int:
    print(f"error: {sentence}", file=sys.stderr)
    return code


def explained(error: Exception) -> tuple[str, int]:
    """A sentence and an exit code for an error."""
    if hasattr(error, "format_message"):  # of the parser
        command = getattr(getattr(error, "ctx", None), "command_path", "sumlearn")
        return f"{error.format_message().rstrip('.')} ({command} --help)", USAGE
    from ..product.problems import CannotDo, UsageProblem

    text = " ".join(str(error).split())
    if isinstance(error, UsageProblem):
        return text, USAGE
    if isinstance(error, CannotDo):
        return text, FAILED
    if isinstance(error, FileNotFoundError | ValueError | TypeError):
        return text, DATA
    if isinstance(error, MemoryError):
        return f"not enough memory: {text or 'the table is too large'}", FAILED
    if isinstance(error, OSError | ImportError):
        return text, FAILED
    return f"{type(error).__name__}: {text} (--debug shows where)", FAILED
