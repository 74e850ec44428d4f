"""x -> phi(x): bases that make linear models curved, and the coding of mixed tables."""

from .basis import Basis
from .extractor import Extractor
from .gaussian_weights import gaussian_weights
from .nystroem import Nystroem
from .polynomial import Polynomial
from .radial_basis import RadialBasis
from .random_basis import RandomBasis
from .random_fourier import RandomFourierBasis
from .sigmoid_basis import SigmoidBasis
from .table.encoder import TableEncoder

__all__ = [
    "Basis",
    "Extractor",
    "Nystroem",
    "Polynomial",
    "RadialBasis",
    "RandomBasis",
    "RandomFourierBasis",
    "SigmoidBasis",
    "TableEncoder",
    "gaussian_weights",
]
