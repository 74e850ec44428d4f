"""OwnFunction: anybody's F(w) as an objective; slopes and curvature are given, or taken from differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..statistics import Expansion
from .differences import RUNG, along, central, steps_of
from .loss_sums import EMPTY
from .objective import Kink

FEW = 100  # numbers in a point up to which curvature is taken from differences of slopes


@dataclass(frozen=True, eq=False)
class OwnFunction:
    """F(w), where w is a number or an array of any shape.

    Points are w in one row, in double precision; F is asked in the shape and precision of the start. Without a slope,
    dF/dw_j is taken from central differences of fourth order, four values for each number of w; with a slope and
    without a curvature the Hessian is the same of slopes, for at most 100 numbers. Their steps are chosen at the start,
    see `differences.py`.

    >>> bowl = OwnFunction.of(lambda w: (w[0] - 1.0) ** 2 + 2.0 * w[1] ** 2, np.zeros(2))
    >>> found = bowl.expand(bowl.start)
    >>> found.value, found.gradient.round(9).tolist()
    (1.0, [-2.0, 0.0])
    """

    value: Callable[[Any], Any]
    slope: Callable[[Any], Any] | None
    curvature: Callable[[Any], Any] | None
    first: np.ndarray  # the start, as it was given
    value_steps: np.ndarray
    slope_steps: np.ndarray

    outputs = 1
    noise = 0.0
    cost = 1.0
    kinks: tuple[Kink, ...] = ()

    @classmethod
    def of(cls, value: Any, start: Any, slope: Any = None, curvature: Any = None) -> OwnFunction:
        """Check the functions where they begin."""
        if not callable(value):
            raise TypeError(f"value must be a function of w, got {value!r}")
        for name, given in (("slope", slope), ("curvature", curvature)):
            if given is not None and not callable(given):
                raise TypeError(f"{name} must be a function of w, or None, got {given!r}")
        if curvature is not None and slope is None:
            raise ValueError("curvature without slope: give both")
        first = numbers("start", start)
        first = first if first.dtype in (np.float32, np.float64) else first.astype(float)
        if not first.size or not np.isfinite(first).all():
            raise ValueError(f"start must hold numbers that are finite, got {start!r}")
        made = cls(value, slope, curvature, first, EMPTY, EMPTY)
        made._value(made.start)
        if slope is None:
            return cls(value, slope, curvature, first, steps_of(made._value, made.start, first.dtype), EMPTY)
        made._compare()
        if curvature is not None or first.size > FEW:
            return made
        return cls(value, slope, curvature, first, EMPTY, steps_of(made._slope, made.start, first.dtype))

    @property
    def offers(self) -> frozenset[str]:
        bends = self.curvature is not None or (self.slope is not None and self.first.size <= FEW)
        return frozenset({"value and slope", "curvature"} if bends else {"value and slope"})

    @property
    def rounding(self) -> float:
        return float(np.finfo(self.first.dtype).eps)

    @property
    def start(self) -> np.ndarray:
        return self.first.astype(float).ravel()

    def natural(self, point: np.ndarray) -> Any:
        """A point as the functions take it: in the shape and precision of the start."""
        w = point.astype(self.first.dtype).reshape(self.first.shape)
        return w if w.ndim else float(w)

    def expand(self, point: np.ndarray, order: int = 1) -> Expansion:
        """Value, gradient and Hessian; what is no number is a ValueError, at which a line search turns back."""
        value = self._value(point)
        gradient = self._slope(point) if order else np.zeros_like(point)
        hessian = self._curvature(point) if order > 1 else EMPTY
        return Expansion(float(value), gradient, hessian, -np.inf, 1.0, 1)

    def _value(self, point: np.ndarray) -> np.ndarray:
        return self._asked("value", self.value(self.natural(point)), ())

    def _slope(self, point: np.ndarray) -> np.ndarray:
        if self.slope is None:
            return central(self._value, point, self.value_steps, self.first.dtype)
        return self._asked("slope", self.slope(self.natural(point)), self.first.shape).ravel()

    def _curvature(self, point: np.ndarray) -> np.ndarray:
        if self.curvature is None:
            H = central(self._slope, point, self.slope_steps, self.first.dtype)
            return 0.5 * (H + H.T)
        given = self.curvature(self.natural(point))
        H = self._asked("curvature", given, self.first.shape * 2).reshape(point.size, point.size)
        if np.abs(H - H.T).max(initial=0.0) > 1e-3 * np.abs(H).max(initial=0.0):
            raise ValueError("curvature(w) must be symmetric")
        return H

    def _compare(self) -> None:
        """Warn where the slope at the start is not that of the values, along one direction."""
        slope, way = self._slope(self.start), np.random.default_rng(0).standard_normal(self.start.size)
        way, dtype = way / np.sqrt(way @ way), self.first.dtype
        here = np.array([2.0 ** np.ceil(np.log2(max(1.0, np.abs(self.start).max())))])  # so that steps suit its size

        def line(t: np.ndarray) -> np.ndarray:
            return self._value(self.start + (t[0] - here[0]) * way)

        try:
            step = float(steps_of(line, here, dtype)[0])
            rise, nearer = (float(along(line, here, 0, t, dtype)) for t in (step, step / RUNG))
        except Exception:  # F ends near the start, as its author says it
            return
        given = float(slope @ way)
        doubt = abs(rise - nearer) + 1e3 * self.rounding * abs(float(self._value(self.start))) / step
        if abs(rise - given) > 1e-2 * max(abs(rise), float(np.sqrt(slope @ slope))) + 10.0 * doubt:
            message = f"slope(w) is not that of value(w): {given:.4g} along one direction, by differences {rise:.4g}"
            warnings.warn(message, UserWarning, stacklevel=4)

    def _asked(self, name: str, given: Any, shape: tuple[int, ...]) -> np.ndarray:
        """What a function returned, if it is what it should be; a single number may be in an array."""
        found = numbers(f"{name}(w)", given)
        if found.size == 1 and max(shape, default=1) == 1:
            found = found.reshape(shape)
        if found.shape != shape:
            wanted = "one number" if not shape else f"of shape {shape}"
            raise ValueError(f"{name}(w) must be {wanted}, got an array of shape {found.shape}")
        if not np.isfinite(found).all():
            raise ValueError(f"{name}(w) is not finite: {found.ravel()[~np.isfinite(found.ravel())][0]}")
        return found.astype(float)


def numbers(name: str, given: Any) -> np.ndarray:
    """An array of real numbers."""
    try:
        found = np.asarray(given)
    except ValueError:  # rows of different lengths
        found = np.asarray(None)
    if found.dtype.kind not in "fiub":
        raise TypeError(f"{name} must be a number or an array of numbers, got {given!r}")
    return found
