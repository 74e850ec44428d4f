"""Networks: layers of simple functions, one on top of the other."""

from ...lazy import lazily

__all__ = ["activations", "optimisers", "schedules"]
__getattr__, __dir__ = lazily(__name__, dict.fromkeys(__all__, ""))
