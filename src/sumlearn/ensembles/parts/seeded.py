"""Seeds of members: every random_state of a learner, and of what is inside it, from one generator."""

from __future__ import annotations

from typing import Any

import numpy as np


def seeds_in(learner: Any) -> list[str]:
    """Names of the parameters that are seeds, in their order."""
    return [name for name in sorted(learner.get_params()) if name.rpartition("__")[2] == "random_state"]


def seeded(learner: Any, random: np.random.RandomState, names: list[str] | None = None) -> Any:
    """The learner with its seeds drawn from a generator, as scikit-learn does it; `names` are those of its seeds."""
    names = seeds_in(learner) if names is None else names
    drawn = {name: random.randint(np.iinfo(np.int32).max) for name in names}
    if names == ["random_state"]:  # to look parameters up takes as long as to solve
        learner.random_state = drawn["random_state"]
        return learner
    return learner.set_params(**drawn) if drawn else learner
