"""One file per method, in families; and the base classes to write your own on: five kinds, and what they share."""

from .abilities import Abilities, abilities
from .classifier import LabelMixin, OnePassClassifier
from .fitted import Fitted
from .learner import Learner
from .look import Look
from .one_pass import OnePass
from .roads import Roads
from .sequential import Sequential
from .stepwise import Passes, Stepwise
from .whole_rows import WholeRows
from .wrapper import Wrapper

__all__ = [
    "Abilities",
    "Fitted",
    "LabelMixin",
    "Learner",
    "Look",
    "OnePass",
    "OnePassClassifier",
    "Passes",
    "Roads",
    "Sequential",
    "Stepwise",
    "WholeRows",
    "Wrapper",
    "abilities",
]
