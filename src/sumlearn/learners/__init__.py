"""One file per method, in families; and the base classes to write your own on: five kinds, and what they share."""

from . import concepts, networks
from .ability import Abilities, abilities
from .classifier import LabelMixin, OnePassClassifier
from .description import Complexity, Description, Offer, Tuning
from .fitted import Fitted
from .learner import Learner
from .look import Look
from .one_pass import OnePass
from .passes import Passes
from .roads import Roads
from .sequential import Sequential
from .stepwise import Stepwise
from .whole_rows import WholeRows
from .wrapper import Wrapper

__all__ = [
    "concepts",
    "networks",
    "Abilities",
    "Complexity",
    "Description",
    "Fitted",
    "LabelMixin",
    "Learner",
    "Look",
    "Offer",
    "OnePass",
    "OnePassClassifier",
    "Passes",
    "Roads",
    "Sequential",
    "Stepwise",
    "Tuning",
    "WholeRows",
    "Wrapper",
    "abilities",
]
