"""The bootstrap: how much parameters and errors would vary if the rows were drawn anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ...data import vector
from .refits import Refits, refits
from .row_losses import row_loss

AT_A_TIME = 2**27  # bytes of row numbers of the samples that share a read
MOST_SAMPLES = 64


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """The outcome of `bootstrap`.

    Attributes
    ----------
    estimate : array
        The parameter from all rows.
    replicates : array (n, ...)
        The parameter from every sample.
    errors : array (n,) or None
        Mean loss of every model on the rows that its sample left out; None without a target.
    loss : str
        What was averaged.
    """

    estimate: np.ndarray
    replicates: np.ndarray
    errors: np.ndarray | None
    loss: str

    @property
    def mean(self) -> np.ndarray:
        """Mean over the samples."""
        return self.replicates.mean(axis=0)

    @property
    def standard_error(self) -> np.ndarray:
        """Standard deviation over the samples, with n - 1."""
        return self.replicates.std(axis=0, ddof=1)

    @property
    def bias(self) -> np.ndarray:
        """Mean over the samples minus the estimate from all rows."""
        return self.mean - self.estimate

    def interval(self, level: float = 0.95) -> np.ndarray:
        """Percentile interval, shape (2, ...): the middle `level` of the samples."""
        if not 0.0 < level < 1.0:
            raise ValueError(f"level must be between 0 and 1, got {level!r}")
        tail = (1.0 - level) / 2.0
        return np.quantile(self.replicates, [tail, 1.0 - tail], axis=0)

    @property
    def error_mean(self) -> float:
        """Mean of the errors."""
        return float(self._errors().mean())

    @property
    def error_variance(self) -> float:
        """Variance of the errors over the samples, with n - 1."""
        return float(self._errors().var(ddof=1))

    def _errors(self) -> np.ndarray:
        if self.errors is None:
            raise AttributeError("there are no errors: the estimator has no target")
        return self.errors


def bootstrap(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    n: int = 200,
    statistic: Any = None,
    loss: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
) -> Bootstrap:
    """Means, standard errors and intervals of parameters, and mean and variance of the error, over bootstrap samples.

        draw N of N rows with replacement, fit: theta^(m) and, on the rows left out, p^(m); m = 1 .. n

    A row is left out with probability (1 - 1/N)^N, about 1/e. For a one-pass learner the sums of many samples come from
    one read of the data, files and Dask collections included, and every model is the one that a fit on its sample
    would give. The mean of the samples is a fair copy of the estimate for averages only: a variance, say, shrinks by
    (N - 1) / N in every sample.

    Parameters
    ----------
    estimator : estimator or function
        Any; a classifier is judged by wrong labels, a regression by squared errors. A function of a sample, such as
        ``np.median``, is a parameter by itself: it is given rows of X, and of y if there is one.
    X, y : as in `fit`
    n : int, default=200
        Number of samples.
    statistic : str, callable or None
        The parameter: an attribute, or a function of the fitted model; None is ``coef_``.
    loss : {"zero_one", "squared", "absolute"} or callable, default=None
        What the errors average; a callable takes (y, prediction) and returns a number per row.
    sample_weight : array, default=None
        Weights of the rows, in every fit and every error.
    random_state : int, RandomState or None
        Source of the samples.

    Returns
    -------
    Bootstrap
        ``mean``, ``standard_error``, ``bias``, ``interval(level)``, ``error_mean``, ``error_variance``, and all values.

    Examples
    --------
    >>> from sumlearn import LinearRegression
    >>> from sumlearn.data import load_example
    >>> from sumlearn.evaluation import bootstrap
    >>> rows = load_example("faithful").X
    >>> outcome = bootstrap(LinearRegression(), rows[:, :1], rows[:, 1], n=500, random_state=0)
    >>> print(outcome.estimate.round(2), outcome.standard_error.round(2), outcome.interval(0.9).ravel().round(1))
    [10.73] [0.3] [10.2 11.2]
    >>> round(outcome.error_mean, 1)
    35.5

    The median of a sample:

    >>> import numpy as np
    >>> median = bootstrap(np.median, rows[:, 1], n=500, random_state=0)
    >>> print(median.estimate, round(float(median.standard_error), 1), median.interval())
    76.0 0.9 [74. 77.]

    References
    ----------
    Lecture note 002; Efron & Tibshirani, "An introduction to the bootstrap", 1993.
    """
    if n < 2:
        raise ValueError(f"n must be at least 2 samples, got {n}")
    if callable(estimator) and not hasattr(estimator, "fit"):
        return of_sample(estimator, X, y, n, (statistic, loss, sample_weight), random_state)
    name, function = row_loss(loss, estimator)
    table = refits(estimator, X, y, sample_weight)
    judged = table.y is not None and hasattr(estimator, "predict")
    whole = table.models([np.arange(table.rows)])[0]
    estimate = parameter_of(whole, statistic)
    replicates: list[np.ndarray] = []
    errors: list[float] = []
    for samples in in_batches(table, n, random_state):
        models = fitted(table, samples, len(replicates))
        replicates += [parameter_of(model, statistic) for model in models]
        if judged:
            outside = [left_out(rows, table.rows) for rows in samples]
            some = [m for m, rows in enumerate(outside) if len(rows)]
            totals = table.total_losses([models[m] for m in some], [outside[m] for m in some], function)
            errors += [float(t.values[0] / t.weight) for t in totals if t.weight > 0]
    for m, values in enumerate(replicates):
        if values.shape != estimate.shape:
            raise ValueError(
                f"the statistic has shape {values.shape} in sample {m} and {estimate.shape} for all rows: a class that "
                "the sample lacks? Give a statistic that has always the same shape"
            )
    if judged and len(errors) < 2:
        raise ValueError(f"{table.rows} rows are too few: hardly a sample leaves any of them out")
    return Bootstrap(estimate, np.array(replicates), np.array(errors) if judged else None, name)


def of_sample(function: Any, X: Any, y: Any, n: int, of_models: tuple[Any, ...], random_state: Any) -> Bootstrap:
    """Bootstrap of a plain function of the rows."""
    if any(value is not None for value in of_models):
        raise ValueError("a function of a sample is the statistic: it has no loss and takes no weights")
    parts = [vector(values, name) for name, values in (("X", X), ("y", y)) if values is not None]
    if not all(np.ndim(values) for values in parts):
        raise ValueError("a function of a sample is given rows: load the table into memory first, X and y as arrays")
    rows = len(parts[0])
    if rows < 2 or any(len(values) != rows for values in parts):
        raise ValueError(f"the bootstrap needs at least 2 rows, as many of X as of y; got {[len(v) for v in parts]}")
    rng = check_random_state(random_state)
    samples = [np.arange(rows), *(drawn(rows, rng) for _ in range(n))]
    values = [finite(function(*(part[sample] for part in parts))) for sample in samples]
    for m, value in enumerate(values[1:]):
        if value.shape != values[0].shape:
            raise ValueError(f"the statistic has shape {value.shape} in sample {m} and {values[0].shape} for all rows")
    return Bootstrap(values[0], np.array(values[1:]), None, "none")


def in_batches(table: Refits, n: int, random_state: Any) -> Iterator[list[np.ndarray]]:
    """Samples of row numbers, ascending, in lists that share a read."""
    if table.rows < 2:
        raise ValueError(f"the bootstrap needs at least 2 rows, got {table.rows}")
    rng = check_random_state(random_state)
    size = int(np.clip(AT_A_TIME // (8 * table.rows), 1, MOST_SAMPLES))
    for start in range(0, n, size):
        yield [drawn(table.rows, rng) for _ in range(min(size, n - start))]


def drawn(rows: int, rng: Any) -> np.ndarray:
    """N of N rows with replacement, ascending."""
    return np.repeat(np.arange(rows), np.bincount(rng.randint(0, rows, rows), minlength=rows))


def left_out(sample: np.ndarray, rows: int) -> np.ndarray:
    return np.flatnonzero(np.bincount(sample, minlength=rows) == 0)


def fitted(table: Refits, samples: list[np.ndarray], first: int) -> list[Any]:
    try:
        return table.models(samples)
    except ValueError as error:
        raise ValueError(f"a fit among samples {first} to {first + len(samples) - 1} failed: {error}") from error


def parameter_of(model: Any, statistic: Any) -> np.ndarray:
    if callable(statistic):
        value = statistic(model)
    elif hasattr(model, statistic or "coef_"):
        value = getattr(model, statistic or "coef_")
    else:
        raise ValueError(
            f"a fitted {type(model).__name__} has no {statistic or 'coef_'}: give the statistic as the name of an "
            "attribute or a function of the model"
        )
    return finite(value)


def finite(value: Any) -> np.ndarray:
    values = np.asarray(value, dtype=float)
    if not np.isfinite(values).all():
        raise ValueError("the statistic of a sample is not finite")
    return values
