"""Objective: what a solver may ask, as a protocol. Whoever answers can be minimised, and need not be a sum over rows.

`LinearObjective` (losses of linear scores over rows), `Quadratic` (least squares on moments), `OrdinalObjective` (cuts
on a scale) and `OwnFunction` (anybody's F(w)) answer. All have what the protocol says; what some have besides has a
word in `OFFERS`. An objective names those that it `offers`, a solver those that it asks for:

    curvature   expand(point, 2) has a Hessian; `outputs` blocks of a point count up to a common shift (1: there is
                none)
    product     product(point, direction): the Hessian at a point times a direction
    prox        rough(point): what `expand` leaves out; prox(point, step): argmin_v |v - point|^2 / 2 + step rough(v)
    columns     shrinkage(): weights a and b of the part sum a |w| + b w^2 / 2 that `expand` leaves out, one for each
                number of a point; narrowed(columns): the objective on some of the columns; None where rows are not held
    rounded     penalty, which can be rounded, on coefficients in the units of a frame
    batches     batches(size, seed): chunks that hold every row once; gradient_of(batch, point): of their losses alone;
                penalty_gradient(point), penalty_curvature(point): of what does not depend on rows; steepness(weight):
                a bound of the curvature of a batch, per unit of weight
    gap         gap(point, found): a bound of what is left to gain, from a point of the dual problem
    sample      rows: how many (0: nobody knows); thinned(every): the objective over one in so many rows, which stand
                for all; None where rows cannot be chosen
    easier      easier(width): kinks rounded, or flat sides curved, over a width; widths(found): from a start with this
                expansion, the width to begin with and the one where easing ends (0: never)
    dual        held(): all rows in memory, with a loss that has a dual and a quadratic penalty
    program     the same, where the dual is a quadratic program
    ramps       held(): all rows in memory, with a loss that is a sum of ramps, c max(0, a + s f)
    planes      slopes(point, direction, steps): of the sum of losses along a line, at several steps, in one pass;
                penalty_curvature(point): of an L2 penalty, beside a loss with kinks
"""

from __future__ import annotations

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


BATCHES = ("batches", "gradient_of", "penalty_gradient", "penalty_curvature", "steepness")


class Offering(NamedTuple):
    """What it is, for a person, and the members that whoever offers it has."""

    needs: str
    members: tuple[str, ...]


OFFERS: dict[str, Offering] = {
    "value and slope": Offering("values and gradients", ("expand",)),
    "curvature": Offering("Hessians", ("outputs",)),
    "product": Offering("products with the Hessian", ("product",)),
    "prox": Offering("the proximal map of a penalty", ("rough", "prox")),
    "columns": Offering("columns by themselves", ("shrinkage", "narrowed")),
    "rounded": Offering("the kinks of a penalty rounded", ("frame", "penalty")),
    "batches": Offering("rows, some at a time", BATCHES),
    "gap": Offering("a bound of what is left to gain", ("gap",)),
    "sample": Offering("a sample of the rows", ("rows", "thinned")),
    "easier": Offering("the kinks of the loss rounded", ("widths", "easier")),
    "dual": Offering("all rows in memory, an L2 penalty and a loss with a dual", ("held",)),
    "program": Offering("all rows in memory, an L2 penalty and a loss whose dual is quadratic", ("held",)),
    "ramps": Offering("all rows in memory and a loss that is a sum of ramps", ("held",)),
    "planes": Offering("an L2 penalty and a loss with kinks", ("slopes", "penalty_curvature")),
}
