"""`sumlearn datasets`: tables that are there by name."""

from __future__ import annotations

from typing import Any

from .options import Json
from .output import Output


def datasets(as_json: Json = False) -> None:
    """List the tables that are there by name: bundled ones, made ones, and those of scikit-learn."""
    from ..data.examples import ENTRIES
    from ..product.named_tables import MADE
    from ..product.tables import named_table

    out = Output(as_json)
    known: dict[str, Any] = {**ENTRIES, **MADE}
    tables = {name: named_table(name) for name in sorted(known)}
    out.table(
        ("name", "rows", "columns", "target", "what it is"),
        [(t.name, t.rows, len(t.columns), t.target or "-", known[t.name].description) for t in tables.values()],
    )
    out.document(
        {
            name: {
                "rows": table.rows,
                "columns": table.columns,
                "target": table.target,
                "description": known[name].description,
                "source": known[name].source,
            }
            for name, table in tables.items()
        }
    )
