"""Members: estimators with names, as parameters, and what may go wrong when they are fitted and asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from ...data import InMemory, Source
from ...data.files import is_path
from ...data.source import is_frame
from ...decision.parts.many_classes import allows_gaps
from ...learners import Learner
from ...learners.validation import file_rows
from .picked_rows import PickedRows, cut

DROP = "drop"  # in the place of an estimator that is left out for once
FORM = "'estimators' should be a non-empty list"


class NamedMembers:
    """Parameters of members by name, as scikit-learn's ensembles have them: ``name`` and ``name__parameter``."""

    estimators: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Hyperparameters; deep ones with the members, and theirs."""
        found: dict[str, Any] = super().get_params(deep=deep)  # type: ignore[misc]
        for name, member in pairs(self.estimators) if deep else ():
            found[name] = member
            if hasattr(member, "get_params"):
                found.update({f"{name}__{key}": value for key, value in member.get_params(deep=True).items()})
        return found

    def set_params(self, **parameters: Any) -> Self:
        """Set hyperparameters; the name of a member stands for the member."""
        if "estimators" in parameters:
            self.estimators = parameters.pop("estimators")
        names = {name for name, _ in pairs(self.estimators)}
        others = {name: parameters.pop(name) for name in names & set(parameters)}
        if others:
            self.estimators = [(entry[0], others.get(entry[0], entry[1]), *entry[2:]) for entry in self.estimators]
        return super().set_params(**parameters)  # type: ignore[misc]


def pairs(estimators: Any) -> list[tuple[str, Any]]:
    """Names and members, as far as there are any."""
    entries = estimators if isinstance(estimators, list | tuple) else ()
    return [(e[0], e[1]) for e in entries if isinstance(e, list | tuple) and len(e) > 1 and isinstance(e[0], str)]


def checked_members(owner: Any, estimators: Any, size: int = 2) -> list[tuple[Any, ...]]:
    """The entries (name, estimator, ...) of a list that makes sense, without those that are dropped."""
    shape = "(name, estimator)" if size == 2 else "(name, estimator, columns)"
    if not isinstance(estimators, list | tuple) or not len(estimators):
        raise ValueError(f"Invalid 'estimators' attribute, {FORM} of {shape}, got {estimators!r}")
    taken = set(owner._get_param_names())
    seen: set[str] = set()
    for place, entry in enumerate(estimators):
        if not isinstance(entry, list | tuple) or len(entry) != size or not isinstance(entry[0], str):
            raise ValueError(f"Invalid 'estimators' attribute, {FORM} of {shape}: entry {place} is {entry!r}")
        name, member = entry[:2]
        if name in seen:
            raise ValueError(f"Names provided are not unique: {name!r} stands twice in estimators")
        if name in taken or "__" in name or not name:
            raise ValueError(f"estimators: {name!r} cannot be a name: it is a parameter, is empty or has '__' in it")
        if isinstance(member, type) or not (member == DROP if isinstance(member, str) else hasattr(member, "fit")):
            raise TypeError(f"estimators: {name!r} must be an estimator or 'drop', got {member!r}")
        seen.add(name)
    kept = [tuple(entry) for entry in estimators if not isinstance(entry[1], str)]
    if not kept:
        raise ValueError("All estimators are dropped. At least one is required to be an estimator.")
    return kept


def refuse_tables(members: Iterable[tuple[Any, ...]], owner: str) -> None:
    """What reads tables codes them itself: it belongs around an ensemble."""
    for name, member, *_ in members:
        if getattr(member, "reads", None) == "table":
            raise TypeError(f"estimators: {name!r} is a {type(member).__name__}: put the {owner} inside of it")


def refuse_weights(members: Iterable[tuple[str, Any]]) -> None:
    """Members of another library that take no weights are named."""
    for name, member in members:
        if not isinstance(member, Learner) and not has_fit_parameter(member, "sample_weight"):
            kind = type(member).__name__
            raise TypeError(f"Underlying estimator {name!r} ({kind}) does not support sample weights: fit without them")


def takes_gaps(members: Iterable[Any]) -> bool:
    """Whether every member takes NaN, or mends it."""
    found = list(members)
    return bool(found) and all(
        getattr(m, "takes_gaps", False) or m.reads == "mixed" if isinstance(m, Learner) else allows_gaps(m)
        for m in found
    )


def present(source: Source) -> Source:
    """Rows in memory without those of weight zero, which are absent; the source itself if there are none."""
    if not isinstance(source, InMemory) or source.weight is None:
        return source
    weight = np.asarray(source.weight)
    if not np.isfinite(weight).all() or (weight > 0).all():
        return source
    return PickedRows(source, np.flatnonzero(weight))


class Asked:
    """Rows to be answered about, as each member wants them: bare numbers, or the table with its names."""

    def __init__(self, owner: Any, X: Any) -> None:
        self.rows = owner.rows_of(X, sparse_ok=True)
        self.owner, self.X = owner, X

    def native(self) -> Any:
        """A table with names, where there is one."""
        if is_path(self.X):
            self.X = file_rows(self.owner, self.X)
        return self.X if is_frame(self.X) else self.rows

    def answers(self, model: Any, method: str, columns: np.ndarray | None = None) -> np.ndarray:
        """What a member says, of some of the columns."""
        if hasattr(model, "without_names"):
            return np.asarray(getattr(model.without_names(), method)(cut(self.rows, columns)))
        rows = self.native() if hasattr(model, "feature_names_in_") else self.rows
        return np.asarray(getattr(model, method)(cut(rows, columns)))


def placed(values: np.ndarray, own: Any, classes: np.ndarray, absent: float) -> np.ndarray:
    """A column for every class, from those of the classes that a member knows."""
    values = np.asarray(values)
    own = np.asarray(own)
    if len(own) == len(classes):
        return values
    whole = np.full((len(values), len(classes)), absent)
    whole[:, np.searchsorted(classes, own)] = values
    return whole


def all_classes(models: Sequence[Any]) -> np.ndarray:
    """The labels that any member knows, sorted."""
    return np.unique(np.concatenate([np.asarray(model.classes_) for model in models]))
