"""Pruning: by errors that are expected of leaves (Quinlan), and by costs of leaves (Breiman et al.)."""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

import numpy as np

from .draft import Draft
from .tree import Tree

ROOM = 0.1  # errors by which a smaller tree may seem worse (Quinlan's choice)


# Upper points of the normal distribution as C4.5 has them; between them it goes along lines.
TAILS = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
POINTS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


def most_errors(errors: float, mass: float, confidence: float) -> float:
    """Upper limit N U of the errors E among N rows as C4.5 computes it: P(at most E errors | U) = CF.

    Without errors exactly, 1 - CF^(1/N); from one error on by the normal distribution, with a correction for
    continuity; between these along a line.

    >>> [round(most_errors(0, n, 0.25) / n, 3) for n in (6, 9, 1)], round(most_errors(1, 16, 0.25) / 16, 3)
    ([0.206, 0.143, 0.75], 0.157)
    """
    if mass <= 0:
        return 0.0
    none = mass * (1.0 - confidence ** (1.0 / mass))
    if errors < 1e-6:
        return none
    if errors < 0.9999 and mass > 1.0:
        return none + errors * (most_errors(1.0, mass, confidence) - none)
    if errors + 0.5 >= mass:
        return errors + 0.67 * max(mass - errors, 0.0)
    c = float(np.interp(confidence, TAILS, POINTS)) ** 2
    middle = errors + 0.5
    upper = middle + c / 2.0 + np.sqrt(c * (middle * (1.0 - middle / mass) + c / 4.0))
    return float(mass * upper / (mass + c))


class NodeRows(NamedTuple):
    """Coded rows with their classes and weights, and how much of each is at a node."""

    X: np.ndarray
    code: np.ndarray
    weight: np.ndarray
    number: np.ndarray
    share: np.ndarray


class ErrorBased:
    """Bottom-up: a subtree becomes a leaf, or its branch of most mass, where that has no more expected errors."""

    def __init__(self, confidence: float, classes: int) -> None:
        self.confidence, self.classes = confidence, classes

    def pruned(self, root: Draft, X: np.ndarray, code: np.ndarray, weight: np.ndarray) -> Draft:
        everything = NodeRows(np.asarray(X), code, weight, np.arange(len(X)), np.ones(len(X)))
        self.prune(root, everything)
        return root

    def prune(self, root: Draft, everything: NodeRows) -> None:
        """Nodes from below; no recursion, since trees may be deep."""
        plan: list[tuple[Draft, NodeRows]] = []
        work = [(root, everything)]
        while work:
            node, rows = work.pop()
            plan.append((node, rows))
            work.extend(zip(node.branches, self.divided(node, rows), strict=True))
        for node, rows in reversed(plan):
            if node.branches:
                self.decide(node, rows)

    def decide(self, node: Draft, rows: NodeRows) -> None:
        as_tree = self.expected(node)
        as_leaf = self.of_counts(node.counts)
        heaviest = max(node.branches, key=lambda child: child.mass)
        raised = self.refilled(heaviest, rows) if heaviest.branches else None
        as_branch = np.inf if raised is None else self.expected(raised)
        if as_leaf <= min(as_tree, as_branch) + ROOM:
            node.become_leaf()
        elif raised is not None and as_branch <= as_tree + ROOM:
            node.become(raised)
            self.prune(node, rows)

    def of_counts(self, counts: np.ndarray) -> float:
        return most_errors(float(counts.sum() - counts.max()), float(counts.sum()), self.confidence)

    def expected(self, node: Draft) -> float:
        """Errors expected of all leaves below."""
        return sum(self.of_counts(leaf.counts) for leaf in node.nodes() if not leaf.branches)

    def divided(self, node: Draft, rows: NodeRows) -> list[NodeRows]:
        """The rows of every branch."""
        if not node.branches:
            return []
        taken = node.branch_of(rows.X[rows.number, node.feature])
        mass = np.array([child.mass for child in node.branches])
        parts = []
        for branch in range(len(node.branches)):
            here = (taken == branch) | (taken < 0)
            share = np.where(taken < 0, rows.share * mass[branch] / mass.sum(), rows.share)[here]
            parts.append(rows._replace(number=rows.number[here], share=share))
        return parts

    def refilled(self, node: Draft, rows: NodeRows) -> Draft | None:
        """A copy of a subtree with the masses of other rows; None where a leaf of it gets none."""
        counts = np.bincount(rows.code[rows.number], rows.weight[rows.number] * rows.share, self.classes)
        if not counts.sum() > 0:
            return None
        twin = Draft(counts, float(rows.share.sum()), 0.0, node.feature, node.threshold, node.side, node.gap)
        twin.impurity = node.impurity
        for child, part in zip(node.branches, self.divided(node, rows), strict=True):
            below = self.refilled(child, part)
            if below is None:
                return None
            twin.branches.append(below)
        return twin


# -- costs of leaves ---------------------------------------------------------------------------------------------------


class CostPath(NamedTuple):
    """Prices of a leaf at which subtrees go, the impurity that is left, and the nodes that become leaves at each."""

    alphas: np.ndarray
    impurities: np.ndarray
    cuts: np.ndarray


def cost_path(tree: Tree) -> CostPath:
    """Weakest links, cut one after the other (Breiman et al. 1984, chapter 3).

        g(t) = (R(t) - R(T_t)) / (|T_t| - 1),     R(t) = impurity(t) mass(t) / mass(root)
    """
    risk = tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    leaf = tree.is_leaf.copy()
    leaves, below = np.where(leaf, 1, 0), np.where(leaf, risk, 0.0)
    for node in range(tree.node_count - 1, 0, -1):  # branches come after their node
        leaves[tree.parent[node]] += leaves[node]
        below[tree.parent[node]] += below[node]
    links = [((risk[node] - below[node]) / (leaves[node] - 1), node) for node in np.flatnonzero(~leaf).tolist()]
    heapq.heapify(links)
    latest = {node: link for link, node in links}
    alphas, impurities, cuts = [0.0], [float(below[0])], [-1]
    while links:
        link, node = heapq.heappop(links)
        if latest.get(node) != link:  # something below has gone since, or the node itself
            continue
        alphas.append(max(alphas[-1], float(link)))
        cuts.append(node)
        work = [node]
        while work:
            under = work.pop()
            if latest.pop(under, None) is not None:
                work.extend(tree.below(under).tolist())
        fewer, more = leaves[node] - 1, risk[node] - below[node]
        while node >= 0:
            leaves[node] -= fewer
            below[node] += more
            if node in latest:
                latest[node] = (risk[node] - below[node]) / (leaves[node] - 1)
                heapq.heappush(links, (latest[node], node))
            node = int(tree.parent[node])
        impurities.append(float(below[0]))
    return CostPath(np.array(alphas), np.array(impurities), np.array(cuts))


def cut_by(tree: Tree, path: CostPath, alpha: float) -> Tree:
    """The tree when a leaf has a price, by its path."""
    cut = np.zeros(tree.node_count, dtype=bool)
    cut[path.cuts[(path.cuts >= 0) & (path.alphas <= alpha)]] = True
    return tree.cut_at(cut)


def at_cost(tree: Tree, alpha: float) -> Tree:
    """The tree when a leaf has a price."""
    return tree if alpha <= 0.0 else cut_by(tree, cost_path(tree), alpha)


FOLDS = 5
MOST_PRICES = 60  # that are tried


def chosen_price(grow: Any, X: np.ndarray, code: np.ndarray, weight: np.ndarray, costs: np.ndarray) -> float:
    """The price of a leaf by five folds: the highest within a standard error of the least cost (Breiman et al. 1984).

    `grow` makes the tree of rows. Every class is dealt out to the folds in the order of its rows.
    """
    alphas = np.unique(cost_path(grow(X, code, weight)).alphas)
    prices = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1])
    if len(prices) > MOST_PRICES:
        prices = prices[np.linspace(0, len(prices) - 1, MOST_PRICES).astype(int)]
    fold = np.empty(len(code), dtype=np.int64)
    for k in range(len(costs)):
        own = np.flatnonzero(code == k)
        fold[own] = np.arange(len(own)) % FOLDS
    paid = np.zeros((len(prices), len(code)))
    for number in range(FOLDS):
        out = fold == number
        if out.all() or not out.any():
            continue
        tree = grow(X[~out], code[~out], weight[~out])
        path = cost_path(tree)
        for row, price in zip(paid, prices, strict=True):
            shares = cut_by(tree, path, price).predict(X[out])[:, 0]
            row[out] = costs[code[out], (shares @ costs).argmin(axis=1)]
    share = weight / weight.max()  # squares of weights may be out of range
    share /= share.sum()
    mean = paid @ share
    best = int(mean.argmin())
    error = np.sqrt(((paid[best] - mean[best]) ** 2 * share**2).sum())
    return float(prices[np.flatnonzero(mean <= mean[best] + error)[-1]])
