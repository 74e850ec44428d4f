"""Gradient boosting on bins as plain Python: every sum taken anew over the rows of a leaf, no histograms, no integers.

Slow and short on purpose; the library must grow the same trees.
"""

import math

import numpy as np

GAP = 255


def sums(slope, curvature, weight, rows):
    return (
        math.fsum(slope[i] for i in rows),
        math.fsum(curvature[i] for i in rows),
        math.fsum(weight[i] for i in rows),
    )


class Reference:
    """codes (n, d) of bytes; `category` says which columns are categories; slopes and curvatures by a function."""

    def __init__(self, rate=0.1, leaves=31, depth=None, least=20, penalty=0.0, newton=True):
        self.rate, self.leaves, self.depth = rate, leaves or 10**9, depth or 10**9
        self.least, self.penalty, self.newton = least, penalty, newton

    def splits(self, codes, category, slope, curvature, weight, rows, mean):
        """(gain, column, codes that go left) of every split of a leaf, in the order in which ties are resolved."""
        G, H, W = sums(slope, curvature, weight, rows)
        for f in range(codes.shape[1]):
            groups = {}
            for i in rows:
                groups.setdefault(int(codes[i, f]), []).append(i)
            gaps = groups.pop(GAP, [])
            part = {c: sums(slope, curvature, weight, own) for c, own in groups.items()}
            if category[f]:
                frequent = [c for c in part if part[c][1] >= 10 * mean * (1 - 1e-9)]
                order = sorted(frequent, key=lambda c: (part[c][0] / (part[c][1] + 10), c))
                apart = [i for c in part if c not in frequent for i in groups[c]] + gaps
                penalty = self.penalty + 10
            else:
                order, apart, penalty = sorted(part), gaps, self.penalty
            for way in (0, 1) if apart else (0,):
                for cut in range(1, len(order) + (1 if way == 0 and apart else 0)):
                    left = [i for c in order[:cut] for i in groups[c]] + (apart if way else [])
                    g, h, w = sums(slope, curvature, weight, left)
                    if min(h, H - h) < 1e-3 or min(w, W - w) < self.least - 1e-9:
                        continue
                    gain = g * g / (h + penalty) + (G - g) ** 2 / (H - h + penalty)
                    yield gain - G * G / (H + self.penalty), f, sorted(left)

    def best(self, *arguments):
        found = (0.0, -1, [])
        for split in self.splits(*arguments):
            if split[0] > found[0] * (1 + 1e-12) + 1e-12:
                found = split
        return found

    def tree(self, codes, category, slope, curvature, weight):
        """The leaves, as lists of rows."""
        everything = list(range(len(codes)))
        mean = math.fsum(curvature) / math.fsum(weight)
        split = lambda rows, depth: (  # noqa: E731
            self.best(codes, category, slope, curvature, weight, rows, mean) if depth < self.depth else (0.0, -1, [])
        )
        leaves = [(everything, 0, split(everything, 0))]
        while len(leaves) < self.leaves:
            place = max(range(len(leaves)), key=lambda k: leaves[k][2][0])
            rows, depth, (gain, _, left) = leaves[place]
            if gain <= 0:
                break
            inside = set(left)
            right = [i for i in rows if i not in inside]
            leaves[place] = (left, depth + 1, split(left, depth + 1))
            leaves.append((right, depth + 1, split(right, depth + 1)))
        return [rows for rows, _, _ in leaves]

    def scores(self, codes, category, terms, base, weight, rounds, outputs=1):
        """Scores (outputs, n) after some rounds; terms(scores) gives slopes and curvatures, (outputs, n)."""
        scores = np.repeat(np.asarray(base, dtype=float)[:, None], len(codes), axis=1)
        for _ in range(rounds):
            slopes, curvatures = terms(scores)
            for k in range(outputs):
                slope, curvature = slopes[k] * weight, curvatures[k] * weight
                grown = self.tree(codes, category, slope, curvature if self.newton else weight, weight)
                for rows in grown:
                    G, H, _ = sums(slope, curvature, weight, rows)
                    scores[k, rows] -= self.rate * G / (H + self.penalty)
        return scores
