"""Which types a model file may name: the allow-list, in words of the public interface.

A class of this library is written by the name under which it is imported, ``Ridge`` or ``features.RadialBasis``, so
that a file outlives every move of a module. Anything else that a file may hold is listed in ``estimators.py``.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from types import ModuleType
from typing import Any

PACKAGE = __name__.partition(".")[0]
# Folders whose public classes may be in a file; "" is the package itself.
FOLDERS = ("", "statistics", "features", "objectives", "solvers", "evaluation", "selection")
# Classes that fitted models hold and that have no public name. A class that moves keeps its name here for ever.
INTERNAL = {
    "Column": "data.schema",
    "Design": "features.table.design",
    "Expansion": "selection.workflow_steps.expansion",
    "Feature": "features.table.design",
    "KeptRows": "learners.lazy.kept_rows",
    "LocalLines": "learners.local.lines",
    "Note": "features.table.notes",
    "PlacedSums": "learners.local.placed_sums",
    "Places": "learners.local.places",
    "PolynomialSums": "learners.linear.polynomial_sums",
    "Repeats": "selection.workflow_steps.repeats",
    "Schema": "data.schema",
    "Step": "selection.workflow_steps.report",
    "TableSums": "features.table.sums",
    "TrainedModel": "product.trained",
}


def class_of(name: str) -> type:
    """The class that a file means by a name; raises ValueError for a name that is not on the list."""
    folder, _, simple = name.rpartition(".")
    if name in INTERNAL:
        return getattr(import_module(f"{PACKAGE}.{INTERNAL[name]}"), name)
    if folder in FOLDERS:
        found = public(folder, simple)
        if inspect.isclass(found) and not issubclass(found, BaseException):
            return found
    raise ValueError(f"the type {name!r} is not known to this version of sumlearn")


def name_of(kind: type) -> str | None:
    """The name that a file uses for a class, or None if it may not be in one."""
    simple = kind.__name__
    if simple in INTERNAL and kind.__module__ == f"{PACKAGE}.{INTERNAL[simple]}":
        return simple
    for folder in FOLDERS:
        if public(folder, simple) is kind:
            return f"{folder}.{simple}" if folder else simple
    return None


def public(folder: str, name: str) -> Any:
    """A public name of a folder, or None; modules inside it do not count."""
    package = import_module(f"{PACKAGE}.{folder}" if folder else PACKAGE)
    if name not in package.__all__:
        return None
    found = getattr(package, name)
    return None if isinstance(found, ModuleType) else found


def is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == PACKAGE
