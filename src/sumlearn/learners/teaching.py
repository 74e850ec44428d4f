"""A learner inside of another one learns from a source that is open already."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data import InMemory, Source
from ..data.mapped import inputs_of
from .learner import Learner


def teach(learner: Any, source: Source, names: Any = None, first: bool = False) -> Any:
    """A learner that has learnt from a source that is open; one of another library, from its rows in memory.

    Of the `first` rows of several chunks a learner that can update solves nothing.
    """
    if isinstance(learner, Learner):
        if names is not None:
            learner.feature_names_in_ = names
        learner.n_features_in_ = source.features
        learner.check()
        source = learner.looked_at(source)
        return learner.begun_on(source) if first else learner.fitted_on(source)
    if not isinstance(source, InMemory):
        raise ValueError(f"{type(learner).__name__} needs its rows in memory; X is read as a stream")
    every, origin = np.arange(source.rows), inputs_of(source)
    rows = origin.native(every) if inputs_are_rows(source) else source.read(every)  # type: ignore[attr-defined]
    learner.fit(rows, source.y, **({} if source.weight is None else {"sample_weight": source.weight}))
    return learner


def inputs_are_rows(source: Any) -> bool:
    """Whether no basis lies between the rows as they came in and those that are learnt from."""
    while hasattr(source, "inputs"):
        if hasattr(source, "basis"):
            return False
        source = source.inputs
    return True
