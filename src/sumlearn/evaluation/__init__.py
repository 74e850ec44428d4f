"""How good is it: errors, rates, ROC curves, and cross-validation from one read of the data."""

from .bias_variance import BiasVariance, bias_variance
from .binned_roc import BinnedRoc
from .bootstrap import Bootstrap, bootstrap
from .bootstrap_error import BootstrapError, bootstrap_error
from .compare import Comparison, compare
from .confusion import Confusion
from .corrected_test import CorrectedTTest, corrected_t_test
from .cross_validation import cross_validate
from .delong import DelongTest, delong_test
from .dimension import needed_samples, shell_share
from .efficiency import Efficiency, efficiency
from .errors import rms_error, sum_of_squares_error
from .estimator_study import EstimatorStudy, estimator_study
from .generalisation import GeneralisationGap, generalisation_gap
from .honest_choice import HonestChoice, honest_choice
from .learning_curve import LearningCurve, learning_curve
from .rates import Rates
from .regression_scores import RegressionScores, regression_scores
from .roc import RocCurve, RocPoint, auc

__all__ = [
    "BiasVariance",
    "BinnedRoc",
    "Bootstrap",
    "BootstrapError",
    "Comparison",
    "Confusion",
    "CorrectedTTest",
    "DelongTest",
    "Efficiency",
    "EstimatorStudy",
    "GeneralisationGap",
    "HonestChoice",
    "LearningCurve",
    "Rates",
    "RegressionScores",
    "RocCurve",
    "RocPoint",
    "auc",
    "bias_variance",
    "bootstrap",
    "bootstrap_error",
    "compare",
    "corrected_t_test",
    "cross_validate",
    "delong_test",
    "efficiency",
    "estimator_study",
    "generalisation_gap",
    "honest_choice",
    "learning_curve",
    "needed_samples",
    "regression_scores",
    "rms_error",
    "shell_share",
    "sum_of_squares_error",
]
