"""The range test: which learning rates teach a network anything, found in one short course."""

from __future__ import annotations

import copy
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from ...features.input_ranges import is_number, whole_number
from .parts.in_order import InOrder

MEMORY = 0.9  # of the mean of the losses
LOST = 4.0  # a loss so many times the least has no way back


class RateRange(NamedTuple):
    """Rates in rising order, the mean loss at each, and a rate to begin with."""

    rates: np.ndarray
    losses: np.ndarray
    rate: float


def rate_range(
    model: Any, X: Any, y: Any, sample_weight: Any = None, *, low: float = 1e-6, high: float = 10.0, steps: int = 100
) -> RateRange:
    """Losses while the learning rate rises from batch to batch, from `low` to `high` (Smith 2017).

    The loss falls from some rate on, fastest shortly before it rises again; a rate to begin with is a tenth of that
    with the least mean loss. The course ends where the loss is lost. The model is not changed.

    Parameters
    ----------
    model : MLPClassifier or MLPRegressor
        With an optimiser of batches.
    X, y, sample_weight
        As in its `fit`.
    low, high : float, default=1e-6, 10.0
    steps : int, default=100
        Batches, shown anew where there are fewer.

    Returns
    -------
    RateRange
        `rates`, `losses` (means that forget a tenth at each step) and `rate`.

    Examples
    --------
    >>> from sumlearn import MLPClassifier
    >>> from sumlearn.data import load_example
    >>> from sumlearn.learners.networks import rate_range
    >>> iris = load_example("iris")
    >>> found = rate_range(MLPClassifier((10,), batch_size=30), iris.X, iris.y)
    >>> print(bool(1e-3 < found.rate < 1.0), bool(found.losses.min() < 0.5 * found.losses[0]))
    True True

    References
    ----------
    Smith, "Cyclical learning rates for training neural networks", 2017.
    """
    if not (is_number(low) and is_number(high) and 0.0 < low < high < np.inf):
        raise ValueError(f"low and high must be numbers with 0 < low < high, got {low!r} and {high!r}")
    rates = np.geomspace(low, high, whole_number(steps, "steps", 2))
    model = copy.copy(model).set_params(early_stopping=False, warm_start=False)
    if not isinstance(model.road(), InOrder):
        raise ValueError(f"solver={model.solver!r} has no learning rate")
    work = model.without_fit()
    source = work.open(X, y, sample_weight, reset=True)
    work.remember(source)
    road = work.along()
    road.previous = {}
    batches = road.rows_in_order(source, road)
    course = road.start(batches, None)
    losses: list[float] = []
    mean = 0.0
    every = (batch for number in count() for batch in batches.epoch(number))
    for rate, batch in zip(rates, every, strict=False):
        course.rate, course.sums, course.weight = float(rate), 0.0, 0.0
        course = road.learn(course, batch)
        mean = MEMORY * mean + (1.0 - MEMORY) * float(course.sums) / course.weight
        loss = mean / (1.0 - MEMORY ** (len(losses) + 1))
        if not np.isfinite(loss) or (losses and loss > LOST * min(losses)):
            break
        losses.append(loss)
    every.close()
    found = np.array(losses)
    if not len(found):
        raise ValueError("the loss is no number from the beginning: rescale the columns")
    return RateRange(rates[: len(found)], found, float(rates[int(np.argmin(found))]) / 10.0)
