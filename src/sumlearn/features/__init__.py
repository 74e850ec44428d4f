"""x -> phi(x): bases that make linear models curved."""

from .basis import Basis
from .polynomial import Polynomial
from .radial_basis import RadialBasis
from .sigmoid_basis import SigmoidBasis

__all__ = ["Basis", "Polynomial", "RadialBasis", "SigmoidBasis"]
