"""A layer: forward and backward, side by side. This is backpropagation.

    forward        z = x W + b,   a = f(z)                  x: outputs of the layer below, (rows, units)

    backward       given  dF/da, how the loss changes with the outputs of the layer,
                   dF/dz = dF/da f'(z)                      chain rule through f
                   dF/dW = x' dF/dz                         z depends on W by x
                   dF/db = sum over rows of dF/dz           and on b by one
                   dF/dx = dF/dz W'                         which is dF/da of the layer below

So one pass up keeps x and a of every layer, and one pass down has the slopes of all weights: twice the price of the
way up, however many weights there are (Rumelhart, Hinton & Williams 1986).
"""

from __future__ import annotations

from typing import Any

from ..activations import Activation


class Layer:
    """Dense weights and an activation; in training, some of its units may be silent (dropout).

    `W`, `b` and their slopes `dW`, `db` are views of the vectors that hold those of all layers.
    """

    def __init__(self, name: Any, arithmetic: Any, f: Activation, dropout: float = 0.0) -> None:
        self.name, self.arithmetic, self.f, self.dropout = name, arithmetic, f, dropout
        self.W: Any = None
        self.b: Any = None
        self.dW: Any = None
        self.db: Any = None

    def forward(self, x: Any, random: Any = None) -> Any:
        """The outputs; with `random`, as in training, where what backward asks for is kept."""
        do = self.arithmetic
        z = do.product(x, self.W, name=(self.name, "z"))
        a = do.activated(self.f, z, self.b)
        if random is None:
            return a
        self.x, self.told = x, z if self.f.pieces > 1 else a
        if not self.dropout:
            return a
        a, self.factors = do.silenced(self.name, a, self.dropout, random)
        return a

    def backward(self, slope: Any) -> Any:
        """From dF/da to dF/dz; slopes of W and b are kept."""
        do = self.arithmetic
        if self.dropout:
            slope *= self.factors
        delta = do.through(self.f, slope, self.told, self.db)
        return self.learnt(delta)

    def learnt(self, delta: Any) -> Any:
        """From dF/dz, the sums of which are known, to the slopes of W."""
        self.arithmetic.product(self.x.T, delta, out=self.dW)
        return delta

    def below(self, delta: Any) -> Any:
        """dF/dx: what the layer below is told."""
        return self.arithmetic.product(delta, self.W.T, name=(self.name, "below"))
