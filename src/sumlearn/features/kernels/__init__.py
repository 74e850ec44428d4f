"""k(x, x'): products of rows in a space of features that is never written down."""

from .combinatorial import Combinatorial
from .combined import ConstantKernel, ProductOfKernels, SumOfKernels
from .distances import AdditiveChi2Kernel, Chi2Kernel, LaplacianKernel
from .gaussian import GaussianKernel
from .given import OwnKernel, PrecomputedKernel
from .kernel import Kernel
from .kernel_matrix import KernelAt
from .named import kernel_of
from .products import CosineKernel, LinearKernel, PolynomialKernel, SigmoidKernel

__all__ = [
    "AdditiveChi2Kernel",
    "Chi2Kernel",
    "Combinatorial",
    "ConstantKernel",
    "CosineKernel",
    "GaussianKernel",
    "Kernel",
    "KernelAt",
    "LaplacianKernel",
    "LinearKernel",
    "OwnKernel",
    "PolynomialKernel",
    "PrecomputedKernel",
    "ProductOfKernels",
    "SigmoidKernel",
    "SumOfKernels",
    "kernel_of",
]
