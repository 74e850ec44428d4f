"""Drawn lives of a model: rows come and go whole, in parts of their weight, in duplicates, with classes, and decay.

Weights are kept as fractions, so what the model should hold is known exactly, however it came to hold it.
"""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from sklearn.base import clone

SHARES = tuple(map(Fraction, ("1/10", "1/3", "1/2", "7/10", "1")))
FACTORS = tuple(map(Fraction, ("1/2", "9/10", "1/3")))
ROWS, CLASSES = 14, "abcd"


@dataclass
class History:
    """A model, and the weight of every row of its table that it should hold."""

    learner: object
    kind: str  # what y is: "label", "number" or "none"
    seed: int
    steps: int = 8
    columns: int = 2
    offset: float = 0.0
    held: dict[int, Fraction] = field(default_factory=dict)

    def __post_init__(self):
        self.rng = np.random.default_rng(self.seed)
        self.X = np.round(self.rng.standard_normal((ROWS, self.columns)) * 64) / 64
        self.X[1] = self.X[0]  # a duplicate, which may have another target
        labels = np.array(list(CLASSES))[np.arange(ROWS) % len(CLASSES)]
        numbers = np.round(self.X.sum(axis=1) * 16 + self.rng.integers(-9, 9, ROWS)) / 16
        self.X += self.offset
        self.y = {"label": labels, "number": numbers, "none": None}[self.kind]

    def lived(self):
        """The model after all steps; None where nothing is left of it."""
        model = self.learn(clone(self.learner), self.some(range(ROWS), least=5))
        for _ in range(self.steps):
            model = self.step(model)
        return model if self.held else None

    def step(self, model):
        if not self.held:
            return self.learn(clone(self.learner), self.some(range(ROWS), least=3))
        what = self.rng.integers(6)
        if what == 0:
            return self.learn(model, self.some(range(ROWS)))
        if what == 1:
            other = self.learn(clone(self.learner), self.some(range(ROWS)))
            return model + other
        if what == 2 and self.kind == "label":  # a class vanishes, all at once
            gone = self.rng.choice(list(CLASSES))
            return self.forget(model, {i: w for i, w in self.held.items() if self.y[i] == gone})
        if what == 3 and len(self.held) > 4:
            factor = FACTORS[self.rng.integers(len(FACTORS))]
            self.held = {i: w * factor for i, w in self.held.items()}
            return model.decay(float(factor))
        parts = self.some(sorted(self.held), most=3)
        for share in (Fraction(1, 3),) * 3 if self.rng.integers(2) else (Fraction(1),):  # also in three parts
            model = self.forget(model, {i: self.held[i] * part * share for i, part in parts.items() if i in self.held})
        return model

    def some(self, rows, least=1, most=None):
        rows = list(rows)
        size = int(self.rng.integers(min(least, len(rows)), min(most or len(rows), len(rows)) + 1))
        return {int(i): SHARES[self.rng.integers(len(SHARES))] for i in self.rng.choice(rows, size, replace=False)}

    def learn(self, model, weights):
        for i, w in weights.items():
            self.held[i] = self.held.get(i, Fraction(0)) + w
        return model.partial_fit(**self.rows(weights))

    def forget(self, model, weights):
        if not weights:
            return model
        for i, w in weights.items():
            self.held[i] -= w
        self.held = {i: w for i, w in self.held.items() if w}
        return model.forget(**self.rows(weights))

    def rows(self, weights):
        index = sorted(weights)
        y, weight = None if self.y is None else self.y[index], np.array([float(weights[i]) for i in index])
        return {"X": self.X[index], "y": y, "sample_weight": weight}

    def refit(self):
        return clone(self.learner).fit(**self.rows(self.held))
