"""What the machines of support vectors share: kernel, rows, bounds, the fit of a dual and sums over its vectors."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sparse

from ....data import Chunk
from ....engines import cores
from ....features.input_ranges import is_number, one_of, whole_number
from ....features.kernels import Kernel, LinearKernel, kernel_of
from ....objectives.duals import Dual
from ....solvers.decomposition import BATCH
from ....solvers.multipliers import Multipliers
from ....solvers.whole_dual import BLOCK
from ....statistics.warnings import warn
from ...linear.parts.margins import NAMED
from .dual_roads import SOLVERS, solved
from .held_kernel import HeldKernel, held_kernel
from .kernel_model import check_symmetric, is_precomputed

FAR = 1e-4  # of what gamma times the variance of the rows should be about
HARDER = 100.0  # times the last C, on the way to a hard margin
HARDEST = 1e12  # over the mean square of a distance: beyond it, rows count as not separated
TOUCHING = 1e-10  # of it: squared distance of two hulls that counts as none


class Held(NamedTuple):
    """The rows of a fit as its kernel sees them; `numbers` are their places among all rows of the table."""

    kernel: Kernel
    rows: Any
    matrix: HeldKernel
    y: Any
    weight: np.ndarray
    numbers: np.ndarray
    centre: np.ndarray | None  # from which rows of a linear kernel are counted
    shape: tuple[int, int]  # of the rows as they came


class SupportVectors:
    """Parameters of the kernel and of the search, as scikit-learn has them, and what is made of them."""

    kernel: Any
    degree: Any
    gamma: Any
    coef0: float
    tol: float
    cache_size: float
    shrinking: bool
    max_iter: int
    solver: str
    n_jobs: int | None
    max_memory: float | None

    kernel_: Kernel
    support_vectors_: Any
    dual_coef_: Any
    support_: np.ndarray
    shape_fit_: tuple[int, ...]

    sparse_ok = True
    private: ClassVar[tuple[str, ...]] = ("_centre", "_coef", "_level")
    _centre: Any
    _coef: Any
    _level: np.ndarray

    @property
    def is_given(self) -> bool:
        """Whether X is the kernel matrix itself."""
        return is_precomputed(self.kernel)

    @property
    def is_linear(self) -> bool:
        """Whether there is a vector of coefficients."""
        return isinstance(self.kernel, LinearKernel) or (isinstance(self.kernel, str) and self.kernel == "linear")

    def absent_too(self) -> bool:
        """A matrix that is given has a column for every row, also for those that weigh nothing."""
        return self.is_given

    def given_kernel(self) -> Kernel:
        """The kernel of the parameters; words among its own are not numbers yet."""
        return kernel_of(self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0, rows=False)

    def check_search(self, C: Any = 1.0) -> None:
        """Refuse parameters that make no sense."""
        for name, value, finite in (
            ("C", C, False), ("tol", self.tol, True), ("cache_size", self.cache_size, True),
        ):  # fmt: skip
            if not is_number(value) or not value > 0 or (finite and not np.isfinite(value)):
                raise ValueError(f"{name} must be a {'finite ' if finite else ''}number above 0, got {value!r}")
        whole_number(self.max_iter, "max_iter", -1)
        one_of(self.solver, "solver", SOLVERS)
        if not isinstance(self.shrinking, bool | np.bool_):
            raise ValueError(f"shrinking must be True or False, got {self.shrinking!r}")
        self.given_kernel()

    def memory_needed(self, rows: int, features: int) -> int:
        """Rows as they are, coded in double and in single precision; of each thread its cache, a square and a block."""
        square, block = 16.0 * min(rows, BATCH[1]) ** 2, 8.0 * min(rows * rows, BLOCK)
        return int(28 * rows * (features + 2) + self.threads(rows) * (self.cache_bytes(rows) + square + block))

    def cache_bytes(self, rows: int) -> float:
        return min(max(self.cache_size * 2**20, 4.0 * BATCH[0] * rows), 8.0 * rows * rows)

    def threads(self, problems: int) -> int:
        """How many problems are solved at the same time."""
        return max(min(self.n_jobs if self.n_jobs is not None and self.n_jobs > 0 else cores(), problems), 1)

    def held(self, rows: Chunk, centred: bool = True) -> Held:
        """The rows of a fit, without those of weight zero; of a linear kernel counted from their mean, if `centred`."""
        assert rows.weight is not None
        there = np.flatnonzero(rows.weight > 0)
        X, y, weight = rows.X, rows.y, rows.weight[there]
        numbers = there if self.is_given else self.numbers[there]  # type: ignore[attr-defined]
        if self.is_given:
            if sparse.issparse(X):
                raise TypeError("Sparse precomputed kernels are not supported: make the matrix an array")
            if X.shape[0] != X.shape[1]:
                raise ValueError(
                    f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix."
                )
            check_symmetric(X)
            X = X[np.ix_(there, there)]
        elif len(there) < X.shape[0]:
            X = X[there]
        X = X.astype(np.float64) if sparse.issparse(X) else np.ascontiguousarray(X, dtype=np.float64)
        centre = X[0] + (X - X[0]).mean(axis=0) if centred and self.is_linear and not sparse.issparse(X) else None
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                kernel = self.given_kernel().resolved(X, weight)
                matrix = held_kernel(kernel, X if centre is None else X - centre, self.n_jobs)
        except ValueError as error:
            raise ValueError(f"{error}. (The dual coefficients or intercepts are not finite.)") from None
        self.warn_of_scale(kernel, X)
        return Held(kernel, X, matrix, None if y is None else y[there], weight, numbers, centre, rows.X.shape)

    def warn_of_scale(self, kernel: Kernel, X: Any) -> None:
        """gamma="scale" takes the variance about one mean of all columns: say so, where they lie far apart."""
        if not (isinstance(self.gamma, str) and self.gamma == "scale" and isinstance(self.kernel, str)):
            return
        if not hasattr(kernel, "gamma") or sparse.issparse(X) or X.shape[1] < 2:
            return
        spread = float(((X - X[0]).var(axis=0)).sum())
        if spread > 0 and kernel.gamma * spread < FAR:
            warn(
                f"gamma='scale' is {kernel.gamma:.2g}, which the distance between the columns decides, not the spread "
                "within them: centre the columns, or use gamma='spread'"
            )

    def minimised(self, matrix: HeldKernel, dual: Dual, start: np.ndarray | None = None) -> Multipliers:
        """The numbers of a dual; with infinite bounds those of the widest margin, if there is one."""
        options = {
            "tol": float(self.tol), "max_iter": int(self.max_iter), "shrinking": bool(self.shrinking),
            "cache": self.cache_bytes(len(dual.target)),
        }  # fmt: skip
        if np.isfinite(dual.upper - dual.lower).all():
            return solved(matrix, dual, self.solver, start, **options)
        return self.hard(matrix, dual, options)

    def hard(self, matrix: HeldKernel, dual: Dual, options: dict[str, Any]) -> Multipliers:
        """Finite bounds that rise until no number is at one: then they are no bounds."""
        if self.solver == "interior_point":
            raise ValueError("solver='interior_point' is for a finite C: use 'smo' or 'dual_qp' for the hard margin")
        spread = max(matrix.spread() * float(np.abs(matrix.diagonal).max(initial=0.0)), 1e-300)
        C, start = 10.0 / spread, None
        while True:
            near = dual._replace(lower=np.maximum(dual.lower, -C), upper=np.minimum(dual.upper, C))
            found = solved(matrix, near, self.solver, start, **options)
            beta = found.beta
            if np.abs(beta).max(initial=0.0) < C * (1.0 - 1e-9):
                return found
            square, mass = float(beta @ (dual.target - found.slope)), float(np.maximum(beta, 0.0).sum())
            if C * spread >= HARDEST or square <= TOUCHING * spread * mass**2:
                self.refuse_inside(np.flatnonzero(np.abs(beta) >= C * (1.0 - 1e-9)))
            C, start = HARDER * C, beta

    def refuse_inside(self, rows: np.ndarray) -> None:
        named = ", ".join(map(str, rows[:NAMED])) + (", ..." if len(rows) > NAMED else "")
        raise ValueError(
            f"C=inf asks for a function that no row is on the wrong side of, and this kernel has none: {len(rows)} "
            f"rows would be inside the margin at best, row(s) {named} of those that are told apart; use a finite C"
        )

    def told(self, found: list[Multipliers]) -> dict[str, Any]:
        """How the search went, and a warning where it was cut short."""
        status = int(not all(one.converged for one in found))
        if status:
            from sklearn.exceptions import ConvergenceWarning

            why = f"max_iter={self.max_iter}" if self.max_iter >= 0 else "rounding, or 100 pairs a row"
            warn(
                f"Solver terminated early ({why}).  Consider pre-processing your data with StandardScaler or "
                f"MinMaxScaler. A pair could still change at a slope of {max(one.violation for one in found):.1g}, tol "
                f"is {self.tol:g}; a smaller C or a wider kernel is easier",
                ConvergenceWarning,
            )
        return {"fit_status_": status}

    def vectors_of(self, held: Held, kept: np.ndarray, numbers: np.ndarray, level: np.ndarray) -> dict[str, Any]:
        """Support vectors and what predicts with them: `numbers` (outputs, kept) and a level for each output."""
        vectors = held.rows[kept] if not self.is_given else np.zeros((0, 0))
        thin = sparse.issparse(vectors)
        values = {
            "support_": held.numbers[kept].astype(np.int32), "support_vectors_": vectors, "shape_fit_": held.shape,
            "kernel_": held.kernel, "_level": level, "intercept_": level.copy(), "_coef": None, "_centre": held.centre,
        }  # fmt: skip
        if self.is_linear:
            near = vectors if held.centre is None else vectors - held.centre
            values["_coef"] = np.asarray((near.T @ numbers.T).T) if thin else numbers @ near
            if held.centre is not None:
                values["intercept_"] = level - values["_coef"] @ held.centre
        return values

    def of_one_output(self, held: Held, found: Multipliers, level: float) -> dict[str, Any]:
        """Fitted attributes of a single function."""
        kept = np.flatnonzero(found.beta)
        values = self.vectors_of(held, kept, found.beta[None, kept], np.array([level]))
        vectors, numbers = values["support_vectors_"], found.beta[None, kept]
        return values | self.told([found]) | {
            "dual_coef_": type(vectors)(numbers) if sparse.issparse(vectors) else numbers,
            "n_support_": np.array([len(kept)], dtype=np.int32),
            "n_iter_": int(found.steps),
            "dual_gap_": found.gap,
            "objective_": found.objective,
        }  # fmt: skip

    # -- using ------------------------------------------------------------------------------------------------------

    @property
    def coef_(self) -> Any:
        """Weights of the columns, with the linear kernel."""
        if not self.is_linear or "_coef" not in self.__dict__:
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._coef
        if sparse.issparse(self.support_vectors_):
            coef = type(self.support_vectors_)(coef)
            coef.data.flags.writeable = False
        else:
            coef = coef.copy()
            coef.flags.writeable = False
        return coef

    def numbers_of_vectors(self) -> np.ndarray:
        """`dual_coef_` as an array."""
        return self.dual_coef_.toarray() if sparse.issparse(self.dual_coef_) else self.dual_coef_

    def outputs(self, X: Any, numbers: np.ndarray) -> np.ndarray:
        """sum_i a_i k(x, x_i) + level for every row and every row of `numbers`: (rows, outputs), in double."""
        rows = self.rows_of(X, sparse_ok=True)  # type: ignore[attr-defined]
        if sparse.issparse(rows) and not sparse.issparse(self.support_vectors_):
            raise ValueError(
                f"cannot use sparse input in {type(self).__name__!r} trained on dense data: use X.toarray(), or fit on "
                "sparse rows"
            )
        if self.is_given:
            return np.asarray(rows[:, self.support_] @ numbers.T) + self._level
        rows = rows.astype(np.float64) if sparse.issparse(rows) else np.ascontiguousarray(rows, dtype=np.float64)
        if self._coef is not None:
            if self._centre is None:
                return np.asarray(rows @ self._coef.T) + self._level
            return (rows - self._centre) @ self._coef.T + self._level
        if not self.support_vectors_.shape[0]:
            return np.zeros((rows.shape[0], len(numbers))) + self._level
        return self.kernel_.at(self.support_vectors_).times(rows, np.ascontiguousarray(numbers.T)) + self._level

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = self.is_given
        tags.input_tags.sparse = not self.is_given
        return tags
