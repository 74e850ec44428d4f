"""Which features: rankers, filters, subset searches."""

from ..lazy import lazily

_HOMES = {
    "FCBF": "fcbf",
    "NestedScore": "nested_scores",
    "Prophet": "prophet",
    "Ranker": "ranker",
    "SubsetSearch": "subset_search",
    "Trace": "trace",
    "Workflow": "workflow",
    "nested_score": "nested_scores",
}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = lazily(__name__, _HOMES)
