"""The error of a method by the bootstrap: Efron's .632 and .632+, and the composition of lecture note 002."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .bootstrap import fitted, in_batches, left_out
from .refits import Refits, refits_in_memory
from .row_losses import RowLoss, row_loss

KINDS = ("632", "632+", "composition", "out_of_bag")
INSIDE = 1.0 - float(np.exp(-1.0))  # share of the rows that a sample holds; Efron's .632


@dataclass(frozen=True, eq=False)
class BootstrapError:
    """The outcome of `bootstrap_error`; ``float(outcome)`` is the error.

    Attributes
    ----------
    error : float
        The estimate.
    in_sample : float
        Error of the model of all rows on those rows; with "composition", the mean error of the samples' models on
        their own samples.
    out_of_bag : float
        Error on rows left out: for every row the mean over the models that have not seen it, then the mean over rows;
        with "composition", the mean over the samples of the error on what each left out.
    replicates : array (n,)
        The estimate for every sample by itself.
    no_information, overfitting, weight : float
        Of "632+": gamma, R, and the weight of `out_of_bag`; of the others only the weight differs from NaN.
    kind, loss : str
    """

    error: float
    in_sample: float
    out_of_bag: float
    replicates: np.ndarray
    kind: str
    loss: str
    weight: float
    no_information: float = np.nan
    overfitting: float = np.nan

    def __float__(self) -> float:
        return self.error

    @property
    def variance(self) -> float:
        """Variance of the estimate over the samples."""
        return float(self.replicates.var(ddof=1))


def bootstrap_error(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    kind: str = "632+",
    n: int = 200,
    loss: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
) -> BootstrapError:
    """The error of an estimator on new rows, from bootstrap samples.

        "632"          (1/e) in + (1 - 1/e) out                                      Efron 1983
        "632+"         (1 - w) in + w out', w = .632 / (1 - .368 R)                  Efron & Tibshirani 1997
                       R = (out' - in) / (gamma - in), out' = min(out, gamma); R = 0 unless in < out and in < gamma
        "composition"  mean over samples of (1 - 1/e) in^(m) + (1/e) out^(m)         lecture note 002
        "out_of_bag"   out

    `in` is the error on the rows learnt, `out` the error on rows left out, `gamma` the error if inputs and targets were
    independent: the mean loss over all pairs (y_i, f(x_j)).

    The composition weighs the two errors the other way round than Efron does. It is the error of a sample's model on
    the whole data set, most of which it has learnt, and is therefore too small: a nearest neighbour on labels without
    any meaning has error 1/2; the composition says about .18, "632" about .32, "632+" about 1/2.

    Parameters
    ----------
    estimator : estimator
        Any classifier or regression; one-pass learners take many samples from one read.
    X, y : as in `fit`, in memory
    kind : {"632", "632+", "composition", "out_of_bag"}, default="632+"
        Which estimate.
    n : int, default=200
        Number of samples.
    loss : {"zero_one", "squared", "absolute"} or callable, default=None
        None is "zero_one" for a classifier, "squared" otherwise; a callable takes (y, prediction), row by row.
    sample_weight : array, default=None
        Weights of the rows, in every fit and every mean.
    random_state : int, RandomState or None
        Source of the samples.

    Examples
    --------
    >>> from sumlearn import QuadraticDiscriminantAnalysis
    >>> from sumlearn.data import load_example
    >>> from sumlearn.evaluation import bootstrap_error
    >>> pima = load_example("pima")
    >>> outcome = bootstrap_error(QuadraticDiscriminantAnalysis(), pima.X, pima.y, random_state=0)
    >>> round(outcome.in_sample, 3), round(outcome.out_of_bag, 3), round(outcome.error, 3)
    (0.234, 0.26, 0.251)

    References
    ----------
    Lecture note 002; Efron, "Estimating the error rate of a prediction rule", 1983; Efron & Tibshirani, "Improvements
    on cross-validation: the .632+ bootstrap method", 1997.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(map(repr, KINDS))}, got {kind!r}")
    if n < 2:
        raise ValueError(f"n must be at least 2 samples, got {n}")
    name, function = row_loss(loss, estimator)
    table = refits_in_memory(estimator, X, y, "bootstrap_error", sample_weight)
    everyone = np.arange(table.rows)
    weights = table.weights(everyone)
    total, times = np.zeros(table.rows), np.zeros(table.rows)
    inside, outside = [], []
    at = 0
    for samples in in_batches(table, n, random_state):
        for sample, model in zip(samples, fitted(table, samples, at), strict=True):
            losses = table.losses(model, everyone, function)
            out = left_out(sample, table.rows)
            total[out] += losses[out]
            times[out] += 1
            if weights[out].any():
                inside.append(np.average(losses[sample], weights=weights[sample]))
                outside.append(np.average(losses[out], weights=weights[out]))
        at += len(samples)
    if len(outside) < 2:
        raise ValueError(f"{table.rows} rows are too few: hardly a sample leaves any of them out")
    ins, outs = np.array(inside), np.array(outside)
    if kind == "composition":
        each = INSIDE * ins + (1.0 - INSIDE) * outs
        return BootstrapError(float(each.mean()), float(ins.mean()), float(outs.mean()), each, kind, name, 1.0 - INSIDE)
    whole = table.models([everyone])[0]
    learnt = float(np.average(table.losses(whole, everyone, function), weights=weights))
    seen = times > 0
    out_of_bag = float(np.average(total[seen] / times[seen], weights=weights[seen]))
    gamma = no_information_rate(table, whole, function) if kind == "632+" else np.nan
    error, weight, overfitting = combined(learnt, out_of_bag, gamma, kind)
    each = np.array([combined(learnt, float(value), gamma, kind)[0] for value in outs])
    return BootstrapError(error, learnt, out_of_bag, each, kind, name, weight, gamma, overfitting)


def combined(learnt: float, out: float, gamma: float, kind: str) -> tuple[float, float, float]:
    """Estimate, weight of the error on rows left out, and relative overfitting."""
    if kind == "out_of_bag":
        return out, 1.0, np.nan
    if kind == "632":
        return (1.0 - INSIDE) * learnt + INSIDE * out, INSIDE, np.nan
    capped = min(out, gamma)
    overfitting = (capped - learnt) / (gamma - learnt) if learnt < min(out, gamma) else 0.0
    weight = INSIDE / (1.0 - (1.0 - INSIDE) * overfitting)
    return (1.0 - weight) * learnt + weight * capped, weight, overfitting


def no_information_rate(table: Refits, model: Any, loss: RowLoss) -> float:
    """gamma = 1/N^2 sum_ij loss(y_i, f(x_j)), weighted; labels that repeat are counted, not paired one by one."""
    assert table.y is not None
    weights = table.weights(np.arange(table.rows))
    predictions = table.predict(model, np.arange(table.rows))
    targets, codes = np.unique(table.y, axis=0, return_inverse=True)
    rates = [weights @ loss(np.broadcast_to(target, predictions.shape), predictions) for target in targets]
    return float(np.bincount(codes.ravel(), weights) @ np.array(rates) / weights.sum() ** 2)
