"""What the statistics of concepts share: attributes with their levels, labels, and how many rows there were."""

from __future__ import annotations

from typing import Any

from ....statistics.grouped import sorted_labels
from ....statistics.statistic import Counted
from ..attributes import Attributes


class ConceptStatistic(Counted):
    """Rows of attributes with two labels, of which `ones` belong to the concept."""

    attributes: Attributes
    labels: tuple[Any, ...]
    ones: tuple[Any, ...]

    @property
    def features(self) -> int:
        return len(self.attributes.names)

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """Attributes and levels, as tables name them."""
        return self.attributes.parts

    def nothing(self) -> dict[str, Any]:
        """The fields that are shared, of no rows."""
        return {"attributes": self.attributes, "labels": (), "ones": (), "total": 0.0, "count": 0}

    def joined(self, other: ConceptStatistic) -> dict[str, Any]:
        """The fields that are shared, of the rows of both."""
        return {
            "attributes": self.attributes.merge(other.attributes),
            "labels": tuple(sorted_labels({*self.labels, *other.labels})),
            "ones": tuple(sorted_labels({*self.ones, *other.ones})),
            "total": self.total + other.total,
            "count": self.count + other.count,
        }
