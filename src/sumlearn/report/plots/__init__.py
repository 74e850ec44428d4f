"""Plots, described as data and drawn by matplotlib (notebooks, PNG, SVG, PDF) or plotly (HTML).

Every function returns a `Figure`, which shows itself in a notebook and has ``matplotlib()``, ``plotly()``,
``save(path)`` and ``html()``. Neither library is loaded before it is asked to draw.
"""

from .code_matrix import code_matrix
from .contributions import contributions
from .curves import det, precision_recall, roc, threshold_curves
from .drift import drift
from .figure import Figure
from .fits import bias_variance, learning_curve, loss_curve, structural_risk
from .lattice import lattice
from .mixtures import mixture
from .score_plots import confusion, reliability, score_box
from .space import emptying_space

__all__ = [
    "Figure",
    "bias_variance",
    "code_matrix",
    "confusion",
    "contributions",
    "det",
    "drift",
    "emptying_space",
    "lattice",
    "learning_curve",
    "loss_curve",
    "mixture",
    "precision_recall",
    "reliability",
    "roc",
    "score_box",
    "structural_risk",
    "threshold_curves",
]
