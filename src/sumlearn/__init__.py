"""Machine learning that adds up: a model is solve(sum of summarise(chunk)).

Names are loaded when first used, so that ``import sumlearn`` costs next to nothing.
"""

from .lazy import lazily
from .version import __version__

_HOMES = {
    "Adaline": "learners.linear.adaline",
    "BayesianRegression": "learners.regression.bayesian_regression",
    "DecisionTreeClassifier": "learners.trees.decision_tree_classifier",
    "DecisionTreeRegressor": "learners.trees.decision_tree_regressor",
    "ElasticNet": "learners.regression.elastic_net",
    "ElasticNetCV": "learners.regression.elastic_net_cv",
    "ExtremeLearningMachineClassifier": "learners.networks.extreme_learning_machine",
    "ExtremeLearningMachineRegressor": "learners.networks.extreme_learning_machine",
    "FisherDiscriminant": "learners.linear.fisher_discriminant",
    "GaussianNB": "learners.gaussian.naive_bayes",
    "GradientBoostingClassifier": "ensembles.gradient_boosting",
    "GradientBoostingRegressor": "ensembles.gradient_boosting",
    "HistGradientBoostingClassifier": "ensembles.hist_gradient_boosting",
    "HistGradientBoostingRegressor": "ensembles.hist_gradient_boosting",
    "IllConditionedWarning": "statistics.warnings",
    "Lasso": "learners.regression.lasso",
    "LassoCV": "learners.regression.lasso_cv",
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
    "ModelTree": "learners.trees.model_tree",
    "NadarayaWatson": "learners.lazy.nadaraya_watson",
    "OrdinalRegression": "learners.linear.ordinal_regression",
    "PCA": "learners.projections.pca",
    "Perceptron": "learners.linear.perceptron",
    "PerfectSeparationWarning": "solvers.solver",
    "PolynomialClassifier": "learners.linear.polynomial_classifier",
    "QuadraticDiscriminantAnalysis": "learners.gaussian.quadratic_discriminant",
    "RBFNetwork": "learners.networks.rbf_network",
    "RBFNetworkClassifier": "learners.networks.rbf_network",
    "RandomForestClassifier": "ensembles.random_forest",
    "RandomForestRegressor": "ensembles.random_forest",
    "Ridge": "learners.regression.ridge",
    "RidgeCV": "learners.regression.ridge_cv",
    "RuleList": "learners.trees.rule_list",
    "SigmoidNeuron": "learners.linear.sigmoid_neuron",
    "SparseRepresentationClassifier": "learners.linear.sparse_representation_classifier",
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
