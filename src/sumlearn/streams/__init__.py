"""Models over time: recent rows, any window and any group, exactly."""

from .fading import Fading
from .prequential_evaluation import Prequential, prequential
from .sliding_window import SlidingWindow
from .tumbling_window import TumblingWindow
from .window_sum import WindowSum

__all__ = ["Fading", "Prequential", "SlidingWindow", "TumblingWindow", "WindowSum", "prequential"]
