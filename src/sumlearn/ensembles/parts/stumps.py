"""Stumps: trees of one question as arrays, and the trees that they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from ...compiled.stumps import TIE, add_votes
from ...data.coded_columns import CodedColumns
from ...engines import in_threads
from ...learners.trees.decision_tree_classifier import DecisionTreeClassifier
from ...learners.trees.parts.draft import Draft, settled

ROWS = 2**13  # that a thread asks all stumps about at a time


class Stump(NamedTuple):
    """One question; without a column (-1) all rows are on the left."""

    feature: int
    threshold: float
    masses: np.ndarray  # (sides, classes), weights that add up to one
    rows: np.ndarray  # (sides,)

    @property
    def said(self) -> np.ndarray:
        """The class that each side says: the first of those with most weight, up to rounding."""
        most = self.masses.max(axis=1, keepdims=True)
        return (self.masses >= most - TIE).argmax(axis=1)

    @property
    def error(self) -> float:
        """The weight of the rows that are not of the class that their side says."""
        others = self.masses.copy()
        others[[0, 1], self.said] = 0.0
        return float(others.sum() / self.masses.sum())


@dataclass(frozen=True, eq=False)
class Stumps:
    """Many stumps.

    Attributes
    ----------
    feature, threshold : arrays (stumps,)
        Column that is asked about, -1 where there is nothing to ask; x <= threshold goes left.
    masses, rows : arrays (stumps, 2, classes), (stumps, 2)
        Weights by side and class when the stump was learnt, and rows by side.
    n_features : int
    """

    feature: np.ndarray
    threshold: np.ndarray
    masses: np.ndarray
    rows: np.ndarray
    n_features: int

    @classmethod
    def of(cls, stumps: Sequence[Stump], n_features: int) -> Self:
        feature, threshold, masses, rows = zip(*stumps, strict=True)
        return cls(
            np.array(feature, dtype=np.int64),
            np.array(threshold, dtype=np.float64),
            np.array(masses),
            np.array(rows, dtype=np.int64),
            n_features,
        )

    def __len__(self) -> int:
        return len(self.feature)

    def __getitem__(self, number: int) -> Stump:
        return Stump(int(self.feature[number]), float(self.threshold[number]), self.masses[number], self.rows[number])

    def checked(self, width: int) -> Self:
        """Refused where the arrays do not fit together, or to so many columns: a file could say anything."""
        many = len(self.feature)
        if (
            width != self.n_features
            or self.feature.dtype != np.int64
            or self.feature.ndim != 1
            or self.threshold.shape != (many,)
            or self.masses.ndim != 3
            or self.masses.shape[:2] != (many, 2)
            or self.rows.shape != (many, 2)
            or (self.feature >= self.n_features).any()
        ):
            raise ValueError("the stumps do not fit together")
        return self

    def votes(self, X: np.ndarray, votes: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """The sum of the votes for every class, (rows, classes)."""
        self.checked(X.shape[1])
        said = np.array([self[m].said for m in range(len(self))], dtype=np.int64).reshape(-1, 2)
        out, X = np.zeros((len(X), self.masses.shape[2])), np.ascontiguousarray(X)

        def some(first: int) -> None:
            rows = slice(first, first + ROWS)
            add_votes(X[rows], self.feature, self.threshold, said, votes, out[rows])

        in_threads(some, range(0, len(X), ROWS), n_jobs)
        return out

    def says(self, number: int, X: np.ndarray) -> np.ndarray:
        """The class, as its number, that one stump says of every row."""
        stump = self.checked(X.shape[1])[number]
        if stump.feature < 0:
            return np.full(len(X), stump.said[0])
        return stump.said[(X[:, stump.feature] > stump.threshold).astype(np.int64)]

    def importances(self) -> np.ndarray:
        """What each stump takes away from the impurity, as shares of the columns: all of it from one, if anything."""
        shares = np.zeros((len(self), self.n_features))
        for m in range(len(self)):
            stump = self[m]
            if stump.feature >= 0:
                whole, parts = impurity(stump.masses.sum(axis=0)), [impurity(side) for side in stump.masses]
                mass = stump.masses.sum(axis=1)
                shares[m, stump.feature] = float(whole - mass @ parts / mass.sum() > TIE)
        return shares

    def tree(self, number: int, classes: np.ndarray, names: Any = None) -> DecisionTreeClassifier:
        """One stump as a tree that is fitted."""
        stump = self[number]
        sides = [Draft(own, float(rows), impurity(own)) for own, rows in zip(stump.masses, stump.rows, strict=True)]
        whole = stump.masses.sum(axis=0)
        root = Draft(whole, float(stump.rows.sum()), impurity(whole))
        if stump.feature >= 0:
            root.feature, root.threshold, root.branches = stump.feature, stump.threshold, sides
        model = DecisionTreeClassifier(max_depth=1)
        columns = CodedColumns.bare(self.n_features, names)
        told = {"classes_": classes, "n_classes_": len(classes), "n_outputs_": 1, "columns_": columns}
        model.__dict__.update(told | {"tree_": settled(root, self.n_features), "n_features_in_": self.n_features})
        model.max_features_ = self.n_features
        return model


def impurity(masses: np.ndarray) -> float:
    """1 - sum_k p_k^2."""
    shares = masses / masses.sum() if masses.any() else masses
    return float(1.0 - shares @ shares)
