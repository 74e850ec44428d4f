"""Drawn lives of a model: rows come and go whole, in parts of their weight, in duplicates, with classes, and decay.

Models merge that came to their rows in other chunks and orders, are subtracted, copied, written to files and read back.
Weights are kept as fractions, so what the model should hold is known exactly, however it came to hold it.
"""

import pickle
import tempfile
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np
from sklearn.base import clone

import sumlearn as sl

from tests.laws.discovered import suited

SHARES = tuple(map(Fraction, ("1/10", "1/3", "1/2", "7/10", "1")))
BINARY_SHARES = tuple(map(Fraction, ("1/8", "1/4", "1/2", "3/4", "1")))  # sums of them are free of rounding
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
    table: bool = False
    binary: bool = False
    look: object = None
    held: dict[int, Fraction] = field(default_factory=dict)

    def __post_init__(self):
        self.rng = np.random.default_rng(self.seed)
        self.able = sl.abilities(self.learner)
        self.shares = BINARY_SHARES if self.binary else SHARES
        self.pieces = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)) if self.binary else (Fraction(1, 3),) * 3
        self.X = np.round(self.rng.standard_normal((ROWS, self.columns)) * 64) / 64
        self.X[1] = self.X[0]  # a duplicate, which may have another target
        labels = np.array(list(CLASSES))[np.arange(ROWS) % len(CLASSES)]
        numbers = np.round(self.X.sum(axis=1) * 16 + self.rng.integers(-9, 9, ROWS)) / 16
        self.X = suited(type(self.learner), self.X + self.offset)
        self.y = {"label": labels, "number": numbers, "none": None}[self.kind]

        if self.table:
            import pandas

            place = np.array(list("uvw"))[self.rng.integers(3, size=ROWS)]
            self.X = pandas.DataFrame(self.X).add_prefix("c").assign(place=place, size=np.arange(ROWS) / 8)
            self.X.loc[self.rng.integers(ROWS, size=3), "c0"] = np.nan

    def lived(self):
        """The model after all steps; None where nothing is left of it."""
        model = self.learn(clone(self.learner), self.some(range(ROWS), least=5))
        self.look = getattr(model, "look_", None)
        for _ in range(self.steps):
            model = self.step(model)
        return model if self.held else None

    def step(self, model):
        if not self.held:
            return self.learn(self.fresh(), self.some(range(ROWS), least=3))
        what = self.rng.integers(10)
        if what <= 1 or ((what >= 7 or what == 4) and "forget" not in self.able):
            return self.learn(model, self.some(range(ROWS)))
        if what <= 3:  # another site, which came to its rows in chunks of its own
            other = self.fresh()
            for _ in range(self.rng.integers(1, 4)):
                other = self.learn(other, self.some(range(ROWS)))
            return (model + other, other + model, sum([other, model]))[self.rng.integers(3)]
        if what == 4 and self.kind == "label":  # a class vanishes, all at once
            gone = self.rng.choice(list(CLASSES))
            return self.forget(model, {i: w for i, w in self.held.items() if self.y[i] == gone})
        if what == 5 and len(self.held) > 4 and "decay" in self.able:
            factor = FACTORS[self.rng.integers(len(FACTORS))]
            self.held = {i: w * factor for i, w in self.held.items()}
            return model.decay(float(factor))
        if what == 6 or "forget" not in self.able:
            return self.kept(model)
        parts = self.some(sorted(self.held), most=3)
        if what == 7:
            parts = {i: self.held[i] * part for i, part in parts.items()}
            return model - self.fresh().partial_fit(**self.taken(parts))
        for share in self.pieces if self.rng.integers(2) else (Fraction(1),):  # also in three parts
            model = self.forget(model, {i: self.held[i] * part * share for i, part in parts.items() if i in self.held})
        return model

    def fresh(self):
        """A model that knows nothing but what must be the same in models that merge."""
        learner = clone(self.learner)
        return learner if self.look is None else learner.with_look(self.look)

    def kept(self, model):
        """The model out of a file, or out of a pickle."""
        if self.rng.integers(2):
            return pickle.loads(pickle.dumps(model))
        with tempfile.TemporaryDirectory() as folder:
            sl.save(model, Path(folder, "model"))
            return sl.load(Path(folder, "model"))

    def some(self, rows, least=1, most=None):
        rows = list(rows)
        size = int(self.rng.integers(min(least, len(rows)), min(most or len(rows), len(rows)) + 1))
        return {
            int(i): self.shares[self.rng.integers(len(self.shares))] for i in self.rng.choice(rows, size, replace=False)
        }

    def learn(self, model, weights):
        for i, w in weights.items():
            self.held[i] = self.held.get(i, Fraction(0)) + w
        return model.partial_fit(**self.rows(weights))

    def forget(self, model, weights):
        return model.forget(**self.taken(weights)) if weights else model

    def taken(self, weights):
        """Rows that are held no longer."""
        for i, w in weights.items():
            self.held[i] -= w
        self.held = {i: w for i, w in self.held.items() if w}
        return self.rows(weights)

    def rows(self, weights):
        """Rows of these weights: in any order, some of them in two pieces, some beside others that weigh nothing."""
        pieces = [(i, float(w)) for i, w in weights.items()]
        if self.rng.integers(2):
            i, _ = pieces.pop(self.rng.integers(len(pieces)))
            pieces += [(i, float(weights[i] * Fraction(1, 4))), (i, float(weights[i] * Fraction(3, 4)))]
        if self.rng.integers(3) == 0:
            pieces.append((int(self.rng.integers(ROWS)), 0.0))
        self.rng.shuffle(pieces)
        index, weight = [int(i) for i, _ in pieces], np.array([w for _, w in pieces])
        y, X = None if self.y is None else self.y[index], self.X.iloc[index] if self.table else self.X[index]
        return {"X": X, "y": y, "sample_weight": None if (weight == 1).all() else weight}

    def refit(self):
        index = sorted(self.held)
        X, y = self.X.iloc[index] if self.table else self.X[index], None if self.y is None else self.y[index]
        return self.fresh().fit(X, y, np.array([float(self.held[i]) for i in index]))
