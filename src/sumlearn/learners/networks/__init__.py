"""Networks: layers of simple functions, one on top of the other."""

from ...lazy import lazily

_HOMES = {"activations": "", "optimisers": "", "schedules": "", "rate_range": "range_test"}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = lazily(__name__, _HOMES)
