"""The table of ratios, by rich where it is installed, else in plain text."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.results import Row, times

HEADER = ("task", "dtype", "ours", "rival", "setting", "theirs", "ratio", "target", "agreement")
RIGHT = {"ours", "theirs", "ratio", "target"}


def cells(row: Row) -> tuple[str, ...]:
    """One line; a second rival of the same task is set in under the first."""
    theirs = amount(row.theirs, row.unit)
    if row.extrapolated:
        theirs += " extrapolated"
    ratio = "FAILED" if row.failed else times(row.ratio)
    reached = {None: "", True: " reached", False: " missed"}[row.reached]
    agreement = row.error or str(row.agreement or "not compared")
    task = row.task if row.best else f"  {row.task}"
    return (
        task,
        row.dtype,
        amount(row.ours, row.unit),
        row.rival,
        row.setting,
        theirs,
        ratio,
        times(row.target) + reached,
        agreement,
    )


def progress(row: Row) -> str:
    """One short line, for those who wait."""
    _, _, ours, rival, setting, theirs, ratio, _, _ = cells(row)
    return f"{row.task} {row.dtype}: ours {ours}, {rival} ({setting}) {theirs}, {ratio}"


def amount(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.1f} {unit}"


def show(rows: Sequence[Row]) -> None:
    """Print the table, the settings that were tried, and one line that sums up."""
    try:
        show_rich(rows)
    except ImportError:
        show_plain(rows)
    print()
    for row in rows:
        if row.tried:
            single = ", one run" if row.runs == 1 else ""
            print(f"{row.task} {row.dtype}, {row.rival}{single}: " + "; ".join(row.tried))
        if row.not_tried:
            print(f"{row.task} {row.dtype}, {row.rival}, not tried for lack of time: " + "; ".join(row.not_tried))
    print()
    print(summary(rows))


def show_rich(rows: Sequence[Row]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(header_style="bold")
    for name in HEADER:
        table.add_column(name, justify="right" if name in RIGHT else "left", overflow="fold")
    for row in rows:
        style = "red" if row.failed else None if row.best else "dim"
        table.add_row(*cells(row), style=style)
    console = Console()
    if not console.is_terminal:
        console = Console(width=200)
    console.print(table)


def show_plain(rows: Sequence[Row]) -> None:
    lines = [HEADER, *map(cells, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def summary(rows: Sequence[Row]) -> str:
    """One line: targets reached, targets missed, failures."""
    missed = [f"{row.task} {row.dtype} vs {row.rival}" for row in rows if row.reached is False]
    reached = sum(row.reached is True for row in rows)
    failed = [f"{row.task} {row.dtype} vs {row.rival}" for row in rows if row.failed]
    text = f"{reached} of {reached + len(missed)} targets reached" if reached or missed else "no targets"
    if missed:
        text += "; missed: " + ", ".join(missed)
    compared = sum(row.agreement is not None for row in rows)
    return text + ("; FAILED: " + ", ".join(failed) if failed else f"; {compared} of {compared} results agree")
