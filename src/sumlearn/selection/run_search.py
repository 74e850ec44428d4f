"""From the name of a method to the function that carries it out."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from .evaluations import Evaluations
from .methods.blocks import generalised_forward
from .methods.branch_and_bound import best_first, branch_and_bound
from .methods.exhaustive import exhaustive
from .methods.floating import floating_backward, floating_forward
from .methods.guided import guided
from .methods.plus_take_away import generalised_plus_take_away, plus_take_away
from .methods.sequential import backward, forward
from .prophet import Prophet
from .search_options import Sizes


def run(search: Any, evaluations: Evaluations, sizes: Sizes) -> None:
    """Carry out the method of a search; the evaluations keep what it finds."""
    stop = search.stop == "worse"
    match search.method:
        case "sfs":
            forward(evaluations, stop)
        case "sbe":
            backward(evaluations, stop)
        case "pta":
            plus_take_away(evaluations, search.plus, search.minus, stop)
        case "gsfs":
            generalised_forward(evaluations, search.block)
        case "gpta":
            generalised_plus_take_away(evaluations, search.plus, search.minus, stop)
        case "sffs":
            floating_forward(evaluations)
        case "sbfs":
            floating_backward(evaluations)
        case "exhaustive":
            exhaustive(evaluations, [size - evaluations.base for size in sizes.wanted])
        case "bnb":
            branch_and_bound(evaluations, search.n_best)
        case "astar" if search.prophet is None:
            best_first(evaluations, search.n_best)
        case _:
            if not isinstance(search.prophet, Prophet):
                raise TypeError(f"prophet must be a Prophet or None, got {type(search.prophet).__name__}")
            guided(evaluations, clone(search.prophet))
