"""Sequential: a model that is a fold over the rows, state = learn(state, batch), in the order in which they come.

What such a learner knows depends on the order of its rows. It can learn on, but it cannot be merged with another and
cannot forget: there is no sum that would say what the rows have contributed.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from ..data import Chunk, Source
from ..engines.journal import not_kept
from ..solvers.iteration import iterate
from .ability import Abilities
from .batches import Batches, Epoch, MeanError
from .callbacks import stepwise
from .learner import Learner
from .passes import Passes
from .turns import in_turn


class Sequential(Learner):
    """Base of learners that take rows or batches of them one after the other, in one or more epochs.

    Read where a learner has such parameters: `max_iter` epochs, `batch_size`, `shuffle`, `random_state`; learning ends
    after `n_iter_no_change` epochs that were not better by `tol`, with `early_stopping` on rows held back.

    >>> class Perceptron(Sequential):
    ...     target = "label"
    ...     def __init__(self, max_iter=100): self.max_iter = max_iter
    ...     def start(self, batches, look):
    ...         return np.zeros(batches.first().X.shape[1] + 1)
    ...     def learn(self, state, batch):
    ...         for x, y in zip(np.column_stack([batch.X, np.ones(len(batch.X))]), batch.y):
    ...             state = state + y * x if y * (state @ x) <= 0 else state
    ...         return state
    ...     def attributes(self, state):
    ...         return {"coef_": state[:-1], "intercept_": state[-1]}
    ...     def predict(self, X):
    ...         return np.where(self.rows_of(X) @ self.coef_ + self.intercept_ > 0, 1, -1)
    >>> X, y = [[0.9, 3.0], [3.0, 4.1], [1.2, 0.3]], [1, 1, -1]
    >>> Perceptron().fit(X, y).predict(X).tolist()
    [1, 1, -1]
    """

    max_iter: int = 1
    batch_size: int | None = None  # rows at a time; None: as they come
    shuffle: bool = True
    random_state: Any = 0
    tol: float | None = None
    n_iter_no_change: int = 5
    early_stopping: bool = False
    validation_fraction: float = 0.1
    warm_start: bool = False  # whether to start from the fit before
    rows_in_order: ClassVar[Any] = Batches  # what is made of a source: `epoch(number)` gives its batches
    keeps_state: ClassVar[bool] = True  # whether the state is kept as `state_`, for `partial_fit`
    previous: dict[str, Any]  # while fitting: what was learnt before, with `warm_start`

    # -- what a learner writes --------------------------------------------------------------------------------------

    @abstractmethod
    def start(self, batches: Any, look: Any) -> Any:
        """The first state."""

    @abstractmethod
    def learn(self, state: Any, batch: Any) -> Any:
        """The state after some more rows."""

    @abstractmethod
    def attributes(self, state: Any) -> dict[str, Any]:
        """Fitted attributes by name, from the last state."""

    def error(self, state: Any, batch: Any) -> Any:
        """The mean error on some rows, by which learning may end; none, unless a method says so."""

    def epoch_error(self, state: Any) -> Any:
        """The mean error of an epoch that has ended, where learning has counted it; none, unless a method says so."""

    def turn(self, state: Any) -> Any:
        """The state between two epochs, where a learner has something to do there."""

    def finished(self, state: Any) -> Any:
        """Whether nothing is left to learn."""

    def afterwards(self, rows: Passes) -> Any:
        """Attributes that take a pass with what was learnt, such as labels; none, unless a method says so."""

    def prepared(self, chunk: Chunk) -> Any:
        """Rows as arrays of another kind, such as tensors on a device; as they are, unless a method says so."""

    # -- what follows -----------------------------------------------------------------------------------------------

    def learn_from(self, source: Source, watch: Any) -> None:
        not_kept("an epoch of rows in their order", source)
        batches = self.rows_in_order(source, self)
        self.previous = dict(vars(watch)) if self.warm_start and watch is not None else {}
        with stepwise(watch) as tell:
            first = Epoch(self.start(batches, self.look_data()))
            del self.previous
            run = iterate(first, partial(self.epoch, batches), self.ended, self.max_iter, tell, trace=Epoch.trace)
        self.take(run.state, run.trace)
        self.__dict__.update(self.afterwards(Passes(source, getattr(self, "n_jobs", None))) or {})

    @in_turn
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """One epoch over some more rows, from where learning stands: what comes of it depends on their order."""
        first = "state_" not in self.__dict__
        work = self.without_fit() if first else copy.copy(self)
        source = work.open(X, y, sample_weight, reset=first, empty_ok=not first)
        if not first and source.rows == 0:
            return self
        work.remember(source)
        batches = self.rows_in_order(source, work)
        state = work.start(batches, work.look_data()) if first else copy.deepcopy(self.state_)
        done = work.epoch(batches, Epoch(state, vars(self).get("n_iter_", 0)))
        work.take(done, np.zeros(0))
        work.__dict__.update(work.afterwards(Passes(source, getattr(work, "n_jobs", None))) or {})
        return self.commit(work)

    def own_abilities(self) -> Abilities:
        return Abilities(inexact=("partial_fit",))

    # -- how ----------------------------------------------------------------------------------------------------------

    def epoch(self, batches: Any, before: Epoch) -> Epoch:
        """All rows once."""
        state, judged = before.state, MeanError()
        for batch in batches.epoch(before.number):
            if not self.early_stopping:
                judged.add(self.error(state, batch), batch)
            state = self.learn(state, batch)
        for batch in batches.held() if self.early_stopping else ():
            judged.add(self.error(state, batch), batch)
        turned = self.turn(state)
        state = state if turned is None else turned
        return before.then(state, judged, self.epoch_error(state), self.tol)

    def ended(self, before: Epoch, after: Epoch) -> bool:
        return bool(self.finished(after.state)) or after.idle >= self.n_iter_no_change

    def take(self, epoch: Epoch, errors: np.ndarray) -> None:
        told = {"loss_curve_": errors.tolist()} if len(errors) else {}
        state = {"state_": epoch.state} if self.keeps_state else {}
        self.__dict__.update(state | {"n_iter_": epoch.number} | told | self.attributes(epoch.state))
