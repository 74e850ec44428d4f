"""Parameters whose numbers go by the place of the classes, while classes come and go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

PLACED = ("class_prior", "priors", "costs", "code")
BY_NAME = ("priors", "costs")  # that may also be a dict


def placed_parameter(model: Any) -> str | None:
    """The parameter of a model that goes by the place of the classes; None where all go by name.

    >>> from sumlearn import GaussianNB
    >>> placed_parameter(GaussianNB(priors=[0.2, 0.8])), placed_parameter(GaussianNB(priors={"a": 0.2, "b": 0.8}))
    ('priors', None)
    """
    for name in PLACED:
        value = getattr(model, name, None)
        by_name = isinstance(value, str | Mapping) or bool(getattr(value, "pairs", ()))  # of `decision.Costs`
        if value is not None and not by_name:
            return name
    return None


def said(model: Any, name: str) -> str:
    value = getattr(model, name)
    return f"{name}={value.tolist() if hasattr(value, 'tolist') else value!r}"


def advice_for(name: str) -> str:
    return "give them by name, as a dict" if name in BY_NAME else "fix the classes at the first fit"


def refuse_gone(model: Any, before: Sequence[Any], after: Sequence[Any]) -> None:
    """Refuse that a class goes whose place would be another's."""
    name = placed_parameter(model)
    gone = [label for label in np.asarray(before).tolist() if label not in np.asarray(after).tolist()]
    if name is not None and gone and len(after):
        how = f"{advice_for(name)}, with set_params" if name in BY_NAME else advice_for(name)
        raise ValueError(
            f"no row of class {gone[0]!r} would be left, and {said(model, name)} go by the place of the classes: {how}"
        )


def refuse_places(model: Any, where: str) -> None:
    """Refuse what goes by place where classes come and go by themselves."""
    name = placed_parameter(model)
    if name is not None:
        raise ValueError(
            f"{said(model, name)} of {type(model).__name__} go by the place of the classes, and in {where} "
            f"classes come and go: {advice_for(name)}"
        )
