"""Bias, variance and noise: why a method errs, and how that changes with its complexity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ...data import vector
from ..resampling.bootstrap import fitted, in_batches, left_out
from ..resampling.refits import refits_in_memory
from ..resampling.row_losses import row_loss
from ..row_values import row_weights
from .decomposition import Decomposition, MeanParts, SquaredParts, ZeroOneParts, mean


@dataclass(frozen=True, eq=False)
class BiasVariance:
    """Parts of the error for every value of a hyperparameter (one, if there was none to vary).

    Attributes
    ----------
    complexity : array (m,)
        Values of the hyperparameter.
    bias2, variance, noise, error : array (m,)
        Of squared loss, error = bias2 + variance + noise. Of 0/1 loss, bias2 is Domingos' bias, and
        error = bias2 + net_variance + what noise adds.
    net_variance : array (m,)
        What variance adds to the error: all of it for squared loss; for 0/1 loss it helps where the main prediction
        is wrong.
    parameter : str or None
        Name of the hyperparameter.
    loss : {"squared", "zero_one"}
    """

    complexity: np.ndarray
    bias2: np.ndarray
    variance: np.ndarray
    noise: np.ndarray
    error: np.ndarray
    net_variance: np.ndarray
    parameter: str | None
    loss: str

    def __str__(self) -> str:
        names = [self.parameter or "", "bias2", "variance", "noise", "error"]
        lines = ["".join(f"{name:>12}" for name in names)]
        for value, *parts in zip(self.complexity, self.bias2, self.variance, self.noise, self.error, strict=True):
            lines.append(f"{value!s:>12}" + "".join(f"{part:>12.4g}" for part in parts))
        return "\n".join(lines)


def bias_variance(
    estimator: Any,
    sample: Any,
    y: Any = None,
    *,
    truth: Any = None,
    test: Any = None,
    noise: float | None = None,
    loss: str | None = None,
    n: int = 200,
    parameter: str | None = None,
    values: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
) -> BiasVariance:
    """Split the error of an estimator into bias, variance and noise, over samples drawn anew.

        squared:  E (y - f)^2 = (E f - t)^2 + E (f - E f)^2 + E (y - t)^2,  t(x) the mean of y at x
        0/1:      E [f != t] = B + c V,  B = [m != t], V = P(f != m), m the label that most models give;
                  c = 1 where m = t, else -P(f = t | f != m)                                       (Domingos 2000)

    Either `sample` makes training sets and the best prediction is known: the parts are those of the definition. Or
    `sample` and y are data: bootstrap samples stand for training sets, rows are judged by the models that have not
    seen them, and what is called bias holds the noise too, since nobody can tell them apart without the truth.

    Parameters
    ----------
    estimator : estimator
        Any classifier or regression.
    sample : callable or array
        A function of a NumPy random generator that returns (X, y); or X itself, with y.
    y : array
        Targets, if `sample` is X.
    truth : callable or array
        With a function: the best prediction at X, t(X), for the test rows (or its values there).
    test : X, or a pair (X, y)
        With a function: rows to judge by; one more sample if it is None. Noise is measured on y.
    noise : float, default=None
        Variance of y about the truth, where it is known; squared loss only.
    loss : {"squared", "zero_one"}, default=None
        None follows from the estimator.
    n : int, default=200
        Number of training sets.
    parameter, values : str and array
        Hyperparameter to vary; all its values see the same training sets.
    sample_weight : array, default=None
        Weights of the rows, in every fit and every mean; with a function, of the test rows, in the means.
    random_state : int or None
        Source of the samples.

    Returns
    -------
    BiasVariance
        Arrays ``complexity``, ``bias2``, ``variance``, ``noise``, ``error``, ``net_variance``.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import Ridge
    >>> from sumlearn.evaluation import bias_variance
    >>> X = np.vander(np.linspace(-1, 1, 30), 8)
    >>> curve = lambda X: np.sin(3 * X[:, -2])
    >>> draw = lambda rng: (X, curve(X) + 0.5 * rng.standard_normal(30))
    >>> alphas = [1e-6, 1e-2, 1.0, 100.0]
    >>> print(bias_variance(Ridge(), draw, truth=curve, test=X, noise=0.25, parameter="alpha", values=alphas,
    ...                     random_state=0))
           alpha       bias2    variance       noise       error
           1e-06  -0.0001398     0.06479        0.25      0.3146
            0.01   0.0008388      0.0468        0.25      0.2976
             1.0     0.06638      0.0264        0.25      0.3428
           100.0       0.438    0.009647        0.25      0.6976

    References
    ----------
    Lecture note 003; Geman, Bienenstock & Doursat, "Neural networks and the bias/variance dilemma", 1992; Domingos,
    "A unified bias-variance decomposition", 2000.
    """
    name, _ = row_loss(loss, estimator)
    if name not in ("squared", "zero_one"):
        raise ValueError(f"loss must be 'squared' or 'zero_one', got {loss!r}")
    if n < 2:
        raise ValueError(f"n must be at least 2 training sets, got {n}")
    if (parameter is None) != (values is None):
        raise ValueError("parameter and values must be given together")
    if noise is not None and (name != "squared" or noise < 0):
        raise ValueError(f"noise is the variance of y and belongs to squared loss; got {noise!r} with loss {name!r}")
    complexity = np.array([0.0]) if values is None else np.asarray(values)
    models = [estimator] if values is None else [clone(estimator).set_params(**{str(parameter): v}) for v in values]
    if not models:
        raise ValueError("values is empty")
    if callable(sample):
        parts, level = simulated(models, sample, truth, test, noise, name, n, random_state, sample_weight)
    else:
        if truth is not None or test is not None or noise is not None:
            raise ValueError("truth, test and noise need a function that draws samples, not X and y")
        parts, level = out_of_bag(models, sample, y, name, n, random_state, sample_weight), 0.0
    bias2, variance, net, error = np.array(parts).T
    return BiasVariance(complexity, bias2, variance, np.full(len(parts), level), error, net, parameter, name)


def simulated(
    models: list[Any],
    draw: Callable[[Any], Any],
    truth: Any,
    test: Any,
    noise: Any,
    loss: str,
    n: int,
    seed: Any,
    sample_weight: Any,
) -> tuple[list[MeanParts], float]:
    """The parts for every model, and the noise."""
    rng = np.random.default_rng(seed)
    X, observed = draw(rng) if test is None else test if isinstance(test, tuple) else (test, None)
    if truth is None:
        raise ValueError("truth must say the best prediction of the test rows: a function of X, or its values")
    best = vector(truth(X) if callable(truth) else truth, "truth")
    observed = best if observed is None else vector(observed)
    rows = np.arange(len(best))
    if len(observed) != len(rows):
        raise ValueError(f"truth has {len(rows)} rows and y of the test rows has {len(observed)}")
    weight = row_weights(sample_weight, len(rows))
    if loss == "squared":
        level = mean((observed - best) ** 2, weight) if noise is None else float(noise)
    else:
        level = mean(observed != best, weight)
    decompositions = [decomposition(loss, best, observed, level, weight) for _ in models]
    for _ in range(n):
        training = draw(rng)
        for model, parts in zip(models, decompositions, strict=True):
            parts.add(rows, clone(model).fit(*training).predict(X))
    return [parts.parts() for parts in decompositions], level


def out_of_bag(models: list[Any], X: Any, y: Any, loss: str, n: int, seed: Any, sample_weight: Any) -> list[MeanParts]:
    """The parts for every model, by rows that bootstrap samples left out."""
    shared = int(np.random.default_rng(seed).integers(2**31))  # all models see the same samples
    all_parts = []
    for model in models:
        table = refits_in_memory(model, X, y, "bias_variance", sample_weight)
        assert table.y is not None
        parts = decomposition(loss, table.y, table.y, 0.0, row_weights(table.weight, table.rows))
        at = 0
        for samples in in_batches(table, n, shared):
            for sample, fit in zip(samples, fitted(table, samples, at), strict=True):
                rows = left_out(sample, table.rows)
                if len(rows):
                    parts.add(rows, table.predict(fit, rows))
            at += len(samples)
        all_parts.append(parts.parts())
    return all_parts


def decomposition(
    loss: str, truth: np.ndarray, observed: np.ndarray, noise: float, weight: np.ndarray
) -> Decomposition:
    return SquaredParts(truth, noise, weight) if loss == "squared" else ZeroOneParts(truth, observed, weight)
