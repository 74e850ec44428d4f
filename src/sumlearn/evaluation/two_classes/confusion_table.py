"""A table of confusions to look at: as text and as HTML."""

from __future__ import annotations

from html import escape
from typing import Any

COLUMNS = ("tpr", "precision", "f")
CELL = "padding: 0.2em 0.8em; text-align: right"
STRIPE = "; background: rgba(0, 114, 178, {share:.2f})"


def as_text(confusion: Any) -> str:
    """Truth by row, decision by column, the rates of each class beside it."""
    body = body_of(confusion)
    head = ["truth", *map(str, confusion.labels), *COLUMNS]
    widths = [max(len(row[j]) for row in [head, *body]) for j in range(len(head))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in [head, *body]]
    first = widths[0]
    lines = [f"{cells[0].ljust(first)}{line[first:]}" for cells, line in zip([head, *body], lines, strict=True)]
    return "\n".join([" " * (first + 2) + "predicted", *lines, summary(confusion)])


def as_html(confusion: Any) -> str:
    """The same; cells are tinted by their share of the row. Labels are escaped."""
    labels = [escape(str(label)) for label in confusion.labels]
    head = "".join(f'<th style="{CELL}">{cell}</th>' for cell in ["truth \\ predicted", *labels, *COLUMNS])
    rows = []
    for i, cells in enumerate(body_of(confusion)):
        total = confusion.table[i].sum()
        shares = [value / total if total else 0.0 for value in confusion.table[i]]
        tints = ["", *(STRIPE.format(share=0.6 * share) for share in shares), *[""] * len(COLUMNS)]
        tags = ["th", *["td"] * (len(cells) - 1)]
        rows.append(
            "".join(
                f'<{tag} style="{CELL}{tint}">{escape(cell)}</{tag}>'
                for tag, cell, tint in zip(tags, cells, tints, strict=True)
            )
        )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{escape(summary(confusion))}</p>"


def body_of(confusion: Any) -> list[list[str]]:
    """Cells of each class: its label, its row of the table, its rates, a dash where they are 0/0."""
    return [
        [str(label), *map(number, row), *(rate(confusion, label, name) for name in COLUMNS)]
        for label, row in zip(confusion.labels, confusion.table, strict=True)
    ]


def rate(confusion: Any, label: Any, name: str) -> str:
    try:
        value = getattr(confusion.rates(label), name)
        return f"{value() if callable(value) else value:.3f}"
    except ValueError:  # 0/0
        return "-"


def number(value: float) -> str:
    return f"{value:.0f}" if value == round(value) else f"{value:.4g}"


def summary(confusion: Any) -> str:
    if not confusion.weight > 0:
        return "no rows"
    weight = "" if confusion.weight == confusion.rows else f" of weight {number(confusion.weight)}"
    return f"accuracy {confusion.accuracy:.3f} of {confusion.rows} rows{weight}"
