"""Arithmetic: what layers do with arrays, on NumPy with room that is used again, or on tensors of a device."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from ....compiled import network_steps as steps
from ..activations import ELU, Activation, LeakyReLU
from .array_types import namespace

KINDS = {"identity": steps.IDENTITY, "relu": steps.RELU, "leaky_relu": steps.LEAKY, "elu": steps.ELU}
KINDS |= {"tanh": steps.TANH, "logistic": steps.LOGISTIC}


class OnNumPy:
    """Arrays in memory: products go into room that is there already, what follows them is done in one pass.

    Room is called by a name and has as many rows as were ever needed, so an epoch allocates nothing.
    """

    def __init__(self, dtype: Any) -> None:
        self.dtype, self.rooms = np.dtype(dtype), dict[Any, np.ndarray]()

    def array(self, values: Any) -> Any:
        """Values as arrays of this kind; whole numbers, as labels are, stay whole."""
        if sparse.issparse(values):
            return values.astype(self.dtype, copy=False)
        kept = values.dtype.kind in "iu"
        return np.ascontiguousarray(values, dtype=np.intp if kept else self.dtype)

    def numbers(self, values: Any) -> np.ndarray:
        return values

    def finite(self, values: Any) -> bool:
        return bool(np.isfinite(values).all())

    def zeros(self, size: int) -> Any:
        return np.zeros(size, dtype=self.dtype)

    def room(self, name: Any, rows: int, columns: int) -> np.ndarray:
        there = self.rooms.get(name)
        if there is None or there.shape[0] < rows or there.shape[1] != columns:
            there = self.rooms[name] = np.empty((rows, columns), dtype=self.dtype)
        return there[:rows]

    def taken(self, name: Any, values: Any, rows: np.ndarray) -> Any:
        """Some rows of an array."""
        if sparse.issparse(values):
            return values[rows]
        if values.dtype != self.dtype:
            return values[rows]
        return np.take(values, rows, axis=0, out=self.room(name, len(rows), values.shape[1]), mode="clip")

    def product(self, a: Any, b: Any, out: Any = None, name: Any = None) -> Any:
        """a b, into `out` or the room of that name."""
        out = self.room(name, a.shape[0], b.shape[1]) if out is None else out
        if sparse.issparse(a):
            out[...] = a @ b
            return out
        return np.matmul(a, b, out=out)

    def activated(self, f: Activation, z: Any, b: Any) -> Any:
        """f(z + b); z becomes it, or for Maxout z + b."""
        kind = KINDS.get(f.name)
        steps.activate(z, b, steps.IDENTITY if kind is None else kind, number_of(f))
        if kind == steps.TANH:
            return np.tanh(z, out=z)
        if kind == steps.LOGISTIC:
            z *= self.dtype.type(0.5)
            np.tanh(z, out=z)
            z *= self.dtype.type(0.5)
            z += self.dtype.type(0.5)
        return z if kind is not None else f.value(z)

    def through(self, f: Activation, delta: Any, a: Any, sums: Any) -> Any:
        """delta f'(z), where a tells the slope; the sums over rows go into `sums`."""
        kind = KINDS.get(f.name)
        if kind is None:
            delta = f.slope(a) * np.tile(delta, (1, f.pieces))
        steps.through_slope(delta, a, steps.IDENTITY if kind is None else kind, number_of(f), sums)
        return delta

    def silenced(self, name: Any, a: Any, dropout: float, random: np.random.Generator) -> tuple[Any, Any]:
        """Units set to zero by chance, the others made larger so that the mean stays; and these factors."""
        draws, factors, out = (self.room((name, what), *a.shape) for what in ("draws", "factors", "out"))
        random.random(dtype=self.dtype, out=draws)
        steps.silence(a, draws, float(dropout), out, factors)
        return out, factors


class OnTensors:
    """Tensors of torch on a device: plain expressions of the array API, which its own kernels run."""

    def __init__(self, dtype: Any, device: str) -> None:
        try:
            import torch
        except ImportError:
            extra = "which comes with the extra 'torch': pip install 'sumlearn[torch]'"
            raise ImportError(f"device={device!r} needs torch, {extra}") from None
        try:
            torch.zeros(0, device=device)
        except (AssertionError, RuntimeError) as error:  # no such device, or torch was built without it
            raise ValueError(f"device={device!r} is not there: {str(error).splitlines()[0]}") from None
        self.torch, self.device = torch, torch.device(device)
        self.generator: Any = None
        self.dtype = {np.dtype(np.float32): torch.float32, np.dtype(np.float64): torch.float64}[np.dtype(dtype)]

    def array(self, values: Any) -> Any:
        values = values.toarray() if sparse.issparse(values) else np.ascontiguousarray(values)
        kept = values.dtype.kind in "iu"
        return self.torch.as_tensor(values, dtype=self.torch.int64 if kept else self.dtype, device=self.device)

    def numbers(self, values: Any) -> np.ndarray:
        return values.cpu().numpy()

    def finite(self, values: Any) -> bool:
        return bool(self.torch.isfinite(values).all())

    def zeros(self, size: int) -> Any:
        return self.torch.zeros(size, dtype=self.dtype, device=self.device)

    def taken(self, name: Any, values: Any, rows: np.ndarray) -> Any:
        return values[self.torch.as_tensor(rows, device=self.device)]

    def product(self, a: Any, b: Any, out: Any = None, name: Any = None) -> Any:
        return self.torch.matmul(a, b, out=out)

    def activated(self, f: Activation, z: Any, b: Any) -> Any:
        z += b
        return f.value(z)

    def through(self, f: Activation, delta: Any, a: Any, sums: Any) -> Any:
        xp = namespace(delta)
        delta = f.slope(a) * (xp.tile(delta, (1, f.pieces)) if f.pieces > 1 else delta)
        sums[...] = xp.sum(delta, axis=0)
        return delta

    def silenced(self, name: Any, a: Any, dropout: float, random: np.random.Generator) -> tuple[Any, Any]:
        if self.generator is None:
            self.generator = self.torch.Generator(self.device).manual_seed(int(random.integers(2**31)))
        draws = self.torch.rand(a.shape, dtype=a.dtype, device=self.device, generator=self.generator)
        factors = (draws >= dropout).to(a.dtype) / (1.0 - dropout)
        return a * factors, factors


def arithmetic_for(dtype: Any, device: str | None) -> OnNumPy | OnTensors:
    """NumPy, unless a device is named."""
    return OnNumPy(dtype) if device is None else OnTensors(dtype, device)


def number_of(f: Activation) -> float:
    """The one number that an activation may have."""
    if isinstance(f, LeakyReLU):
        return float(f.leak)
    return float(f.scale) if isinstance(f, ELU) else 0.0
