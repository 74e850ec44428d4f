"""How an objective is minimised: one file per algorithm."""

from .barzilai_borwein import BarzilaiBorwein
from .dual_cd import DualCD
from .gradient import GradientDescent
from .interior_point import InteriorPoint
from .iteration import Run, iterate
from .line_search import LINE_SEARCHES, LineSearch
from .minimising import minimise
from .newton import Newton
from .sgd import SGD
from .solver import PerfectSeparationWarning, Solver
from .state import Solution, State

SOLVERS: dict[str, type[Solver]] = {
    kind.name: kind for kind in (Newton, BarzilaiBorwein, GradientDescent, SGD, DualCD, InteriorPoint)
}

__all__ = [
    "LINE_SEARCHES",
    "SGD",
    "SOLVERS",
    "BarzilaiBorwein",
    "DualCD",
    "GradientDescent",
    "InteriorPoint",
    "LineSearch",
    "Newton",
    "PerfectSeparationWarning",
    "Run",
    "Solution",
    "Solver",
    "State",
    "iterate",
    "minimise",
]
