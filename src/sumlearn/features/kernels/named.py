"""Kernels by the names that scikit-learn has for them."""

from __future__ import annotations

from typing import Any

from .distances import AdditiveChi2Kernel, Chi2Kernel, LaplacianKernel
from .gaussian import GaussianKernel
from .given import OwnKernel, PrecomputedKernel
from .kernel import Kernel
from .products import CosineKernel, LinearKernel, PolynomialKernel, SigmoidKernel

NAMES: dict[str, tuple[type[Kernel], tuple[str, ...]]] = {  # and which of gamma, degree and coef0 they have
    "linear": (LinearKernel, ()),
    "poly": (PolynomialKernel, ("degree", "gamma", "coef0")),
    "polynomial": (PolynomialKernel, ("degree", "gamma", "coef0")),
    "rbf": (GaussianKernel, ("gamma",)),
    "laplacian": (LaplacianKernel, ("gamma",)),
    "sigmoid": (SigmoidKernel, ("gamma", "coef0")),
    "cosine": (CosineKernel, ()),
    "chi2": (Chi2Kernel, ("gamma",)),
    "additive_chi2": (AdditiveChi2Kernel, ()),
    "precomputed": (PrecomputedKernel, ()),
}


def kernel_of(
    kernel: Any,
    *,
    gamma: Any = None,
    degree: float = 3,
    coef0: float = 1.0,
    parameters: Any = None,
    rows: bool = True,
) -> Kernel:
    """The kernel that is meant by one, by a name or by a function.

    Parameters
    ----------
    kernel : Kernel, str or callable
        A kernel is that itself, with its own parameters; names are scikit-learn's.
    gamma, degree, coef0
        For names that have them; "poly", "polynomial" and "rbf", "laplacian", "sigmoid", "chi2".
    parameters : mapping or None
        More arguments of a function.
    rows : bool
        Whether a function is asked for pairs of rows or for matrices.

    >>> kernel_of("rbf", gamma=0.5)
    GaussianKernel(gamma=0.5)
    """
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str):
        if kernel not in NAMES:
            raise ValueError(f"kernel must be one of {', '.join(map(repr, NAMES))}, a kernel or a function: {kernel!r}")
        kind, wanted = NAMES[kernel]
        given = {"gamma": gamma, "degree": degree, "coef0": coef0}
        return kind(**{name: given[name] for name in wanted})
    if callable(kernel):
        return OwnKernel(kernel, rows=rows, parameters=parameters or {})
    raise TypeError(f"kernel must be a kernel, its name or a function, got {type(kernel).__name__}")
