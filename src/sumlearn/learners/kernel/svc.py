"""Support vector machines for classes, by kernels."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from ...data import Chunk
from ...engines import in_threads
from ...features.input_ranges import one_of
from ...objectives.duals import Dual, sided
from ...objectives.links import coupled, log_softmax, sigmoid
from ...solvers.multipliers import Multipliers
from ..description import INVERSE_PENALTY, Description, Offer, Tuning
from ..linear.parts.class_weight import class_factors
from ..whole_rows import WholeRows
from .parts.held_kernel import HeldKernel
from .parts.pairs import against_rest, by_pair, laid_out, pairs_of, votes
from .parts.platt import calibrated, left_out_scores, row_tokens
from .parts.support_vectors import Held, SupportVectors


def tells_probabilities(model: Any) -> bool:
    if model.probability is not True and model.probability != 1:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class SVC(SupportVectors, ClassifierMixin, WholeRows):
    """The widest margin between two classes, in the space of a kernel; rows inside of it cost something.

        min_f  |w|^2 / 2 + C sum_n s_n max(0, 1 - y_n f(x_n)),     f(x) = sum_n a_n y_n k(x_n, x) + b
        max_a  sum a_n - 1/2 sum_nm a_n a_m y_n y_m k(x_n, x_m),   0 <= a_n <= C s_n,   sum a_n y_n = 0

    The margin is 2 / |w| wide, |w|^2 = sum a a y y k; rows with a_n > 0 are the support vectors, all that the model
    keeps. C = inf allows no row inside: the hard margin, refused where the kernel cannot separate the classes. More
    than two classes: one against one, by votes, as in libsvm, or by coupled odds.

    Pairs of numbers a are changed in turn (second-order working sets, shrinking, a cache of kernel rows). Up to 1,024
    rows the end is exact: the numbers at no bound solve their equations. Beyond that, rows of the kernel are kept in
    single precision where that has digits enough, and slopes are checked in double, so that `tol` holds as it says.
    Rows are counted from their mean (linear, Gaussian), so that columns may lie anywhere. A weight is a number of rows.

    Statistic: none, all rows are in memory, with up to `cache_size` of kernel rows for each thread. No merge, no
    forget. Cost: between O(n^2 d) and O(n^3) for a pair of classes; predict O(support vectors d) a row.

    Parameters
    ----------
    C : float, default=1.0
        Cost of the rows inside the margin. Infinity is the hard margin.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, default="rbf"
        One of `sumlearn.features.kernels`, scikit-learn's name of one, or a function of two matrices of rows that gives
        the matrix between them. "precomputed": X is the matrix of the rows, and of new rows with those of the fit.
    degree, gamma, coef0 : default=3, "scale", 0.0
        Of kernels given by name: (gamma x'x' + coef0)^degree, exp(-gamma |x - x'|^2), tanh(gamma x'x' + coef0).
        "scale" is 1 / (n_features variance of X), weighted; "auto" is 1 / n_features.
    shrinking : bool, default=True
        Whether rows that seem to stay at a bound are left out for a while.
    probability : bool, default=False
        Whether `predict_proba` is fitted: a sigmoid of the scores of rows that were left out (five folds, copies of a
        row together) for every pair of classes.
    tol : float, default=1e-3
        Slope that a pair of numbers may be left with, as in libsvm.
    cache_size : float, default=200
        MB of kernel rows that are kept for each thread; at least 512 rows.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    verbose : bool, default=False
        Accepted for compatibility.
    max_iter : int, default=-1
        Most pairs that are changed; -1 is as many as it takes.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        For more than two classes: a score for each class, made of votes and scores, or one for each pair.
    break_ties : bool, default=False
        Whether equal votes are decided by the scores; else the first class wins.
    random_state : int, RandomState or None, default=None
        Of the folds for `probability`; None is zero.
    coupling : {"votes", "odds"}, default="votes"
        How `predict` decides between more than two classes: "odds" takes the most probable one (it needs
        probability=True). `predict_proba` couples the odds of all pairs in any case: log p_k = 1/K sum_l log odds_kl.
    solver : {"smo", "dual_qp", "interior_point"}, default="smo"
        Another road to the same minimum, for up to 4,000 rows: the quadratic program of the note, or a linear machine
        on a root of the matrix.
    n_jobs : int or None, default=None
        Threads; None is all. The same answer for any number.
    max_memory : float or None, default=None
        Bytes that the fit may take, refused beforehand; None is what is free.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_, fit_status_, \
shape_fit_, n_iter_
        As in scikit-learn; `coef_` with the linear kernel.
    margin_ : float or array
        2 / |w|, of each pair where there are more than two classes.
    dual_gap_ : float
        What could still be gained at most, of |w|^2 / 2 + C sum; the largest of the pairs.
    objective_ : float or array
        The value of that, of each pair.
    probA_, probB_ : arrays
        P(first class of the pair | score f) = 1 / (1 + exp(probA f + probB)), f positive for the first class.
    kernel_ : Kernel
        The kernel with numbers for words.

    Examples
    --------
    >>> from sumlearn import SVC
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> model = SVC(C=1.0).fit(iris.X, iris.y)
    >>> round(float(model.score(iris.X, iris.y)), 4), model.n_support_.tolist()
    (0.9733, [7, 29, 24])
    >>> hard = SVC(C=float("inf"), kernel="linear").fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> hard.coef_.round(6).tolist(), round(hard.margin_, 6), hard.support_.tolist()
    ([[1.0]], 2.0, [1, 2])
    >>> hard.distances([[5.0]]).round(6).tolist()
    [3.0]

    References
    ----------
    Lecture notes 001, 002 (coupling) and 003; Cortes & Vapnik 1995; Platt 1998, 1999; Fan, Chen & Lin 2005; Joachims
    1999; Lin, Lin & Weng 2007.
    """

    description = Description(
        offers=(
            Offer(
                "rbf_svm", "SVM with a Gaussian kernel", 73, {"gamma": "spread"},
                (Tuning("C", (0.3, 3.0, 30.0)), Tuning("gamma", ("spread", 0.02, 0.5))), most_rows=20_000, power=2.0,
            ),
        ),
        complexity=INVERSE_PENALTY,
        variants={
            "C": (0.1, 1.0, 10.0), "kernel": ("rbf", "linear"), "gamma": ("scale", "auto", 0.3),
            "decision_function_shape": ("ovr", "ovo"), "shrinking": (True, False), "solver": ("smo",),
            "class_weight": (None, "balanced"),
        },
        lacks={"sample": "its probabilities are fitted afterwards, where `probability` asks for them"},
    )  # fmt: skip

    target = "label"

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: float = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: Any = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: Any = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        coupling: str = "votes",
        solver: str = "smo",
        n_jobs: int | None = None,
        max_memory: float | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.coupling = coupling
        self.solver = solver
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def check(self) -> None:
        self.check_search(self.C)
        one_of(self.decision_function_shape, "decision_function_shape", ("ovr", "ovo"))
        one_of(self.coupling, "coupling", ("votes", "odds"))
        if self.probability != "deprecated" and not isinstance(self.probability, bool | np.bool_ | int):
            raise ValueError(f"probability must be True or False, got {self.probability!r}")
        if self.coupling == "odds" and self.probability not in (True, 1):
            raise ValueError("coupling='odds' takes the odds of probability=True")

    # -- learning ---------------------------------------------------------------------------------------------------

    def learn(self, rows: Chunk) -> dict[str, Any]:
        held = self.held(rows)
        classes, code = np.unique(held.y, return_inverse=True)
        code = code.reshape(-1)
        factors = class_factors(self.class_weight, classes, np.bincount(code, held.weight))
        factors = np.ones(len(classes)) if factors is None else factors
        cost = float(self.C) * factors[code] * held.weight
        sides = [np.flatnonzero(code == k) for k in range(len(classes))]
        members = [(sides[i], sides[j]) for i, j in pairs_of(len(classes))]
        solve = partial(self.pair, held.matrix, cost)
        found: list[Multipliers] = in_threads(solve, members, self.threads(len(members)))
        return self.described(held, classes, code, members, found) | {
            "class_weight_": factors,
            **self.told(found),
            **self.probabilities(held, cost, members),
        }

    def pair(self, matrix: HeldKernel, cost: np.ndarray, members: tuple[np.ndarray, np.ndarray]) -> Multipliers:
        """The machine between two classes, positive for the first."""
        which = np.concatenate(members)
        y = np.repeat([1.0, -1.0], [len(side) for side in members])
        return self.minimised(matrix.narrowed(which), Dual(y, *sided(y, cost[which]), np.zeros(len(y))))

    def described(self, held: Held, classes: np.ndarray, code: np.ndarray, members: Any, found: Any) -> dict[str, Any]:
        """Fitted attributes: vectors class by class, and the signs that scikit-learn gives two classes."""
        numbers = laid_out([one.beta for one in found], members, code) if found else np.zeros((0, len(code)))
        order = np.argsort(code, kind="stable")
        kept = order[(numbers[:, order] != 0).any(axis=0)]
        sizes = np.bincount(code[kept], minlength=len(classes)).astype(np.int32)
        sign = -1.0 if len(classes) == 2 else 1.0
        dual_coef = sign * numbers[:, kept]
        level = sign * np.array([one.level for one in found])
        values = self.vectors_of(held, kept, by_pair(dual_coef, sizes).T, level)
        thin = sparse.issparse(values["support_vectors_"])
        with np.errstate(divide="ignore"):
            margin, objective = 2.0 / np.array([one.norm for one in found]), np.array([one.objective for one in found])
        return values | {
            "classes_": classes,
            "n_support_": sizes,
            "dual_coef_": type(values["support_vectors_"])(dual_coef) if thin else dual_coef,
            "n_iter_": np.array([one.steps for one in found], dtype=np.int32),
            "margin_": float(margin[0]) if len(margin) == 1 else margin,
            "objective_": float(objective[0]) if len(margin) == 1 else objective,
            "dual_gap_": max((one.gap for one in found), default=0.0),
        }

    def probabilities(self, held: Held, cost: np.ndarray, members: Any) -> dict[str, Any]:
        """The sigmoid of every pair, from scores of rows that were left out."""
        if self.probability not in (True, 1):
            return {"probA_": np.empty(0), "probB_": np.empty(0)}
        tokens = row_tokens(held.rows, self.random_state)

        def sigmoid_of(sides: tuple[np.ndarray, np.ndarray]) -> tuple[float, float]:
            which = np.concatenate(sides)
            first = np.arange(len(which)) < len(sides[0])

            def fitted(some: np.ndarray) -> Any:
                own = which[some]
                machine = self.pair(held.matrix, cost, (own[first[some]], own[~first[some]]))
                support = np.flatnonzero(machine.beta)
                own, beta = np.concatenate([own[first[some]], own[~first[some]]])[support], machine.beta[support]
                return lambda others: held.matrix.times(which[others], own, beta) + machine.level

            return calibrated(left_out_scores(fitted, first, tokens[which]), first, held.weight[which])

        found = np.array(in_threads(sigmoid_of, members, self.threads(len(members)))).reshape(-1, 2)
        return {"probA_": -found[:, 0], "probB_": -found[:, 1]}

    # -- using ------------------------------------------------------------------------------------------------------

    def pair_scores(self, X: Any) -> np.ndarray:
        """f of every pair of classes, positive for the first of it: (rows, pairs)."""
        self.check_ready()
        scores = self.outputs(X, by_pair(self.numbers_of_vectors(), self.n_support_).T)
        return -scores if len(self.classes_) == 2 else scores

    def decision_function(self, X: Any) -> np.ndarray:
        """f(x), positive for the second of two classes; else a score for each class, or for each pair."""
        scores = self.pair_scores(X)
        if len(self.classes_) <= 2:
            scores = -scores[:, 0] if scores.shape[1] else np.zeros(len(scores))
        elif self.decision_function_shape == "ovr":
            scores = against_rest(scores, len(self.classes_))
        return scores.astype(self.float_dtype, copy=False)

    def distances(self, X: Any) -> np.ndarray:
        """f(x) / |w|: how far every row is from the surface between two classes, in the space of the kernel.

        With its sign as in `decision_function`; for more than two classes a column for each pair.
        """
        scores = self.pair_scores(X) * (np.atleast_1d(self.margin_) / 2.0)
        return -scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The label that wins most pairs; with coupling="odds" the most probable one."""
        K = len(getattr(self, "classes_", ()))
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if self.coupling == "odds" and K > 2:
            return self.classes_[self.log_odds(X).argmax(axis=1)]
        scores = self.pair_scores(X)
        if K > 2 and self.break_ties:
            return self.classes_[against_rest(scores, K).argmax(axis=1)]
        return self.classes_[votes(scores, len(self.classes_)).argmax(axis=1)]

    def log_odds(self, X: Any) -> np.ndarray:
        """u_k = 1/K sum_l log odds_kl of every row, from the sigmoids of the pairs."""
        scores, K = self.pair_scores(X), len(self.classes_)
        if len(self.probA_) < scores.shape[1]:
            from sklearn.exceptions import NotFittedError

            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        R = np.zeros((len(scores), K, K))
        for p, (i, j) in enumerate(pairs_of(K)):
            R[:, i, j] = -(self.probA_[p] * scores[:, p] + self.probB_[p])
            R[:, j, i] = -R[:, i, j]
        return coupled(R)

    @available_if(tells_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, from the scores of rows that were left out: (rows, classes)."""
        if len(self.classes_) == 2:
            u = self.log_odds(X)
            second = sigmoid(u[:, 1] - u[:, 0])
            return np.column_stack([1.0 - second, second]).astype(self.float_dtype)
        return np.exp(log_softmax(self.log_odds(X))).astype(self.float_dtype)

    @available_if(tells_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of `predict_proba`."""
        return log_softmax(self.log_odds(X)).astype(self.float_dtype)
