"""Exponential forgetting around any learner on sums."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..learners.ability import Operators, with_ability
from ..learners.description import Description
from ..learners.fitted import Holder, parameter_names, same
from ..learners.sum_algebra import joined_shares
from ..learners.turns import in_turn
from .parts.over_time import OverTime
from .parts.timed_rows import TimedRows

FAINTEST = -900.0  # weights below 2 to this power are none


@dataclass(frozen=True, eq=False)
class FadedSum:
    """The sum of rows that weigh less the older they are, as of a time; and what the effective number of rows needs."""

    statistic: Any
    time: Any  # of the newest row, or the number of rows
    weight: float
    squares: float  # sum of w f^2, f the factor that age has left

    def scaled(self, factor: float) -> FadedSum:
        return replace(
            self,
            statistic=self.statistic.decay(factor),
            weight=self.weight * factor,
            squares=self.squares * factor * factor,
        )


class Fading(Operators, OverTime):
    """A learner that forgets: a row counts half after every half-life.

        w_t = beta_t alpha^(T - t),   alpha = 2^(-1 / half_life),   T the time of the newest row, beta_t its own weight

    The newest row weighs 1, or what its `sample_weight` says. These weights sum to (1 - alpha^T) / (1 - alpha). The
    notes multiply them by 1 - alpha, so that theirs sum to 1 - alpha^T, which is not one: a mean that starts from
    nothing would be drawn towards zero. Here whatever is a mean is divided by the sum of its own weights, and so is
    right from the first row on; a penalty (`Ridge(alpha=)`) is weighed against rows that weigh one. Nothing is carried
    but the sums: no inverse can wind up while a feature is silent.

    Statistic: that of the learner inside, which must merge and decay. One pass. Can update, decay; with a time also
    merge: the two models are brought to the later time. Cost: that of the learner inside.

    Parameters
    ----------
    learner : learner on sums, default=None
        None is ``Ridge()``.
    half_life : number, str, timedelta or None, default=None
        In rows; or in the units of the times; or a span of time such as "28d" or "90min". None forgets nothing.
    time : str or int, default=None
        The column of X that holds the time of each row: it is no feature. Without one, and without ``times=`` of `fit`
        and `partial_fit`, every row is one step. Rows that come late get the weight of their time.

    Attributes
    ----------
    learner_ : the learner, fitted to the weighted rows.
    effective_size_ : float
        (sum w)^2 / sum beta f^2, f = alpha^(T - t): of how many rows that weigh alike a mean would vary as much (Kish).
        It tends to (1 + alpha) / (1 - alpha).
    weight_ : float
        Sum of the weights.
    now_ : the time T of the newest row, a number, nanoseconds since 1970, or the number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import Fading, LinearRegression
    >>> x = np.arange(200.0)
    >>> y = np.where(x < 100, x, 300 - 2 * x)                   # the slope changes from 1 to -2
    >>> model = Fading(LinearRegression(), half_life=10)
    >>> for row in range(200):
    ...     model = model.partial_fit(x[row : row + 1, None], y[row : row + 1])
    ...     if row in (99, 110, 199):
    ...         print(row, model.learner_.coef_.round(2), round(model.effective_size_, 2))
    99 [1.] 28.81
    110 [0.49] 28.84
    199 [-1.98] 28.87
    """

    description = Description(parts=(FadedSum,))
    needs: tuple[str, ...] = ("merge", "decay")
    whole_rows = False

    def __init__(self, learner: Any = None, *, half_life: Any = None, time: str | int | None = None) -> None:
        self.learner = learner
        self.half_life = half_life
        self.time = time

    @property
    def length(self) -> tuple[str, Any]:
        return "half_life", 1 if self.half_life is None else self.half_life

    @property
    def survive(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("update", "decay") if self.counts_rows else ("update", "merge", "decay")

    def exponents(self, ages: Any) -> Any:
        """The logarithm of what age leaves of a weight, to base 2."""
        return np.zeros(np.shape(ages)) if self.half_life is None else -(ages / self.span)

    def begin(self) -> None:
        return None

    def pass_by(self, state: FadedSum | None, rows: TimedRows, summarise: Any) -> FadedSum:
        before = None if state is None else state.time
        if rows.times is None:
            steps = np.arange(1, len(rows) + 1) + (0 if before is None else before)
        else:
            steps = rows.times
        newest = steps.max().item()
        now = newest if before is None else max(before, newest)
        exponent = self.exponents((now - steps).astype(float))
        if (exponent < FAINTEST).any():
            keep = np.flatnonzero(exponent >= FAINTEST)
            rows.summary(summarise)  # a bad value is refused however old it is
            rows, exponent = rows.take(keep), exponent[keep]
        left = np.exp2(exponent)
        weight = left if rows.chunk.weight is None else left * rows.chunk.weight
        faded = bool((left < 1.0).any())
        more = FadedSum(
            rows.summary(summarise, left if faded else None) if len(rows) else None,
            now,
            float(weight.sum()),
            float(weight @ left),
        )
        return self.joined(state, more)

    def joined(self, a: FadedSum | None, b: FadedSum) -> FadedSum:
        """Both sums as of the later time."""
        if a is None:
            return b
        now = max(a.time, b.time)
        alive = []  # what has the time `now` is
        for part in (a, b):
            exponent = float(self.exponents(float(now - part.time)))
            if part.statistic is not None and exponent >= FAINTEST:
                alive.append(part if exponent == 0.0 else part.scaled(float(np.exp2(exponent))))
        total = alive[0].statistic if len(alive) == 1 else alive[0].statistic.merge(alive[1].statistic)
        weight, squares = (float(sum(getattr(part, name) for part in alive)) for name in ("weight", "squares"))
        return FadedSum(total, now, weight, squares)

    def statistic_of(self, state: FadedSum | None, summarise: Any) -> Any:
        return None if state is None else state.statistic

    @with_ability("decay")
    @in_turn
    def decay(self, factor: float) -> Self:
        """Multiply the weight of everything learnt so far by `factor`."""
        check_is_fitted(self)
        changed = {"_state": self._state.scaled(factor), "_holder": Holder()}
        self.__dict__ = self.__dict__ | changed
        return self

    @with_ability("merge")
    def merge(self, other: Self) -> Self:
        """A new model that has learnt the rows of both, each with the weight of its time."""
        return self._joined(other, "merge")

    def _joined(self, other: Any, how: str) -> Self:
        check_is_fitted(self)
        check_is_fitted(other)
        if type(other) is not type(self):
            raise TypeError(f"cannot {how} a {type(self).__name__} and a {type(other).__name__}")
        for name in parameter_names(type(self)):
            mine, theirs = getattr(self, name), getattr(other, name)
            if not same(mine, theirs):
                raise ValueError(f"the models differ in {name} ({mine!r} and {theirs!r})")
        self._same_kind(self._time_kind, other._time_kind)
        work = object.__new__(type(self))
        inner = self.learner_._joined(other.learner_, how)  # what else may differ is refused there
        state = self.joined(self._state, other._state)
        work.__dict__ = self.__dict__ | {"_inner": inner, "_state": state, "_holder": Holder()}
        joined_shares(work, other)
        return work

    @property
    def effective_size_(self) -> float:
        """Of how many rows that weigh alike a mean would vary as much."""
        return self._of_state("effective_size_", lambda s: s.weight**2 / s.squares)

    @property
    def weight_(self) -> float:
        """Sum of the weights."""
        return self._of_state("weight_", lambda s: s.weight)

    @property
    def now_(self) -> Any:
        """The time of the newest row."""
        return self._of_state("now_", lambda s: s.time)

    def _of_state(self, name: str, read: Any) -> Any:
        if "_state" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return read(self._state)
