"""A fingerprint of what a pass does: the same in every process, another one for other parameters, arrays or code."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property, partial
from inspect import getattr_static
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ..data import Source

PLAIN = (bool, int, float, str, type(None))
# attributes that change no sum: how many work on it, who watches, what follows from others, and what is a cache
IDLE = ("n_jobs", "workers", "verbose", "notes", "_holder", "inputs")


def fingerprint(value: Any) -> str:
    """Of numbers, arrays, estimators, functions and what they hold; of a source only what is put on top of its rows.

    >>> fingerprint((np.zeros(3), "a")) == fingerprint((np.zeros(3), "a"))
    True
    >>> fingerprint(partial(round, ndigits=1)) == fingerprint(partial(round, ndigits=2))
    False
    """
    digest = hashlib.blake2b(digest_size=16)
    Walk(digest).over(value)
    return digest.hexdigest()


class Walk:
    """Goes through a value; what was met already is told by its number, so that circles end."""

    def __init__(self, digest: Any) -> None:
        self.digest = digest
        self.met: dict[int, tuple[int, Any]] = {}  # the value is held, so that its identity stays its own

    def say(self, *words: Any) -> None:
        self.digest.update(("\0".join(map(str, words)) + "\1").encode("utf-8", "surrogatepass"))

    def over(self, value: Any) -> None:
        if isinstance(value, (PLAIN, complex | bytes)):
            self.say(type(value).__name__, repr(value))
        elif isinstance(value, np.generic):
            self.say("scalar", value.dtype.str, value.tobytes().hex())
        elif id(value) in self.met:
            self.say("again", self.met[id(value)][0])
        else:
            self.met[id(value)] = len(self.met), value
            self.inside(value)

    def inside(self, value: Any) -> None:
        if isinstance(value, np.ndarray):
            self.array(value)
        elif isinstance(value, Mapping):
            self.say("mapping", len(value))
            for key, item in value.items():
                self.over(key)
                self.over(item)
        elif isinstance(value, set | frozenset):
            self.say("set", *sorted(map(repr, value)))
        elif isinstance(value, list | tuple):
            self.say(type(value).__name__, len(value))
            for item in value:
                self.over(item)
        elif isinstance(value, partial):
            self.say("partial")
            self.over([value.func, value.args, value.keywords])
        elif isinstance(value, MethodType):
            self.say("method", value.__func__.__qualname__)
            self.over(value.__self__)
        elif isinstance(value, FunctionType):
            self.function(value)
        elif isinstance(value, type | ModuleType | BuiltinFunctionType | np.dtype | np.ufunc):
            self.say("name", getattr(value, "__module__", ""), getattr(value, "__qualname__", str(value)))
        else:
            self.object(value)

    def array(self, value: np.ndarray) -> None:
        self.say("array", value.dtype.str, value.shape)
        if value.dtype == object:
            self.over(value.ravel().tolist())
        else:
            self.digest.update(np.ascontiguousarray(value).view(np.uint8).data if value.size else b"")

    def function(self, value: FunctionType) -> None:
        """By its name, its code, and what it holds from around it."""
        self.say("function", value.__module__, value.__qualname__)
        self.code(value.__code__)
        self.over([value.__defaults__, value.__kwdefaults__])
        self.over([cell.cell_contents for cell in value.__closure__ or ()])

    def code(self, code: CodeType) -> None:
        self.digest.update(code.co_code)
        self.say(*code.co_names)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self.code(constant)
            else:
                self.say(repr(constant) if not isinstance(constant, frozenset) else sorted(map(repr, constant)))

    def object(self, value: Any) -> None:
        """By its class and what it holds."""
        kind = type(value)
        self.say("object", kind.__module__, kind.__qualname__)
        if isinstance(value, Source) and not hasattr(value, "inputs"):
            return  # whoever compares fingerprints compares the rows by themselves
        if isinstance(value, np.random.Generator):
            self.over(value.bit_generator.state)
        elif isinstance(value, np.random.RandomState):
            self.over(value.get_state())
        elif sparse.issparse(value):
            self.over([value.shape, value.tocoo().coords, value.data])
        elif is_dataclass(value):
            self.over({field.name: getattr(value, field.name) for field in fields(value)})
        elif hasattr(value, "py_func"):  # compiled
            self.over(value.py_func)
        else:
            self.over(dict(sorted(held(value).items())))
            if hasattr(value, "inputs"):
                self.over(value.inputs)


def held(value: Any) -> dict[str, Any]:
    """What an object holds, without what follows from it."""
    kind = type(value)
    found = {name: getattr(value, name) for name in getattr(kind, "__slots__", ()) if hasattr(value, name)}
    found |= getattr(value, "__dict__", {})
    return {
        name: item
        for name, item in found.items()
        if name not in IDLE
        and not name.startswith(("__", "_skl_"))
        and not isinstance(getattr_static(kind, name, None), cached_property)
    }
