"""Two roads to a tree: all rows at once with every cut tried, or level by level from histograms."""

from __future__ import annotations

from typing import Any

from ....data import Source
from ....features.input_ranges import whole_number
from .binning import MOST_BINS
from .exact_rows import ExactRows
from .histogram_rows import HistogramRows

NO_HISTOGRAM = {"splitter": "best", "max_features": None, "max_leaf_nodes": None, "monotonic_cst": None}


class TwoRoads:
    """Of a tree with a parameter `method`."""

    method: str
    max_bins: int

    @property
    def needs_look(self) -> bool:
        return self.method == "histogram"

    def look(self, source: Source) -> Any:
        """Edges of the bins, where there are bins."""
        return self.along().look(source) if self.needs_look else None  # type: ignore[attr-defined]

    def road(self) -> Any:
        """Rows in memory and every cut, or a pass for every level."""
        return HistogramRows(self) if self.method == "histogram" else ExactRows(self)

    def check_roads(self) -> None:
        """Refuse what a road does not have."""
        if whole_number(self.max_bins, "max_bins", 2) > MOST_BINS:
            raise ValueError(f"max_bins must be at most {MOST_BINS}, got {self.max_bins!r}")
        for name, only in NO_HISTOGRAM.items() if self.method == "histogram" else ():
            value = getattr(self, name)
            if not (value is only or (isinstance(value, str) and value == only)):
                raise ValueError(f"{name} must be {only!r} with method='histogram', got {value!r}")
