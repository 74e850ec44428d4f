"""Kernel ridge regression with penalty and kernel chosen by exact cross-validation."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.model_selection import check_cv

from ...data import Chunk
from ...engines import cores, in_threads, one_blas_thread
from ...engines.folds import row_numbers
from ...features.input_ranges import finite_numbers, whole_number
from ...features.kernels import Kernel
from ..description import Complexity, Description, Offer
from ..fitted import check_target
from ..learner import OF_THE_FIT
from ..sampling import with_noise
from ..whole_rows import WholeRows
from .kernel_ridge import KernelRidge
from .parts.dual_paths import Judged, left_fold_out, left_one_out
from .parts.kernel_model import KernelModel, dual_predictions, own_matrix, precise

ALPHAS = tuple(np.logspace(-7.0, 2.0, 28).tolist())
OF_THE_ROWS = {"n_features_in_", "feature_names_in_", *OF_THE_FIT}
FACTORS = tuple((2.0 ** np.arange(-7, 3)).tolist())  # of the gamma that is called "spread"


class KernelRidgeCV(KernelModel, RegressorMixin, WholeRows):
    """Kernel ridge regression over a grid of penalties and kernels, the best chosen by exact cross-validation.

        leave-one-out: e_i = r_i / (1 - h_ii) = [A^-1 y]_i / [A^-1]_ii,   A = G + alpha I = Q (S + alpha I) Q'
        K folds: G = Q T Q' of the training rows, T tridiagonal;  b(alpha) = Q (T + alpha I)^-1 Q'y

    One factorisation, of all rows or of each fold, serves all penalties. With the errors of leave-one-out,
    a kernel takes one eigendecomposition where refits would take n for every penalty.

    Statistic: none, all rows are in memory, and the n x n matrices of some kernels. No merge, no forget. Cost for every
    kernel: leave-one-out O(n^3 + n^2 alphas), K folds O(K n^3); 32 n^2 bytes for every thread.

    Parameters
    ----------
    alphas : array or None, default=None
        Penalties to try, positive. None: 28 from 1e-7 to 100, equal steps of their logarithm.
    kernel : str, Kernel, callable, or a list of these, default="rbf"
        As for `KernelRidge`; of a list, the best is chosen.
    gammas : array of floats and words, or None, default=None
        For a kernel that has a gamma; words as for `GaussianKernel`. None: ten from 2^-7 to 4 times "spread", but the
        gamma of a kernel that comes with a number, such as ``GaussianKernel(0.4)``.
    degree, coef0, kernel_params
        As for `KernelRidge`.
    fit_intercept : bool, default=True
        Whether there is a constant that is not penalised.
    scoring : str or callable, default=None
        With `cv`, None means R^2; without, the negative mean squared error.
    cv : int, splitter or iterable of splits, default=None
        None is leave-one-out.
    n_jobs : int or None, default=None
        How many kernels are judged at the same time; None is one for each core.
    max_memory : float or None, default=None
        Bytes that the fit may take, refused beforehand; None is what is free.

    Attributes
    ----------
    alpha_, kernel_, gamma_, best_score_
        What was chosen; `gamma_` is None for a kernel that has none.
    scores_ : array (kernels, alphas)
        The scores of all, which are kernels with `gammas_`, in their order, and penalties `alphas_`.
    kernels_ : list of Kernel
        The kernels in that order, with numbers for words.
    alphas_, gammas_ : arrays
        `gammas_` is None where the kernels have none in common.
    best_estimator_ : KernelRidge
        With all rows; `dual_coef_` and `X_fit_` are its.
    noise_variance_ : float or array (targets,)
        Mean squared leave-one-out error of what was chosen; `sample` draws with it.

    Examples
    --------
    >>> from sumlearn import KernelRidgeCV
    >>> from sumlearn.data import load_example
    >>> rows = load_example("faithful").X
    >>> model = KernelRidgeCV().fit(rows[:, :1], rows[:, 1])
    >>> print(model.scores_.shape, f"{model.gamma_:.3f} {model.alpha_:.3f} {(-model.best_score_) ** 0.5:.3f}")
    (10, 28) 0.193 0.046 5.682

    References
    ----------
    Golub, Heath & Wahba, "Generalized cross-validation", 1979; Rifkin & Lippert, "Notes on regularized least squares",
    2007; lecture note 002.
    """

    description = Description(
        offers=(Offer("kernel_ridge", "kernel ridge", 125, power=3.0, most_rows=1500),),
        complexity=Complexity("alphas", "penalty λ", (1e-6, 1e-4, 1e-2, 0.1, 1.0, 10.0, 100.0)),
        variants={"alphas": ((0.1, 1.0),), "gammas": ((0.1, 1.0),)},
    )

    target = "number"
    many_targets = True

    def __init__(
        self,
        alphas: Any = None,
        *,
        kernel: Any = "rbf",
        gammas: Any = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        fit_intercept: bool = True,
        scoring: Any = None,
        cv: Any = None,
        n_jobs: int | None = None,
        max_memory: float | None = None,
    ) -> None:
        self.alphas = alphas
        self.kernel = kernel
        self.gammas = gammas
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def check(self) -> None:
        self.checked_alphas()
        kernels = self.kernel if isinstance(self.kernel, list | tuple) else [self.kernel]
        if not len(kernels):
            raise ValueError("kernel must be a kernel, its name or a function, or a list of these, which is empty")
        for kernel in kernels:
            self.named(kernel)
        if self.gammas is not None:
            if len(kernels) > 1 or not hasattr(self.named(kernels[0]), "gamma"):
                raise ValueError("gammas are for one kernel that has a gamma: name them in the kernels of a list")
            if not len(self.given_gammas()):
                raise ValueError("gammas must be one or more numbers, or words such as 'scale'")
        if self.n_jobs is not None:
            whole_number(self.n_jobs, "n_jobs", 1)

    def checked_alphas(self) -> np.ndarray:
        alphas = np.atleast_1d(finite_numbers(ALPHAS if self.alphas is None else self.alphas, "alphas"))
        least = "> 0.0 for leave-one-out" if self.cv is None else ">= 0.0"
        if alphas.ndim != 1 or (alphas < 0).any() or (self.cv is None and (alphas == 0).any()):
            raise ValueError(f"alphas must be one or more numbers {least}, got {self.alphas!r}")
        return alphas

    def given_gammas(self) -> list[Any]:
        """Numbers and words, as they are given."""
        gammas = self.gammas
        return [gammas] if isinstance(gammas, str) or np.ndim(gammas) == 0 else list(gammas)

    def absent_too(self) -> bool:
        """Splits go by the number of a row, whatever it weighs; columns of a matrix that is given too."""
        return self.cv is not None or self.is_given

    def memory_needed(self, rows: int, features: int) -> int:
        return 8 * rows * (4 * rows * self.workers() + features + 4)

    def workers(self) -> int:
        known = len(self.kernel) if isinstance(self.kernel, list | tuple) else 1
        count = len(FACTORS) if self.gammas is None else len(self.given_gammas())
        return min(self.n_jobs or cores(), max(known, count))

    # -- learning -----------------------------------------------------------------------------------------------------

    def learn(self, rows: Chunk) -> dict[str, Any]:
        assert rows.y is not None and rows.weight is not None
        alphas, kernels = self.checked_alphas(), self.kernels_for(rows)
        there = rows.weight > 0
        y, weight = rows.y.reshape(len(rows.y), -1)[there].astype(np.float64), rows.weight[there]
        check_target(np.abs(y - y[0]).max(axis=0))
        if self.cv is None:
            judge = partial(left_one_out, scoring=self.scoring)
        else:
            judge = partial(left_fold_out, scoring=self.scoring, splits=self.splits(rows.y, there))

        def judged(kernel: Kernel) -> Judged:
            with one_blas_thread():
                return judge(own_matrix(kernel, rows), y, alphas, weight, self.fit_intercept)

        found = in_threads(judged, kernels, self.workers())
        scores = np.array([each.scores for each in found])
        if np.isnan(scores).all():
            raise ValueError("no kernel and no penalty has a score that is a number: rescale y")
        k, a = np.unravel_index(np.nanargmax(scores), scores.shape)
        chosen, gammas = kernels[k], [getattr(kernel, "gamma", None) for kernel in kernels]
        model = self.model_of(chosen, float(alphas[a]), rows)
        return {
            "alpha_": float(alphas[a]),
            "gamma_": gammas[k],
            "kernel_": chosen,
            "best_score_": float(scores[k, a]),
            "scores_": scores,
            "kernels_": kernels,
            "alphas_": alphas,
            "gammas_": None if None in gammas else np.array(gammas),
            "best_estimator_": model,
            "dual_coef_": model.dual_coef_,
            "intercept_": model.intercept_,
            "X_fit_": model.X_fit_,
        }

    def kernels_for(self, rows: Chunk) -> list[Kernel]:
        """Those that are tried, with numbers for words."""
        X, weight = precise(rows.X), rows.weight
        if isinstance(self.kernel, list | tuple):
            return [self.named(kernel).resolved(X, weight) for kernel in self.kernel]
        kernel = self.named(self.kernel)
        if not hasattr(kernel, "gamma"):
            return [kernel.resolved(X, weight)]
        if self.gammas is None and isinstance(kernel.gamma, int | float):  # of a kernel that is given with its gamma
            return [kernel.resolved(X, weight)]
        if self.gammas is None:
            scale = kernel.with_gamma("spread").resolved(X, weight).gamma
            return [kernel.with_gamma(factor * scale) for factor in FACTORS]
        return [kernel.with_gamma(gamma).resolved(X, weight) for gamma in self.given_gammas()]

    def splits(self, y: np.ndarray, there: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Rows to train and to test on, counted among those that weigh something."""
        place = np.where(there, np.cumsum(there) - 1, -1)
        pairs = check_cv(self.cv, y, classifier=False).split(np.zeros(len(y)), y)
        found = [tuple(place[part][place[part] >= 0] for part in map(row_numbers, pair)) for pair in pairs]
        for number, (train, test) in enumerate(found):
            if not len(train) or not len(test):
                purpose = "test" if len(train) else "train"
                raise ValueError(f"split {number} has no row of positive weight to {purpose} on")
        return found

    def model_of(self, kernel: Kernel, alpha: float, rows: Chunk) -> KernelRidge:
        """What was chosen, fitted on all rows."""
        model = KernelRidge(alpha, kernel=kernel, fit_intercept=self.fit_intercept, max_memory=self.max_memory)
        known = {name: value for name, value in vars(self).items() if name in OF_THE_ROWS}
        model.__dict__.update(known | model.learn(rows))
        return model

    # -- using --------------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> np.ndarray:
        """f(x) for every row."""
        return dual_predictions(self, X)

    def sample(self, X: Any, random_state: Any = None, *, n: int | None = None) -> np.ndarray:
        """Draw a target for every row from N(f(x), noise_variance_); with `n`, so many times, along the first axis."""
        return with_noise(self.predict(X), self.noise_variance_, random_state, n)

    @property
    def noise_variance_(self) -> Any:
        """Mean squared leave-one-out error of what was chosen, for each target."""
        self.check_ready()
        return self.best_estimator_.noise_variance_
