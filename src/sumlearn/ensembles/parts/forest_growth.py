"""How a forest grows: what every tree is given, which rows it draws, and who grows it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...compiled.forest_growth import ENTROPY, GINI, POISSON, SQUARED, grow
from ...compiled.forest_walk import pack, prune
from ...compiled.row_hash import row_hashes
from ...engines import in_threads
from ...learners.trees.parts.binning import whole_weights
from .forest_medians import median_tree
from .forest_trees import ForestTrees

CRITERIA = {"gini": GINI, "entropy": ENTROPY, "log_loss": ENTROPY, "squared_error": SQUARED, "friedman_mse": SQUARED,
            "poisson": POISSON}  # fmt: skip
ROWS = 2**14  # that are hashed at a time
DRAWS = 2**24  # rows that are drawn one by one; more are drawn by their numbers
NONE, UNLIMITED = np.zeros(0, np.int64), np.iinfo(np.int64).max


@dataclass(frozen=True)
class Growing:
    """What bounds a tree: numbers, not shares.

    min_fraction is the least share of the mass of a tree that a leaf has; alpha the price of a leaf when it is pruned.
    """

    criterion: str
    max_features: int
    max_depth: int
    min_split: int
    min_leaf: int
    min_fraction: float
    max_leaves: int
    min_decrease: float
    alpha: float
    monotone: np.ndarray


@dataclass(frozen=True)
class ForestRows:
    """Rows as trees see them: codes of bins, labels or targets, weights.

    `weight` is the number of times that a row is there, `factor` what class weights make of it. Codes of labels
    (outputs, rows) have `counts` classes each; where there are none, there are targets (outputs, rows), which are
    scaled by a power of two to lie within -1 and 1.
    """

    codes: np.ndarray
    sizes: np.ndarray
    labels: np.ndarray
    counts: tuple[int, ...]
    targets: np.ndarray
    weight: np.ndarray
    factor: np.ndarray | None = None

    @property
    def classes(self) -> int:
        """Of all outputs together; 0 for targets."""
        return sum(self.counts)

    @property
    def outputs(self) -> int:
        return len(self.counts) or len(self.targets)

    @property
    def width(self) -> int:
        """How many numbers a leaf has."""
        return self.classes or len(self.targets)

    @cached_property
    def numbered(self) -> np.ndarray:
        """Labels whose codes go on from output to output."""
        before = np.cumsum((0, *self.counts))[: len(self.labels), None]
        return np.ascontiguousarray(self.labels + before, dtype=np.int32)

    @cached_property
    def varying(self) -> np.ndarray:
        """The columns that are not constant: the others have no part in anything."""
        return np.flatnonzero(self.codes.max(axis=0) != self.codes.min(axis=0))

    @cached_property
    def by_column(self) -> np.ndarray:
        return np.ascontiguousarray(self.codes.T).reshape(-1)

    @cached_property
    def exponent(self) -> int:
        """Targets are below this power of two."""
        return int(np.frexp(np.abs(self.targets).max(initial=0.0))[1])

    @cached_property
    def scaled(self) -> np.ndarray:
        return np.ldexp(self.targets, -self.exponent)

    @cached_property
    def mass(self) -> np.ndarray:
        """Weights with their factors in whole numbers."""
        weight = self.weight if self.factor is None else self.weight * self.factor
        return whole_weights(weight).astype(np.int64)

    @cached_property
    def counts_rows(self) -> bool:
        """Whether the weights are whole numbers: so many rows."""
        return bool((np.rint(self.weight) == self.weight).all())

    @cached_property
    def multiples(self) -> np.ndarray:
        """How many rows a row stands for; nothing where that is one, as it is with weights that are parts of rows."""
        return (
            NONE if not self.counts_rows or (self.weight == 1).all() else np.minimum(self.weight, 2.0**40).astype(int)
        )

    @cached_property
    def canonical(self) -> np.ndarray:
        """Rows in an order of their own, whatever order they came in; equal rows are neighbours."""
        return np.argsort(self.hashes, kind="stable")

    @property
    def fingerprint(self) -> int:
        """A number that tells whether these are the rows of another fit."""
        return int(self.hashes.sum())

    @cached_property
    def hashes(self) -> np.ndarray:
        n, d = len(self.codes), len(self.varying)
        hashes = np.empty(n, np.uint64)
        words = np.zeros((min(n, ROWS), -(-d // 8) + self.outputs), np.uint64)
        known = self.labels if self.classes else self.targets + 0.0
        for start in range(0, n, ROWS):
            rows = slice(start, min(start + ROWS, n))
            part = words[: rows.stop - start]
            part[:, : -self.outputs].view(np.uint8)[:, :d] = self.codes[rows][:, self.varying]
            part[:, -self.outputs :] = known.T[rows].astype(np.float64).view(np.uint64)
            row_hashes(part, hashes[rows])
        return hashes

    @cached_property
    def draw(self) -> Draw:
        """How rows are drawn."""
        mass = self.mass[self.canonical]
        return Draw(self.canonical.astype(np.int32), np.cumsum(mass) if (mass != 1).any() else NONE)

    def drawn(self, generator: np.random.Generator, size: int) -> np.ndarray:
        """How often each row is drawn; with size 0 all rows are taken."""
        return self.draw.counts(generator, size) if size else self.mass

    def bags(self, seed: int, draws: np.ndarray, n_jobs: int) -> np.ndarray:
        """Bits (trees, rows / 8) of the rows that each tree has drawn: they follow from the seed."""
        _ = self.draw

        def bag(number: int) -> np.ndarray:
            return np.packbits(self.drawn(generator_of(seed, number), int(draws[number])) > 0)

        return np.array(in_threads(bag, range(len(draws)), n_jobs))


class Draw(NamedTuple):
    """Rows in an order of their own, and the mass of those up to each one; nothing where every row has one."""

    order: np.ndarray
    below: np.ndarray

    def counts(self, generator: np.random.Generator, size: int) -> np.ndarray:
        """How often each row is drawn.

        Draws are places among all mass: a row of weight two is drawn as two rows would be, whatever their order.
        """
        order, below = self
        n, whole = len(order), below[-1] if len(below) else len(order)
        if size > max(DRAWS, 4 * n):
            mass = np.diff(below, prepend=0) if len(below) else np.ones(n)
            counts = generator.multinomial(size, mass / whole)
        else:
            places = generator.integers(0, whole, size)
            if len(below):
                places = np.searchsorted(below, places, side="right")
            counts = np.bincount(places, minlength=len(order))
        out = np.empty(len(order), np.int64)
        out[order] = counts
        return out


def generator_of(seed: int, number: int) -> np.random.Generator:
    """The draws of one tree."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, number))))


def grown(
    rows: ForestRows, growing: Growing, seed: int, numbers: range, draws: int, subsample: bool, n_jobs: int, tell: Any,
    own_seed: int | None = None,
) -> ForestTrees:  # fmt: skip
    """The trees of these numbers, for each of which so many rows are drawn, or all are taken (0).

    With `subsample` classes are balanced anew in each. `own_seed` is that of a single tree, whose rows are given.
    """
    _ = rows.by_column, rows.scaled, rows.mass, rows.multiples, rows.numbered  # before threads ask for them
    _ = rows.canonical if growing.criterion == "absolute_error" else None
    _ = rows.draw if draws else None

    def tree(number: int) -> Any:
        generator = generator_of(seed, number)
        mass = rows.drawn(generator, draws)
        if subsample:
            mass = balanced(mass, rows)
        tell(number)
        choices = seed_of_choices(generator) if own_seed is None else own_seed
        return one_tree(rows, growing, mass, NONE if draws else rows.multiples, choices)

    return ForestTrees.of(in_threads(tree, numbers, n_jobs), rows.classes if rows.outputs == 1 else 0)


def seed_of_choices(generator: np.random.Generator) -> int:
    """Where the choices of columns begin, after the draws of rows."""
    return int(generator.integers(1, 2**63 - 1))


def balanced(mass: np.ndarray, rows: ForestRows) -> np.ndarray:
    """Masses by which the classes that were drawn weigh the same."""
    factor: Any = 1.0
    for labels, classes in zip(rows.labels, rows.counts, strict=True):
        by_class = np.bincount(labels, mass, minlength=classes)
        factor = factor * (mass.sum() / (np.count_nonzero(by_class) * np.maximum(by_class, 1.0)))[labels]
    return whole_weights(mass * factor).astype(np.int64)


def one_tree(rows: ForestRows, growing: Growing, mass: np.ndarray, multiples: np.ndarray, seed: int) -> tuple[Any, ...]:
    """Words, values of leaves, importances, depth and number of leaves of one tree."""
    if growing.criterion == "absolute_error":
        return median_tree(rows, growing, mass, multiples, seed)
    drawn = int(np.count_nonzero(mass))
    most = 2 * min(drawn, growing.max_leaves or drawn) - 1
    if growing.max_depth < 40:
        most = min(most, 2 ** (growing.max_depth + 1) - 1)
    categories = bool(rows.sizes.any())
    features, cuts, children = (np.empty(most, np.int32) for _ in range(3))
    gains, impurities, values = np.empty(most), np.empty(most), np.empty((most, 1 if rows.classes else rows.outputs))
    weights, depths, runs = np.empty(most, np.int64), np.empty(most, np.int64), np.empty((most, 2), np.int64)
    masks, index = np.empty((most if categories else 1, 4), np.uint64), np.empty(len(mass), np.uint32)
    criterion = CRITERIA[growing.criterion]
    unit = 0 if rows.classes else rows.exponent * (1 if criterion == POISSON else 2)  # of impurities, as an exponent
    limits = [growing.max_features, growing.max_depth, growing.min_split, growing.min_leaf]
    least = int(np.ceil(growing.min_fraction * float(mass.sum())))
    nodes = grow(
        rows.codes.reshape(-1), rows.by_column, rows.varying, rows.sizes, growing.monotone, mass, multiples,
        rows.numbered, rows.classes, rows.scaled, criterion, np.array([*limits, least, growing.max_leaves], np.int64),
        np.ldexp(growing.min_decrease, -unit), seed, index, features, cuts, children, gains, weights, impurities,
        values, runs, depths, masks,
    )  # fmt: skip
    if growing.alpha > 0:
        prune(features, children, weights, impurities, nodes, np.ldexp(growing.alpha, -unit))
    words = np.empty(3 * nodes if categories else nodes, np.uint64)
    leaf_values = np.empty((nodes // 2 + 1, rows.width))
    importances, clipped = np.zeros(rows.codes.shape[1]), len(growing.monotone) > 0
    used, own, depth, leaves = pack(
        features, cuts, children, gains, masks, runs, depths, index, mass, rows.numbered, rows.classes, values, clipped,
        nodes, words, leaf_values, importances,
    )  # fmt: skip
    whole = importances.sum()
    shares = leaf_values[:own].copy() if rows.classes else np.ldexp(leaf_values[:own], rows.exponent)
    return words[:used].copy(), shares, importances / whole if whole > 0 else importances, depth, leaves
