"""What a file says about itself: the first member, for people and for `describe`."""

from __future__ import annotations

import json
from typing import Any

from sklearn.base import BaseEstimator

from ..statistics import Counts, Grouped, Ledger, Statistic
from ..version import __version__
from .archive import digest_of
from .names import name_of

FORMAT = 1


def manifest_of(model: Any, sums: list[Statistic], members: dict[str, bytes], notes: Any) -> dict[str, Any]:
    names = getattr(model, "feature_names_in_", None)
    return {
        "format": FORMAT,
        "sumlearn": __version__,
        "class": name_of(type(model)) or f"{type(model).__module__}.{type(model).__qualname__}",
        "parameters": parameters_of(model),
        "n_features": int(getattr(model, "n_features_in_", 0)) or None,
        "feature_names": None if names is None else [str(name) for name in names],
        "statistics": [
            {
                "format": json.loads(members[f"statistics/{i}.json"])["format"],
                "class": name_of(type(statistic)),
                "rows": statistic.rows,
                "smallest_group": smallest_group(statistic),
                "digest": digest_of(members[f"statistics/{i}.json"] + members[f"statistics/{i}.bin"]),
            }
            for i, statistic in enumerate(sums)
        ],
        "notes": notes,
        **({"shared": vars(model)["_done"]} if "_done" in getattr(model, "__dict__", {}) else {}),
        "members": {name: {"size": len(data), "sha256": digest_of(data)} for name, data in members.items()},
    }


def parameters_of(model: Any) -> dict[str, Any]:
    """Hyperparameters as they are where JSON can say them, else as Python would print them."""
    if not isinstance(model, BaseEstimator):
        return {}
    found = model.get_params(deep=False)
    return {name: value if is_json(value) else f"{value!r:.200}" for name, value in found.items()}


def is_json(value: Any) -> bool:
    try:
        return bool(json.loads(json.dumps(value, allow_nan=False)) == value)
    except (TypeError, ValueError):
        return False


def checked_notes(notes: Any) -> Any:
    if notes is not None and not is_json(notes):
        raise ValueError(f"notes must be text, numbers, lists or dictionaries with text as keys, got {notes!r:.80}")
    return notes


def smallest_group(statistic: Statistic) -> int | None:
    """Rows of the smallest group that a sum tells apart; None where it says nothing about single rows."""
    if isinstance(statistic, Ledger) or not statistic.rows:
        return None
    if hasattr(statistic, "smallest_rows"):
        return statistic.smallest_rows
    for name in ("groups", "sums", "counts"):
        if isinstance(inner := getattr(statistic, name, None), Statistic):
            return smallest_group(inner)
    if isinstance(statistic, Grouped):
        return min(part.rows for part in statistic.groups.values())
    if isinstance(statistic, Counts):
        return int(statistic.table[statistic.table > 0].min(initial=statistic.weight))
    return statistic.rows


def check_manifest(found: Any) -> dict[str, Any]:
    """Refuse what this version cannot read, and say why."""
    if not isinstance(found, dict) or type(found.get("format")) is not int or found["format"] < 1:
        raise ValueError("its manifest has no format number")
    if found["format"] > FORMAT:
        raise ValueError(f"written by a newer sumlearn: format {found['format']}, this version reads up to {FORMAT}")
    if not isinstance(found.get("members"), dict):
        raise ValueError("its manifest does not list what is in the file")
    return found
