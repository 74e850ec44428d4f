"""One file per method, in families; and the base classes to write your own on."""

from .classifier import OnePassClassifier
from .description import Complexity, Description, Offer, Tuning
from .fitted import Fitted
from .learner import OnePass

__all__ = ["Complexity", "Description", "Fitted", "Offer", "OnePass", "OnePassClassifier", "Tuning"]
