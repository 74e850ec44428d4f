"""What a cube has to do with files: it is saved, appended to, read again, and says what a stranger could read there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, cast

from ...learners.turns import in_turn
from .cube_keys import Keys
from .cube_leaves import Leaves
from .cube_parts import CubePart, shares_that_matter
from .cube_rows import CubeAxes
from .cube_tree import code_key, code_step

if TYPE_CHECKING:
    from ..model_cube import ModelCube


class InFiles:
    """For cubes."""

    advice_to_share: ClassVar[str] = (
        ": its leaves are sums of few rows; share the model of a window, save(cube[...], path, share=True)"
    )
    # of the cube that it is part of
    time: str
    by: tuple[str, ...]
    _axes: CubeAxes
    _keys: Keys
    _fitted: Any

    @in_turn
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the cube to a file that `load` reads; where it is there already, only what has changed since.

        The file is a journal: the whole cube, then what was appended, leaf by leaf. Whatever happens while it is
        written, `load` finds the state before or after. A file that another process has changed meanwhile is refused.
        Once the changes are larger than the cube, the file is written anew, beside the old one.
        """
        from .cube_file import saved

        saved(cast("ModelCube", self), path)

    def stored_state(self) -> dict[str, Any]:
        """What a file holds."""
        from .cube_file import state_of

        return state_of(self._fitted())

    @classmethod
    def of_stored_state(cls, state: dict[str, Any]) -> ModelCube:
        """The cube of what a file holds, held against it."""
        from .cube_file import cube_of

        return cube_of(cls, state)

    def loaded_from(self, path: str | os.PathLike[str], place: Any) -> None:
        """Remember the journal that it was read from, so that `save` appends to it."""
        from .cube_file import remember_file

        remember_file(cast("ModelCube", self), path, place, place.end)

    def rare_leaves(self, leaves: Leaves, least: int) -> Iterator[tuple[tuple[tuple[str, str], ...], int]]:
        """Where few rows stand, and how many: for `disclosure`."""
        for code, rows in leaves.rare(least):
            step, combo = self._axes.grain.label(code_step(code)), self._keys.combos[code_key(code)]
            yield (
                ((self.time, f"={step}"), *((name, f"={level}") for name, level in zip(self.by, combo, strict=True))),
                rows,
            )

    def shares_of(self, part: CubePart) -> list[dict[str, Any]]:
        """What was shared of the same part of the cube."""
        return shares_that_matter(vars(self).get("_shares", ()), part)

    def remember_share(self, part: CubePart, record: dict[str, Any]) -> None:
        others = tuple(share for share in vars(self).get("_shares", ()) if share[0] != part)
        vars(self).update({"_shares": (*others, (part, record)), "_untold": True})

    def replayed(self, change: ModelCube) -> ModelCube:
        """The cube after a change that a journal tells of."""
        from .cube_file import replayed

        return replayed(cast("ModelCube", self), change)
