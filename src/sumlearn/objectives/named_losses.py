"""Losses by their names."""

from __future__ import annotations

from typing import Any

from .kinked_losses import Absolute, EpsilonInsensitive, Hinge, PerceptronLoss, Quantile
from .losses import Huber, Logistic, Loss, Softmax, Squared, SquaredHinge, ZeroOne

LOSSES: dict[str, type[Loss]] = {
    loss.name: loss
    for loss in (
        ZeroOne,
        PerceptronLoss,
        Hinge,
        SquaredHinge,
        Logistic,
        Softmax,
        Squared,
        Absolute,
        EpsilonInsensitive,
        Huber,
        Quantile,
    )
}


def loss_of(loss: Any, target: str) -> Loss:
    """A loss by its name or as it is, if it suits the target: "number" or "label"."""
    suitable = [name for name, kind in LOSSES.items() if kind.target == target and kind.convex]
    if isinstance(loss, str):
        if loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(suitable)}, or a Loss, got {loss!r}")
        loss = LOSSES[loss]()
    if not isinstance(loss, Loss):
        raise ValueError(f"loss must be one of {', '.join(suitable)}, or a Loss, got {loss!r}")
    if not loss.convex:
        advice = f"use one of {', '.join(suitable)}"
        raise ValueError(f"loss={loss.name!r} is not convex: it serves to evaluate, not to fit; {advice}")
    if loss.target != target:
        raise ValueError(f"loss={loss.name!r} is not one for this task; use one of {', '.join(suitable)}")
    return loss
