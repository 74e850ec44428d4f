"""k(x, x'): products of rows in a space of features that is never written down."""

from .combinatorial import Combinatorial

__all__ = ["Combinatorial"]
