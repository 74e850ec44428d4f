"""Models over rolling windows of every group, as a table."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from ...compiled import rolling_ridge as kernels
from ...engines.pool import cores, in_threads
from ...learners.regression.linear_regression import LinearRegression
from ...learners.regression.ridge import Ridge
from ...statistics import in_words
from ...statistics.row_checks import available_memory
from ...statistics.warnings import warn
from .cube_stack import MomentStack, Stack, merged_safely
from .cube_tree import keys_of, steps_of

if TYPE_CHECKING:
    from ..model_cube import ModelCube

MOST = 2**31  # groups times steps


def rolled(cube: ModelCube, window: Any, step: Any, by: str | Sequence[str] | None, partial: bool) -> Any:
    """The table; see `ModelCube.roll`."""
    tree, grain = cube._fitted()._tree, cube._axes.grain
    width = grain.steps_in("window", window)
    every = 1 if step is None else grain.steps_in("step", step)
    names = () if by is None else (by,) if isinstance(by, str) else tuple(by)
    places = [cube._keys.place(name) for name in names]
    alpha, intercept = penalty_of(cube._model, tree.stack)
    low, high = tree.span
    steps = high - low + 1
    ends = np.arange(steps, 0 if partial else width - 1, -every)[::-1]
    if not len(ends):
        raise ValueError(f"window={window!r} is longer than the time of the cube, {cube.start_} to {cube.end_}")
    combos = sorted({tuple(combo[place] for place in places) for combo in cube._keys.combos})
    room(len(combos), steps, len(ends), tree.stack)
    stack, numbers = by_group(cube, combos, places, low, steps)
    columns = stack.columns if isinstance(stack, MomentStack) else stack.at(0).columns
    shape = len(combos), len(ends)
    found, weight, state = np.zeros((*shape, columns + 2)), np.zeros(shape), np.full(shape, kernels.HARD, np.int8)
    if isinstance(stack, MomentStack):
        pieces = np.array_split(np.arange(len(combos)), min(len(combos), 4 * cores()))

        def work(rows: np.ndarray) -> None:
            part = slice(rows[0], rows[-1] + 1)
            into = found[part], weight[part], state[part]
            kernels.roll_groups(numbers[part], ends, width, alpha, intercept, *stack.arrays, *into)

        in_threads(work, pieces)
    weight = careful(cube, stack, numbers, ends, width, found, weight, state)
    return table_of(cube, names, combos, ends + low, width, found, weight, state)


def penalty_of(model: Any, stack: Stack) -> tuple[float, bool]:
    """The penalty and whether there is an intercept, of learners whose windows can be solved in a row."""
    targets = stack.targets if isinstance(stack, MomentStack) else getattr(stack.at(0), "targets", 0)
    if type(model) not in (Ridge, LinearRegression):
        raise ValueError(
            f"roll solves least squares and ridge; of a {type(model).__name__} ask for one window at a time, cube[...]"
        )
    if targets != 1 or model.positive:
        raise ValueError("roll solves for one target, and for coefficients of either sign (positive=False)")
    alpha = np.atleast_1d(np.asarray(getattr(model, "alpha", 0.0), dtype=float))
    if alpha.shape != (1,) or not 0.0 <= alpha[0] < np.inf:
        raise ValueError(f"alpha must be one finite number that is not negative, got {model.alpha!r}")
    return float(alpha[0]), bool(model.fit_intercept)


def room(groups: int, steps: int, windows: int, stack: Stack) -> None:
    """Refuse what would not fit before anything is made."""
    columns = stack.columns if isinstance(stack, MomentStack) else stack.at(0).columns
    need, have = groups * (8 * steps + windows * 16 * (columns + 6)), available_memory()
    if need > have:
        raise ValueError(
            f"{groups:,} groups and {windows:,} windows need about {need / 2**30:.1f} GiB, {have / 2**30:.1f} GiB are "
            "free: take a longer step, or fewer groups"
        )


def by_group(
    cube: ModelCube, combos: list[tuple[Any, ...]], places: list[int], low: int, steps: int
) -> tuple[Stack, np.ndarray]:
    """The sums of every group and step: a stack, and numbers in it, -1 where there are no rows."""
    leaves, stack = cube._tree.leaves, cube._tree.stack
    number = {combo: k for k, combo in enumerate(combos)}
    group = np.array([number[tuple(combo[place] for place in places)] for combo in cube._keys.combos])
    cell = group[keys_of(leaves.codes)] * steps + (steps_of(leaves.codes) - low)
    numbers = np.full(len(combos) * steps, -1, dtype=np.int64)
    if len(combos) == len(cube._keys):
        numbers[cell] = leaves.numbers
        return stack, numbers.reshape(len(combos), steps)
    order = np.argsort(cell, kind="stable")
    kept, starts = np.unique(cell[order], return_index=True)
    merged = merged_safely(stack, leaves.numbers[order], np.append(starts, len(order)))
    numbers[kept] = np.arange(len(kept))
    return merged, numbers.reshape(len(combos), steps)


def careful(
    cube: ModelCube, stack: Stack, numbers: np.ndarray, ends: np.ndarray, width: int,
    found: np.ndarray, weight: np.ndarray, state: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Windows that are hard, each by the learner itself."""
    places = np.argwhere(state == kernels.HARD)
    faint = 0
    for group, place in places.tolist():
        nodes = numbers[group, max(ends[place] - width, 0) : ends[place]]
        nodes = nodes[nodes >= 0]
        if not len(nodes):
            state[group, place] = kernels.EMPTY
            continue
        sums = stack.take(nodes).listed().merged(np.arange(len(nodes)), np.array([0, len(nodes)])).at(0)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model = cube._model_of(sums)
            coef, intercept = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
            beta = float(np.ravel(model.noise_precision_)[0])
        faint += bool(told)
        rss = sums.weight / beta if beta > 0 else 0.0
        sums = in_words(sums)
        tss = float(sums.squares[-1]) + (0.0 if model.fit_intercept else sums.weight * float(sums.mean[-1]) ** 2)
        found[group, place] = [*coef, intercept, 0.0 if np.isinf(beta) else rss, tss]
        weight[group, place] = sums.weight
    if faint:
        warn(
            f"of {faint} windows the columns are constant or depend on each other: the solution of least norm is given"
        )
    return weight


def table_of(
    cube: ModelCube, names: Sequence[str], combos: list[tuple[Any, ...]], ends: np.ndarray, width: int,
    found: np.ndarray, weight: np.ndarray, state: np.ndarray,
) -> Any:  # fmt: skip
    """One row for every window that has rows."""
    group, place = np.nonzero(state != kernels.EMPTY)
    values, mass, grain = found[group, place], weight[group, place], cube._axes.grain
    rss, tss = values[:, -2], values[:, -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        r2 = np.where(tss > 0, 1.0 - rss / tss, np.nan)
    d = values.shape[1] - 3
    features = list(getattr(cube._model, "feature_names_in_", [f"x{j}" for j in range(d)]))
    features = features if len(features) == d else [f"x{j}" for j in range(d)]
    table: dict[str, Any] = {name: np.array([combo[k] for combo in combos])[group] for k, name in enumerate(names)}
    table |= {"start": grain.labels(ends - width)[place], "end": grain.labels(ends)[place], "weight": mass}
    own = ("intercept", "r2", "rmse", "hard", *table)
    table |= {f"coef_{name}" if name in own else str(name): values[:, j] for j, name in enumerate(features)}
    table |= {"intercept": values[:, d], "r2": r2, "rmse": np.sqrt(rss / mass)}
    table["hard"] = (state == kernels.HARD)[group, place]
    frame = nw.from_dict(table, backend=library())
    if cube._axes.zone == "utc":
        moments = [nw.col(name).dt.replace_time_zone("UTC") for name in ("start", "end")]
        frame = frame.with_columns(*moments)
    return frame.to_native()


def library() -> Any:
    """The data-frame library that is there: tables of results come in it."""
    from importlib.util import find_spec

    return next((name for name in ("pandas", "polars", "pyarrow") if find_spec(name)), "pandas")
