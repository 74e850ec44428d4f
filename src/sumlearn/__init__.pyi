from . import data as data
from . import decision as decision
from . import engines as engines
from . import evaluation as evaluation
from . import features as features
from . import learners as learners
from . import objectives as objectives
from . import product as product
from . import report as report
from . import saving as saving
from . import selection as selection
from . import solvers as solvers
from . import statistics as statistics
from . import testing as testing
from .decision.cost_sensitive import CostSensitiveClassifier as CostSensitiveClassifier
from .decision.one_vs_one import OneVsOneClassifier as OneVsOneClassifier
from .decision.one_vs_rest import OneVsRestClassifier as OneVsRestClassifier
from .decision.output_code import OutputCodeClassifier as OutputCodeClassifier
from .ensembles.gradient_boosting import GradientBoostingClassifier as GradientBoostingClassifier
from .ensembles.gradient_boosting import GradientBoostingRegressor as GradientBoostingRegressor
from .ensembles.hist_gradient_boosting import HistGradientBoostingClassifier as HistGradientBoostingClassifier
from .ensembles.hist_gradient_boosting import HistGradientBoostingRegressor as HistGradientBoostingRegressor
from .ensembles.random_forest import RandomForestClassifier as RandomForestClassifier
from .ensembles.random_forest import RandomForestRegressor as RandomForestRegressor
from .evaluation.resampling.cross_validation import cross_validate as cross_validate
from .learners.ability import abilities as abilities
from .learners.clusters.gaussian_mixture import GaussianMixture as GaussianMixture
from .learners.clusters.gaussian_mixture_classifier import GaussianMixtureClassifier as GaussianMixtureClassifier
from .learners.clusters.kmeans import KMeans as KMeans
from .learners.clusters.lbg import LBG as LBG
from .learners.clusters.mini_batch_kmeans import MiniBatchKMeans as MiniBatchKMeans
from .learners.clusters.vector_quantizer import VectorQuantizer as VectorQuantizer
from .learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis as LinearDiscriminantAnalysis
from .learners.gaussian.naive_bayes import GaussianNB as GaussianNB
from .learners.gaussian.quadratic_discriminant import QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis
from .learners.kernel.import_vector_machine import ImportVectorMachine as ImportVectorMachine
from .learners.kernel.kernel_ridge import KernelRidge as KernelRidge
from .learners.kernel.kernel_ridge_cv import KernelRidgeCV as KernelRidgeCV
from .learners.lazy.k_neighbors_classifier import KNeighborsClassifier as KNeighborsClassifier
from .learners.lazy.k_neighbors_regressor import KNeighborsRegressor as KNeighborsRegressor
from .learners.lazy.loess import Loess as Loess
from .learners.lazy.nadaraya_watson import NadarayaWatson as NadarayaWatson
from .learners.linear.adaline import Adaline as Adaline
from .learners.linear.fisher_discriminant import FisherDiscriminant as FisherDiscriminant
from .learners.linear.least_squares_classifier import LeastSquaresClassifier as LeastSquaresClassifier
from .learners.linear.linear_classifier import LinearClassifier as LinearClassifier
from .learners.linear.linear_regressor import LinearRegressor as LinearRegressor
from .learners.linear.linear_svc import LinearSVC as LinearSVC
from .learners.linear.linear_svr import LinearSVR as LinearSVR
from .learners.linear.logistic_regression import LogisticRegression as LogisticRegression
from .learners.linear.ordinal_regression import OrdinalRegression as OrdinalRegression
from .learners.linear.perceptron import Perceptron as Perceptron
from .learners.linear.polynomial_classifier import PolynomialClassifier as PolynomialClassifier
from .learners.linear.sigmoid_neuron import SigmoidNeuron as SigmoidNeuron
from .learners.linear.sparse_representation_classifier import (
    SparseRepresentationClassifier as SparseRepresentationClassifier,
)
from .learners.local.local_regression import LocalRegression as LocalRegression
from .learners.local.unified_model import UnifiedModel as UnifiedModel
from .learners.networks.extreme_learning_machine import (
    ExtremeLearningMachineClassifier as ExtremeLearningMachineClassifier,
)
from .learners.networks.extreme_learning_machine import (
    ExtremeLearningMachineRegressor as ExtremeLearningMachineRegressor,
)
from .learners.networks.rbf_network import RBFNetwork as RBFNetwork
from .learners.networks.rbf_network import RBFNetworkClassifier as RBFNetworkClassifier
from .learners.projections.pca import PCA as PCA
from .learners.regression.bayesian_regression import BayesianRegression as BayesianRegression
from .learners.regression.elastic_net import ElasticNet as ElasticNet
from .learners.regression.elastic_net_cv import ElasticNetCV as ElasticNetCV
from .learners.regression.lasso import Lasso as Lasso
from .learners.regression.lasso_cv import LassoCV as LassoCV
from .learners.regression.linear_regression import LinearRegression as LinearRegression
from .learners.regression.ridge import Ridge as Ridge
from .learners.regression.ridge_cv import RidgeCV as RidgeCV
from .learners.table_model import TableModel as TableModel
from .learners.trees.decision_tree_classifier import DecisionTreeClassifier as DecisionTreeClassifier
from .learners.trees.decision_tree_regressor import DecisionTreeRegressor as DecisionTreeRegressor
from .learners.trees.model_tree import ModelTree as ModelTree
from .learners.trees.rule_list import RuleList as RuleList
from .report.evaluating import evaluate as evaluate
from .saving.disclosure import disclosure as disclosure
from .saving.reading import load as load
from .saving.writing import save as save
from .selection.subset_search import SubsetSearch as SubsetSearch
from .solvers.solver import PerfectSeparationWarning as PerfectSeparationWarning
from .statistics.warnings import IllConditionedWarning as IllConditionedWarning
from .version import __version__ as __version__
