"""Plain things and scikit-learn's estimators as bytes, by skops; what may be in them is listed here.

skops writes a tree of nodes (`schema.json`) and arrays. It has an audit of its own; before it sees a file, every node
is held against the list below, by the loader that would build it and the type that it names. There is no road to
pickle, to functions other than NumPy's and SciPy's own, to methods, partial functions or operators.
"""

from __future__ import annotations

import inspect
import io
import json
import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any

import numpy as np

from .. import lazy
from . import archive
from .json_text import parsed

MEMBERS = r"schema\.json|[0-9]{1,9}\.npy"
PROTOCOL = 2  # of skops: older ones name types in other places
LARGEST_HEADER = 10_000  # of an array, in bytes; as in NumPy

NUMBERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
           "float64", "longlong", "ulonglong", "str_")  # fmt: skip
SCALARS = {f"numpy.{name}" for name in (*NUMBERS, "bool_")}
PLAIN = {"builtins.bool", "builtins.float", "builtins.int", "builtins.object", "builtins.str"}
OURS = {f"{__package__}.packing.Stored", f"{__package__}.packing.Reference"}
SHARED = ("DictNode", "ListNode", "NdArrayNode", "ObjectNode", "RandomStateNode")  # one object may be in many places


@cache
def allowed() -> dict[str, set[str]]:
    """Names of types by the loader that builds them."""
    return {
        "JsonNode": {"builtins.str"},
        "DictNode": {"builtins.dict", "collections.OrderedDict"},
        "ListNode": {"builtins.list"},
        "TupleNode": {"builtins.tuple"},
        "SetNode": {"builtins.set"},
        "SliceNode": {"builtins.slice"},
        "TypeNode": PLAIN | SCALARS,
        "FunctionNode": universal_functions(),
        "NdArrayNode": {"numpy.ndarray"} | SCALARS,
        "MaskedArrayNode": {f"{np.ma.MaskedArray.__module__}.MaskedArray"},
        "DTypeNode": {"numpy.dtype"},
        "RandomStateNode": {f"{np.random.RandomState.__module__}.RandomState"},
        "ObjectNode": OURS,  # and scikit-learn's estimators and splitters
    }


def universal_functions() -> set[str]:
    """Elementwise functions of NumPy and SciPy, under the names that NumPy versions give them."""
    import scipy.special

    homes = {
        np: ("numpy", "numpy._core._multiarray_umath"),
        scipy.special: ("scipy.special", "scipy.special._ufuncs"),
    }
    return {
        f"{home}.{name}"
        for module, found in homes.items()
        for name, value in vars(module).items()
        if isinstance(value, np.ufunc)
        for home in found
    }


def is_allowed(loader: str, name: str) -> bool:
    if name.startswith("sklearn.model_selection._split.") and loader in ("ObjectNode", "TypeNode"):
        return name in splitters()
    if loader == "ObjectNode" and name.startswith("sklearn."):  # their list takes a second: not for models of ours
        return name in scikit_learn_estimators()
    return name in allowed().get(loader, ())


@cache
def splitters() -> set[str]:
    """scikit-learn's ways of splitting rows, which models keep as `cv`: numbers and seeds, and a class to repeat."""
    from sklearn import model_selection

    names = (
        "GroupKFold", "GroupShuffleSplit", "KFold", "LeaveOneGroupOut", "LeaveOneOut", "LeavePGroupsOut", "LeavePOut",
        "PredefinedSplit", "RepeatedKFold", "RepeatedStratifiedKFold", "ShuffleSplit", "StratifiedGroupKFold",
        "StratifiedKFold", "StratifiedShuffleSplit", "TimeSeriesSplit",
    )  # fmt: skip
    return {f"{getattr(model_selection, name).__module__}.{name}" for name in names}


@cache
def scikit_learn_estimators() -> set[str]:
    from sklearn.utils import all_estimators

    names = {f"{kind.__module__}.{kind.__name__}" for _, kind in all_estimators() if inspect.isclass(kind)}
    return {name for name in names if name.startswith("sklearn.")}


def dumps(value: Any) -> bytes:
    """Plain things as bytes, the same for the same things."""
    skops = skops_io()
    try:
        raw = skops.dumps(value)
    except Exception as error:  # whatever an object in it does when it is asked for its state
        raise ValueError(f"it holds something that cannot be written without pickle: {error}") from error
    members = members_of(raw)
    schema = json.loads(members["schema.json"])
    refuse_unknown(schema)
    files = renumbered(schema)
    arrays = {new: members[old] for old, new in files.items()}
    return archive.pack({"schema.json": json.dumps(schema).encode(), **arrays})


def loads(data: bytes) -> Any:
    """Plain things again; raises ValueError for a type that is not on the list, before anything is built."""
    skops = skops_io()
    members = archive.unpack(data, MEMBERS)
    schema = parsed(members["schema.json"])
    check_protocol(schema)
    refuse_unknown(schema)
    for name, content in members.items():
        if name.endswith(".npy"):
            check_array(name, content)
    foreign = {f"{node.get('__module__')}.{node.get('__class__')}" for node in nodes_of(schema)}
    foreign = {name for name in foreign if is_allowed("ObjectNode", name)}
    return skops.loads(data, trusted=sorted(OURS | foreign | {"numpy.dtype", "builtins.object"}))


def skops_io() -> Any:
    """skops; where nobody else uses it, without its list of scikit-learn's estimators, since there is one above.

    To list them it imports all of scikit-learn, and torch where that is installed: a second or two of every command.
    """
    try:
        with nothing_listed() if lazy.ALONE else nullcontext():
            import skops.io
    except ImportError as error:
        raise ImportError(
            "model files need skops, which comes with the extra 'cli': pip install 'sumlearn[cli]'"
        ) from error
    return skops.io


@contextmanager
def nothing_listed() -> Iterator[None]:
    import sklearn.utils

    whole = sklearn.utils.all_estimators
    sklearn.utils.all_estimators = list
    try:
        yield
    finally:
        sklearn.utils.all_estimators = whole


def members_of(raw: bytes) -> dict[str, bytes]:
    """What skops has just written."""
    with zipfile.ZipFile(io.BytesIO(raw)) as found:
        return {name: found.read(name) for name in found.namelist()}


def check_protocol(schema: Any) -> None:
    """Refuse forms of skops before the one that the list was made for, and after the one that is installed."""
    newest = json.loads(members_of(skops_io().dumps(None))["schema.json"])["protocol"]
    protocol = schema.get("protocol") if isinstance(schema, dict) else None
    if type(protocol) is not int or protocol < PROTOCOL:
        raise ValueError("its estimator is written in a form that is not read")
    if protocol > newest:
        raise ValueError(f"written with a newer skops: protocol {protocol}, this one reads up to {newest}")


def nodes_of(tree: Any) -> Iterator[dict[str, Any]]:
    """Every object of a JSON tree that a loader would build, without recursion."""
    waiting = [tree]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if "__loader__" in item or "__class__" in item:
                yield item
            waiting.extend(reversed(item.values()))
        elif isinstance(item, list):
            waiting.extend(reversed(item))


def refuse_unknown(schema: Any) -> None:
    """Hold every node against the list."""
    unknown = []
    for node in nodes_of(schema):
        loader, name = node.get("__loader__"), f"{node.get('__module__')}.{node.get('__class__')}"
        if not is_allowed(str(loader), name):
            unknown.append(name if loader in allowed() else f"{name} ({loader})")
        elif loader == "DictNode" and any(
            f"{key['__module__']}.{key['__class__']}" != "builtins.str" for key in node["key_types"]["content"]
        ):
            raise ValueError("keys that are no text are stored in another way")
    if unknown:
        raise ValueError(f"types that a model file may not hold: {', '.join(sorted(set(unknown)))}")


def renumbered(schema: dict[str, Any]) -> dict[str, str]:
    """Give objects the numbers 0, 1, ... in place of their addresses; returns the new names of the arrays.

    Values that cannot change are numbered one by one: whether two equal texts are one object is chance.
    """
    numbers: dict[int, int] = {}
    files: dict[str, str] = {}
    for place, node in enumerate(nodes_of(schema)):
        shared = node["__loader__"] in SHARED
        node["__id__"] = numbers.setdefault(node["__id__"], place) if shared else place
        if "file" in node:
            node["file"] = files.setdefault(node["file"], f"{len(files)}.npy")
    return files


def check_array(name: str, content: bytes) -> None:
    """The header of an array against its size: NumPy would set the memory aside that it asks for."""
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"the array {name} is written in a form that is not read")
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(file, max_header_size=LARGEST_HEADER)
    if dtype.hasobject or dtype.kind not in "biufUSc" or any(n < 0 for n in shape):
        raise ValueError(f"the array {name} has dtype {dtype} and shape {shape}, which are not read")
    if math.prod(shape) * dtype.itemsize != len(content) - file.tell():
        raise ValueError(f"the array {name} of shape {shape} and dtype {dtype} does not have {len(content)} bytes")
