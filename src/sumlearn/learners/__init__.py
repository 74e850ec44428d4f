"""One file per method, in families; and the base classes to write your own on."""

from .classifier import OnePassClassifier
from .fitted import Fitted
from .learner import OnePass

__all__ = ["Fitted", "OnePass", "OnePassClassifier"]
