from .fading import Fading as Fading
from .model_cube import ModelCube as ModelCube
from .prequential_evaluation import Prequential as Prequential
from .prequential_evaluation import prequential as prequential
from .sliding_window import SlidingWindow as SlidingWindow
from .tumbling_window import TumblingWindow as TumblingWindow
from .window_sum import WindowSum as WindowSum
