"""Kernels that are given: as a matrix, or as anybody's function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse

from .coded_rows import Coded, dense
from .kernel import Kernel


@dataclass(frozen=True)
class PrecomputedKernel(Kernel):
    """X is the matrix itself: a row for each point, a column for each row that a model was fitted on.

        k(x_i, x'_j) = X_ij

    Whether it is positive definite is up to whoever made it.

    Examples
    --------
    >>> from sumlearn.features.kernels import PrecomputedKernel
    >>> fitted_on = [[1.0, 0.5], [0.5, 1.0]]
    >>> PrecomputedKernel().at(fitted_on).times([[0.2, 0.4]], [1.0, 1.0]).round(3).tolist()
    [0.6]
    """

    @property
    def definite(self) -> bool:
        return True

    def origin(self, rows: Any) -> Any:
        """The numbers of the columns, for the side that is held."""
        if rows.shape[0] != rows.shape[1]:
            raise ValueError(f"Precomputed metric requires a square kernel matrix of the rows, got shape {rows.shape}")
        return np.arange(rows.shape[1])

    def coded(self, rows: Any, origin: Any) -> Coded:
        if rows.shape[1] != len(origin):
            raise ValueError(
                f"Precomputed metric requires shape (n_queries, n_indexed). Got ({rows.shape[0]}, {rows.shape[1]}) "
                f"for {len(origin)} indexed."
            )
        return Coded(rows, origin if rows.shape[0] == len(origin) else None)

    def fill(self, left: Coded, right: Coded, out: np.ndarray) -> None:
        out[...] = dense(left.rows[:, right.each])

    def diagonal_of(self, rows: Any) -> np.ndarray:
        return np.asarray(rows.diagonal(), dtype=np.float64)


@dataclass(frozen=True)
class OwnKernel(Kernel):
    """Anybody's function of two rows, or of two matrices of rows.

    Parameters
    ----------
    function : callable
        f(x, x', **parameters) -> number; with ``rows=False`` f(X, X', **parameters) -> matrix.
    rows : bool, default=True
        Whether it is asked for a pair of rows at a time, as `KernelRidge` does, or for blocks of rows, as `SVC` does.
    parameters : mapping, default={}
        More arguments, by name.
    definite : bool, default=True
        What it says of itself.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn.features.kernels import OwnKernel
    >>> OwnKernel(np.minimum.reduce, rows=False)  # doctest: +ELLIPSIS
    OwnKernel(...)
    >>> OwnKernel(lambda x, y: float(np.minimum(x, y).sum()))([[1.0, 3.0]], [[2.0, 2.0]]).tolist()
    [[3.0]]
    """

    function: Callable[..., Any]
    rows: bool = True
    parameters: Any = ()
    definite: bool = True

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(f"function must be callable, got {type(self.function).__name__}")
        given = self.parameters.items() if isinstance(self.parameters, Mapping) else self.parameters
        object.__setattr__(self, "parameters", tuple(sorted(given)))  # pairs, so that two kernels can be compared

    @property
    def row_by_row(self) -> bool:  # type: ignore[override]
        """A function of two rows is asked about every pair once."""
        return self.rows

    def origin(self, rows: Any) -> None:
        return None

    def coded(self, rows: Any, origin: Any) -> Coded:
        return Coded(rows)

    def fill(self, left: Coded, right: Coded, out: np.ndarray) -> None:
        more = dict(self.parameters)
        if self.rows:
            X, Y = dense(left.rows), dense(right.rows)
            out[...] = [[self.function(x, y, **more) for y in Y] for x in X]
            return
        values = self.function(left.rows, right.rows, **more)
        values = values.toarray() if sparse.issparse(values) else np.asarray(values)
        if values.shape != out.shape:
            raise ValueError(f"the kernel function must give a matrix of shape {out.shape}, got {values.shape}")
        out[...] = values

    def diagonal_of(self, rows: Any) -> np.ndarray:
        found = np.empty(rows.shape[0])
        for i in range(len(found)):
            one = Coded(rows[i : i + 1])
            self.fill(one, one, found[i : i + 1, None])
        return found
