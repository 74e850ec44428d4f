"""Random Fourier features: a Gaussian kernel as a product of finitely many columns."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .basis import Basis
from .input_ranges import positive_numbers, whole_number
from .seeds import drawn_seed

BLOCK = 4096  # rows whose arguments are in the cache at the same time
FAR = 1e150  # products with it are still numbers


class RandomFourierBasis(Basis):
    """Cosines with random frequencies, whose products approximate the Gaussian kernel.

        phi_j(x) = sqrt(2 / M) cos(w_j'x + b_j),   w_j ~ N(0, I / s^2),  b_j ~ uniform(0, 2 pi)
        phi(x)'phi(z) -> exp(-|x - z|^2 / (2 s^2)) as M grows; the error is about 1 / sqrt(M)

    So Ridge on these columns is, approximately, kernel ridge regression that adds up. A seed gives the same functions
    everywhere; sums with different seeds are refused. Cost: O(n d M).

    Parameters
    ----------
    n_functions : int, default=100
        M, the number of functions.
    width : float, default=1.0
        s, the width of the kernel; scikit-learn's gamma is 1 / (2 s^2).
    random_state : int, RandomState or None, default=0
        The seed. None draws one at every fit, which is kept in `seed_`.
    double : bool, default=False
        Give float64 also for rows of float32.
    bias : bool, default=False
        Begin with a constant column. Learners have an intercept of their own.

    Attributes
    ----------
    seed_ : int
        The seed in use.
    frequencies_ : array (n_features, M)
        w.
    phases_ : array (M,)
        b.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn.features import RandomFourierBasis
    >>> phi = RandomFourierBasis(20_000, width=2.0).fit([[0.0]]).transform([[0.0], [1.0]])
    >>> print(f"{phi[0] @ phi[1]:.2f} {np.exp(-1 / 8):.2f}")
    0.88 0.88

    References
    ----------
    Rahimi & Recht, "Random features for large-scale kernel machines", 2007.
    """

    seeded = True
    placed_by: ClassVar[dict[str, str]] = {"random_state": "seed_"}

    def __init__(
        self,
        n_functions: int = 100,
        width: float = 1.0,
        *,
        random_state: Any = 0,
        double: bool = False,
        bias: bool = False,
    ) -> None:
        self.n_functions = n_functions
        self.width = width
        self.random_state = random_state
        self.double = double
        self.bias = bias

    @property
    def stateless(self) -> bool:
        """Always: the width is given."""
        return True

    def size(self, n_features: int) -> int:
        """Number of outputs for so many columns."""
        return whole_number(self.n_functions, "n_functions", 1) + int(self.bias)

    def learn(self, rows: np.ndarray) -> dict[str, Any]:
        width = positive_numbers(self.width, "width")
        if width.ndim:
            raise ValueError(f"width must be one number, got shape {width.shape}")
        M, seed = whole_number(self.n_functions, "n_functions", 1), drawn_seed(self.random_state)
        first, second = (np.random.RandomState([seed, kind]) for kind in (0, 1))
        return {
            "seed_": seed,
            "frequencies_": first.standard_normal((rows.shape[1], M)) / width,
            "phases_": second.uniform(0.0, 2.0 * np.pi, M),
        }

    def evaluate(self, X: np.ndarray, out: np.ndarray, first: int) -> None:
        height = np.sqrt(2.0 / len(self.phases_))
        for start in range(0, len(X), BLOCK):
            rows = slice(start, start + BLOCK)
            argument = np.clip(X[rows].astype(float), -FAR, FAR) @ self.frequencies_ + self.phases_
            out[rows, first:] = height * np.cos(argument, out=argument)

    def names(self, inputs: list[str]) -> list[str]:
        return [f"cosine{j}" for j in range(len(self.phases_))]

    def may_overflow(self, X: np.ndarray) -> bool:
        return False
