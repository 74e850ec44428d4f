"""Stand-in for the edges of bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

GAP = 255


@dataclass(frozen=True, eq=False)
class BinEdges:
    edges: tuple[np.ndarray, ...]
    sizes: np.ndarray

    @classmethod
    def of(cls, X, sizes, weight=None, max_bins=255):
        edges = []
        for j in range(X.shape[1]):
            column = X[:, j]
            seen = ~np.isnan(column)
            if sizes[j]:
                edges.append(np.arange(sizes[j] - 1) + 0.5)
                continue
            if weight is not None:
                seen &= weight > 0
            values = np.sort(column[seen])
            unique = np.unique(values)
            if len(unique) <= max_bins:
                edges.append((unique[:-1] + (unique[1:] - unique[:-1]) * 0.5).astype(float))
            else:
                cuts = values[(np.arange(1, max_bins) * len(values)) // max_bins]
                place = np.searchsorted(unique, np.unique(cuts))
                place = place[place > 0]
                edges.append((unique[place - 1] + unique[place]).astype(float) * 0.5)
        return cls(tuple(edges), np.asarray(sizes))

    @property
    def bins(self):
        return np.array([len(e) + 1 for e in self.edges])

    def threshold(self, feature, bin):
        return self.edges[feature][bin]

    def codes(self, X):
        out = np.empty(X.shape, np.uint8)
        for j, e in enumerate(self.edges):
            c = np.searchsorted(e, X[:, j], side="left")
            out[:, j] = np.where(np.isnan(X[:, j]), GAP, c)
        return out
