"""OnePass: a model is solution(sum of summarise(chunk)).

A learner of this kind names the statistic it makes and writes two functions: ``summarise(chunk, look)``, which reads
hyperparameters only, and ``solution(statistic)``, which turns a sum into fitted attributes. Priors and penalties enter
in the second, never in the first; so the sum is the whole state. Updating, merging, unlearning, decaying and cutting to
a subset of the columns follow from the algebra of the statistic (`sum_algebra.py`), exactly where its type has them.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import Any, get_origin

from ..data import Chunk, Source
from ..engines import total
from ..engines.summing import summary_of_part
from ..statistics import Statistic
from .ability import Abilities, abilities_of
from .callbacks import is_watched, watched
from .former import adapt
from .learner import Learner
from .precision import check_precision
from .sum_algebra import SumAlgebra

ANYWHERE: frozenset[str] = frozenset()
WHOLE_COLUMNS = frozenset({"restrict"})  # not behind a basis or a look at all columns


class OnePass(SumAlgebra, Learner):
    """Base of all learners that need their rows only through one sum.

    >>> from sumlearn.learners import Fitted
    >>> from sumlearn.statistics import Moments
    >>> class Average(OnePass):
    ...     statistic_type = Moments
    ...     mean_ = Fitted("Mean of the target.")
    ...     def summarise(self, chunk, look):
    ...         return Moments.of(chunk.X, chunk.y, chunk.weight)
    ...     def solution(self, statistic):
    ...         return {"mean_": statistic.mean[-1]}
    >>> a, b = Average().fit([[0.0], [1.0]], [1.0, 2.0]), Average().fit([[5.0]], [9.0])
    >>> float((a + b).mean_), float(((a + b) - b).mean_)
    (4.0, 1.5)
    """

    statistic_type: Any = Statistic  # what `summarise` makes, such as Grouped[Moments]; may depend on the parameters

    # -- what a learner writes --------------------------------------------------------------------------------------

    @abstractmethod
    def summarise(self, chunk: Chunk, look: Any = None) -> Any:
        """The statistic of some rows; may read hyperparameters and what `look` has returned, nothing else."""

    @abstractmethod
    def solution(self, statistic: Any) -> dict[str, Any]:
        """Fitted attributes by name, from the statistic and the hyperparameters."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        adapt(cls)

    # -- what follows -----------------------------------------------------------------------------------------------

    def learn_from(self, source: Source, watch: Any) -> None:
        self.absorb(self.sum_of(source, watch), source)
        self.solved()

    def sum_of(self, source: Source, watch: Any = None) -> Any:
        """The statistic of all rows of a source; callbacks of the estimator `watch` hear of every part."""
        watch, factor = self if watch is None else watch, self.chunk_factor
        parts = watched(watch, source, factor) if is_watched(watch) else None
        return total(self.summariser(), source, factor=factor, workers=getattr(self, "n_jobs", None), parts=parts)

    def summariser(self) -> Any:
        """`summarise` for the look that was taken, without anything else that was learnt: what workers are sent."""
        check_precision(self)
        plain = self.without_fit() if "statistic_" in self.__dict__ else self
        return partial(plain.summarise, look=self.look_data())

    def summary_of(self, source: Source, part: Any) -> Any:
        """Read some rows and summarise them; a bad value is named by its row in the whole and its column."""
        return summary_of_part(self.summariser(), source, part)

    def own_abilities(self) -> Abilities:
        whole = getattr(self, "basis", None) is not None or self.keeps_look
        return abilities_of(self.statistic_type, self.looks, WHOLE_COLUMNS if whole else ANYWHERE)

    @property
    def keeps_look(self) -> bool:
        """Whether there is a look of its own that the statistic does not carry, and so does not cut."""
        own = type(self).look is not Learner.look
        return own and not hasattr(get_origin(self.statistic_type) or self.statistic_type, "look")
