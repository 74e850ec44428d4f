"""Rows that came late, were corrected or deleted: a cube is afterwards what it would be without them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from ...data.names import nearest
from ...data.source import frame_of, is_frame
from .cube_growth import numbers_at, with_sums
from .cube_leaves import combined
from .cube_rows import NewLeaves
from .cube_stack import alike, stack_of
from .cube_tree import CubeTree, keys_of, steps_of

if TYPE_CHECKING:
    from ..model_cube import ModelCube


def applied(cube: ModelCube, changes: Any, y: Any, weight: Any, sign: str, old: Any, new: Any) -> ModelCube:
    """The cube with the changes taken in, all of them or none."""
    if (changes is None) == (old is None and new is None):
        raise TypeError(f"give changes with a column {sign!r} of 1 and -1, or old and new rows")
    if changes is not None:
        new, old = by_sign(changes, sign)
        for name, value in (("y", y), ("sample_weight", weight)):
            if not (value is None or isinstance(value, str)):
                raise TypeError(f"the rows go by their sign, so {name} must name a column of them")
    elif not (y is None or isinstance(y, str)) or not (weight is None or isinstance(weight, str)):
        raise TypeError("old and new rows have targets and weights of their own: y and sample_weight name columns")
    if old is not None and "forget" not in cube._fitted()._model.own_abilities():
        raise ValueError(f"a {type(cube.learner).__name__} cannot forget: rows can come, none can be taken out")
    come = None if new is None else cube._read(new, y, weight)
    gone = None if old is None else cube._read(old, y, weight, cube._keys if come is None else come.keys)
    if gone is None or not len(gone.codes):
        return (
            cube
            if come is None or not len(come.codes)
            else cube._commit(come, with_sums(cube._tree, come.codes, come.stack))
        )
    tree, touched = without(cube, come, gone)
    kept = NewLeaves(touched, gone.stack, gone.keys if come is None else come.keys, gone.zone, gone.learner)
    if come is not None and len(gone.keys) > len(come.keys):  # refused before: what is gone was never there
        raise AssertionError("a key that nobody has was removed")
    whole = all(getattr(gone.stack.at(i), "is_whole", True) for i in range(len(gone.stack)))
    if not whole:  # rows may have gone with a part of their weight
        kept.learner._removed = True
    return cube._commit(kept, tree)


def by_sign(changes: Any, sign: str) -> tuple[Any, Any]:
    """The rows of sign 1, and those of sign -1; None where there are none."""
    if not is_frame(changes):
        raise TypeError(f"changes are a data frame with a column {sign!r}, got {type(changes).__name__}")
    frame = frame_of(changes)
    if sign not in frame.columns:
        raise ValueError(f"no column {sign!r} in the changes{nearest(sign, list(frame.columns))}")
    column = frame.get_column(sign)
    values = column.cast(nw.Float64).to_numpy() if column.dtype.is_numeric() else np.full(len(frame), np.nan)
    wrong = ~np.isin(values, (1.0, -1.0))
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"a sign is 1 or -1, row {row} of column {sign!r} has {column[row]!r}")
    frame = frame.drop(sign)
    parts = [frame[np.flatnonzero(values == side)].to_native() for side in (1.0, -1.0)]
    return parts[0] if (values == 1.0).any() else None, parts[1] if (values == -1.0).any() else None


def without(cube: ModelCube, come: NewLeaves | None, gone: NewLeaves) -> tuple[CubeTree, np.ndarray]:
    """The tree with some leaves added and then others removed, and the codes of all of these."""
    tree, last_bit = cube._tree, last_bit_of(gone.learner)
    before = {} if come is None else dict(zip(come.codes.tolist(), range(len(come.codes)), strict=True))
    place = (
        dict(zip(tree.leaves.codes.tolist(), tree.leaves.numbers.tolist(), strict=True))
        if len(gone.codes) > 64
        else None
    )
    rest: list[Any] = []
    for i, code in enumerate(gone.codes.tolist()):
        number = number_of(tree, code) if place is None else place.get(code)
        parts = [] if number is None else [tree.stack.at(number)]
        if code in before:
            assert come is not None
            parts.append(come.stack.at(before[code]))
        where = place_of(cube, gone, code)
        if not parts:
            raise ValueError(f"cannot remove rows that were never there: there are none {where}")
        try:
            rest.append(
                (parts[0] if len(parts) == 1 else parts[0].merge(parts[1])).remove(gone.stack.at(i), **last_bit)
            )
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
    left = np.array([part.rows > 0 for part in rest])
    changed = gone.codes[left]
    touched, pieces = gone.codes, [(changed, stack_of([part for part in rest if part.rows]))] if left.any() else []
    stack = tree.stack
    codes, numbers = gone.codes[:0], np.zeros(0, np.int64)
    if come is not None and len(come.codes):
        others = ~np.isin(come.codes, gone.codes)
        if others.any():
            codes = come.codes[others]
            stack, numbers = combined(stack, numbers_at(tree, codes), come.stack.take(np.flatnonzero(others)))
        touched = np.union1d(touched, come.codes)
    for own, piece in pieces:
        stack, more = alike(stack, piece)
        codes, numbers = np.append(codes, own), np.append(numbers, stack.extend(more))
    if len(codes) == 0 and left.sum() == 0 and len(tree.leaves.codes) == len(gone.codes):
        raise ValueError("no row would be left in the cube: fit it anew with those that should be there")
    order = np.argsort(codes)
    return replace(tree, stack=stack).with_leaves(codes[order], numbers[order], gone.codes[~left]), touched


def number_of(tree: CubeTree, code: int) -> int | None:
    place = int(np.searchsorted(tree.leaves.codes, code))
    there = place < len(tree.leaves.codes) and tree.leaves.codes[place] == code
    return int(tree.leaves.numbers[place]) if there else None


def last_bit_of(learner: Any) -> dict[str, Any]:
    """Rows behind a basis may come back with another last bit (`Moments.remove`)."""
    basis = learner.__dict__.get("basis_")
    if basis is None or basis.row_by_row:
        return {}
    return {"rounded": float(np.finfo(np.float64 if basis.double else learner.float_dtype).epsneg)}


def place_of(cube: ModelCube, leaves: NewLeaves, code: int) -> str:
    """A leaf in words."""
    one = np.array([code])
    combo = leaves.keys.combos[int(keys_of(one)[0])]
    groups = "".join(f", {name} = {level!r}" for name, level in zip(cube.by, combo, strict=True))
    return f"in the step from {cube._axes.grain.label(int(steps_of(one)[0]))}{groups}"
