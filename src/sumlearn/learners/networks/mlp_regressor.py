"""Regression by a multilayer perceptron."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils._param_validation import StrOptions

from ..description import Complexity, Description, Offer, Tuning
from ..roads import Roads
from .parts.multilayer import CONSTRAINTS, PARTS, Multilayer
from .parts.place import Place, coded_targets, lifted_targets


class MLPRegressor(Multilayer, RegressorMixin, Roads):
    """Layers of simple units, learnt by backpropagation: squared error of one number or several.

        a_0 = x,   a_l = f(a_{l-1} W_l + b_l),   y = a_{L-1} W_L + b_L

        minimised:  1 / (2 n) sum_i |y_i - y(x_i)|^2 + alpha / (2 n) sum_l |W_l|^2

    With ``loss="poisson"`` y = exp z, and half of the Poisson deviance is minimised. Backpropagation is in
    `networks.parts.layers`, forward and backward side by side. With the parameters of scikit-learn the weights are
    those of scikit-learn, step by step, from the same draws; the loss of several outputs is their sum, which is what
    is minimised in both (scikit-learn shows their mean).

    Sequential: a fold over batches, in their order, of arrays, files and streams. Can learn on (`partial_fit`), cannot
    merge or forget. With "lbfgs" or "barzilai_borwein" stepwise: each step is a sum over all rows. Cost of an epoch, or
    a step: O(n p) for p weights.

    Parameters
    ----------
    loss : {"squared_error", "poisson"}, default="squared_error"
    hidden_layer_sizes, activation, solver, alpha, batch_size, learning_rate, learning_rate_init, power_t, max_iter, \
shuffle, random_state, tol, verbose, warm_start, momentum, nesterovs_momentum, validation_fraction, beta_1, beta_2, \
epsilon, n_iter_no_change, max_fun, dropout, init, max_norm, device
        As in MLPClassifier.
    early_stopping : bool, default=False
        Judge by R^2 of rows held back, and keep the weights of the best epoch.
    scale_target : bool, default=False
        Learn numbers in deviations from their mean (a power of two near it), so that no unit is too large or too small
        for the learning rate. Weights and answers are in units of y all the same; losses are in deviations.

    Attributes
    ----------
    coefs_, intercepts_, n_iter_, n_layers_, n_outputs_, out_activation_, t_, loss_, loss_curve_, best_loss_, \
validation_scores_, best_validation_score_, place_
        As in MLPClassifier.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import MLPRegressor
    >>> x = np.linspace(-3.0, 3.0, 200)[:, None]
    >>> model = MLPRegressor(hidden_layer_sizes=(20,), activation="tanh", solver="lbfgs").fit(x, np.sin(x[:, 0]))
    >>> print(model.score(x, np.sin(x[:, 0])) > 0.99)
    True

    References
    ----------
    Lecture notes 000 and 003; Rumelhart, Hinton & Williams, "Learning representations by back-propagating errors",
    Nature 323, 1986; Kingma & Ba, "Adam: a method for stochastic optimization", 2015; Srivastava et al., "Dropout: a
    simple way to prevent neural networks from overfitting", 2014.
    """

    description = Description(
        offers=(
            Offer("network", "neural network", 155, {"early_stopping": True, "scale_target": True},
                  Tuning("alpha", (1e-4, 1e-2, 1.0)), extra=True, least_rows=100),
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
        lacks={"sample": "a loss is minimised; how targets spread about the numbers is not kept"},
    )  # fmt: skip

    target = "number"
    many_targets = True

    _parameter_constraints = CONSTRAINTS | {
        "loss": [StrOptions({"squared_error", "poisson"})],
        "scale_target": ["boolean"],
    }

    def __init__(
        self,
        loss: str = "squared_error",
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
        scale_target: bool = False,
    ) -> None:
        self.loss = loss
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
        self.scale_target = scale_target

    # -- of the roads -----------------------------------------------------------------------------------------------

    def answers(self, targets: list[np.ndarray], before: dict[str, Any], more: bool) -> dict[str, Any]:
        """How many numbers, and the head that suits them."""
        columns = targets[0].shape[1] if targets[0].ndim == 2 else 1
        return {"n_outputs_": columns, "out_activation_": "exp" if self.loss == "poisson" else "identity"}

    def coded(self, y: np.ndarray, classes: None, place: Place | None) -> np.ndarray:
        """Numbers, (rows, outputs)."""
        y = coded_targets(place, y.reshape(len(y), -1))
        if self.loss == "poisson" and (y < 0).any():
            row = int(np.argmax((y < 0).any(axis=1)))
            raise ValueError(f"loss='poisson' needs y >= 0: row {row} of the rows learnt holds {y[row].min():g}")
        return y

    def lifted(self, said: np.ndarray, place: Place) -> np.ndarray:
        """Numbers where the targets lie."""
        return lifted_targets(place, said)

    def score_of(self, said: np.ndarray, true: np.ndarray, weight: np.ndarray | None) -> float:
        """R^2."""
        return float(r2_score(true, said, sample_weight=weight))

    # -- using ------------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> np.ndarray:
        """The number of every row, or the numbers."""
        said = self.says(X)
        return said[:, 0] if self._single_target else said
