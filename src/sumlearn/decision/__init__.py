"""What stands above all classifiers: costs and working points, one class, many classes, densities by contrast."""

from .contrastive_density import ContrastiveDensity
from .cost_sensitive import CostSensitiveClassifier
from .costs import Costs
from .one_class_gaussian import OneClassGaussian
from .one_vs_one import OneVsOneClassifier
from .one_vs_rest import OneVsRestClassifier
from .output_code import OutputCodeClassifier
from .phantom_negatives import PhantomNegatives
from .working_point import WorkingPoint

__all__ = [
    "ContrastiveDensity",
    "CostSensitiveClassifier",
    "Costs",
    "OneClassGaussian",
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "OutputCodeClassifier",
    "PhantomNegatives",
    "WorkingPoint",
]
