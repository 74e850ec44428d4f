"""The plan of a boosting: what the parameters of an estimator come to, the same for every road."""

from __future__ import annotations

from dataclasses import dataclass, replace
from dataclasses import field as field_of
from typing import Any, NamedTuple

import numpy as np

from ...compiled.boost_growth import ALONE, BEST_FIRST, DRAWN, MOST_DEPTH, MOST_LEAVES, SPLIT_H, SPLIT_ROWS
from ...compiled.boost_splits import (
    BOUNDED,
    ENOUGH,
    LEAST_AMOUNT,
    LEAST_GAIN,
    LEAST_H,
    NOISE,
    PENALTY,
    SCALE_G,
    SCALE_H,
    SMOOTHING,
    SUPPORT,
    TREE_NUMBERS,
)
from ...statistics.warnings import warn
from .boost_losses import BoostLoss
from .boost_stopping import Stopping
from .boost_sums import FINE, scale_of

LEAST_HESSIAN = 1e-3  # on both sides of a split
CATEGORY = 10.0  # rows that a category needs, and Hessian that its gradient is shared with
ROOM = 2.0**31  # of a sum of gradients or of Hessians
MOST_EXPONENT = 430.0  # of weights times targets: units of 31 bits more have squares that are numbers
SLACK = 1e-9  # of amounts that are sums of fractions


class Scales(NamedTuple):
    """Units of a tree: of sums in histograms, and of the finer ones of its leaves."""

    g: float
    h: float
    fine_g: float
    fine_h: float

    @classmethod
    def of(cls, g: float, h: float | None, rows: float) -> Scales:
        """From the sizes of slopes and curvatures; no curvatures are ones. Rows are rounded by half a unit at most."""
        room = ROOM - 2.0 * rows
        if room <= 0:
            raise ValueError(f"{rows:.0f} rows are too many for sums of 32 bits")
        if h is None:
            return cls(scale_of(g, room), 1.0, scale_of(g, FINE), 1.0)
        return cls(scale_of(g, room), scale_of(h, room), scale_of(g, FINE), scale_of(h, FINE))


@dataclass(frozen=True)
class BoostPlan:
    """How trees are grown, and how many.

    Attributes
    ----------
    loss : BoostLoss
    rounds, rate : int, float
        Rounds of trees, and the factor on what they say.
    leaves, depth : int or None
        Most leaves and most depth of a tree.
    least, split : float
        Weight of the rows in a leaf, and in a node that is split, at least.
    share : float
        Share of all weight that a leaf needs.
    penalty : float
        On the squares of the values of leaves.
    drawn : int
        Columns drawn for a split: a number, a share in units of -2^-30, or 0 for all.
    newton : bool
        Whether Hessians have a part in the choice of splits; else these are least squares on the gradients.
    least_gain : float
        What a split must gain, per weight of all rows.
    prune : float
        Complexity parameter of minimal cost-complexity pruning.
    sample : float
        Share of the rows that a round sees.
    step : float
        Factor on the values of leaves, beside the rate.
    watched : bool
        Whether the loss on the training rows, and on those that a round did not see, is kept.
    start : "loss", "zero" or estimator
        Scores before the first tree: the best constant, nothing, or those of a model.
    directions, groups : arrays
        Monotonic constraints of the columns; groups of columns that may interact (groups, d), or none.
    seed : int
    """

    loss: BoostLoss
    rounds: int = 100
    rate: float = 0.1
    leaves: int | None = 31
    depth: int | None = None
    least: float = 20
    split: float = 2
    share: float = 0.0
    penalty: float = 0.0
    drawn: int = 0
    newton: bool = True
    least_gain: float = 0.0
    prune: float = 0.0
    sample: float = 1.0
    step: float = 1.0
    watched: bool = False
    start: Any = "loss"
    directions: np.ndarray | None = None
    groups: np.ndarray | None = None
    seed: int = 0

    @property
    def flat(self) -> bool:
        """Whether the Hessians of splits are the weights of the rows."""
        return not self.newton or self.loss.flat

    def without_rounds(self) -> BoostPlan:
        """Nothing to learn: all rows have one label."""
        return replace(self, rounds=0, start="zero")

    def warn_of_light_rows(self, weight: float, rows: int) -> None:
        """Weights that are shares, not numbers of rows, leave nothing to split."""
        if weight < 2.0 * self.least <= rows and self.rounds:
            warn(
                f"sample_weight adds up to {weight:g} on {rows} rows, and min_samples_leaf={self.least} is a weight: "
                "nothing can be split. Multiply the weights so that they are numbers of rows, or lower it",
                UserWarning,
            )

    def most_leaves(self, weight: float) -> int:
        """Leaves that a tree can have, whatever it is grown from."""
        most = max(int(weight // max(self.leaf_weight(weight), 1e-300)) if self.least or self.share else 2**31, 1)
        most = min(most, 2 ** min(self.depth, 31)) if self.depth is not None else most
        return most if self.leaves is None else min(most, self.leaves)

    def leaf_weight(self, weight: float) -> float:
        return max(float(self.least), self.share * weight)

    def limits(self, rows: int, weight: float, unit: float, alone: int) -> np.ndarray:
        """Limits of a tree; `unit` is the Hessian of a row in whole units, or 0 where it varies."""
        limits = np.zeros(7, np.int64)
        limits[MOST_LEAVES] = min(self.most_leaves(weight), max(rows, 1))
        limits[MOST_DEPTH] = 2**31 if self.depth is None else self.depth
        limits[DRAWN], limits[BEST_FIRST], limits[ALONE] = self.drawn, self.leaves is not None, alone
        limits[SPLIT_ROWS] = 2
        needed = max(2.0 * self.leaf_weight(weight), float(self.split))
        limits[SPLIT_H] = int(min(np.ceil(needed * unit * (1.0 - SLACK)), 2.0**62))  # more than all sums: never
        return limits

    def numbers(
        self, scales: Scales, weight: float, hessian: int, largest: float, amounts: float, bounded: bool
    ) -> np.ndarray:
        """Settings of a tree. `hessian` is the sum of all, `largest` that of one unit of weight, in whole units;
        `amounts` is how many units a weight of one is counted as, or 0 where Hessians are weights."""
        n = np.zeros(TREE_NUMBERS)
        scale_g, scale_h = scales.g, scales.h
        n[PENALTY], n[SCALE_G], n[SCALE_H] = self.penalty * scale_h, scale_g, scale_h
        n[SMOOTHING] = CATEGORY * scale_h
        mean = hessian / weight
        n[SUPPORT] = CATEGORY * mean * (1.0 - SLACK)
        least = self.leaf_weight(weight)
        n[LEAST_H] = max(LEAST_HESSIAN * scale_h, 1.0)
        if amounts:
            n[LEAST_AMOUNT] = max(least * amounts * (1.0 - SLACK), 1.0)
            n[ENOUGH] = least * largest
        else:
            n[LEAST_H] = max(n[LEAST_H], least * scale_h * (1.0 - 1e-6))
        n[NOISE] = 4.0 / max(mean, 1.0)
        n[LEAST_GAIN] = self.least_gain * weight * scale_g * scale_g / scale_h
        n[BOUNDED] = float(bounded)
        return n


@dataclass(frozen=True)
class BoostFacts:
    """What must be known of the rows before a plan is made: columns, weight, labels, ends of the targets."""

    features: int
    names: Any
    weight: float
    classes: np.ndarray | None = None
    low: float = 1.0
    high: float = 1.0

    def __post_init__(self) -> None:
        """Refuse sizes whose squares are out of range."""
        span = 0.5 * self.high - 0.5 * self.low
        away = abs(np.log2(self.weight)) if 0.0 < self.weight < np.inf else np.inf
        if away > MOST_EXPONENT:
            raise ValueError(
                f"sample_weight adds up to {self.weight:g}: squares of such weights are out of range; weights are "
                "numbers of rows"
            )
        if span > 0.0 and away + abs(np.log2(span)) > MOST_EXPONENT:
            raise ValueError(
                f"y reaches from {self.low:g} to {self.high:g}, with weights that add up to {self.weight:g}: squares "
                "of these are out of range; rescale y"
            )


@dataclass(frozen=True)
class BoostTask:
    """What is to be learnt, and how; and the fitted attributes that are known by now."""

    plan: BoostPlan
    stopping: Stopping | None
    classes: np.ndarray | None
    attributes: dict[str, Any] = field_of(default_factory=dict)


def constraints(plan: BoostPlan, features: int) -> tuple[np.ndarray, np.ndarray]:
    """Directions and groups as arrays, where a plan has none too."""
    directions = np.zeros(features, np.int8) if plan.directions is None else plan.directions.astype(np.int8)
    groups = np.zeros((0, features), np.uint8) if plan.groups is None else plan.groups.astype(np.uint8)
    return directions, groups


def key_of(plan: BoostPlan, tree: int) -> np.uint64:
    """Where the draws of a tree begin."""
    return np.uint64((plan.seed * 0x9E3779B97F4A7C15 + (tree + 1) * 0xD1B54A32D192ED03) % 2**64)


def checked_directions(value: Any, features: int, names: Any) -> np.ndarray | None:
    """Monotonic constraints as an array of -1, 0 and 1, from an array, a list or a dictionary by name."""
    if value is None:
        return None
    if isinstance(value, dict):
        if names is None:
            raise ValueError("monotonic_cst was given by names of columns, but X has none")
        unknown = [name for name in value if name not in list(names)]
        if unknown:
            raise ValueError(f"monotonic_cst names columns that X does not have: {unknown[:5]}")
        value = [value.get(name, 0) for name in names]
    array = np.asarray(value)
    if array.shape != (features,):
        raise ValueError(f"monotonic_cst has shape {array.shape} but the input data X has {features} features.")
    if not np.isin(array, (-1, 0, 1)).all():
        bad = array[~np.isin(array, (-1, 0, 1))]
        raise ValueError(f"monotonic_cst must hold -1, 0 and 1 only, got {bad.flat[0]!r}")
    return array.astype(np.int8) if array.any() else None


def checked_groups(value: Any, features: int) -> np.ndarray | None:
    """Interaction constraints as rows of flags; columns that are in no group form one."""
    if value is None or (value == "pairwise" and features < 3):
        return None
    if isinstance(value, str):
        sets: list[Any] = (
            [(j,) for j in range(features)]
            if value == "no_interactions"
            else [(i, j) for i in range(features) for j in range(i)]
        )
    else:
        try:
            sets = [set(group) for group in value]
        except TypeError:
            raise ValueError(
                "Interaction constraints must be a sequence of tuples or lists (or sets) of places of columns, got "
                f"interaction_cst={value!r}"
            ) from None
    groups = np.zeros((len(sets), features), np.uint8)
    for row, group in zip(groups, sets, strict=True):
        for place in group:
            if not isinstance(place, int | np.integer) or not 0 <= place < features:
                raise ValueError(
                    "Interaction constraints must consist of integer indices in [0, n_features - 1] = "
                    f"[0, {features - 1}], specifying the position of features, got {place!r} in interaction_cst"
                )
            row[place] = 1
    left = ~groups.any(axis=0)
    return np.vstack([groups, left.astype(np.uint8)]) if left.any() else groups
