"""Losses of boosting: a loss of `objectives`, where scores start, and how a leaf answers it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...compiled.boost_rows import softmax_terms
from ...objectives.kinked_losses import Absolute, Quantile
from ...objectives.links import log_softmax, sigmoid, softmax
from ...objectives.losses import Huber, Logistic, Loss, Softmax, Squared


class Poisson(Loss):
    """exp(f) - y f: minus the log-likelihood of counts with mean exp(f), up to a constant.

    >>> Poisson().slope(np.array([2.0]), np.array([0.0])).tolist()
    [-1.0]
    """

    name, target, coding, steepness = "poisson", "number", "value", np.inf

    def value(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return np.exp(score) - y * score

    def slope(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return np.exp(score) - y

    def curvature(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return np.exp(score)


class Gamma(Loss):
    """f + y exp(-f): minus the log-likelihood of positive numbers with mean exp(f), up to constants.

    >>> Gamma().slope(np.array([2.0]), np.array([0.0])).tolist()
    [-1.0]
    """

    name, target, coding, steepness = "gamma", "number", "value", np.inf

    def value(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return score + y * np.exp(-score)

    def slope(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return 1.0 - y * np.exp(-score)

    def curvature(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return y * np.exp(-score)


class Exponential(Loss):
    """exp(-y f), the loss of AdaBoost; the labels are -1 and +1.

    >>> Exponential().slope(np.array([1.0]), np.array([0.0])).tolist()
    [-1.0]
    """

    name, target, coding, steepness, asymptotic = "exponential", "label", "sign", np.inf, True

    def value(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return np.exp(-y * score)

    def slope(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return -y * np.exp(-y * score)

    def curvature(self, y: np.ndarray, score: np.ndarray) -> np.ndarray:
        return np.exp(-y * score)


LOSSES: dict[str, Any] = {
    "squared_error": lambda q: Squared(),
    "absolute_error": lambda q: Absolute(),
    "quantile": lambda q: Quantile(q),
    "huber": lambda q: Huber(),
    "poisson": lambda q: Poisson(),
    "gamma": lambda q: Gamma(),
    "exponential": lambda q: Exponential(),
}


@dataclass(frozen=True)
class BoostLoss:
    """A loss and what boosting asks of it. Scores are (outputs, n); y is a number, a sign, or the number of a class.

    Attributes
    ----------
    loss : Loss
    outputs : int
        Trees in a round.
    quantile : float or None
        The leaf's value is this quantile of its residuals; None: a Newton step.
    corner : float or None
        For Huber's loss: the quantile of the residuals beyond which they count as they are, not squared.
    """

    loss: Loss
    outputs: int = 1
    quantile: float | None = None
    corner: float | None = None

    @classmethod
    def named(cls, name: str, classes: int = 0, quantile: float | None = None) -> BoostLoss:
        """A loss by scikit-learn's name, for so many classes (none: numbers)."""
        if name == "log_loss":
            return cls(Softmax(), classes) if classes > 2 else cls(Logistic())
        middle = {"absolute_error": 0.5, "quantile": quantile, "huber": 0.5}.get(name)
        return cls(LOSSES[name](quantile), 1, middle, quantile if name == "huber" else None)

    def at_corner(self, delta: float) -> BoostLoss:
        """Huber's loss with this delta."""
        return replace(self, loss=Huber(max(delta, np.finfo(float).tiny)))

    def link(self, answers: np.ndarray) -> np.ndarray:
        """Scores (outputs, n) of answers: of means, or of probabilities (n, classes)."""
        if self.name in ("poisson", "gamma"):
            return np.log(answers)[None]
        if self.loss.target == "number":
            return np.asarray(answers, dtype=float).reshape(1, -1)
        edge = np.finfo(np.float32).eps
        p = np.clip(answers, edge, 1.0 - edge).astype(float)
        if self.name == "softmax":
            logs = np.log(p.T)
            return logs - logs.mean(axis=0)
        half = 0.5 if self.name == "exponential" else 1.0
        return half * np.log(p[:, 1] / (1.0 - p[:, 1]))[None]

    @property
    def name(self) -> str:
        return self.loss.name

    @property
    def flat(self) -> bool:
        """Whether the Hessian is the same for all rows, or taken as such."""
        return self.name in ("squared", "absolute", "quantile", "huber")

    def start(self, y: np.ndarray, middle: Any, shares: Any) -> np.ndarray:
        """The best constant scores; `middle(values, quantile or None)` is a quantile or the mean of the rows."""
        if self.name == "softmax":
            logs = np.log(np.maximum(shares(self.outputs), np.finfo(float).tiny))
            return logs - logs.mean()
        if self.quantile is not None:
            return np.array([middle(y, self.quantile)])
        mean = middle(y, None)
        if self.name in ("poisson", "gamma"):
            return np.array([np.log(max(mean, np.finfo(float).tiny))])
        if self.name in ("logistic", "exponential"):
            edge = np.finfo(float).eps
            p = min(max(0.5 * (1.0 + mean), edge), 1.0 - edge)
            half = 0.5 if self.name == "exponential" else 1.0
            return np.array([half * np.log(p / (1.0 - p))])
        return np.array([mean])

    def terms(self, y: np.ndarray, scores: np.ndarray, room: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Slopes and curvatures, (outputs, n); a flat curvature is empty. In `room`, where a loss has a use for it."""
        if self.name == "softmax":
            p, curvature = (np.empty(scores.shape), np.empty(scores.shape)) if room is None else room
            np.subtract(scores, scores.max(axis=0), out=p)  # softmax over the outputs, whose rows lie apart
            np.exp(p, out=p)
            softmax_terms(p, y, curvature)
            return p, curvature
        if self.flat:
            return self.loss.slope(y, scores[0])[None], np.empty((1, 0))
        if self.name == "logistic":
            _, wrong = Logistic.wrong(y * scores[0])
            return (-y * wrong)[None], (wrong * (1.0 - wrong))[None]
        return self.loss.slope(y, scores[0])[None], self.loss.curvature(y, scores[0])[None]

    def class_numbers(self, y: np.ndarray) -> np.ndarray:
        """The numbers of the classes, from y as the loss takes it."""
        return y if self.name == "softmax" else (y > 0).astype(np.int64)

    def value(self, y: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """The loss of every row."""
        if self.name == "softmax":
            return -log_softmax(scores.T)[np.arange(len(y)), y]
        return self.loss.value(y, scores[0])

    def answers(self, scores: np.ndarray) -> np.ndarray:
        """Means of numbers, or probabilities of the classes, from scores (n, outputs)."""
        if self.name == "softmax":
            return softmax(scores)
        if self.name in ("logistic", "exponential"):
            p = sigmoid(scores[:, 0] * (2.0 if self.name == "exponential" else 1.0))
            return np.column_stack([1.0 - p, p])
        return np.exp(scores[:, 0]) if self.name in ("poisson", "gamma") else scores[:, 0]

    def coded(self, codes: np.ndarray) -> np.ndarray:
        """Numbers of classes as the loss takes them."""
        return codes if self.name == "softmax" else np.where(codes == 1, 1.0, -1.0)


def start_scores(model: Any, loss: BoostLoss, X: Any) -> np.ndarray:
    """Scores (outputs, n) that a model starts with."""
    return loss.link(model.predict(X) if loss.loss.target == "number" else model.predict_proba(X))
