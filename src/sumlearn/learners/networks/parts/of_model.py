"""OfModel: what the roads of a network take over from its model."""

from __future__ import annotations

from typing import Any


class OfModel:
    """For a road, whose one parameter is the model: kind of targets, steps, and where to start."""

    model: Any

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
