"""Which types a model file may name: the allow-list, in words of the public interface.

A class of this library is written by the name under which it is imported, ``Ridge`` or ``features.RadialBasis``, so
that a file outlives every move of a module; parts of learners that have no public name, by their own. A stranger's
class is written as ``module:Class``, and means something only to whoever hands that class to `load`. Anything else that
a file may hold is listed in ``estimators.py``.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from importlib import import_module
from itertools import chain
from types import MappingProxyType, ModuleType
from typing import Any

from ..learners.description import Description, described_classes, description_of
from ..statistics import Statistic

PACKAGE = __name__.partition(".")[0]
# Folders whose public classes may be in a file; "" is the package itself.
FOLDERS = ("", "statistics", "features", "features.kernels", "objectives", "solvers", "evaluation", "selection")
# Classes that fitted models hold, that have no public name and are no learner's own. One that moves keeps its name here
# for ever.
INTERNAL = {
    "ClusteredModel": "product.clusters.clustered_model",
    "CodedColumns": "data.coded_columns",
    "Column": "data.schema",
    "ColumnExpansion": "selection.workflow_steps.column_expansion",
    "Design": "features.table.design",
    "Expansion": "selection.workflow_steps.column_expansion",
    "Feature": "features.table.design",
    "HeldRows": "statistics.held_rows",
    "Look": "learners.look",
    "MixedDesign": "features.table.mixed_design",
    "Note": "features.table.notes",
    "OneClassModel": "product.acceptance.one_class_model",
    "Repeats": "selection.workflow_steps.repeats",
    "Schema": "data.schema",
    "Step": "selection.workflow_steps.step",
    "TableSums": "features.table.sums",
    "TrainedModel": "product.trained",
}
NONE: Mapping[str, type] = MappingProxyType({})


def class_of(name: str, handed: Mapping[str, type] = NONE) -> type:
    """The class that a file means by a name; raises ValueError for a name that is not on the list.

    `handed` are classes of strangers, by the names that files have for them.
    """
    if name in handed:
        return handed[name]
    folder, _, simple = name.rpartition(".")
    if name in INTERNAL:
        return getattr(import_module(f"{PACKAGE}.{INTERNAL[name]}"), name)
    if folder in FOLDERS:
        found = public(folder, simple)
        if inspect.isclass(found) and not issubclass(found, BaseException):
            return found
    if ":" in name:
        raise ValueError(f"the type {name!r} is none of sumlearn's: load(path, classes=[...]) takes the class")
    part = part_called(name)
    if part is not None:
        return part
    raise ValueError(f"the type {name!r} is not known to this version of sumlearn")


def name_of(kind: type) -> str | None:
    """The name that a file uses for a class, or None if it may not be in one."""
    simple = kind.__name__
    if not is_ours(kind):
        return strange_name(kind) if is_writable(kind) else None
    if simple in INTERNAL and kind.__module__ == f"{PACKAGE}.{INTERNAL[simple]}":
        return simple
    for folder in FOLDERS:
        if public(folder, simple) is kind:
            return f"{folder}.{simple}" if folder else simple
    return simple if part_called(simple) is kind else None


def part_called(name: str) -> type | None:
    """What a public learner holds under that name, or None; learners that are loaded are asked first."""
    kinds = chain(described_classes(loaded=True), described_classes())
    return next((part for kind in kinds for part in description_of(kind).parts if part.__name__ == name), None)


def strange_name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def is_writable(kind: type) -> bool:
    """Whether a stranger's class may be in a file: a learner that describes itself, or a statistic."""
    return issubclass(kind, Statistic) or isinstance(vars(kind).get("description"), Description)


def handed_classes(classes: Iterable[type]) -> dict[str, type]:
    """Classes that the reader of a file trusts, and their parts, by name."""
    kinds = list(classes)
    for kind in kinds:
        if not isinstance(kind, type):
            raise TypeError(f"classes must be classes, got {kind!r}")
    every = [*kinds, *(part for kind in kinds for part in description_of(kind).parts)]
    return {strange_name(kind): kind for kind in every if not is_ours(kind)}


def public(folder: str, name: str) -> Any:
    """A public name of a folder, or None; modules inside it do not count."""
    package = import_module(f"{PACKAGE}.{folder}" if folder else PACKAGE)
    if name not in package.__all__:
        return None
    found = getattr(package, name)
    return None if isinstance(found, ModuleType) else found


def is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == PACKAGE
