"""How good is it: errors, rates, ROC curves, and cross-validation from one read of the data."""

from .comparison.comparison import Comparison, compare
from .comparison.corrected_test import CorrectedTTest, corrected_t_test
from .honest_choice import HonestChoice, honest_choice
from .regression.regression_scores import RegressionScores, regression_scores
from .regression.squared_errors import rms_error, sum_of_squares_error
from .resampling.bootstrap import Bootstrap, bootstrap
from .resampling.bootstrap_error import BootstrapError, bootstrap_error
from .resampling.cross_validation import cross_validate
from .resampling.learning_curve import LearningCurve, learning_curve
from .theory.bias_variance import BiasVariance, bias_variance
from .theory.dimension import needed_samples, shell_share
from .theory.efficiency import Efficiency, efficiency
from .theory.estimator_study import EstimatorStudy, estimator_study
from .theory.generalisation import GeneralisationGap, generalisation_gap
from .theory.structural_risk import StructuralRisk, structural_risk
from .two_classes.binned_roc import BinnedRoc
from .two_classes.confusion import Confusion
from .two_classes.delong import DelongTest, delong_test
from .two_classes.rates import Rates
from .two_classes.roc_curve import RocCurve, RocPoint, auc

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
    "StructuralRisk",
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
    "structural_risk",
    "sum_of_squares_error",
]
