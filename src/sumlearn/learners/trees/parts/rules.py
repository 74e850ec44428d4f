"""Rules: what has to be so on the way to a leaf, and how little of it is enough."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from .pruning import most_errors
from .tree import Tree
from .wording import Wording


@dataclass(frozen=True, eq=False)
class Condition:
    """What a column has to be: low < x <= high, or one of the levels that are marked; and whether a gap will do."""

    feature: int
    low: float
    high: float
    levels: np.ndarray | None
    gaps: bool

    def holds(self, values: np.ndarray) -> np.ndarray:
        known = ~np.isnan(values)
        if self.levels is None:
            inside = (values > self.low) & (values <= self.high)
        else:
            place = np.where(known, values, 0).astype(np.int64)
            inside = (place < len(self.levels)) & self.levels[np.minimum(place, len(self.levels) - 1)]
        return np.where(known, inside, self.gaps)

    def and_also(self, other: Self) -> Self:
        """Both conditions on one column, as one."""
        levels = self.levels if other.levels is None else other.levels if self.levels is None else None
        if self.levels is not None and other.levels is not None:
            levels = self.levels & other.levels
        low, high = max(self.low, other.low), min(self.high, other.high)
        return replace(self, low=low, high=high, levels=levels, gaps=self.gaps and other.gaps)

    def same(self, other: Self) -> bool:
        parts = (self.feature, self.low, self.high, self.gaps) == (other.feature, other.low, other.high, other.gaps)
        if not parts or (self.levels is None) != (other.levels is None):
            return False
        return self.levels is None or np.array_equal(self.levels, other.levels)  # type: ignore[arg-type]

    def text(self, words: Wording) -> str:
        if self.levels is not None:
            return words.among(self.feature, self.levels)
        return words.interval(self.feature, self.low, self.high)


@dataclass(frozen=True, eq=False)
class TreeRule:
    """If all conditions hold: masses of the classes among the rows learnt for which they do."""

    conditions: tuple[Condition, ...]
    counts: np.ndarray
    label: int

    def holds(self, X: np.ndarray) -> np.ndarray:
        inside = np.ones(len(X), dtype=bool)
        for condition in self.conditions:
            inside &= condition.holds(X[:, condition.feature])
        return inside

    def text(self, words: Wording) -> str:
        mass, wrong = self.counts.sum(), self.counts.sum() - self.counts[self.label]
        errors = f"/{wrong:.4g}" if wrong > 1e-9 * mass else ""
        conditions = " and ".join(condition.text(words) for condition in self.conditions) or "always"
        return f"if {conditions}: {words.classes[self.label]} ({mass:.6g}{errors})"


def rules_of(tree: Tree, says: np.ndarray) -> list[TreeRule]:
    """A rule for each leaf, which says the class `says[leaf]`; a gap goes the way that `Tree.apply` lets it go."""
    gap = np.where(tree.gap >= 0, tree.gap, tree.heaviest)
    ways: list[tuple[Condition, ...]] = [()] * tree.node_count
    rules = []
    for node in range(tree.node_count):
        if tree.is_leaf[node]:
            counts = tree.value[node, 0] * tree.weighted_n_node_samples[node]
            rules.append(TreeRule(ways[node], counts, int(says[node])))
        for branch, child in enumerate(tree.below(node)):
            ways[child] = joined(ways[node], condition_of(tree, node, branch, bool(gap[node] == branch)))
    return rules


def condition_of(tree: Tree, node: int, branch: int, gaps: bool) -> Condition:
    """What leads from a node to one of its branches."""
    j = int(tree.feature[node])
    if tree.place[node] < 0:
        at = float(tree.threshold[node])
        return Condition(j, *((-np.inf, at) if branch == 0 else (at, np.inf)), None, gaps)
    side = tree.side[tree.place[node] : tree.place[node] + tree.width[node]]
    return Condition(j, -np.inf, np.inf, (side == branch) | ((side < 0) & gaps), gaps)


def joined(way: tuple[Condition, ...], more: Condition) -> tuple[Condition, ...]:
    """A way with a further condition; two on one column become one."""
    for place, condition in enumerate(way):
        if condition.feature == more.feature:
            return (*way[:place], condition.and_also(more), *way[place + 1 :])
    return (*way, more)


class Learnt(NamedTuple):
    """Coded rows with the codes of their classes and their weights."""

    X: np.ndarray
    code: np.ndarray
    weight: np.ndarray
    classes: int

    def counts(self, inside: np.ndarray) -> np.ndarray:
        return np.bincount(self.code[inside], self.weight[inside], self.classes)


def simplified(rule: TreeRule, rows: Learnt, confidence: float) -> TreeRule:
    """Conditions go, one after the other, as long as the expected share of errors does not rise (Quinlan 1993, 5.2)."""
    holds = [condition.holds(rows.X[:, condition.feature]) for condition in rule.conditions]
    kept = list(range(len(holds)))

    def tried(places: list[int]) -> tuple[float, np.ndarray]:
        inside = np.ones(len(rows.X), dtype=bool)
        for place in places:
            inside &= holds[place]
        counts = rows.counts(inside)
        return expected_share(counts, rule.label, confidence), counts

    share, counts = tried(kept)
    while kept:
        without = [(*tried([k for k in kept if k != place]), place) for place in kept]
        best = min(without, key=lambda one: one[0])
        if best[0] > share:
            break
        share, counts = best[0], best[1]
        kept.remove(best[2])
    return TreeRule(tuple(rule.conditions[k] for k in kept), counts, rule.label)


def expected_share(counts: np.ndarray, label: int, confidence: float) -> float:
    """Upper limit of the share of errors of a rule."""
    mass = float(counts.sum())
    return most_errors(mass - float(counts[label]), mass, confidence) / mass if mass > 0 else 1.0


def chosen(rules: list[TreeRule], rows: Learnt, confidence: float) -> tuple[list[TreeRule], np.ndarray]:
    """The rules that stay, in the order in which they are asked, and the masses of the classes that no rule is for.

    Rules of least expected errors come first. One stays if it is right about a row that none before it has spoken of;
    the list ends where it has fewest errors, if the rest is given to its most frequent class.
    """
    different: list[TreeRule] = []
    for rule in rules:
        if not any(same_rule(rule, other) for other in different):
            different.append(rule)
    different = [rule for rule in different if rule.conditions]
    different.sort(key=lambda rule: (expected_share(rule.counts, rule.label, confidence), -rule.counts.sum()))
    left = np.ones(len(rows.X), dtype=bool)
    rest = rows.counts(left)
    kept: list[TreeRule] = []
    wrong, fewest, ends, default = 0.0, float(rest.sum() - rest.max()), 0, rest
    for rule in different:
        inside = rule.holds(rows.X) & left
        counts = rows.counts(inside)
        if not counts[rule.label] > 0:
            continue
        kept.append(rule)
        left &= ~inside
        wrong += float(counts.sum() - counts[rule.label])
        rest = rows.counts(left)
        errors = wrong + float(rest.sum() - rest.max())
        if errors < fewest - 1e-9 * float(rows.weight.sum()):
            fewest, ends, default = errors, len(kept), rest
    everything = rows.counts(np.ones(len(rows.X), dtype=bool))
    return kept[:ends], default if default.sum() > 0 else everything


def same_rule(a: TreeRule, b: TreeRule) -> bool:
    if a.label != b.label or len(a.conditions) != len(b.conditions):
        return False
    by_column = {condition.feature: condition for condition in b.conditions}
    return all(one.feature in by_column and one.same(by_column[one.feature]) for one in a.conditions)
