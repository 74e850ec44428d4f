"""Models that are a part of another: a window of a cube, what recent rows say. The whole remembers what was shared."""

from __future__ import annotations

from typing import Any, TypeVar

from .fitted import Holder

M = TypeVar("M")


class Owner(Holder):
    """The whole that a model is a part of, and which part: beside the model, in no file and no copy that is sent."""

    def __init__(self, whole: Any = None, part: Any = None) -> None:
        super().__init__()
        self.whole, self.part = whole, part

    def __reduce__(self) -> Any:
        return type(self), ()


def owned(model: M, whole: Any, part: Any = None) -> M:
    """A model that is a part of a whole, which writes `shares_of(part)` and `remember_share(part, record)`."""
    vars(model)["_owner"] = Owner(whole, part)
    return model


def shares_of(model: Any) -> list[dict[str, Any]]:
    """Records of what was shared of the whole that a model is a part of."""
    owner = vars(model).get("_owner", Owner())
    return [] if owner.whole is None else owner.whole.shares_of(owner.part)


def remember_share(model: Any, record: dict[str, Any]) -> None:
    """Let the model, and the whole that it is a part of, remember what was shared."""
    vars(model)["_shared"] = record
    owner = vars(model).get("_owner", Owner())
    if owner.whole is not None:
        owner.whole.remember_share(owner.part, record)
