"""Machine learning that adds up: a model is solve(sum of summarise(chunk)).

Names are loaded when first used, so that ``import sumlearn`` costs next to nothing.
"""

from .lazy import lazily
from .version import __version__

_HOMES = {
    "Adaline": "learners.linear.adaline",
    "BayesianRegression": "learners.regression.bayesian_regression",
    "ExtremeLearningMachineClassifier": "learners.networks.extreme_learning_machine",
    "ExtremeLearningMachineRegressor": "learners.networks.extreme_learning_machine",
    "FisherDiscriminant": "learners.linear.fisher_discriminant",
    "GaussianNB": "learners.gaussian.naive_bayes",
    "IllConditionedWarning": "statistics.warnings",
    "LeastSquaresClassifier": "learners.linear.least_squares_classifier",
    "LinearDiscriminantAnalysis": "learners.gaussian.linear_discriminant",
    "LinearClassifier": "learners.linear.linear_classifier",
    "LinearRegression": "learners.regression.linear_regression",
    "LinearRegressor": "learners.linear.linear_regressor",
    "LinearSVC": "learners.linear.linear_svc",
    "LinearSVR": "learners.linear.linear_svr",
    "LocalRegression": "learners.local.local_regression",
    "Loess": "learners.lazy.loess",
    "LogisticRegression": "learners.linear.logistic_regression",
    "NadarayaWatson": "learners.lazy.nadaraya_watson",
    "OrdinalRegression": "learners.linear.ordinal_regression",
    "PCA": "learners.projections.pca",
    "Perceptron": "learners.linear.perceptron",
    "PerfectSeparationWarning": "solvers.solver",
    "PolynomialClassifier": "learners.linear.polynomial_classifier",
    "QuadraticDiscriminantAnalysis": "learners.gaussian.quadratic_discriminant",
    "RBFNetwork": "learners.networks.rbf_network",
    "RBFNetworkClassifier": "learners.networks.rbf_network",
    "Ridge": "learners.regression.ridge",
    "RidgeCV": "learners.regression.ridge_cv",
    "SigmoidNeuron": "learners.linear.sigmoid_neuron",
    "SubsetSearch": "selection.subset_search",
    "TableModel": "learners.table_model",
    "UnifiedModel": "learners.local.unified_model",
    "abilities": "learners.ability",
    "cross_validate": "evaluation.resampling.cross_validation",
    "disclosure": "saving.disclosure",
    "evaluate": "report.evaluating",
    "load": "saving.reading",
    "save": "saving.writing",
    **dict.fromkeys(("data", "engines", "evaluation", "features", "learners"), ""),
    **dict.fromkeys(("objectives", "product", "report", "saving", "selection"), ""),
    **dict.fromkeys(("solvers", "statistics", "testing"), ""),
}

__all__ = ["__version__", *sorted(_HOMES)]
__getattr__, __dir__ = lazily(__name__, _HOMES)
