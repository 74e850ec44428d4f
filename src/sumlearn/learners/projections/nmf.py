"""Non-negative matrix factorisation: rows as sums of parts, and nothing is ever taken away."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state

from ...engines import in_threads, one_blas_thread
from ...features.input_ranges import whole_number
from ...statistics.warnings import warn
from ..description import Description
from ..linear_map import numbers_of
from ..passes import Passes
from ..stepwise import Stepwise
from .parts import factor_rules as rules
from .parts.coordinates import decoded
from .parts.factor_passes import FactorPair, descent_step, error_of, multiplicative_step
from .parts.factor_rules import FactorPenalty
from .parts.factor_starts import STARTS, given_start, in_unit, raise_if_negative, start_of, surveyed, to_power, unit_of

BETAS = {"frobenius": 2.0, "kullback-leibler": 1.0, "itakura-saito": 0.0}
BLOCK = 4096  # rows that one thread codes at a time


class NMF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Stepwise):
    """Rows as sums of non-negative parts: what they consist of, rather than along what they vary.

        min |X - W C|^2 / 2 + penalties   over W, C >= 0;   for rows in columns, as in note 003:
        C <- C * W'X / (W'W C),   W <- W * X C' / (W C C')   (the note first prints W W' C, which has not the shape)

    Here rows are rows, X ~ W H with H = `components_`; beta_loss="kullback-leibler" is for counts. Penalties are
    scikit-learn's, alpha_W d (l1_ratio |W|_1 + (1 - l1_ratio) |W|^2 / 2) and alpha_H N (...) of H.

    Statistic: none that is the model; every step is a sum over the rows (W'X, W'W), so rows may lie in files or on a
    cluster. Adds nothing up: two models have parts of their own. Cost: O(n d k + n k^2) a step; W is kept, n k numbers.

    Parameters
    ----------
    n_components : int, "auto" or None, default="auto"
        How many parts; "auto" takes the shape of a given H, else, as None does, the number of features.
    init : {None, "random", "nndsvd", "nndsvda", "nndsvdar", "custom"}, default=None
        Where to start: drawn; from singular vectors, with their gaps left, filled with the mean, or with small draws;
        or W and H of `fit_transform`. None is "nndsvda", or "random" for more components than rows or features.
    solver : {"cd", "mu"}, default="cd"
        Coordinate descent, for squares; or the note's multiplicative steps, for any `beta_loss`.
    beta_loss : {"frobenius", "kullback-leibler", "itakura-saito"} or float, default="frobenius"
        The divergence of X and W H. Below one zeros in X are a risk, at or below zero they are refused.
    tol : float, default=1e-4
        "cd": the end, when the projected gradient is this share of what it was in the first step; "mu": when ten steps
        gain less than this share of the first error.
    max_iter : int, default=200
    random_state : int, RandomState or None, default=None
    alpha_W, alpha_H, l1_ratio : float, default=0.0, "same", 0.0
        Penalties; "same" is alpha_W.
    verbose : int, default=0
        Accepted for compatibility: callbacks tell of every step.
    shuffle : bool, default=False
        "cd": coordinates in an order drawn for every step.

    Attributes
    ----------
    components_ : array (k, features)
        H, the parts.
    n_components_, n_iter_ : int
    reconstruction_err_ : float
        Root of the sum of squares of X - W H; of another divergence, root of twice its sum.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import NMF
    >>> parts = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 2.0, 1.0]])
    >>> X = np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0], [1.0, 1.0], [4.0, 0.0]]) @ parts
    >>> model = NMF(2, tol=1e-10, max_iter=1000).fit(X)
    >>> (model.components_ / model.components_.sum(axis=1, keepdims=True)).round(4).tolist()
    [[0.0, 0.0, 0.6667, 0.3333], [0.5, 0.5, 0.0, 0.0]]
    >>> float(model.transform([[0.0, 0.0, 6.0, 3.0]])[0, 1]), round(model.reconstruction_err_, 6)
    (0.0, 0.0)

    References
    ----------
    Lecture note 003; Lee & Seung, "Algorithms for non-negative matrix factorization", 2001; Cichocki & Phan, "Fast
    local algorithms for large scale nonnegative matrix and tensor factorizations", 2009.
    """

    description = Description(
        variants={
            "n_components": (1, 2),
            "init": (None, "random", "nndsvd"),
            "solver": ("cd", "mu"),
            "beta_loss": ("frobenius",),
            "alpha_W": (0.0, 0.01),
            "alpha_H": ("same", 0.0),
            "l1_ratio": (0.0, 0.5),
            "random_state": (0,),
        }
    )

    target = None
    keeps_trace = False
    components_: np.ndarray

    def __init__(
        self,
        n_components: Any = "auto",
        *,
        init: str | None = None,
        solver: str = "cd",
        beta_loss: Any = "frobenius",
        tol: float = 1e-4,
        max_iter: int = 200,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: Any = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        shuffle: bool = False,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.solver = solver
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.verbose = verbose
        self.shuffle = shuffle

    # -- learning ---------------------------------------------------------------------------------------------------

    def check(self) -> None:
        if self.n_components not in ("auto", None):
            whole_number(self.n_components, "n_components", 1)
        whole_number(self.max_iter, "max_iter", 1)
        for name, choices in (("init", STARTS), ("solver", ("cd", "mu"))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {getattr(self, name)!r}")
        for name in ("tol", "alpha_W", "alpha_H", "l1_ratio"):
            value = getattr(self, name)
            if name == "alpha_H" and isinstance(value, str) and value == "same":
                continue
            number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
            if not (number and np.isfinite(value) and value >= 0 and (name != "l1_ratio" or value <= 1)):
                raise ValueError(f"{name} must be a number from 0{' to 1' * (name == 'l1_ratio')}, got {value!r}")
        if self.solver == "cd" and self.beta != 2.0:
            raise ValueError(
                f"Invalid beta_loss parameter: solver 'cd' does not handle beta_loss = {self.beta_loss!r}; use 'mu'"
            )

    @property
    def beta(self) -> float:
        """`beta_loss` as a number."""
        value = self.beta_loss
        if isinstance(value, str) and value in BETAS:
            return BETAS[value]
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not np.isfinite(value):
            raise ValueError(f"beta_loss must be a number or one of {', '.join(BETAS)}, got {value!r}")
        return float(value)

    def penalties(self, weight: float, features: int, unit: float = 1.0) -> tuple[FactorPenalty, FactorPenalty]:
        """Of W and of H, where rows are in such a unit: the divergence in its power beta, a factor in its root."""
        alphas = self.alpha_W, self.alpha_W if self.alpha_H == "same" else self.alpha_H
        strengths = [float(alpha) * size for alpha, size in zip(alphas, (features, weight), strict=True)]
        of_W, of_H = (
            FactorPenalty(
                to_power(strength * self.l1_ratio, unit, 0.5 - self.beta),
                to_power(strength * (1.0 - self.l1_ratio), unit, 1.0 - self.beta),
            )
            for strength in strengths
        )
        return of_W, of_H

    def fit_transform(
        self, X: Any, y: Any = None, W: Any = None, H: Any = None, *, sample_weight: Any = None
    ) -> np.ndarray:
        """Fit, and W of the rows; with ``init="custom"`` from the W and H that are given.

        Rows of weight zero, which have no W in the fit, are coded by the parts that were found, as by `transform`.
        """
        work = self.without_fit()
        work._given = (W, H)
        work.fitted_on(work.open(X, None, sample_weight, reset=True), watch=self)
        coded, used = (work.__dict__.pop(name) for name in ("_given", "_used"))
        self.commit(work)
        return coded if used.all() else self.transform(X)

    @property
    def given(self) -> tuple[Any, Any]:
        """W and H of `fit_transform`."""
        W, H = self.__dict__.get("_given", (None, None))
        return W, H

    def start(self, rows: Passes, look: Any) -> FactorPair:
        survey = surveyed(rows)
        if survey.zeros and self.beta <= 0:
            raise ValueError(
                "When beta_loss <= 0 and X contains zeros, the solver may diverge. Please add small values to X, or "
                "use a positive beta_loss."
            )
        wanted = self.n_components
        if self.init == "custom":
            W, H = given_start(*self.given, wanted or survey.features, survey)
        else:
            k = survey.features if wanted in ("auto", None) else wanted
            W, H = start_of(self.init, k, rows, survey, self.random_state)
        if self.solver == "mu" and self.init == "nndsvd":
            warn(
                "solver='mu' cannot change the zeros that init='nndsvd' begins with; 'nndsvda' and 'nndsvdar' do not",
                UserWarning,
            )
        state = FactorPair(W.astype(survey.dtype), H, survey, check_random_state(self.random_state))
        error = error_of(state, rows, self.beta) if self.solver == "mu" and self.tol > 0 else np.inf
        return state._replace(errors=(error, error))

    def step(self, state: FactorPair, rows: Passes) -> FactorPair:
        penalties = self.penalties(state.survey.weight, state.survey.features, state.survey.unit)
        with one_blas_thread():
            if self.solver == "cd":
                after = descent_step(state, rows, *penalties, float(self.tol), self.shuffle)
            else:
                after = multiplicative_step(state, rows, *penalties, float(self.tol), self.beta)
        if after.ended or after.steps == self.max_iter:
            return after._replace(error=error_of(after, rows, self.beta))
        return after

    def done(self, before: FactorPair, after: FactorPair) -> bool:
        return after.ended

    def attributes(self, state: FactorPair) -> dict[str, Any]:
        dtype, unit = state.survey.dtype, state.survey.unit
        root = np.sqrt(unit)
        found = {
            "components_": (state.H * root).astype(dtype),
            "n_components_": len(state.H),
            "reconstruction_err_": to_power(state.error, unit, self.beta / 2.0),
        }
        if "_given" in self.__dict__:
            found |= {"_given": state.W * dtype.type(root), "_used": state.survey.used}
        return found

    # -- using ------------------------------------------------------------------------------------------------------

    def transform(self, X: Any) -> np.ndarray:
        """W of the rows, each of them by itself: its best code by the parts that were found."""
        X = self.rows_of(X, sparse_ok=True)
        if X.shape[0] and X.min() < 0:
            raise_if_negative(X)
        H = self.components_
        unit = unit_of(float(H.max()) ** 2)
        root = H.dtype.type(np.sqrt(unit))
        X, H = in_unit(X.astype(H.dtype, copy=False), unit), H / root
        penalty = self.penalties(1.0, X.shape[1], unit)[0]
        one = partial(rules.coded, H=H, penalty=penalty, beta=self.beta, tol=float(self.tol), most=self.max_iter)
        with one_blas_thread():
            found = in_threads(one, [X[start : start + BLOCK] for start in range(0, X.shape[0], BLOCK)])
        return numbers_of(np.concatenate(found) * root)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows from their codes: W H."""
        self.check_ready()
        return decoded(X, self.components_)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
