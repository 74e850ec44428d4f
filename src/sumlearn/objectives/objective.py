"""Objective: what a solver may ask, as a protocol. Whoever answers can be minimised, and need not be a sum over rows.

`LinearObjective` (losses of linear scores over rows), `Quadratic` (least squares on moments), `OrdinalObjective` (cuts
on a scale) and `OwnFunction` (anybody's F(w)) answer. The words of `OFFERS` say what else than values and slopes an
objective has; a solver names those that it asks for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn, Protocol, runtime_checkable

import numpy as np

from ..statistics import Expansion


class Kink(NamedTuple):
    """A part of an objective without a slope everywhere."""

    part: str  # "loss" (then it offers "easier") or "penalty" (then it offers "prox")
    name: str  # as a person writes it: loss='hinge'
    convex: bool = True


@runtime_checkable
class Objective(Protocol):
    """F(w) about a point: all that every objective has.

    `offers` are words of `OFFERS`, `kinks` the parts that are not smooth. `rounding` is the relative rounding of a
    value, `noise` an absolute one where it is larger than that (else zero). `cost` is how many reads of all rows an
    expansion takes: one, or less for a sample. Points are arrays of the shape of `start`.
    """

    @property
    def offers(self) -> frozenset[str]: ...

    @property
    def kinks(self) -> tuple[Kink, ...]: ...

    @property
    def rounding(self) -> float: ...

    @property
    def noise(self) -> float: ...

    @property
    def cost(self) -> float: ...

    @property
    def start(self) -> np.ndarray: ...

    def expand(self, point: np.ndarray, order: int = 1) -> Expansion:
        """Value (order 0), gradient (1) and Hessian (2, if offered); without penalties that are left to `prox`."""
        ...

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is Objective:
            refuse()
        return super().__new__(cls)


def refuse() -> NoReturn:
    raise TypeError(
        "Objective is a protocol, what solvers ask, and is not constructed: LinearObjective is the sum of losses over "
        "rows, and solvers.minimise takes a function of your own"
    )


# -- what some have besides -------------------------------------------------------------------------------------------


@runtime_checkable
class Curved(Objective, Protocol):
    """`outputs` blocks of a point count only up to a common shift (one: there is none)."""

    @property
    def outputs(self) -> int: ...


@runtime_checkable
class Multiplying(Objective, Protocol):
    def product(self, point: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """The Hessian at a point times a direction."""
        ...


@runtime_checkable
class Proximal(Objective, Protocol):
    def rough(self, point: np.ndarray) -> float:
        """The part of the objective that `expand` leaves out."""
        ...

    def prox(self, point: np.ndarray, step: float) -> np.ndarray:
        """argmin_v |v - point|^2 / 2 + step rough(v)."""
        ...


@runtime_checkable
class Batched(Objective, Protocol):
    def batches(self, size: int, seed: Any) -> Iterator[Any]:
        """Chunks that hold every row once."""
        ...

    def gradient_of(self, batch: Any, point: np.ndarray) -> np.ndarray:
        """Gradient of the losses of some rows alone."""
        ...

    def penalty_gradient(self, point: np.ndarray) -> np.ndarray:
        """Gradient of what does not depend on rows."""
        ...

    def steepness(self, weight: float) -> float:
        """A bound of the curvature of a batch, per unit of weight."""
        ...


@runtime_checkable
class Sampled(Objective, Protocol):
    @property
    def rows(self) -> int: ...

    def thinned(self, every: int) -> Any:
        """The objective over every so many rows, in the place of all; None where rows cannot be chosen."""
        ...


@runtime_checkable
class Eased(Objective, Protocol):
    def widths(self, found: Expansion) -> tuple[float, float]:
        """From a start with this expansion: the width to begin with, and the one where easing ends (0: never)."""
        ...

    def easier(self, width: float) -> Any:
        """The objective with kinks rounded, or flat sides curved, over a width."""
        ...


class Offer(NamedTuple):
    """What it is, for a person, and the protocol of who offers it (None: nobody does yet)."""

    needs: str
    face: type | None


OFFERS: dict[str, Offer] = {
    "value and slope": Offer("values and gradients", Objective),
    "curvature": Offer("Hessians", Curved),
    "product": Offer("products with the Hessian", Multiplying),
    "prox": Offer("the proximal map of a penalty", Proximal),
    "columns": Offer("columns, one at a time", None),
    "batches": Offer("rows, some at a time", Batched),
    "gap": Offer("a bound of what is left to gain", None),
    "sample": Offer("a sample of the rows", Sampled),
    "easier": Offer("the kinks of the loss rounded", Eased),
}
