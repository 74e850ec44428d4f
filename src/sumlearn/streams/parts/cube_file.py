"""A cube as a file: its leaves and what tells them apart, whole or as what has changed since it was saved."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...learners.learner import Learner
from ...saving import journal
from ...saving.writing import archived
from .cube_growth import grown
from .cube_keys import KINDS, Keys
from .cube_leaves import Leaves, leaves_with
from .cube_parts import as_stored, from_stored
from .cube_rows import CubeAxes
from .cube_time import Grain
from .cube_tree import CubeTree, keys_of

if TYPE_CHECKING:
    from ..model_cube import ModelCube

ZONES = ("naive", "utc", "number")


def saved(cube: ModelCube, path: str | os.PathLike[str]) -> None:
    """Write the cube, or what has changed of it; see `ModelCube.save`."""
    where = Path(os.path.realpath(path))
    known = cube._fitted().__dict__.get("_file")
    changed: np.ndarray = cube.__dict__.get("_changed", np.zeros(0, np.int64))
    if known is not None and known[0] == str(where) and where.exists():
        place, base = known[1:]
        if not len(changed) and not cube.__dict__.get("_untold"):
            return
        record = archived(change_of(cube, changed))
        if place.end + len(record) <= 2 * base:
            place = journal.appended(where, place, record)
            remember_file(cube, where, place, base)
            return
    else:
        place = None
    place = journal.begun(where, archived(cube), place)
    remember_file(cube, where, place, place.end)


def remember_file(cube: ModelCube, path: Any, place: journal.Place, base: int) -> None:
    """The journal that holds the cube as it is, and how large it was when it was written whole."""
    cube.__dict__.update({"_file": (os.path.realpath(path), place, base), "_changed": np.zeros(0, np.int64)})
    cube.__dict__.pop("_untold", None)


def change_of(cube: ModelCube, changed: np.ndarray) -> ModelCube:
    """A cube of those leaves alone that have changed, and the codes of those that are gone."""
    part = object.__new__(type(cube))
    part.__dict__.update(cube.__dict__)
    leaves = cube._tree.leaves
    here = np.isin(leaves.codes, changed)
    chosen = leaves._replace(codes=leaves.codes[here], numbers=leaves.numbers[here])
    part._tree = CubeTree(cube._tree.stack, (chosen,), (0, 0))
    part.__dict__["_gone"] = np.setdiff1d(changed, leaves.codes)
    return part


def state_of(cube: ModelCube) -> dict[str, Any]:
    """What a file holds of a cube."""
    leaves = cube._tree.leaves
    sums = leaves_with(leaves.codes, cube._tree.stack.take(leaves.numbers))
    return {
        "learner": cube.learner,
        "model": cube._model,
        "time": cube.time,
        "grain": cube.grain,
        "by": list(cube.by),
        "zone": cube._axes.zone,
        "target": cube._target,
        "weights": cube._weights,
        "keys": json.dumps([list(combo) for combo in cube._keys.combos]),  # as one text: there may be many
        "leaves": sums,
        "gone": cube.__dict__.get("_gone", np.zeros(0, np.int64)),
    } | ({"shares": as_stored(cube.__dict__["_shares"])} if "_shares" in cube.__dict__ else {})


def cube_of(kind: Any, state: dict[str, Any]) -> ModelCube:
    """The cube again; raises ValueError where its parts contradict each other."""
    names = ("learner", "model", "time", "grain", "by", "zone", "target", "weights", "keys", "leaves", "gone")
    if {*state} - {"shares"} != {*names}:
        raise ValueError(f"a cube is made of {sorted(names)}, the file has {sorted(state)}")
    learner, model, leaves, gone = (state[name] for name in ("learner", "model", "leaves", "gone"))
    sound = isinstance(learner, Learner) and type(model) is type(learner) and "statistic_" not in vars(model)
    sound = sound and isinstance(leaves, Leaves) and state["zone"] in ZONES
    sound = sound and isinstance(gone, np.ndarray) and gone.dtype == np.int64 and gone.ndim == 1
    sound = sound and all(isinstance(state[name], str | None) for name in ("target", "weights"))
    if not sound:
        raise ValueError("the parts of a cube do not fit together")
    cube: ModelCube = kind(learner, time=state["time"], grain=state["grain"], by=state["by"])
    combos = [tuple(combo) for combo in json.loads(state["keys"])]
    levels = {type(level) for combo in combos for level in combo}
    if len(set(combos)) != len(combos) or any(len(combo) != len(cube.by) for combo in combos) or levels - set(KINDS):
        raise ValueError("the keys of a cube are not told apart, or are no levels of its columns")
    if len(leaves.codes) and int(keys_of(leaves.codes[-1])) >= len(combos):
        raise ValueError(f"a cube has {len(combos)} keys and leaves of others")
    tree = (
        grown(leaves.codes, leaves.stack())
        if len(leaves.codes)
        else CubeTree.grown(leaves.stack(), leaves.codes, gone[:0])
    )
    axes = CubeAxes(cube.time, cube.by, Grain.of(cube.grain), state["zone"])
    known = {"_axes": axes, "_model": model, "_keys": Keys(cube.by, combos), "_tree": tree}
    cube.__dict__.update(known | {"_target": state["target"], "_weights": state["weights"]})
    if "shares" in state:
        cube.__dict__["_shares"] = from_stored(state["shares"])
    cube.__dict__.update({"_file": None, "_changed": None} | ({"_gone": gone} if len(gone) else {}))
    return cube


def replayed(cube: ModelCube, change: ModelCube) -> ModelCube:
    """The cube after a change: leaves that have other sums now, and leaves that are gone."""
    own, new = cube._keys.combos, change._keys.combos
    if new[: len(own)] != own or (change.time, change.by, change.grain) != (cube.time, cube.by, cube.grain):
        raise ValueError("what was appended to the cube is of another one")
    from .cube_stack import alike

    leaves = change._tree.leaves
    stack, more = alike(cube._tree.stack, change._tree.stack.take(leaves.numbers))
    numbers = stack.extend(more)
    gone = change.__dict__.get("_gone", np.zeros(0, np.int64))
    tree = CubeTree(stack, cube._tree.floors, cube._tree.shape).with_leaves(leaves.codes, numbers, gone)
    made = object.__new__(type(cube))
    made.__dict__.update(cube.__dict__ | {"_keys": change._keys, "_model": change._model, "_axes": change._axes})
    made._tree = tree
    if "_shares" in change.__dict__:
        made.__dict__["_shares"] = change.__dict__["_shares"]
    return made
