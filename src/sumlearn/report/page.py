"""The page: one file that needs no network, from evidence through sections and templates."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from ..version import __version__
from .blocks import Block, Chart, Live, Section
from .charts import colours, drawing, numbers_of
from .evidence import Evidence
from .headline import headline
from .numbers import script_json, shown, three
from .sections import OPEN, sections_of

HERE = Path(__file__).parent
PLOTLY = HERE / "assets" / "plotly-cartesian.min.js"
SCRIPT = HERE / "assets" / "page.js"
STYLE = HERE / "assets" / "page.css"


def page_of(evidence: Evidence, now: datetime | None = None) -> str:
    """The whole report as HTML. The time stamp is the only part that two runs do not share."""
    return rendered("headline", headline(evidence), sections_of(evidence), OPEN, now)


def rendered(
    card: str, head: dict[str, Any], sections: list[Section], unfolded: int, now: datetime | None = None
) -> str:
    """A page of sections under a card, of which there is a template."""
    plotly, script = (file.read_text(encoding="utf-8") for file in (PLOTLY, SCRIPT))
    stamp = (now or datetime.now(UTC)).strftime("%Y-%m-%d %H:%M UTC")
    return str(
        environment()
        .get_template("page.html.j2")
        .render(
            card=f"{card}.html.j2",
            head=head,
            sections=sections,
            unfolded=unfolded,
            numbers={chart.name: numbers_of(chart.figure) for chart in charts_in(sections)},
            data=script_json(data_of(sections)),
            style=STYLE.read_text(encoding="utf-8"),
            plotly=plotly,
            script=script,
            policy=policy(plotly, script),
            stamp=stamp,
            version=__version__,
        )
    )


def data_of(sections: list[Section]) -> dict[str, Any]:
    """What the script reads."""
    figures = {chart.name: drawing(chart.figure) for chart in charts_in(sections)}
    live = {block.name: block.data for block in blocks_in(sections) if isinstance(block, Live)}
    return {"figures": figures, "colours": colours(), **live}


def blocks_in(sections: list[Section]) -> Iterator[Block]:
    return (block for section in sections for block in section.blocks)


def charts_in(sections: list[Section]) -> Iterator[Chart]:
    return (block for block in blocks_in(sections) if isinstance(block, Chart))


def policy(*scripts: str) -> str:
    """What a browser may do with the page: run these scripts by their hashes, load nothing, send nothing."""
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts]
    allowed = " ".join(f"'sha256-{code}'" for code in hashes)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; form-action 'none'"


@cache
def environment() -> Any:
    """Templates; everything that is put into them is escaped unless it is ours."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError as missing:
        raise ImportError("the report needs jinja2: pip install 'sumlearn[cli]'") from missing

    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"shown": shown, "three": three, "percent": lambda share: f"{100 * share:.2f}%"}
    return made


def framed(page: str, height: int = 720) -> str:
    """The page inside another one, such as a notebook, kept apart from it."""
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{escape(page)}" title="sumlearn report" '
        f'style="width:100%;height:{height}px;border:1px solid #d0d7de;border-radius:6px"></iframe>'
    )
