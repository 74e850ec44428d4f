"""FullBatch: the road of networks by solvers that see all rows at each step; each step is a sum over the chunks."""

from __future__ import annotations

from dataclasses import dataclass
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
from .place import Place, moved_rows, place_by

EMPTY = np.zeros(0)
SCIPYS = 2.220446049250313e-09  # share of the loss that SciPy takes for no gain
BLOCK = 1024  # rows that go through the layers at a time, so that what these say stays in the cache
SOLVERS = {"lbfgs": LBFGS, "barzilai_borwein": BarzilaiBorwein}


@dataclass(frozen=True, eq=False)
class NetworkObjective:
    """The loss of all rows and the penalty, over their weight, as a function of all weights of a network."""

    rows: Passes
    model: Any
    units: list[int]
    classes: Any
    head: str
    dtype: Any
    weight: float
    start: np.ndarray
    place: Place | None

    offers: ClassVar[frozenset[str]] = frozenset({"value and slope"})
    kinks: ClassVar[tuple[Any, ...]] = ()
    noise: ClassVar[float] = 0.0
    cost: ClassVar[float] = 1.0

    @property
    def rounding(self) -> float:
        return float(np.finfo(self.dtype).eps)

    def expand(self, point: np.ndarray, order: int = 1) -> Expansion:
        """Value and slopes: one pass."""
        sums, decay = self.rows.total(RowLosses(self, point)), self.model.alpha / self.weight
        matrices = self.network().matrices
        W = point[:matrices]
        slopes = sums.gradient / self.weight
        slopes[:matrices] += decay * W
        value = sums.value / self.weight + 0.5 * decay * float(W @ W)
        return Expansion(value, slopes, EMPTY, -np.inf, 1.0, sums.count)

    def network(self) -> Network:
        return self.model.network_of(self.units, self.head, self.dtype)


class RowLosses(NamedTuple):
    """What is summed over the chunks: the losses of rows at a point, and their slopes."""

    objective: NetworkObjective
    point: np.ndarray

    def __call__(self, chunk: Chunk) -> Expansion:
        chunk = usable_rows(chunk)
        objective, rows = self.objective, chunk.X.shape[0]
        network = objective.network()
        do = network.do
        network.weights[...] = do.array(self.point)
        target = objective.model.coded(chunk.y, objective.classes, objective.place)
        weight, rows_there = np.asarray(chunk.weight), moved_rows(objective.place, chunk.X)
        value, slopes = 0.0, np.zeros(len(self.point))
        with one_blas_thread():
            for start in range(0, rows, BLOCK):
                part = slice(start, start + BLOCK)
                X, y, share = (do.array(values[part]) for values in (rows_there, target, weight))
                value += float(network.loss(X, y, share, 0.0))
                slopes += do.numbers(network.slopes)
        return Expansion(value, slopes, EMPTY, -np.inf, float(weight.sum()), rows)


class Steps(NamedTuple):
    """Where the minimisation stands, and what is known of the answers."""

    solver: Solver
    objective: NetworkObjective
    state: State
    told: dict[str, Any]


class FullBatch(Stepwise):
    """Rows of a network all at once: arrays, files, or blocks on a cluster, a sum over them for each step."""

    keeps_trace = False
    unfinished = "lbfgs failed to converge after {most} iterations: increase {limit} or max_fun, or scale the data"

    def __init__(self, model: Any) -> None:
        self.model = model

    @property
    def target(self) -> Any:
        return self.model.target

    @property
    def many_targets(self) -> bool:
        return self.model.many_targets

    @property
    def max_iter(self) -> int:
        return self.model.max_iter

    @property
    def warm_start(self) -> bool:
        return self.model.warm_start

    def start(self, rows: Passes, look: Any) -> Steps:
        before, model, features = self.previous, self.model, rows.source.features
        if self.target == "label" and rows.source.single_target:
            groups: Grouped[Moments] = rows.total(by_label)
            targets, sums = np.array(groups.labels), groups.moments()
        else:
            sums, targets = rows.total(with_target), np.zeros((0, rows.source.targets))
        place = before.get("place_")
        if "coefs_" not in before:
            place = place_by(sums.mean, sums.deviation, features, self.target == "number")
        told = model.answers([targets], before, False)
        units = [features, *model.hidden, told["n_outputs_"]]
        network, random = model.network_of(units, told["out_activation_"], self.float_dtype), model.random()
        start = model.begun(network, before, random).numbers()
        objective = NetworkObjective(
            rows, model, units, told.get("classes_"), told["out_activation_"], self.float_dtype, float(sums.weight),
            start, place,
        )  # fmt: skip
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
        return state._replace(state=after)

    def done(self, before: Steps, after: Steps) -> bool:
        return after.state.ended

    def attributes(self, state: Steps) -> dict[str, Any]:
        network, found = state.objective.network(), state.state
        network.weights[...] = network.do.array(found.point)
        return state.told | {
            **self.model.weights_told(network, state.objective.place),
            "loss_": found.value,
            "n_iter_": found.iterations,
            "converged_": found.converged,
        }
