"""A kernel as a product of finitely many columns, from its values at landmarks."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.linalg
from sklearn.utils import check_random_state

from ..statistics.warnings import warn
from .basis import Basis
from .centre_placement import place
from .input_ranges import finite_numbers, one_of, whole_number
from .kernels import Kernel, PrecomputedKernel, kernel_of

BLOCK = 1024  # rows whose kernel values are in the cache at the same time
PLACINGS = ("random", "spread", "kmeans")


class Nystroem(Basis):
    """Functions whose products are those of a kernel, on the span of some landmarks.

        phi(x) = K_CC^-1/2 k_C(x),   phi(x)'phi(z) = k_C(x)'K_CC^-1 k_C(z),   k_C(x) = (k(x, c_1), ..., k(x, c_M))

    So a linear model on these columns, with its penalty |w|^2, is the method of the kernel (kernel ridge, kernel
    logistic regression) with functions from the span of k(., c_j): exact where the landmarks are all rows, and with
    M of them a sum over rows that merges, forgets and is read from files. Landmarks are a look at the data: models add
    up where they have the same, ``components=`` of one of them. Where the kernel of the landmarks is singular, what is
    below its rounding is left out. Cost: O(n M (d + M)).

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        One of `sumlearn.features.kernels`, scikit-learn's name of one, or a function of two rows; "precomputed": X is
        the kernel of rows (in rows) and those of the fit.
    gamma : float, "spread", "scale", "auto" or None, default=None
        Of a kernel that is given by name, as for `GaussianKernel`; None is 1 / n_features.
    coef0, degree : float or None, default=None
        Of "poly" and "sigmoid"; None is 1 and 3.
    kernel_params : dict or None, default=None
        More arguments of a function.
    n_components : int, default=100
        M, how many rows are landmarks; all of them where there are fewer.
    random_state : int, RandomState or None, default=None
        Which ones.
    n_jobs : int or None, default=None
        Accepted for compatibility; threads are those of the learner.
    components : array (M, n_features) or None, default=None
        The landmarks themselves.
    placing : "random", "spread" or "kmeans", default="random"
        Rows at random; a random row, then always the one farthest from all before; or the means of so many clusters,
        which approximate best for their number. As for `RadialBasis`.
    double : bool, default=False
        Give float64 also for rows of float32.
    bias : bool, default=False
        Begin with a constant column. Learners have an intercept of their own.

    Attributes
    ----------
    components_ : array (M, n_features)
        The landmarks in use.
    component_indices_ : array (M,) or None
        Which rows they are, where they were drawn at random.
    normalization_ : array (M, M)
        K_CC^-1/2.
    kernel_ : Kernel
        The kernel with numbers for words.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import KernelRidge, Ridge
    >>> from sumlearn.data import load_example
    >>> from sumlearn.features import Nystroem
    >>> rows = load_example("faithful").X
    >>> X, y = rows[:, :1], rows[:, 1]
    >>> few = Ridge(0.1, basis=Nystroem(gamma=1.0, n_components=12, placing="kmeans", random_state=0)).fit(X, y)
    >>> all = KernelRidge(0.1, kernel="rbf", gamma=1.0, fit_intercept=True).fit(X, y)
    >>> print(f"{np.abs(few.predict(X) - all.predict(X)).max():.3f}")
    0.002

    References
    ----------
    Williams & Seeger, "Using the Nyström method to speed up kernel machines", 2001; Zhang & Kwok, "Clustered Nyström
    method for large scale manifold learning and dimension reduction", 2010.
    """

    placed_by: ClassVar[dict[str, str]] = (
        dict.fromkeys(("components", "n_components", "placing", "random_state"), "components_")
        | dict.fromkeys(("kernel", "gamma", "coef0", "degree", "kernel_params"), "kernel_")
        | {"n_jobs": "components_"}
    )

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: dict[str, Any] | None = None,
        n_components: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        components: Any = None,
        placing: str = "random",
        double: bool = False,
        bias: bool = False,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.components = components
        self.placing = placing
        self.double = double
        self.bias = bias

    @property
    def stateless(self) -> bool:
        """True if the landmarks are given, and the kernel is by numbers."""
        return self.components is not None and not self.given_kernel().needs_rows

    @property
    def component_indices_(self) -> Any:
        """Which rows the landmarks are, where they were drawn at random."""
        return self._rows_drawn

    def size(self, n_features: int) -> int:
        """Number of outputs for so many columns, where there are as many rows."""
        if "components_" in vars(self):
            return len(self.normalization_) + int(self.bias)
        if self.components is not None:
            return len(self.components) + int(self.bias)
        return whole_number(self.n_components, "n_components", 1) + int(self.bias)

    def given_kernel(self) -> Kernel:
        """The kernel of the parameters; words among its own are not numbers yet."""
        named = isinstance(self.kernel, str) and self.kernel != "precomputed"
        if not named and (self.gamma, self.coef0, self.degree) != (None, None, None):
            raise ValueError(
                "Don't pass gamma, coef0 or degree to Nystroem if using a callable or precomputed kernel, or one that "
                "has its own"
            )
        degree, coef0 = 3 if self.degree is None else self.degree, 1.0 if self.coef0 is None else self.coef0
        return kernel_of(self.kernel, gamma=self.gamma, degree=degree, coef0=coef0, parameters=self.kernel_params)

    def learn(self, rows: np.ndarray) -> dict[str, Any]:
        one_of(self.placing, "placing", PLACINGS)
        rows = rows.astype(np.float64)
        kernel = self.given_kernel().resolved(rows)
        drawn, landmarks = self.landmarks(rows, isinstance(kernel, PrecomputedKernel))
        known = landmarks[:, drawn] if isinstance(kernel, PrecomputedKernel) else kernel.at(landmarks).own()
        return {
            "components_": landmarks,
            "normalization_": inverse_root(known),
            "kernel_": kernel,
            "_rows_drawn": drawn,
        }

    def landmarks(self, rows: np.ndarray, precomputed: bool) -> tuple[np.ndarray | None, np.ndarray]:
        """Numbers of the rows that were drawn, if any were, and the landmarks."""
        if precomputed and (self.components is not None or self.placing != "random"):
            raise ValueError("landmarks of a precomputed kernel are rows at random")
        if self.components is not None:
            given = finite_numbers(self.components, "components")
            if given.ndim != 2 or given.shape[1] != rows.shape[1]:
                raise ValueError(f"components must have shape (M, {rows.shape[1]}), got {given.shape}")
            return None, given
        count = whole_number(self.n_components, "n_components", 1)
        if count > len(rows):
            warn(
                f"n_components > n_samples: {count} landmarks were asked for, and there are {len(rows)} rows",
                UserWarning,
            )
            count = len(rows)
        if self.placing != "random":
            return None, place(rows, count, self.placing, None, self.random_state, fewer=True)
        drawn = check_random_state(self.random_state).permutation(len(rows))[:count]
        return drawn, rows[drawn]

    def evaluate(self, X: np.ndarray, out: np.ndarray, first: int) -> None:
        precomputed = isinstance(self.kernel_, PrecomputedKernel)
        held = None if precomputed else self.kernel_.at(self.components_)
        for start in range(0, len(X), BLOCK):
            rows = slice(start, start + BLOCK)
            block = X[rows].astype(np.float64)
            values = block[:, self._rows_drawn] if held is None else held.matrix(block)
            out[rows, first:] = values @ self.normalization_.T

    def names(self, inputs: list[str]) -> list[str]:
        return [f"nystroem{j}" for j in range(len(self.normalization_))]

    def may_overflow(self, X: np.ndarray) -> bool:
        return True


def inverse_root(K: np.ndarray) -> np.ndarray:
    """K^-1/2 of a symmetric matrix, of its range where it is singular; with the signs of its eigenvalues."""
    values, vectors = scipy.linalg.eigh(K, check_finite=False)
    size = np.abs(values)
    kept = size > len(K) * np.finfo(float).eps * size.max(initial=0.0)
    root = np.divide(np.sign(values), np.sqrt(size), out=np.zeros_like(values), where=kept)
    return (vectors * root) @ vectors.T
