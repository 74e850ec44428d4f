"""Names that are imported when they are first used, and what else is known of imports."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

ALONE = False  # whether the process is the command's own, so that nobody else uses the libraries in it


def lazily(package: str, homes: dict[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package whose names live in modules below it; "" is a module itself."""

    def getattr_(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{homes[name] or name}")
        value = getattr(module, name) if homes[name] else module
        setattr(sys.modules[package], name, value)
        return value

    return getattr_, lambda: sorted(homes)
