"""The classes of the package, and which of their methods say again what a base has said."""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Iterator
from typing import Any

from sklearn.base import BaseEstimator

import sumlearn

PACKAGE = sumlearn.__name__
# What scikit-learn asks of an estimator by these names, and lets it answer anew; it writes the requests itself.
HOOKS = re.compile("|".join([*map(re.escape, dir(BaseEstimator)), r"__\w+__", r"set_\w+_request"]))


def modules() -> list[Any]:
    """Every module of the package, imported; the one that runs it as a command apart."""
    found = pkgutil.walk_packages(sumlearn.__path__, f"{PACKAGE}.")
    return [importlib.import_module(each.name) for each in found if not each.name.endswith("__main__")]


@functools.cache
def classes() -> list[type]:
    """Every class that is written at the top of a module, once, however many names it has there."""
    found = (
        value
        for module in modules()
        for value in vars(module).values()
        if inspect.isclass(value) and value.__module__ == module.__name__
    )
    return list(dict.fromkeys(found))


def folder(kind: type) -> str:
    return kind.__module__.split(".")[1]


def methods(kind: type) -> dict[str, Any]:
    """What a class itself defines: functions, properties and other descriptors; neither values nor hooks."""
    return {
        name: value
        for name, value in vars(kind).items()
        if hasattr(value, "__get__") and not inspect.isclass(value) and not HOOKS.fullmatch(name)
    }


def function_of(method: Any) -> Any:
    """The function behind a property, a class method or another descriptor, where there is one."""
    for name in ("fget", "func", "__func__", "fn", "__wrapped__"):
        inner = getattr(method, name, None)
        if callable(inner):
            return function_of(inner)
    return method


def is_abstract(kind: type, method: Any) -> bool:
    """Whether a method says only what others are to do: abstract, of a protocol, or nothing but a docstring."""
    if getattr(method, "__isabstractmethod__", False) or getattr(function_of(method), "__isabstractmethod__", False):
        return True
    return bool(getattr(kind, "_is_protocol", False)) or not statements(method)


def statements(method: Any) -> list[ast.stmt]:
    """What a method does, beside saying what it is for."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function_of(method)))).body[0]
    except (OSError, TypeError, SyntaxError):
        return [ast.Pass()]
    if not isinstance(tree, ast.FunctionDef):
        return [ast.Pass()]
    return tree.body[1:] if ast.get_docstring(tree) is not None else tree.body


def is_one_line(method: Any) -> bool:
    """Whether a method is a default of one line, beside its docstring."""
    body = statements(method)
    return not body or (len(body) == 1 and hasattr(body[0], "lineno") and body[0].lineno == body[0].end_lineno)


def overridden(kind: type) -> Iterator[tuple[str, type, Any]]:
    """Methods of a class that a base of ours has implemented: name, base, and what the base has."""
    for name in methods(kind):
        for base in kind.__mro__[1:]:
            if not base.__module__.startswith(f"{PACKAGE}."):
                continue
            if name in methods(base) and not is_abstract(base, vars(base)[name]):
                yield name, base, vars(base)[name]
                break


def depth(kind: type) -> int:
    """Classes between an estimator and scikit-learn's base, itself counted; mixins are apart."""
    above = [base for base in kind.__bases__ if issubclass(base, BaseEstimator) and base is not BaseEstimator]
    return 1 + max(map(depth, above), default=0)


def shared_names() -> set[tuple[str, str]]:
    """Modules and names that other modules import from them, or that the package has in public."""
    found = set()
    for module in modules():
        home = module.__name__ if hasattr(module, "__path__") else module.__name__.rpartition(".")[0]
        for node in ast.walk(ast.parse(inspect.getsource(module) or "")):
            if isinstance(node, ast.ImportFrom):
                name = importlib.util.resolve_name("." * node.level + (node.module or ""), home)
                found |= {(name, alias.name) for alias in node.names}
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            found.add((getattr(value, "__module__", ""), name))
    return found


def namesakes() -> dict[str, list[str]]:
    """Classes that are public or shared and bear the name of another such class."""
    shared = shared_names()
    homes: dict[str, list[str]] = {}
    for kind in dict.fromkeys(classes()):  # once, also where it has an older name
        if (kind.__module__, kind.__name__) in shared:
            homes.setdefault(kind.__name__, []).append(kind.__module__)
    return {name: where for name, where in homes.items() if len(where) > 1}
