"""How an objective is minimised: one file per algorithm."""

from .barzilai_borwein import BarzilaiBorwein
from .coordinate import Coordinate
from .gradient import GradientDescent
from .iteration import Run, iterate
from .line_search import LINE_SEARCHES, LineSearch
from .minimising import minimise
from .newton import Newton
from .proximal import Proximal
from .sgd import SGD
from .smoothing import Smoothing
from .solver import PerfectSeparationWarning, Solver
from .state import Solution, State

SOLVERS: dict[str, type[Solver]] = {
    kind.name: kind for kind in (Newton, BarzilaiBorwein, GradientDescent, SGD, Coordinate, Proximal, Smoothing)
}

__all__ = [
    "LINE_SEARCHES",
    "SGD",
    "SOLVERS",
    "BarzilaiBorwein",
    "Coordinate",
    "GradientDescent",
    "LineSearch",
    "Newton",
    "PerfectSeparationWarning",
    "Proximal",
    "Run",
    "Smoothing",
    "Solution",
    "Solver",
    "State",
    "iterate",
    "minimise",
]
