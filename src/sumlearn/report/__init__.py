"""What is shown: plots, described once and drawn by matplotlib or plotly."""

from . import plots

__all__ = ["plots"]
