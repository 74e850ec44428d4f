"""What classification and regression by a multilayer perceptron share: parameters, layers, roads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, Options, StrOptions

from ....engines.summing import NO_WEIGHT
from ....features.input_ranges import is_number, whole_number
from ...linear_map import numbers_of
from ..activations import ACTIVATIONS, Activation, activation_of
from ..optimisers import OPTIMISERS, Adam, Momentum, Optimiser
from ..schedules import SCHEDULES, Constant, Schedule, schedule_of
from .full_batch import SOLVERS as FULL
from .full_batch import FullBatch
from .heads import HEADS, Head
from .in_order import InOrder
from .initialisation import check_start, first_weights
from .network import Network, layers_of, scores_by_threads
from .place import Place, inside, moved_rows, outside, place_of

CONSTRAINTS: dict[str, Any] = {
    "hidden_layer_sizes": ["array-like", Interval(Integral, 1, None, closed="left")],
    "alpha": [Interval(Real, 0, None, closed="left")],
    "batch_size": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
    "learning_rate_init": [Interval(Real, 0, None, closed="neither")],
    "power_t": [Interval(Real, 0, None, closed="left")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "shuffle": ["boolean"],
    "random_state": ["random_state"],
    "tol": [Interval(Real, 0, None, closed="left")],
    "verbose": ["verbose"],
    "warm_start": ["boolean"],
    "momentum": [Interval(Real, 0, 1, closed="both")],
    "nesterovs_momentum": ["boolean"],
    "early_stopping": ["boolean"],
    "validation_fraction": [Interval(Real, 0, 1, closed="left")],
    "beta_1": [Interval(Real, 0, 1, closed="left")],
    "beta_2": [Interval(Real, 0, 1, closed="left")],
    "epsilon": [Interval(Real, 0, None, closed="neither")],
    "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), Options(Real, {np.inf})],
    "max_fun": [Interval(Integral, 1, None, closed="left")],
    "max_norm": [Interval(Real, 0, None, closed="neither"), None],
    "device": [str, None],
    **dict.fromkeys(("activation", "solver", "learning_rate", "dropout", "init"), "no_validation"),  # see `check`
}

PARTS = (*dict.fromkeys(type(f) for f in ACTIVATIONS.values()), *OPTIMISERS.values(), *SCHEDULES)  # parameters may be


class Multilayer:
    """Of a learner with the parameters of a multilayer perceptron."""

    private: ClassVar[tuple[str, ...]] = ("_progress", "_bend")
    _parameter_constraints: ClassVar[dict[str, Any]] = CONSTRAINTS

    coefs_: list[np.ndarray]
    intercepts_: list[np.ndarray]
    out_activation_: str
    hidden_layer_sizes: Any
    activation: Any
    solver: Any
    alpha: float
    learning_rate: Any
    power_t: float
    momentum: float
    nesterovs_momentum: bool
    beta_1: float
    beta_2: float
    epsilon: float
    dropout: Any
    init: Any
    max_norm: float | None
    device: str | None
    # of the learner
    _validate_params: Any
    rows_of: Any
    answers: Any
    lifted: Any
    target: ClassVar[Any]
    random_state: Any

    def check(self) -> None:
        self._validate_params()
        hidden = self.hidden
        activation_of(self.activation)
        if self.in_batches:
            self.optimiser()
        else:
            self.check_full_batch()
        schedule_of(self.learning_rate, self.power_t)
        check_start(self.init)
        shares = self.shares
        if len(shares) != len(hidden) or not all(is_number(p) and 0.0 <= p < 1.0 for p in shares):
            raise ValueError(
                f"dropout must be a number from 0 to below 1, or one for each of the {len(hidden)} hidden layers, got "
                f"{self.dropout!r}"
            )

    @property
    def hidden(self) -> list[int]:
        """Units of the hidden layers."""
        sizes = self.hidden_layer_sizes
        sizes = [sizes] if isinstance(sizes, Integral) else np.asarray(sizes).tolist()
        if not all(isinstance(size, int) and size > 0 for size in sizes):
            raise ValueError(f"hidden_layer_sizes must be > 0, got {self.hidden_layer_sizes!r}.")
        return [whole_number(size, "hidden_layer_sizes", 1) for size in sizes]

    @property
    def shares(self) -> list[float]:
        """Dropout of every hidden layer."""
        given = self.dropout
        return [given] * len(self.hidden) if is_number(given) else np.asarray(given).tolist()

    def optimiser(self) -> Optimiser:
        """How weights follow slopes, batch by batch."""
        if isinstance(self.solver, Optimiser):
            return self.solver
        if self.solver == "sgd":
            return Momentum(self.momentum, self.nesterovs_momentum and self.momentum > 0)
        if self.solver == "adam":
            return Adam(self.beta_1, self.beta_2, self.epsilon)
        if not isinstance(self.solver, str) or self.solver not in OPTIMISERS:
            names = ", ".join(map(repr, [*OPTIMISERS, *FULL]))
            raise ValueError(f"solver must be one of {names}, or an Optimiser, got {self.solver!r}")
        return OPTIMISERS[self.solver]()

    def schedule(self) -> Schedule:
        """The rate from epoch to epoch; scikit-learn's words count for "sgd" alone."""
        if isinstance(self.learning_rate, str) and self.solver != "sgd":
            return Constant()
        return schedule_of(self.learning_rate, self.power_t)

    @property
    def in_batches(self) -> bool:
        """Whether rows are learnt batch by batch, and not all at each step."""
        return not (isinstance(self.solver, str) and self.solver in FULL)

    def road(self) -> Any:
        """Batches in their order, or all rows at each step."""
        return InOrder(self) if self.in_batches else FullBatch(self)

    def check_full_batch(self) -> None:
        """Refuse what makes sense with batches alone."""
        for name, there in (("dropout", any(self.shares)), ("max_norm", self.max_norm), ("device", self.device)):
            if there:
                raise ValueError(f"{name}={getattr(self, name)!r} needs batches: solver={self.solver!r} has none")

    def network_for(
        self, rows: Any, before: dict[str, Any], dtype: Any, random: np.random.RandomState, more: bool
    ) -> tuple[Network, dict[str, Any]]:
        """The network at the beginning, and what is known of its answers."""
        known = list(self.known_rows(rows))
        if not known:
            raise ValueError(NO_WEIGHT)
        first, *others = known
        told = self.answers([first.y, *others], before, more)
        if more and "coefs_" in before:
            self.refuse_another_network(before, told["out_activation_"])
        units = [first.X.shape[1], *self.hidden, told["n_outputs_"]]
        network = self.network_of(units, told["out_activation_"], dtype)
        place = before.get("place_")
        if "coefs_" not in before:
            place = place_of(first.X, first.y if self.moves_targets(told) else None, self.scales_targets)
        return self.begun(network, before, random), told | {"n_layers_": len(units), "place_": place}

    def moves_targets(self, told: dict[str, Any]) -> bool:
        """Whether targets that lie far from zero may be moved with the last intercept; counts are counted from zero."""
        return bool(told["out_activation_"] == "identity")

    @property
    def scales_targets(self) -> bool:
        """Whether targets that may be moved are learnt in deviations."""
        return bool(vars(self).get("scale_target", False))

    def known_rows(self, rows: Any) -> Iterator[Any]:
        """The first rows, and the labels of the others, each once."""
        for number, chunk in enumerate(chunk for chunk in rows.chunks() if chunk.X.shape[0]):
            several = chunk.y.ndim == 2  # columns of labels, of which the first rows tell how many
            yield chunk if not number else chunk.y[:1] if several else np.unique(chunk.y)
            if self.target == "number":
                return

    def network_of(self, units: list[int], head: str, dtype: Any) -> Network:
        """A network of these parameters, all weights zero."""
        return Network(units, self.f, HEADS[head], dtype, self.shares, self.device)

    def begun(self, network: Network, before: dict[str, Any], random: np.random.RandomState) -> Network:
        """The same with first weights: drawn, or those of a fit before."""
        if "coefs_" not in before:
            return network.begin(*first_weights(network.units, self.f, self.init, random))
        found = [np.shape(W) for W in before["coefs_"]]
        if found != network.shapes:
            raise ValueError(f"the weights there are have the shapes {found}, these parameters need {network.shapes}")
        return network.begin(*inside(before.get("place_"), before["coefs_"], before["intercepts_"]))

    def weights_told(self, network: Network, place: Place | None) -> dict[str, Any]:
        """The weights of the rows as they came, layer by layer."""
        coefs, intercepts = network.read()
        place = None if place is None else outside(place, coefs, intercepts)
        return {"coefs_": coefs, "intercepts_": intercepts, "place_": place, "_bend": spelled(self.f)}

    def refuse_another_network(self, learnt: dict[str, Any], head: str) -> None:
        """Refuse to use weights in another network than they were learnt in: parameters were set since."""
        bend, now = learnt.get("_bend", spelled(self.f)), spelled(self.f)
        if bend != now:
            raise ValueError(f"the weights were learnt with activation={bend}, and now it is {now}: fit anew")
        if learnt["out_activation_"] != head:
            raise ValueError(
                f"the head was {learnt['out_activation_']!r}, and these parameters and targets need {head!r}: fit anew"
            )

    def random(self) -> np.random.RandomState:
        """The draws of a fit."""
        return check_random_state(self.random_state)

    def says(self, X: Any) -> np.ndarray:
        """What the head makes of rows: (rows, outputs)."""
        X = self.rows_of(X, sparse_ok=True)
        self.refuse_another_network(vars(self), self.out_activation_)
        dtype = np.float32 if self.coefs_[0].dtype == X.dtype == np.float32 else np.float64
        with np.errstate(over="ignore", invalid="ignore"):
            place = vars(self).get("place_")
            scores = scores_by_threads(partial(layers_of, *self.inside(), self.f, dtype), moved_rows(place, X))
            said = self.head.value(scores)
            return numbers_of(said if place is None else self.lifted(said, place))

    def inside(self) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The weights where rows are moved to."""
        return inside(vars(self).get("place_"), self.coefs_, self.intercepts_)

    @property
    def f(self) -> Activation:
        return activation_of(self.activation)

    @property
    def head(self) -> Head:
        return HEADS[self.out_activation_]


def spelled(f: Activation) -> str:
    """An activation and its numbers, in words."""
    return f"{type(f).__name__}({', '.join(f'{name}={value!r}' for name, value in sorted(vars(f).items()))})"
