"""`sumlearn models`: what `train` tries."""

from __future__ import annotations

from typing import Any

from .options import Json
from .output import Output


def models(as_json: Json = False) -> None:
    """List the models that `train` tries."""
    from ..product.catalogue import CANDIDATES

    out = Output(as_json)
    lines: list[dict[str, Any]] = [
        {
            "model": c.name,
            "task": c.task,
            "title": c.title + (", a yardstick" if c.foreign else ""),
            "can": [] if c.foreign else list(c.can),
            "yardstick": c.foreign,
            "auto": not c.extra,
        }
        for c in CANDIDATES
    ]
    out.table(
        ("name", "task", "tried", "can", "what it is"),
        [
            (
                line["model"],
                line["task"],
                "always" if line["auto"] else "with all",
                ", ".join(line["can"]) or "-",
                line["title"],
            )
            for line in lines
        ],
    )
    out.document({"models": lines})
