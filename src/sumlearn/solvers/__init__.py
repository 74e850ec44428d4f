"""How an objective is minimised: one file per algorithm."""

from .barzilai_borwein import BarzilaiBorwein
from .gradient import GradientDescent
from .line_search import LineSearch
from .newton import Newton
from .sgd import SGD
from .solver import PerfectSeparationWarning, Solution, Solver

SOLVERS: dict[str, type[Solver]] = {kind.name: kind for kind in (Newton, BarzilaiBorwein, GradientDescent, SGD)}

__all__ = [
    "SGD",
    "SOLVERS",
    "BarzilaiBorwein",
    "GradientDescent",
    "LineSearch",
    "Newton",
    "PerfectSeparationWarning",
    "Solution",
    "Solver",
]
