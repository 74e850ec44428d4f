"""x -> phi(x): bases that make linear models curved, and the coding of mixed tables."""

from .basis import Basis
from .polynomial import Polynomial
from .radial_basis import RadialBasis
from .sigmoid_basis import SigmoidBasis
from .table.encoder import TableEncoder

__all__ = ["Basis", "Polynomial", "RadialBasis", "SigmoidBasis", "TableEncoder"]
