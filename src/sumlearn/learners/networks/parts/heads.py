"""Heads: what the last layer says, and how far it is from the truth; loss and slope side by side.

    softmax    p_k = exp z_k / sum_j exp z_j    -ln p of the class               slope p - [class]
    logistic   p_k = 1 / (1 + exp(-z_k))        -t ln p - (1 - t) ln(1 - p)      slope p - t
    identity   z                                (z - t)^2 / 2                    slope z - t
    exp        m = exp z                        m - t + t ln(t / m)              slope m - t

Each pair of output and loss is such that the slope in z is what was said less what is true. Losses of several outputs
are added; rows are weighed by `share`, their weight over that of all.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from ....compiled import network_steps as steps
from .array_types import namespace


class Head:
    """Of sums z of the last layer, without intercepts, and these."""

    name: ClassVar[str]

    @abstractmethod
    def value(self, z: Any) -> Any:
        """What the network says."""

    @abstractmethod
    def loss(self, z: Any, target: Any) -> Any:
        """The loss of every row."""

    @abstractmethod
    def slope(self, z: Any, target: Any) -> Any:
        """Its slope in z."""

    def fused(self, z: Any, b: Any, target: Any, share: Any) -> Any:
        """Both at once for arrays of NumPy, in place of z; none, unless a head says so."""

    def judged(self, z: Any, b: Any, target: Any, share: Any) -> tuple[Any, Any]:
        """The loss of all rows and its slopes, each row times its share; z may be overwritten."""
        if isinstance(z, np.ndarray):
            loss = self.fused(z, b, target, share)
            if loss is not None:
                return loss, z
        z += b
        return (share * self.loss(z, target)).sum(), share[:, None] * self.slope(z, target)


class SoftmaxHead(Head):
    """One of several classes: cross-entropy; the target is the number of the class."""

    name = "softmax"

    def value(self, z: Any) -> Any:
        xp = namespace(z)
        e = xp.exp(z - xp.max(z, axis=1, keepdims=True))
        return e / xp.sum(e, axis=1, keepdims=True)

    def loss(self, z: Any, target: Any) -> Any:
        xp = namespace(z)
        z = z - xp.max(z, axis=1, keepdims=True)
        own = xp.take_along_axis(z, target[:, None], axis=1)[:, 0]
        return xp.log(xp.sum(xp.exp(z), axis=1)) - own

    def slope(self, z: Any, target: Any) -> Any:
        xp = namespace(z)
        classes = xp.arange(z.shape[1], device=z.device)
        return self.value(z) - xp.astype(target[:, None] == classes[None, :], z.dtype)

    def fused(self, z: Any, b: Any, target: Any, share: Any) -> Any:
        return steps.softmax_slopes(z, b, target, share)


class LogisticHead(Head):
    """Yes or no, for each output by itself: cross-entropy; the target is 0 or 1."""

    name = "logistic"

    def value(self, z: Any) -> Any:
        xp = namespace(z)
        e = xp.exp(-xp.abs(z))
        return xp.where(z >= 0, xp.ones_like(e), e) / (1.0 + e)

    def loss(self, z: Any, target: Any) -> Any:
        xp = namespace(z)
        rise = xp.where(z > 0, z, xp.zeros_like(z)) + xp.log1p(xp.exp(-xp.abs(z)))
        return xp.sum(rise - target * z, axis=1)

    def slope(self, z: Any, target: Any) -> Any:
        return self.value(z) - target

    def fused(self, z: Any, b: Any, target: Any, share: Any) -> Any:
        return steps.sigmoid_slopes(z, b, target, share)


class SquaredHead(Head):
    """Numbers: half of the squared error."""

    name = "identity"

    def value(self, z: Any) -> Any:
        return z

    def loss(self, z: Any, target: Any) -> Any:
        return 0.5 * namespace(z).sum((z - target) ** 2, axis=1)

    def slope(self, z: Any, target: Any) -> Any:
        return z - target

    def fused(self, z: Any, b: Any, target: Any, share: Any) -> Any:
        return steps.squared_slopes(z, b, target, share)


class PoissonHead(Head):
    """Counts: half of the Poisson deviance."""

    name = "exp"

    def value(self, z: Any) -> Any:
        return namespace(z).exp(z)

    def loss(self, z: Any, target: Any) -> Any:
        xp = namespace(z)
        known = xp.where(target > 0, target, xp.ones_like(target))
        return xp.sum(xp.exp(z) - target + target * (xp.log(known) - z), axis=1)

    def slope(self, z: Any, target: Any) -> Any:
        return self.value(z) - target


HEADS = {head.name: head for head in (SoftmaxHead(), LogisticHead(), SquaredHead(), PoissonHead())}
