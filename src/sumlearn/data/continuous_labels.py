"""Labels that are none."""

from __future__ import annotations


class ContinuousLabels(ValueError):
    """Numbers that are not whole were given where labels are asked for."""
