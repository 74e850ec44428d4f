"""The generalisation gap: how much worse a model does on rows that it has not learnt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ...data import split_target, vector
from ..resampling.row_losses import row_loss
from ..row_values import row_weights


@dataclass(frozen=True)
class GeneralisationGap:
    """The outcome of `generalisation_gap`.

    Attributes
    ----------
    train_risk, held_risk : float
        Mean loss on the rows learnt (empirical risk) and on the rows held out.
    gap : float
        held_risk - train_risk.
    radius : float or None
        Half the width of the interval of the true risk; None if the loss has no known range.
    interval : (float, float) or None
        Where the true risk lies with at least `confidence`, whatever the distribution.
    confidence : float
    rows : int
        Rows held out.
    loss : str
    """

    train_risk: float
    held_risk: float
    gap: float
    radius: float | None
    interval: tuple[float, float] | None
    confidence: float
    rows: int
    loss: str

    def __str__(self) -> str:
        bound = "no bound: the loss has no known range, see loss_range"
        if self.interval is not None:
            bound = f"true risk in {self.interval[0]:.4f} to {self.interval[1]:.4f} with confidence {self.confidence:g}"
        return (
            f"{self.loss} loss: {self.train_risk:.4f} learnt, {self.held_risk:.4f} held out ({self.rows} rows), "
            f"gap {self.gap:.4f}; {bound}"
        )


def generalisation_gap(
    estimator: Any,
    X_train: Any,
    y_train: Any,
    X_held: Any,
    y_held: Any,
    *,
    loss: Any = None,
    loss_range: tuple[float, float] | None = None,
    confidence: float = 0.95,
    sample_weight: Any = None,
    sample_weight_held: Any = None,
) -> GeneralisationGap:
    """True and empirical risk: mean loss on rows learnt and on rows held out, with Hoeffding's bound for the latter.

        gap = R_held - R_train,   P(|R - R_held| >= e) <= 2 exp(-2 m e^2 / (b - a)^2)

    m is the number of rows held out, a to b the range of the loss. The bound holds for every distribution and every
    model, because the rows held out had no part in learning; it says nothing about the risk on the rows learnt. It
    needs a bounded loss: 0/1 loss is, squared and absolute loss are only if `loss_range` says so.

    Parameters
    ----------
    estimator : estimator
        A copy is fitted to the training rows.
    X_train, y_train, X_held, y_held : arrays or tables; y may name a column
    loss : {"zero_one", "squared", "absolute"} or callable, default=None
        None is "zero_one" for a classifier, "squared" otherwise; a callable takes (y, prediction), row by row.
    loss_range : (float, float), default=None
        Smallest and largest possible loss; a loss outside is an error.
    confidence : float, default=0.95
        Of the interval.
    sample_weight, sample_weight_held : arrays, default=None
        Weights of the training rows, in the fit and its risk, and of the rows held out. A weight is a number of rows,
        also in the bound.

    Returns
    -------
    GeneralisationGap

    Examples
    --------
    >>> from sumlearn import QuadraticDiscriminantAnalysis
    >>> from sumlearn.data import load_example
    >>> from sumlearn.evaluation import generalisation_gap
    >>> pima = load_example("pima")
    >>> X, y = pima.X, pima.y
    >>> gap = generalisation_gap(QuadraticDiscriminantAnalysis(), X[:400], y[:400], X[400:], y[400:])
    >>> print(gap)
    zero_one loss: 0.2625 learnt, 0.2446 held out (368 rows), gap -0.0179; true risk in 0.1738 to 0.3154 with ...

    References
    ----------
    Lecture note 003; Hoeffding, "Probability inequalities for sums of bounded random variables", 1963.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
    name, function = row_loss(loss, estimator)
    if loss_range is None and name == "zero_one" and not callable(loss):
        loss_range = (0.0, 1.0)
    if loss_range is not None and not (np.shape(loss_range) == (2,) and loss_range[0] < loss_range[1] < np.inf):
        raise ValueError(f"loss_range must be (smallest, largest), got {loss_range!r}")
    (X_train, y_train), (X_held, y_held) = split_target(X_train, y_train), split_target(X_held, y_held)
    y_train, y_held = vector(y_train, "y_train"), vector(y_held, "y_held")
    if not len(y_held):
        raise ValueError("X_held has no rows")
    extra = {} if sample_weight is None else {"sample_weight": sample_weight}
    weight, weight_held = row_weights(sample_weight, len(y_train)), row_weights(sample_weight_held, len(y_held))
    model = clone(estimator).fit(X_train, y_train, **extra)
    learnt = function(y_train, np.asarray(model.predict(X_train)))
    held = function(y_held, np.asarray(model.predict(X_held)))
    risks = float(np.average(learnt, weights=weight)), float(np.average(held, weights=weight_held))
    radius = interval = None
    if loss_range is not None:
        low, high = loss_range
        for row in np.flatnonzero((weight_held > 0) & ((held < low) | (held > high)))[:1]:
            raise ValueError(f"the loss of row {row} of X_held is {held[row]:g}, outside loss_range {loss_range}")
        radius = float((high - low) * np.sqrt(np.log(2.0 / (1.0 - confidence)) / (2.0 * weight_held.sum())))
        interval = max(low, risks[1] - radius), min(high, risks[1] + radius)
    rows = int((weight_held > 0).sum())
    return GeneralisationGap(*risks, risks[1] - risks[0], radius, interval, confidence, rows, name)
