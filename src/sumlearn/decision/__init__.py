"""What stands above all classifiers: many classes from questions with two answers, and decisions by their costs."""

from .cost_sensitive import CostSensitiveClassifier
from .costs import Costs
from .one_vs_one import OneVsOneClassifier
from .one_vs_rest import OneVsRestClassifier
from .output_code import OutputCodeClassifier

__all__ = ["CostSensitiveClassifier", "Costs", "OneVsOneClassifier", "OneVsRestClassifier", "OutputCodeClassifier"]
