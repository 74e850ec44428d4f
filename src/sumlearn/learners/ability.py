"""What a model can do exactly: one way to ask, before the fit and after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

from sklearn.utils.metaestimators import available_if

from ..statistics import capabilities

# What a model does, and what its statistic must be able to do for it.
NEEDS = {"update": "merge", "merge": "merge", "forget": "remove", "decay": "decay", "restrict": "restrict"}


@dataclass(frozen=True)
class Abilities:
    """What is exact, equal to a new fit up to rounding; and what there is that is not.

    `exact` holds words of "update", "merge", "forget", "decay" and "restrict", and is what ``in`` and iteration look
    at. `inexact` names methods that learn on without such a promise. With `same_look`, models merge if they looked at
    the data alike: hand the look of the first to the others (`with_look`).
    """

    exact: tuple[str, ...] = ()
    inexact: tuple[str, ...] = ()
    same_look: bool = False

    def __contains__(self, word: object) -> bool:
        return word in self.exact

    def __iter__(self) -> Iterator[str]:
        return iter(self.exact)

    def __len__(self) -> int:
        return len(self.exact)

    def __str__(self) -> str:
        exact = ", ".join(self.exact) or "nothing"
        look = ", given the same look" if self.same_look and self.exact else ""
        rest = f"; not exactly: {', '.join(self.inexact)}" if self.inexact else ""
        return f"can {exact}{look}{rest}"


def abilities(estimator: Any) -> Abilities:
    """What an estimator can do exactly with these parameters, whether it is fitted or not.

    Parameters
    ----------
    estimator : estimator
        Of any library. What another library's `partial_fit` does is taken as not exact.

    Returns
    -------
    Abilities
        ``"merge" in abilities(model)``, ``list(abilities(model))``; apart from them `inexact` and `same_look`.

    Examples
    --------
    >>> import sumlearn as sl
    >>> list(sl.abilities(sl.Ridge()))
    ['update', 'merge', 'forget', 'decay', 'restrict']
    >>> print(sl.abilities(sl.RBFNetwork()))
    can update, merge, forget, decay, given the same look
    >>> print(sl.abilities(sl.LogisticRegression()), "|", sl.abilities(sl.Perceptron()))
    can nothing | can nothing; not exactly: partial_fit
    """
    if isinstance(estimator, type):
        raise TypeError(f"abilities are those of an estimator with its parameters: {estimator.__name__}() was meant?")
    if hasattr(estimator, "own_abilities"):
        return estimator.own_abilities()
    return Abilities(inexact=("partial_fit",) if hasattr(estimator, "partial_fit") else ())


@cache
def abilities_of(kind: Any, same_look: bool = False, without: frozenset[str] = frozenset()) -> Abilities:
    """The abilities that follow from the type of a statistic."""
    able = capabilities(kind)
    return Abilities(tuple(w for w, need in NEEDS.items() if need in able and w not in without), same_look=same_look)


def sums_by_row(estimator: Any) -> bool:
    """Whether the sums of any rows can be made without a look at the others: folds and samples need one read then."""
    able = abilities(estimator)
    return "merge" in able and not able.same_look and hasattr(estimator, "summary_of")


def with_ability(word: str) -> Callable[[Any], Any]:
    """A method that is there where the model has the ability."""
    return available_if(lambda model: word in model.own_abilities())


class Operators:
    """+ and - of models that can be merged and forgotten; they write `_joined`."""

    own_abilities: Any
    _joined: Any

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, Operators) or "merge" not in self.own_abilities():
            return NotImplemented
        return self._joined(other, "merge")

    def __radd__(self, other: Any) -> Self:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: Self) -> Self:
        if not isinstance(other, Operators) or "forget" not in self.own_abilities():
            return NotImplemented
        return self._joined(other, "remove")
