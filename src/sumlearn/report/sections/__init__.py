"""The sections of a page, in their order: a function for each, from the evidence to a section or None."""

from __future__ import annotations

import warnings

from ...engines import one_blas_thread
from ..blocks import Section
from ..evidence import Evidence
from .bayes import bayes
from .checks import checks
from .code_matrix import code_matrix
from .complexity import complexity
from .confusion import confusion
from .costs import costs
from .data import data
from .ending import limits, provenance, use
from .errors import worst
from .growth import growth
from .history import history
from .importances import importances
from .leaderboard import leaderboard
from .model_card import model_card
from .projections import projections
from .refit import refit
from .regions import regions
from .regression import fit_plot, residuals
from .selection import selection
from .tree import tree
from .two_class_scores import calibration, one_against_rest, rates, trade_offs
from .working_point import working_point

ORDER = (
    checks,
    data,
    leaderboard,
    working_point,
    fit_plot,
    model_card,
    tree,
    selection,
    importances,
    refit,
    confusion,
    costs,
    rates,
    one_against_rest,
    code_matrix,
    trade_offs,
    calibration,
    residuals,
    bayes,
    projections,
    regions,
    growth,
    complexity,
    worst,
    history,
    use,
    provenance,
    limits,
)
OPEN = 5  # sections that are not folded


def sections_of(evidence: Evidence) -> list[Section]:
    """All sections that there is something to say in."""
    with one_blas_thread(), warnings.catch_warnings():  # many small fits: more threads would wait for each other
        warnings.simplefilter("ignore")  # the training has told what there is to tell
        written = [section(evidence) for section in ORDER]
    return [section for section in written if section is not None]
