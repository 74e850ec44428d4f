"""A model as plain things: every object of ours becomes its name and its state, every statistic a number.

What is left, lists and texts and arrays and scikit-learn's own estimators, is what ``estimators.py`` can write. Objects
that occur twice stay one object.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch
from sklearn.utils._metadata_requests import MetadataRequest

from ..learners.callbacks import STATE
from ..learners.fitted import Fitted, Holder, OfChosen
from ..learners.sum_algebra import SumAlgebra
from ..statistics import Statistic
from .names import NONE, class_of, is_ours, name_of

SPARSE = {"csr_matrix": sparse.csr_matrix, "csr_array": sparse.csr_array,
          "csc_matrix": sparse.csc_matrix, "csc_array": sparse.csc_array}  # fmt: skip

FINITE = {
    *("coef_", "intercept_", "dual_coef_", "support_vectors_", "X_fit_", "cluster_centers_", "codebook_", "means_"),
    *("weights_", "covariances_", "components_", "coefs_", "intercepts_", "estimator_weights_", "import_vectors_"),
}


@dataclass
class Stored:
    """An object: what it is, and what it holds."""

    kind: str
    state: dict[str, Any]


@dataclass
class Reference:
    """A statistic, by its number in the file."""

    number: int


class Packer:
    """Makes plain things; `sums` are the statistics that were met, in order."""

    def __init__(self) -> None:
        self.sums: list[Statistic] = []
        self.known: dict[int, tuple[Any, Any]] = {}  # by identity; the object is kept, so that its number stays its own

    def pack(self, value: Any) -> Any:
        if id(value) not in self.known:
            self.known[id(value)] = value, self.packed(value)
        return self.known[id(value)][1]

    def packed(self, value: Any) -> Any:
        kind = type(value)
        if isinstance(value, Statistic):
            if name_of(kind) is None:
                raise ValueError(unknown(kind))
            self.sums.append(value)
            return Reference(len(self.sums) - 1)
        name = name_of(kind)
        if name is None and is_ours(kind):
            raise ValueError(unknown(kind))
        if name is not None:
            return self.stored(name, dict(sorted(state_of(value), key=lambda item: item[0])))
        if kind in (list, tuple):
            return kind(self.pack(item) for item in value)
        if kind is dict and all(type(key) is str for key in value):
            return {key: self.pack(item) for key, item in value.items()}
        if kind is dict:
            return self.stored("dict", {"keys": list(value), "values": list(value.values())})
        if kind is Bunch:
            return self.stored("bunch", dict(value))
        if kind is MetadataRequest:
            return self.stored("requests", {name: one.requests for name, one in vars(value).items() if name != "owner"})
        if isinstance(value, np.ndarray) and value.dtype == object:
            return self.stored("array", {"shape": list(value.shape), "items": value.ravel().tolist()})
        if sparse.issparse(value):
            return self.sparse(value)
        if isinstance(value, BaseEstimator) and hasattr(value, "__dict__"):
            twin = object.__new__(kind)
            kept = {name: item for name, item in held(value) if name not in STATE} | cacheless(value)
            twin.__dict__.update({name: self.pack(item) for name, item in kept.items()})
            return twin
        return value

    def stored(self, kind: str, state: dict[str, Any]) -> Stored:
        return Stored(kind, {name: self.pack(item) for name, item in state.items()})

    def sparse(self, value: Any) -> Stored:
        name = type(value).__name__
        if name not in SPARSE:
            raise ValueError(f"a {name} cannot be saved: only {', '.join(SPARSE)}")
        parts = {part: getattr(value, part) for part in ("data", "indices", "indptr")}
        return self.stored("sparse", {"form": name, "shape": list(value.shape), **parts})


def state_of(value: Any) -> Iterator[tuple[str, Any]]:
    """What an object of ours holds; solutions that can be computed again and callbacks are left out."""
    if hasattr(value, "stored_state"):
        yield from value.stored_state().items()
    elif is_dataclass(value) or isinstance(value, tuple):
        names = [f.name for f in fields(value)] if is_dataclass(value) else value._fields  # type: ignore[attr-defined]
        yield from ((name, getattr(value, name)) for name in names)
    else:
        yield from ((name, item) for name, item in held(value) if name not in STATE and not isinstance(item, Holder))


def held(value: Any) -> Iterator[tuple[str, Any]]:
    """Attributes of an object; None in the place of those that no file has."""
    unsaved = getattr(value, "unsaved", ())
    yield from ((name, None if name in unsaved else item) for name, item in vars(value).items())


def unknown(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__} is no type that a model file may hold"


class Unpacker:
    """Makes objects of plain things; `handed` are classes of strangers that may be among them, by name."""

    def __init__(self, sums: list[Statistic], handed: Mapping[str, type] = NONE) -> None:
        self.sums, self.handed = sums, handed
        self.known: dict[int, tuple[Any, Any]] = {}

    def unpack(self, value: Any) -> Any:
        if id(value) not in self.known:
            self.known[id(value)] = value, self.unpacked(value)
        return self.known[id(value)][1]

    def unpacked(self, value: Any) -> Any:
        kind = type(value)
        if kind is Reference:
            if type(value.number) is not int or not 0 <= value.number < len(self.sums):
                raise ValueError(f"the file holds {len(self.sums)} statistics, none of number {value.number!r}")
            return self.sums[value.number]
        if kind is Stored:
            state = {name: self.unpack(item) for name, item in value.state.items()}
            return restored(value.kind, state, self.handed)
        if kind in (list, tuple):
            return kind(self.unpack(item) for item in value)
        if kind is dict:
            return {key: self.unpack(item) for key, item in value.items()}
        if isinstance(value, BaseEstimator):
            value.__dict__.update({name: self.unpack(item) for name, item in vars(value).items()} | cacheless(value))
            adopt(value)
        return value


def restored(kind: str, state: dict[str, Any], handed: Mapping[str, type] = NONE) -> Any:
    """An object from its name and its state."""
    if kind == "dict":
        return dict(zip(state["keys"], state["values"], strict=True))
    if kind == "bunch":
        return Bunch(**state)
    if kind == "array":
        return object_array(**state)
    if kind == "sparse":
        return sparse_matrix(**state)
    if kind == "requests":
        return requests(state)
    cls = class_of(kind, handed)
    for name in state:
        if callable(getattr(cls, name, None)) or (name.startswith("__") and name.endswith("__")):
            raise ValueError(f"a file must not replace the method {name!r} of {kind}")
    if issubclass(cls, BaseEstimator):
        return estimator(cls, state)
    if issubclass(cls, Statistic):
        raise ValueError(f"a {kind} is a statistic, and is not stored as one")
    if issubclass(cls, tuple):
        return cls(**state)
    if hasattr(cls, "of_stored_state"):
        return cls.of_stored_state(state)
    made = object.__new__(cls)
    for name, item in state.items():
        object.__setattr__(made, name, item)  # frozen ones as well
    return made


def estimator(cls: Any, state: dict[str, Any]) -> Any:
    """A learner with its parameters and what it remembers; one-pass learners are solved anew when first asked."""
    parameters = {name: state.pop(name) for name in cls._get_param_names() if name in state}
    model = cls(**parameters)
    refuse_no_numbers(cls, state)
    for name in [name for name in state if isinstance(inspect.getattr_static(cls, name, None), OfChosen)]:
        del state[name]  # older files have it
    model.__dict__.update(state | cacheless(model))
    if "statistic_" in state and issubclass(cls, SumAlgebra):
        refuse_solution(cls, state)
    if getattr(cls, "solved_from", None) in state:
        model._holder = Holder()
    adopt(model)
    return model


def refuse_no_numbers(cls: Any, state: dict[str, Any]) -> None:
    """What answers are computed of is finite wherever rows were: NaN would come out of finite rows without a word."""
    for name in FINITE & state.keys():
        arrays = state[name] if isinstance(state[name], list | tuple) else [state[name]]
        numbers = [array for array in arrays if isinstance(array, np.ndarray | float)]
        if any(np.asarray(array).dtype.kind == "f" and not np.isfinite(array).all() for array in numbers):
            raise ValueError(f"the {name} of a {cls.__name__} is NaN or infinite")


def cacheless(model: Any) -> dict[str, None]:
    """No cache folder, such as that of a Pipeline: what lies in one is unpickled, now or at the next fit."""
    return {} if isinstance(vars(model).get("memory"), int | None) else {"memory": None}


def refuse_solution(cls: Any, state: dict[str, Any]) -> None:
    """What follows from the sums is not read from the file: there it could contradict them."""
    statistic = state["statistic_"]
    for name in state:
        if isinstance(inspect.getattr_static(cls, name, None), Fitted):
            raise ValueError(f"a {cls.__name__} is stored as its sums, the file has its {name!r} as well")
    columns, basis = getattr(statistic, "features", None), state.get("basis_")
    if basis is None and columns is not None and statistic.rows and state.get("n_features_in_", columns) != columns:
        raise ValueError(f"the sums are of {columns} columns, the model says {state['n_features_in_']}")


def requests(state: dict[str, Any]) -> MetadataRequest:
    """What an estimator asks of scikit-learn's metadata routing, by method."""
    made = MetadataRequest(owner=None)
    for method, wanted in state.items():
        getattr(made, method).requests.update(wanted)
    return made


def adopt(model: Any) -> None:
    """Requests know whose they are; that circle is not written."""
    found = vars(model).get("_metadata_request")
    if isinstance(found, MetadataRequest):
        for part in (found, *(one for name, one in vars(found).items() if name != "owner")):
            part.owner = model


def object_array(shape: Any, items: Any) -> np.ndarray:
    array = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):  # an assignment of all would look into lists
        array[i] = item
    return array.reshape(shape)


def sparse_matrix(form: Any, shape: Any, data: Any, indices: Any, indptr: Any) -> Any:
    """A sparse matrix whose indices were checked: SciPy's loops trust them."""
    matrix = SPARSE[form]((data, indices, indptr), shape=tuple(shape))
    matrix.check_format(full_check=True)
    return matrix
