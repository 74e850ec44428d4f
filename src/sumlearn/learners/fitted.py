"""Fitted attributes that are computed when asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator


class Named:
    """An attribute of a class that knows its name and what is said of it."""

    def __init__(self, doc: str = "") -> None:
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name


class Fitted(Named):
    """A fitted attribute, computed from the statistic when first asked for and kept until anything changes."""

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self
        missing = f"{type(model).__name__!r} object has no attribute {self.name!r}"
        if "statistic_" not in model.__dict__:
            raise AttributeError(missing)
        try:
            solution = model.solved()
        except Exception as error:  # reprs read every attribute: nothing but AttributeError may come out
            raise AttributeError(f"{missing}: {error}") from error
        if self.name not in solution:
            raise AttributeError(missing)
        return solution[self.name]


class Later(Fitted):
    """A fitted attribute that a method of the model computes when it is asked for, and that is then kept."""

    def __init__(self, method: str, doc: str = "") -> None:
        super().__init__(doc)
        self.method = method

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self
        try:
            return self.of(model)
        except Exception as error:  # as above
            raise AttributeError(f"{type(model).__name__!r} object has no attribute {self.name!r}: {error}") from error

    def of(self, model: Any) -> Any:
        """The value, or whatever error is in its way."""
        solution = model.solved()
        if self.name not in solution:
            solution[self.name] = getattr(model, self.method)()
        return solution[self.name]


class OfChosen(Named):
    """A fitted attribute of the learner that was chosen: read there, so that it never contradicts its sums."""

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self
        if "best_estimator_" not in model.__dict__:
            raise AttributeError(f"{type(model).__name__!r} object has no attribute {self.name!r}")
        return getattr(model.__dict__["best_estimator_"], self.name)

    def __set__(self, model: Any, value: Any) -> None:
        raise AttributeError(f"{self.name!r} is that of best_estimator_")


class Holder:
    """Keeps the solution beside the model, so that asking for an attribute changes no attribute."""

    def __init__(self) -> None:
        self.key: tuple[Any, ...] | None = None
        self.values: dict[str, Any] = {}


_names: dict[type, tuple[str, ...]] = {}


def parameter_names(learner: Any) -> tuple[str, ...]:
    """Names of the hyperparameters of a class; scikit-learn inspects the signature at every call."""
    if learner not in _names:
        _names[learner] = tuple(learner._get_param_names())
    return _names[learner]


def settings(model: Any) -> Iterator[Any]:
    """All hyperparameters as they are now, also those of estimators among them."""
    for name in parameter_names(type(model)):
        value = getattr(model, name)
        yield frozen(value)
        if hasattr(value, "get_params") and not isinstance(value, type):
            yield from settings(value)


def frozen(value: Any) -> Any:
    """What a list, dict or array holds now, which tells when it is changed in place; anything else is itself."""
    if isinstance(value, dict):
        return tuple((key, frozen(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(frozen, value))
    if hasattr(value, "__array__") and not isinstance(value, np.generic):
        array = np.asarray(value)
        held = frozen(array.ravel().tolist()) if array.dtype == object else array.tobytes()
        return array.dtype.str, array.shape, held
    return value


def unchanged(before: Any, now: Any) -> bool:
    """Whether two that `frozen` made are the same."""
    return before is now or (type(before) is type(now) is tuple and before == now)


def same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    if hasattr(a, "same_as"):  # a basis
        return bool(a.same_as(b))
    if isinstance(a, BaseEstimator):
        ours = a.get_params(deep=False)
        return type(a) is type(b) and all(same(value, getattr(b, name)) for name, value in ours.items())
    if isinstance(a, list | tuple) and type(a) is type(b):  # there may be arrays in them
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a is b or a == b)


def narrowed(values: np.ndarray, dtype: Any) -> np.ndarray:
    """Values as float32 where the rows were, unless they do not fit into it."""
    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    return values.astype(dtype) if largest <= np.finfo(dtype).max else values


LEAST_SPREAD = 1e-150  # whose square is still a number


def check_variances(deviation: np.ndarray, features: int | None = None, least: float = 0.0) -> None:
    """Refuse columns whose variance is no floating-point number; those after so many features are targets.

    With `least`, what varies less than that is refused too, unless it is constant.
    """
    for wrong, word in ((deviation > 1e150, "overflows"), ((deviation > 0) & (deviation < least), "underflows")):
        for column in np.flatnonzero(wrong)[:1].tolist():
            name = f"column {column}" if features is None or column < features else "y"
            raise ValueError(f"the variance of {name} {word}: rescale it")


def check_target(deviation: np.ndarray) -> None:
    """Refuse targets whose squared errors are lost, or no numbers: what is chosen by them would be so by nothing."""
    check_variances(deviation, 0, LEAST_SPREAD)
