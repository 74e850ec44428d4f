"""One module for each library: `ours` is sumlearn, every other module is a rival."""

from __future__ import annotations

import importlib
import pkgutil

from benchmarks.candidates import Rival

OURS = f"{__name__}.ours"


def module_names() -> list[str]:
    """The adapter modules of all rivals, without ours."""
    names = sorted(f"{__name__}.{module.name}" for module in pkgutil.iter_modules(__path__))
    return [name for name in names if name != OURS]


def load(module: str) -> Rival:
    """The rival of an adapter module; ImportError where its library is missing."""
    return importlib.import_module(module).rival
