"""What commands share that learn without a target: the command again, and the folder of model, rows and account."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any


def command_of(name: str, data: str, asked: dict[str, Any]) -> str:
    """The command that repeats a run.

    >>> asked = {"k": "2..5", "method": "gmm", "drop": ["a", "b"], "ids": [], "seed": 0}
    >>> command_of("cluster", "my table.csv", asked)
    "sumlearn cluster 'my table.csv' -k 2..5 --method gmm --drop a,b --seed 0"
    """
    words = ["sumlearn", name, data]
    for option, value in asked.items():
        if value not in (None, []):
            flag = "-k" if option == "k" else f"--{option.replace('_', '-')}"
            words += [flag, ",".join(value) if isinstance(value, list) else str(value)]
    return shlex.join(words)


def write_files(
    found: Any, columns: dict[str, list[Any]], place: Path, name: str, page: str, force: bool
) -> list[Path]:
    """Model, rows by name and columns, account and page: all files, or none."""
    from ..product.folder import MODEL, REPORT, drafted
    from ..product.predictions import csv_text, title_of
    from ..saving import save

    told: dict[str, list[Any]] = {"row": list(range(found.table.rows))}
    told |= {title_of(name, "id"): found.table.frame.column(name).to_pylist() for name in found.model.facts["ids"]}
    files = (REPORT, MODEL, f"{name}.csv", f"{name}.json")
    with drafted(place, force) as draft:
        save(found.model, draft / MODEL)
        (draft / files[2]).write_text(csv_text(told | columns), encoding="utf-8")
        account = json.dumps(found.metrics, indent=2, allow_nan=False)
        (draft / files[3]).write_text(account + "\n", encoding="utf-8")
        (draft / REPORT).write_text(page, encoding="utf-8")
    return [place / file for file in files]
