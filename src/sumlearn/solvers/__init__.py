"""How an objective is minimised: one file per algorithm."""

from .alternation import Turn, alternate, next_turn, settled
from .barzilai_borwein import BarzilaiBorwein
from .coordinate import Coordinate
from .cutting_planes import CuttingPlanes
from .dual_cd import DualCD
from .dual_qp import DualQP
from .gradient import GradientDescent
from .interior_point import InteriorPoint
from .iteration import Run, iterate
from .lbfgs import LBFGS
from .line_search import LINE_SEARCHES, LineSearch
from .minimising import minimise
from .newton import Newton
from .pegasos import Pegasos
from .proximal import Proximal
from .quadratic_program import box_qp
from .sgd import SGD
from .smo import SMO
from .smoothing import Smoothing
from .solver import PerfectSeparationWarning, Solver
from .state import Solution, State

SOLVERS: dict[str, type[Solver]] = {
    kind.name: kind
    for kind in (
        Newton, BarzilaiBorwein, GradientDescent, SGD, Coordinate, Proximal, Smoothing, Pegasos, DualCD, DualQP,
        CuttingPlanes, InteriorPoint, SMO, LBFGS,
    )
}  # fmt: skip

__all__ = [
    "LBFGS",
    "LINE_SEARCHES",
    "SGD",
    "SMO",
    "SOLVERS",
    "BarzilaiBorwein",
    "Coordinate",
    "CuttingPlanes",
    "DualCD",
    "DualQP",
    "GradientDescent",
    "InteriorPoint",
    "LineSearch",
    "Newton",
    "Pegasos",
    "PerfectSeparationWarning",
    "Proximal",
    "Run",
    "Smoothing",
    "Solution",
    "Solver",
    "State",
    "Turn",
    "alternate",
    "box_qp",
    "iterate",
    "minimise",
    "next_turn",
    "settled",
]
