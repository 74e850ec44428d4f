"""What is shown: plots, described once and drawn by matplotlib or plotly, and the HTML report of a training."""

from ..lazy import lazily

_HOMES = {
    "Report": "html_report",
    "evaluate": "evaluating",
    "plots": "",
    "report_of": "html_report",
    "report_on": "fresh",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazily(__name__, _HOMES)
