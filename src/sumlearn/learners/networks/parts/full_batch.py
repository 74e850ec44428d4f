"""FullBatch: the road of networks by solvers that see all rows at each step; each step is a sum over the chunks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ....data import Chunk
from ....engines import one_blas_thread
from ....solvers import BarzilaiBorwein, Solver
from ....solvers.lbfgs import LBFGS
from ....solvers.state import State
from ....statistics import Expansion, Grouped, Moments
from ...linear.parts.survey import by_label, with_target
from ...passes import Passes
from ...stepwise import Stepwise
from ...validation import usable_rows
from .network import Network
from .of_model import OfModel
from .place import Place, moved_rows, place_by

EMPTY = np.zeros(0)
SCIPYS = 2.220446049250313e-09  # share of the loss that SciPy takes for no gain
BLOCK = 1024  # rows that go through the layers at a time, so that what these say stays in the cache
SOLVERS = {"lbfgs": LBFGS, "barzilai_borwein": BarzilaiBorwein}


class Plan(NamedTuple):
    """What a worker must know to make the network and to read targets."""

    model: Any
    units: list[int]
    classes: Any
    head: str
    dtype: Any
    place: Place | None

    def network(self, point: np.ndarray) -> Network:
        """The network with these weights."""
        network = self.model.network_of(self.units, self.head, self.dtype)
        network.weights[...] = network.do.array(point)
        return network


@dataclass(frozen=True, eq=False)
class NetworkObjective:
    """The loss of all rows and the penalty, over their weight, as a function of all weights of a network."""

    rows: Passes
    plan: Plan
    weight: float
    matrices: int  # numbers in a point that the penalty weighs
    start: np.ndarray

    offers: ClassVar[frozenset[str]] = frozenset({"value and slope"})
    kinks: ClassVar[tuple[Any, ...]] = ()
    noise: ClassVar[float] = 0.0
    cost: ClassVar[float] = 1.0

    @property
    def rounding(self) -> float:
        return float(np.finfo(self.plan.dtype).eps)

    def expand(self, point: np.ndarray, order: int = 1) -> Expansion:
        """Value and slopes: one pass."""
        sums, decay = self.rows.total(partial(row_losses, self.plan, point)), self.plan.model.alpha / self.weight
        slopes, W = sums.gradient / self.weight, point[: self.matrices]
        slopes[: self.matrices] += decay * W
        value = sums.value / self.weight + 0.5 * decay * float(W @ W)
        return Expansion(value, slopes, EMPTY, -np.inf, 1.0, sums.count)


def row_losses(plan: Plan, point: np.ndarray, chunk: Chunk) -> Expansion:
    """What is summed over the chunks: the losses of rows at a point, and their slopes."""
    chunk = usable_rows(chunk)
    rows, network = chunk.X.shape[0], plan.network(point)
    do, target = network.do, plan.model.coded(chunk.y, plan.classes, plan.place)
    X, weight = moved_rows(plan.place, chunk.X), np.asarray(chunk.weight)
    value, slopes = 0.0, np.zeros(len(point))
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, rows, BLOCK):
            part = slice(start, start + BLOCK)
            x, y, share = (do.array(values[part]) for values in (X, target, weight))
            value += float(network.loss(x, y, share, 0.0))
            slopes += do.numbers(network.slopes)
    return Expansion(value, slopes, EMPTY, -np.inf, float(weight.sum()), rows)


class Steps(NamedTuple):
    """Where the minimisation stands, and what is known of the answers."""

    solver: Solver
    objective: NetworkObjective
    state: State
    told: dict[str, Any]
    losses: tuple[float, ...] = ()


class FullBatch(OfModel, Stepwise):  # type: ignore[override]
    """Rows of a network all at once: arrays, files, or blocks on a cluster, a sum over them for each step."""

    keeps_trace = False
    unfinished = "{most} steps, or max_fun passes, were not enough: increase {limit} or max_fun, or scale the columns"

    def __init__(self, model: Any) -> None:
        self.model = model

    def start(self, rows: Passes, look: Any) -> Steps:
        before, model, features = self.previous, self.model, rows.source.features
        if self.target == "label" and rows.source.single_target:
            groups: Grouped[Moments] = rows.total(by_label)
            targets, sums = np.array(groups.labels), groups.moments()
        else:
            sums, targets = rows.total(with_target), np.zeros((0, rows.source.targets))
        told, place = model.answers([targets], before, False), before.get("place_")
        if "coefs_" not in before:
            place = place_by(sums.mean, sums.deviation, features, model.moves_targets(told), model.scales_targets)
        units = [features, *model.hidden, told["n_outputs_"]]
        network, random = model.network_of(units, told["out_activation_"], self.float_dtype), model.random()
        start = model.begun(network, before, random).numbers()
        plan = Plan(model, units, told.get("classes_"), told["out_activation_"], self.float_dtype, place)
        objective = NetworkObjective(rows, plan, float(sums.weight), network.matrices, start)
        options = {"tol": SCIPYS, "max_iter": model.max_iter}
        if model.solver == "lbfgs":
            options |= {"slope": float(model.tol), "max_passes": model.max_fun}
        solver = SOLVERS[model.solver](**options)
        solver.check(objective)
        return Steps(solver, objective, solver.start(objective, start), told | {"n_layers_": len(units)})

    def step(self, state: Steps, rows: Passes) -> Steps:
        after = state.solver.step(state.objective, state.state)
        if self.model.verbose:
            print(f"Iteration {after.iterations}, loss = {after.value:.8f}")
        return state._replace(state=after, losses=(*state.losses, after.value))

    def done(self, before: Steps, after: Steps) -> bool:
        return after.state.ended

    def attributes(self, state: Steps) -> dict[str, Any]:
        found, plan = state.state, state.objective.plan
        return state.told | {
            **self.model.weights_told(plan.network(found.point), plan.place),
            "loss_": found.value,
            "loss_curve_": list(state.losses),
            "n_iter_": found.iterations,
            "converged_": found.converged,
        }
