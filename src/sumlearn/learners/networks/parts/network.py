"""Network: layers and a head on one vector of weights; one call gives the loss of some rows and all slopes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from ....engines import in_threads, one_blas_thread
from ..activations import ACTIVATIONS, Activation
from .arithmetic import arithmetic_for
from .heads import Head
from .layers import Layer

NUMBERS = 2**18  # of hidden units at a time, when a network is asked: they stay in the cache


class Network:
    """Layers of `units`, (inputs, hidden ..., outputs), with the head on top.

    `weights` is one vector: the matrices of all layers, then their intercepts; `slopes` are those of the loss. So a
    rule that changes weights is one line on a vector, and weight decay concerns its first part.
    """

    def __init__(
        self,
        units: list[int],
        f: Activation,
        head: Head,
        dtype: Any,
        dropout: list[float] | None = None,
        device: str | None = None,
    ) -> None:
        self.units, self.f, self.head = units, f, head
        self.do = arithmetic_for(dtype, device)
        silent = [*(dropout or [0.0] * (len(units) - 2)), 0.0]
        kinds = [f] * (len(units) - 2) + [ACTIVATIONS["identity"]]
        self.layers = [Layer(i, self.do, kind, p) for i, (kind, p) in enumerate(zip(kinds, silent, strict=True))]
        self.shapes = shapes_of(units, f)
        self.matrices = sum(m * n for m, n in self.shapes)
        size = self.matrices + sum(n for _, n in self.shapes)
        self.weights, self.slopes = self.do.zeros(size), self.do.zeros(size)
        for layer, W, b, dW, db in zip(self.layers, *self.parts(self.weights), *self.parts(self.slopes), strict=True):
            layer.W, layer.b, layer.dW, layer.db = W, b, dW, db

    def parts(self, vector: Any) -> tuple[list[Any], list[Any]]:
        """Matrices and intercepts as views of a vector."""
        matrices, intercepts, start, place = [], [], 0, self.matrices
        for m, n in self.shapes:
            matrices.append(vector[start : start + m * n].reshape(m, n))
            intercepts.append(vector[place : place + n])
            start, place = start + m * n, place + n
        return matrices, intercepts

    def begin(self, coefs: list[Any], intercepts: list[Any]) -> Network:
        """Take over weights that are given layer by layer."""
        for layer, W, b in zip(self.layers, coefs, intercepts, strict=True):
            layer.W[...] = self.do.array(np.asarray(W, dtype=float))
            layer.b[...] = self.do.array(np.asarray(b, dtype=float))
        return self

    def numbers(self) -> np.ndarray:
        """All weights as one vector of doubles."""
        return np.array(self.do.numbers(self.weights), dtype=np.float64)

    def read(self) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The weights layer by layer, as arrays of their own."""
        matrices, intercepts = self.parts(self.do.numbers(self.weights))
        return [W.copy() for W in matrices], [b.copy() for b in intercepts]

    def shorten(self, longest: float) -> None:
        """Cut the weights that come into a unit to a length (max-norm)."""
        for layer in self.layers:
            lengths = (layer.W * layer.W).sum(axis=0) ** 0.5
            over = lengths > longest
            if bool(over.any()):
                lengths[~over] = longest
                layer.W *= longest / lengths

    def loss(self, X: Any, target: Any, share: Any, decay: float, random: Any = None) -> Any:
        """The loss of some rows and of the weights, decay |W|^2 / 2; its slopes are in `slopes`."""
        x = X
        for layer in self.layers[:-1]:
            x = layer.forward(x, random or NO_CHANCE)
        last = self.layers[-1]
        last.x = x
        z = self.do.product(x, last.W, name=("last", "z"))
        loss, delta = self.head.judged(z, last.b, target, share)
        delta = last.learnt(self.do.through(last.f, delta, delta, last.db))
        for above, layer in zip(self.layers[:0:-1], self.layers[-2::-1], strict=True):
            delta = layer.backward(above.below(delta))
        if decay:
            W = self.weights[: self.matrices]
            loss = loss + 0.5 * decay * (W @ W)
            self.slopes[: self.matrices] += decay * W
        return loss

    def says(self, X: Any) -> np.ndarray:
        """What the head makes of rows, in arrays of NumPy."""
        return self.head.value(scores_of(self.layers, X))


NO_CHANCE = object()  # training without dropout


def shapes_of(units: list[int], f: Activation) -> list[tuple[int, int]]:
    """(rows, columns) of the matrix of every layer; a hidden unit of Maxout has a column for each of its pieces."""
    hidden = len(units) - 2
    return [(m, n * (f.pieces if i < hidden else 1)) for i, (m, n) in enumerate(pairwise(units))]


def layers_of(coefs: list[Any], intercepts: list[Any], f: Activation, dtype: Any) -> list[Layer]:
    """Layers of weights that are there, to be asked."""
    do, layers = arithmetic_for(dtype, None), []
    for i, (W, b) in enumerate(zip(coefs, intercepts, strict=True)):
        layer = Layer(i, do, f if i < len(coefs) - 1 else ACTIVATIONS["identity"])
        layer.W, layer.b = do.array(np.asarray(W)), do.array(np.asarray(b))
        layers.append(layer)
    return layers


def scores_of(layers: list[Layer], X: Any) -> np.ndarray:
    """The sums of the last layer for rows of an array, a block at a time."""
    return joined([block_of(layers, rows) for rows in blocks_of(layers, X)])


def scores_by_threads(layers: Callable[[], list[Layer]], X: Any) -> np.ndarray:
    """The same, blocks side by side, each with layers of its own."""
    with one_blas_thread():
        return joined(in_threads(lambda rows: block_of(layers(), rows), blocks_of(layers(), X)))


def blocks_of(layers: list[Layer], X: Any) -> list[Any]:
    size = max(NUMBERS // max(layer.b.shape[0] for layer in layers), 256)
    return [X[start : start + size] for start in range(0, X.shape[0], size)]


def block_of(layers: list[Layer], X: Any) -> np.ndarray:
    do = layers[0].arithmetic
    x = do.array(X)
    with np.errstate(over="ignore", invalid="ignore"):
        for layer in layers:
            x = layer.forward(x)
    return np.array(do.numbers(x))


def joined(found: list[np.ndarray]) -> np.ndarray:
    return found[0] if len(found) == 1 else np.concatenate(found)
