"""Names and signatures of the first release, which warn until the next one."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

from ..statistics import Decayable, Recodable, Removable, Restrictable, Statistic


class FormerNames:
    """What `abilities` answers now."""

    own_abilities: Any

    @property
    def one_pass(self) -> bool:
        return self._former("one_pass", "merge")

    @property
    def mergeable(self) -> bool:
        return self._former("mergeable", "merge")

    @property
    def adds_up(self) -> bool:
        return self._former("adds_up", "merge") and not self.own_abilities().same_look

    @property
    def forgettable(self) -> bool:
        return self._former("forgettable", "forget")

    def _former(self, name: str, word: str) -> bool:
        warnings.warn(
            f"{name} goes with the next release: ask for {word!r} in sumlearn.abilities(model)",
            FutureWarning,
            stacklevel=3,
        )
        return word in self.own_abilities()


class FormerStatistic(Removable, Decayable, Restrictable, Recodable):
    """What learners were taken to make that do not name their statistic."""


def adapt(kind: Any) -> None:
    """A learner whose `summarise` takes the chunk alone still works: without a look or the name of its statistic."""
    summarise = vars(kind).get("summarise")
    if summarise is None or len(inspect.signature(summarise).parameters) > 2:
        return
    warnings.warn(
        f"{kind.__name__}.summarise(chunk) takes a look too, with the next release: summarise(chunk, look); name its "
        "statistic as statistic_type",
        FutureWarning,
        stacklevel=3,
    )

    def adapted(self: Any, chunk: Any, look: Any = None) -> Any:
        return summarise(self, chunk)

    kind.summarise = adapted
    if kind.statistic_type is Statistic:  # it was not named
        kind.statistic_type = FormerStatistic
