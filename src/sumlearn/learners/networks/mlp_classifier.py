"""Classification by a multilayer perceptron."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score

from ..description import Complexity, Description, Offer, Tuning
from ..roads import Roads
from ..sampling import LabelSamplingMixin
from .parts.multilayer import PARTS, Multilayer
from .parts.place import Place


class MLPClassifier(LabelSamplingMixin, Multilayer, ClassifierMixin, Roads):
    """Layers of simple units, learnt by backpropagation: cross-entropy of the classes.

        a_0 = x,   a_l = f(a_{l-1} W_l + b_l),   P(k | x) = exp z_k / sum_j exp z_j,   z = a_{L-1} W_L + b_L

        minimised:  -1/n sum_i ln P(y_i | x_i) + alpha / (2 n) sum_l |W_l|^2

    Two classes have one output, P = sigma(z); of several labels at once each has one. Backpropagation is in
    `networks.parts.layers`, forward and backward side by side. With the parameters of scikit-learn the weights are
    those of scikit-learn, step by step, from the same draws.

    Sequential: a fold over batches, in their order, of arrays, files and streams. Can learn on (`partial_fit`), cannot
    merge or forget. With "lbfgs" or "barzilai_borwein" stepwise: each step is a sum over all rows. Cost of an epoch, or
    a step: O(n p) for p weights.

    Parameters
    ----------
    hidden_layer_sizes : int or tuple of int, default=(100,)
        Units of each hidden layer.
    activation : {"relu", "tanh", "logistic" or "sigmoid", "leaky_relu", "maxout", "elu", "identity"} or Activation, \
default="relu"
        f; see `sumlearn.networks.activations`.
    solver : {"adam", "sgd", "adagrad", "rmsprop", "lbfgs", "barzilai_borwein"} or Optimiser, default="adam"
        How weights follow slopes; see `sumlearn.networks.optimisers`. The last two see all rows at each step, a sum
        over chunks, files or blocks of a cluster: few rows are learnt best so.
    alpha : float, default=0.0001
        Weight decay.
    batch_size : int or "auto", default="auto"
        Rows of a batch; "auto" is at most 200.
    learning_rate : {"constant", "invscaling", "adaptive"} or Schedule, default="constant"
        The rate from epoch to epoch; see `sumlearn.networks.schedules`. The words count for "sgd" alone.
    learning_rate_init : float, default=0.001
    power_t : float, default=0.5
        Of "invscaling".
    max_iter : int, default=200
        Most epochs.
    shuffle : bool, default=True
        Rows in memory as a whole, those of files within their chunks.
    random_state : int, RandomState or None, default=0
        Seeds weights, batches, dropout and which rows are held back: equal seeds, equal models.
    tol, n_iter_no_change : float and int, default=1e-4, 10
        Learning ends after more than so many epochs without a gain of `tol`.
    verbose : bool, default=False
    warm_start : bool, default=False
        Begin with the weights of the fit before.
    momentum, nesterovs_momentum : default=0.9, True
        Of "sgd".
    early_stopping : bool, default=False
        Judge by the accuracy of rows held back, and keep the weights of the best epoch.
    validation_fraction : float, default=0.1
        Share of rows held back.
    beta_1, beta_2, epsilon : float, default=0.9, 0.999, 1e-8
        Of "adam".
    max_fun : int, default=15000
        Most passes of "lbfgs".
    dropout : float or tuple of float, default=0.0
        Share of the units of each hidden layer that are silent in a step of learning; those that speak are multiplied
        by 1 / (1 - dropout), so that nothing changes when the model is asked. The lecture notes take 0.5.
    init : {"auto", "xavier", "he"} or float, default="auto"
        Where weights begin: scikit-learn's uniform draws, N(0, 2 / (inputs + units)), N(0, 2 / inputs), or N(0, s^2)
        for a number s.
    max_norm : float, default=None
        Longest vector of weights into a unit; longer ones are cut after each step.
    device : str, default=None
        "cpu" or "cuda": learn on tensors of torch there. None: on NumPy.

    Attributes
    ----------
    coefs_, intercepts_ : list of arrays
        W_l, (inputs, units), and b_l.
    classes_, n_iter_, n_layers_, n_outputs_, out_activation_, t_
        As in scikit-learn.
    loss_, loss_curve_, best_loss_ : float, list of float, float
        Mean loss with the penalty: of the last epoch, of all, the least (None with `early_stopping`).
    validation_scores_, best_validation_score_ : list of float, float
        With `early_stopping`.
    place_ : dict or None
        Where columns that lie further than a thousand deviations from zero were moved, with the intercepts there.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import MLPClassifier
    >>> xor = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> model = MLPClassifier((8,), activation="tanh", learning_rate_init=0.05).fit(xor, [0, 1, 1, 0])
    >>> model.predict(xor).tolist(), [W.shape for W in model.coefs_]
    ([0, 1, 1, 0], [(2, 8), (8, 1)])

    References
    ----------
    Lecture notes 000 and 003; Rumelhart, Hinton & Williams, "Learning representations by back-propagating errors",
    Nature 323, 1986; Kingma & Ba, "Adam: a method for stochastic optimization", 2015; Srivastava et al., "Dropout: a
    simple way to prevent neural networks from overfitting", 2014.
    """

    description = Description(
        offers=(
            Offer("network", "neural network", 155, {"early_stopping": True}, Tuning("alpha", (1e-4, 1e-2, 1.0)),
                  extra=True, least_rows=100),
        ),
        complexity=Complexity("alpha", "weight decay", (1e-6, 1e-4, 1e-2, 1.0, 10.0)),
        onnx="network",
        parts=PARTS,
        variants={
            "hidden_layer_sizes": ((5,), (4, 3)),
            "activation": ("relu", "tanh", "maxout"),
            "solver": ("adam", "sgd"),
            "max_iter": (3,),
            "batch_size": ("auto", 7),
            "dropout": (0.0, 0.5),
            "early_stopping": (False,),
        },
    )  # fmt: skip

    target = "label"
    many_targets = takes_classes = True

    def __init__(
        self,
        hidden_layer_sizes: Any = (100,),
        activation: Any = "relu",
        *,
        solver: Any = "adam",
        alpha: float = 0.0001,
        batch_size: int | str = "auto",
        learning_rate: Any = "constant",
        learning_rate_init: float = 0.001,
        power_t: float = 0.5,
        max_iter: int = 200,
        shuffle: bool = True,
        random_state: Any = 0,
        tol: float = 1e-4,
        verbose: int = False,
        warm_start: bool = False,
        momentum: float = 0.9,
        nesterovs_momentum: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        n_iter_no_change: int = 10,
        max_fun: int = 15000,
        dropout: Any = 0.0,
        init: Any = "auto",
        max_norm: float | None = None,
        device: str | None = None,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.dropout = dropout
        self.init = init
        self.max_norm = max_norm
        self.device = device

    # -- of the roads -----------------------------------------------------------------------------------------------

    def answers(self, targets: list[np.ndarray], before: dict[str, Any], more: bool) -> dict[str, Any]:
        """Labels, and the head that suits them."""
        several = targets[0].ndim == 2
        if several:
            found = np.arange(targets[0].shape[1])
        else:
            found = np.unique(np.concatenate([np.unique(y) for y in targets]))
        classes = before.get("classes_", found)
        if not more and not np.array_equal(found, classes):
            raise ValueError(
                "warm_start can only be used where `y` has the same classes as in the previous call to fit. Previously "
                f"got {classes}, `y` has {found}"
            )
        binary = len(classes) == 2 and not several
        head = "logistic" if several or binary else "softmax"
        return {"classes_": classes, "n_outputs_": 1 if binary else len(classes), "out_activation_": head}

    def coded(self, y: np.ndarray, classes: np.ndarray, place: Place | None) -> np.ndarray:
        """Numbers of the classes; of two classes, and of several labels at once, zeros and ones."""
        if y.ndim == 2:
            if y.shape[1] != len(classes) or not np.isin(y, (0, 1)).all():
                raise ValueError(
                    f"several labels at once are columns of 0 and 1, here {len(classes)}, got {y.shape[1]} columns of "
                    f"{np.unique(y)[:5].tolist()}"
                )
            return y.astype(float)
        code = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
        unknown = classes[code] != y
        if unknown.any():
            raise ValueError(
                f"`y` has classes not in `self.classes_`. `self.classes_` has {classes}. 'y' has {np.unique(y)}."
            )
        return code.astype(float)[:, None] if len(classes) == 2 else code

    def lifted(self, said: np.ndarray, place: Place) -> np.ndarray:
        """Probabilities, wherever the rows lie."""
        return said

    def score_of(self, said: np.ndarray, true: np.ndarray, weight: np.ndarray | None) -> float:
        """Accuracy."""
        said = said.argmax(axis=1) if true.ndim == 1 else said > 0.5
        return float(accuracy_score(true, said, sample_weight=weight))

    # -- using ------------------------------------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(k | x), a column for each class; of several labels at once, that of each by itself."""
        said = self.says(X)
        return np.column_stack([1.0 - said, said]) if said.shape[1] == 1 and len(self.classes_) == 2 else said

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """ln P(k | x)."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class; of several labels at once, zeros and ones."""
        said = self.says(X)
        if self.out_activation_ == "softmax":
            return self.classes_[said.argmax(axis=1)]
        yes = (said > 0.5).astype(int)
        return self.classes_[yes[:, 0]] if len(self.classes_) == 2 and said.shape[1] == 1 else yes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = False
        return tags
