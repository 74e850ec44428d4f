"""Models over time: recent rows, any window and any group, exactly."""

from ..lazy import lazily

_HOMES = {
    "Fading": "fading",
    "ModelCube": "model_cube",
    "Prequential": "prequential_evaluation",
    "SlidingWindow": "sliding_window",
    "TumblingWindow": "tumbling_window",
    "WindowSum": "window_sum",
    "prequential": "prequential_evaluation",
}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = lazily(__name__, _HOMES)
