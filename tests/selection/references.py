"""Searches in the plainest form, to compare with: sets in, {size: (score, set)} out, no shortcuts."""

from itertools import combinations

import numpy as np


def random_worth(size, seed, scale=1.0):
    """A set function with single and joint effects, neither monotone nor additive; no two sets are equal."""
    rng = np.random.default_rng(seed)
    single, joint = rng.standard_normal(size), scale * rng.standard_normal((size, size))

    def worth(subset):
        index = list(subset)
        return float(single[index].sum() + np.triu(joint, 1)[np.ix_(index, index)].sum())

    return worth


def monotone_worth(size, seed):
    """Explained variance of a random target: never falls when a column comes in."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, size)) @ (np.eye(size) + 0.4 * rng.standard_normal((size, size)))
    y = X @ rng.standard_normal(size) + 4.0 * rng.standard_normal(60)

    def worth(subset):
        A = X[:, list(subset)]
        fit = A @ np.linalg.lstsq(A, y, rcond=None)[0] if len(subset) else np.zeros(60)
        return float(1 - ((y - fit) ** 2).sum() / (y**2).sum())

    return worth


class Kept(dict):
    """The best set of every size that was looked at, and how many were."""

    def __init__(self, worth):
        super().__init__()
        self.worth, self.asked = worth, set()

    def look(self, subset):
        subset = tuple(sorted(subset))
        score = self.worth(subset)
        self.asked.add(subset)
        if len(subset) not in self or score > self[len(subset)][0]:
            self[len(subset)] = (score, subset)
        return score

    def best(self, subsets):
        return max((tuple(sorted(s)) for s in subsets), key=self.look)


def grown(subset, size, count=1):
    return [(*subset, *more) for more in combinations(sorted(set(range(size)) - set(subset)), count)]


def shrunk(subset, count=1):
    return [tuple(i for i in subset if i not in out) for out in combinations(subset, count)]


def sfs(worth, size, most):
    kept, S = Kept(worth), ()
    while len(S) < most:
        S = kept.best(grown(S, size))
    return kept


def sbe(worth, size, least):
    kept, S = Kept(worth), tuple(range(size))
    kept.look(S)
    while len(S) > least:
        S = kept.best(shrunk(S))
    return kept


def pta(worth, size, most, plus, minus):
    kept, S = Kept(worth), ()
    while len(S) < most:
        before = len(S)
        for _ in range(min(plus, size - before, most + minus - before)):
            S = kept.best(grown(S, size))
        for _ in range(minus if len(S) == before + plus else len(S) - most):
            S = kept.best(shrunk(S))
    return kept


def take_away_pta(worth, size, least, plus, minus):
    kept, S = Kept(worth), tuple(range(size))
    kept.look(S)
    while len(S) > least:
        before = len(S)
        for _ in range(min(minus, before - 1, before + plus - least)):
            S = kept.best(shrunk(S))
        for _ in range(plus if len(S) == before - minus else least - len(S)):
            S = kept.best(grown(S, size))
    return kept


def gsfs(worth, size, most, block):
    kept, S = Kept(worth), ()
    while len(S) < most:
        S = kept.best(grown(S, size, min(block, most - len(S))))
    return kept


def gpta(worth, size, most, plus, minus):
    kept, S = Kept(worth), ()
    while len(S) < most:
        before = len(S)
        S = kept.best(grown(S, size, min(plus, size - before, most + minus - before)))
        out = minus if len(S) == before + plus else len(S) - most
        S = kept.best(shrunk(S, out)) if out else S
    return kept


def sffs(worth, size, most):
    """Pudil's floating search: the best set of each size is kept, and the search goes on from it."""
    kept, S = Kept(worth), ()
    floor = {}
    while len(S) < most:
        T = kept.best(grown(S, size))
        n = len(T)
        if n in floor and worth(T) <= worth(floor[n]):
            S = floor[n]
            continue
        S = floor[n] = T
        while len(S) > 2:
            T = kept.best(shrunk(S))
            if worth(T) <= worth(floor[len(T)]):
                break
            S = floor[len(T)] = T
    return kept


def exhaustive(worth, size, sizes):
    kept = Kept(worth)
    for n in sizes:
        for S in combinations(range(size), n):
            kept.look(S)
    return kept
