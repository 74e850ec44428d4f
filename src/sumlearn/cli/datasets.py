"""`sumlearn datasets`: the bundled tables."""

from __future__ import annotations

from .options import Json
from .output import Output


def datasets(as_json: Json = False) -> None:
    """List the bundled tables."""
    from ..data.examples import list_examples, load_example

    out = Output(as_json)
    tables = [load_example(name) for name in list_examples()]
    out.table(
        ("name", "rows", "columns", "target", "what it is"),
        [(t.name, *t.X.shape, t.target or "-", t.description) for t in tables],
    )
    out.document(
        {
            t.name: {
                "rows": t.X.shape[0],
                "columns": list(t.columns),
                "target": t.target,
                "description": t.description,
                "source": t.source,
            }
            for t in tables
        }
    )
