"""The sections of a page, in their order: a function for each, from the evidence to a section or None."""

from __future__ import annotations

from ..blocks import Section
from ..evidence import Evidence
from .checks import checks
from .confusion import confusion
from .data import data
from .ending import history, limits, provenance, use
from .errors import worst
from .growth import growth
from .leaderboard import leaderboard
from .model_card import model_card
from .projections import projections
from .refit import refit
from .regression import fit_plot, residuals
from .scores import calibration, one_against_rest, rates, trade_offs
from .working_point import working_point

ORDER = (
    checks,
    data,
    leaderboard,
    working_point,
    fit_plot,
    model_card,
    refit,
    confusion,
    rates,
    one_against_rest,
    trade_offs,
    calibration,
    residuals,
    projections,
    growth,
    worst,
    history,
    use,
    provenance,
    limits,
)
OPEN = 5  # sections that are not folded


def sections_of(evidence: Evidence) -> list[Section]:
    """All sections that there is something to say in."""
    found = (section(evidence) for section in ORDER)
    return [section for section in found if section is not None]
