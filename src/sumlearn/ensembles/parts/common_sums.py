"""Sums in common: learners whose rows are summed alike share one read, whatever they make of the sums.

Ridge with twenty penalties asks for the same sums twenty times. Which learners are alike is found by watching: while
the first of them sums the rows, every attribute that it reads is noted. Another whose `summarise` is the same function,
and whose attributes of these names are the same, would have read the same and done the same at every step: its sums are
those. What is read otherwise, or cannot be watched, is not shared.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ...data import InMemory
from ...engines import Round, cores, in_threads, merge_all, one_blas_thread, round_sums, training_sums
from ...learners import Learner
from ...learners.ability import sums_by_row
from ...learners.fitted import same
from ...learners.linear_map import affine

FACTOR = 2  # of the usual chunks: rows that all models are asked about before the next are read
MISSING = object()


def sums_alone(member: Any) -> bool:
    """Whether a member is solved from sums of any rows, and reads numbers."""
    return isinstance(member, Learner) and member.reads == "numbers" and sums_by_row(member)


class Common(NamedTuple):
    """Members whose sums are the same, the source as they read it, and the sums for each round of splits."""

    members: list[int]
    source: InMemory
    rounds: list[tuple[Round, list[Any]]]


class Watch:
    """A learner while it sums rows, and the names of the attributes that it reads."""

    def __init__(self, learner: Any) -> None:
        self.read: set[str] = set()
        found = learner.summariser()
        plain = getattr(getattr(found, "func", None), "__self__", None)
        self.plain: Any = plain if found.keywords == {"look": None} and isinstance(plain, Learner) else None
        self.summarise = found if self.plain is None else partial(self.watched(self.plain).summarise, look=None)

    def watched(self, plain: Any) -> Any:
        """A twin that notes what is asked of it."""
        read, kind = self.read, type(plain)

        def noted(twin: Any, name: str) -> Any:
            if not name.startswith("__") or name == "__dict__":
                read.add(name)
            return object.__getattribute__(twin, name)

        own = {"__getattribute__": noted, "__module__": kind.__module__}
        twin: Any = object.__new__(type(kind.__name__, (kind,), own))
        object.__getattribute__(twin, "__dict__").update(vars(plain))
        return twin

    def holds_for(self, learner: Any) -> bool:
        """Whether another learner would have summed the same rows to the same."""
        other = getattr(getattr(learner.summariser(), "func", None), "__self__", None)
        if self.plain is None or other is None:
            return False
        if "__dict__" in self.read and type(other) is not type(self.plain):
            return False
        if "__dict__" in self.read:
            return same(self.plain, other)
        return all(alike(getattr(self.plain, name, MISSING), getattr(other, name, MISSING)) for name in self.read)


def answers_of(models: Sequence[Any], methods: Sequence[str], X: Any) -> list[np.ndarray]:
    """What each model says of some rows. Planes are asked together: one product, and one look at the rows."""
    planes = (
        {} if not is_plain(X) else {m: plane_of(model, X) for m, model in enumerate(models) if methods[m] == "predict"}
    )
    flat = [m for m, plane in planes.items() if plane is not None]
    said: list[Any] = [None] * len(models)
    for m in [m for m in range(len(models)) if m not in flat[1:]]:  # the first plane checks the rows for all
        said[m] = np.asarray(getattr(models[m].without_names(), methods[m])(X))
    if len(flat) > 1:
        B, constants = (np.stack(parts, axis=-1) for parts in zip(*(planes[m] for m in flat[1:]), strict=True))
        together = affine(X, B, constants)
        for place, m in enumerate(flat[1:]):
            said[m] = together[:, place]
    return said


def in_rows(X: Any) -> Any:
    """Rows as they lie in any table, row by row: products round alike then."""
    return np.ascontiguousarray(X) if isinstance(X, np.ndarray) else X


def is_plain(X: Any) -> bool:
    return isinstance(X, np.ndarray) and X.dtype == np.float64


def plane_of(model: Any, X: np.ndarray) -> Any:
    """Coefficients and intercept of a regression that is a plane on the rows themselves; None of any other.

    Who predicts in another way than the class that has the plane is asked by itself.
    """
    homes = [next((kind for kind in type(model).__mro__ if name in vars(kind)), None) for name in ("plane", "predict")]
    if homes[0] is None or homes[0] is not homes[1] or getattr(model, "basis", None) is not None:
        return None
    coefficients, constant, centre, _ = model.plane()
    usual = centre is None and np.shape(coefficients) == X.shape[1:] and np.ndim(constant) == 0
    return (coefficients, constant) if usual else None


def alike(a: Any, b: Any) -> bool:
    """Whether two attributes are the same: methods of the same function, or equal values of one type."""
    if isinstance(a, types.MethodType) and isinstance(b, types.MethodType):
        return same_function(a.__func__, b.__func__)
    return type(a) is type(b) and same(a, b)


def opened(member: Any, source: InMemory, names: Any) -> tuple[Any, InMemory]:
    """A copy of a member that is about to learn, and the source as it reads it: behind its basis, if it has one."""
    learner = clone(member)
    learner.n_features_in_ = source.features
    if names is not None:
        learner.feature_names_in_ = names
    learner.check()
    return learner, learner.looked_at(source)


def sums_in_common(
    members: dict[int, tuple[Any, InMemory]], names: Any, splits: Sequence[Any], workers: int | None
) -> list[Common]:
    """The sums of all splits for members by number, each with its rows, in one read for each kind of sums."""
    found: list[tuple[Watch, Any, InMemory, Common]] = []
    for number, (member, source) in members.items():
        learner, view = opened(member, source, names)
        for watch, basis, rows, common in found:
            if rows is source and same(basis, getattr(member, "basis", None)) and watch.holds_for(learner):
                common.members.append(number)
                break
        else:
            watch = Watch(learner)
            rounds = list(round_sums(watch.summarise, view, splits, factor=learner.chunk_factor, workers=workers))
            found.append((watch, getattr(member, "basis", None), source, Common([number], view, rounds)))
    return [common for *_, common in found]


def on_all_rows(common: Common, member: Any) -> Any:
    """The model of all rows: the sum over the parts of a round that has all of them."""
    whole = next((sums for part, sums in common.rounds if part.covers), None)
    if whole is None:
        return None
    return clone(member).solve(merge_all(whole), like=common.source)


def left_out_answers(
    common: Common, members: Sequence[Any], methods: Sequence[str], rows: InMemory, splits: int
) -> list[list[tuple[Any, np.ndarray]]]:
    """For each member and split the model without the rows left out, its labels, and what it says of those rows."""
    found: list[list[Any]] = [[None] * splits for _ in members]

    def one(item: Any) -> None:
        part, place, statistic = item
        models = [clone(member).solve(statistic, like=common.source) for member in members]
        test = part.rows(part.test[place])
        answers: list[list[np.ndarray]] = [[] for _ in models]
        for piece in rows.parts_of(test, FACTOR):
            for number, said in enumerate(answers_of(models, methods, in_rows(rows.read(piece.numbers)))):
                answers[number].append(said)
        for number, model in enumerate(models):
            whole = answers[number][0] if len(answers[number]) == 1 else np.concatenate(answers[number])
            found[number][part.splits[place]] = getattr(model, "classes_", None), whole

    with one_blas_thread():
        for part, sums in common.rounds:
            items = ((part, place, statistic) for place, statistic in enumerate(training_sums(sums, part)))
            in_threads(one, items, cores())
    return found


def same_function(f: Any, g: Any) -> bool:
    """Whether two functions do the same: they are one, or have one text, in which every name means the same object.

    >>> from sumlearn import LinearRegression, Ridge
    >>> same_function(Ridge.summarise, LinearRegression.summarise), same_function(Ridge.solution, Ridge.summarise)
    (True, False)
    """
    if f is g:
        return True
    if not all(isinstance(function, types.FunctionType) and function.__closure__ is None for function in (f, g)):
        return False
    texts = [text_of(function) for function in (f, g)]
    names = f.__code__.co_names
    means = [[function.__globals__.get(name, MISSING) for name in names] for function in (f, g)]
    return texts[0] == texts[1] and all(a is b for a, b in zip(*means, strict=True))


def text_of(function: Any) -> tuple[Any, ...]:
    """What a function does, without what it is called and what is said of it; a function within it is itself."""
    code = function.__code__
    constants = tuple((type(c), c) for c in code.co_consts if c is not function.__doc__)
    arguments = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_varnames
    return code.co_code, constants, code.co_names, arguments, function.__defaults__, function.__kwdefaults__
