"""The transductive support vector machine: the widest margin that rows without a label leave free, too."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from ..data import Chunk, Source
from ..data.target import PARTLY_LABELLED, is_labelled
from ..features.input_ranges import is_number, whole_number
from ..learners.batches import seed_of
from ..learners.description import Description
from ..learners.kernel.parts.support_vectors import SupportVectors
from ..learners.whole_rows import WholeRows
from ..statistics.warnings import warn
from .label_propagation import LabelPropagation
from .parts.few_labels import NO_LABEL, WorthOfUnlabelled, check_folds, compared, labels_of
from .parts.label_switching import Switched, switched

FUNCTIONS: dict[int, list[int]] = {1: [], 2: [1]}  # the classes that are positive, where not all have their turn
NEIGHBOURS = 7  # of the graph that the second start comes from
NOISE = 0.25  # of the scores there, for each further start
LEAST = 1e-4  # share of the cost of unlabelled rows, at which they begin to count


class TransductiveSVM(SupportVectors, ClassifierMixin, WholeRows):
    """The widest margin between two classes with few rows inside, where the labels of most rows are sought as well.

        min over f and y_u   |w|^2 / 2 + C sum_l s_n max(0, 1 - y_n f(x_n)) + C* sum_u s_n max(0, 1 - y_n f(x_n))
        with so many y_u positive as `class_shares` says

    The plane is led through gaps between the rows. Labels of two unlabelled rows are switched while both lose something
    and together more than two, which lowers the objective; C* rises from 1e-4 of its value in `n_levels` steps
    (annealing), so that the first labels do not decide all. What is found is a local minimum: nobody knows the global
    one, and other labels, costs or levels may lead to another. More than two classes: one against the rest, each with
    labels of its own.

    It helps where classes are apart, as texts often are; where they overlap it moves the plane into the next gap.

    Statistic: none, all rows are in memory, with up to `cache_size` of kernel rows. No merge, no forget. Cost: some ten
    to a hundred machines of all rows, each from the numbers of the last; predict O(support vectors d) a row.

    Parameters
    ----------
    C : float, default=1.0
        Cost of labelled rows inside the margin.
    C_unlabelled : float or None, default=None
        C*, that of unlabelled rows; None is C.
    kernel, degree, gamma, coef0 : default="rbf", 3, "scale", 0.0
        As in SVC; all rows decide about "scale"; "linear" suits texts. "precomputed" is refused.
    class_shares : dict or None, default=None
        {label: share} of the unlabelled rows; None takes the shares of the labelled rows. A few labels tell them badly:
        give them where they are known.
    n_init : int, default=5
        Starts, of which the lowest objective counts: with first labels by the machine of the labelled rows and C* that
        rises, then, at C* itself, with first labels by seven neighbours (`LabelPropagation`), and by these with noise.
    n_levels : int, default=10
        Values of C* on the way.
    max_switches : int, default=100
        Most solutions at one value of C*.
    compare : int or None, default=None
        Folds of the labelled rows for `helped_`, by the share of right labels; it costs two fits a fold.
    tol, cache_size, shrinking, max_iter, solver, n_jobs, max_memory
        As in SVC.

    Attributes
    ----------
    classes_, support_, support_vectors_, dual_coef_, intercept_, coef_, fit_status_
        As in SVC; two classes have one function, positive for the second, more have one for each.
    transduction_ : array
        Labels of the rows that weigh something: given, or found.
    trace_ : array (solutions, 3)
        Number of the function, share of C*, objective: within one share it falls.
    objective_ : array
        Of each function, in the end.
    n_switches_, n_iter_ : int
        Pairs of labels that were switched; machines that were solved.
    comparison_, helped_ : WorthOfUnlabelled, bool or None
        With `compare`: whether the unlabelled rows helped, None where nobody can tell.

    A weight is a number of rows; unlabelled rows must weigh the same, since pairs of them are switched.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import SVC, TransductiveSVM
    >>> from sklearn.datasets import make_moons
    >>> X, truth = make_moons(200, noise=0.1, random_state=3)
    >>> y, some = np.full(200, -1), np.concatenate([np.flatnonzero(truth == k)[:5] for k in (0, 1)])
    >>> y[some] = truth[some]
    >>> few = SVC(C=10.0, gamma=2.0).fit(X[some], y[some])
    >>> model = TransductiveSVM(C=10.0, kernel="rbf", gamma=2.0).fit(X, y)
    >>> print(f"{few.score(X, truth):.3f} {model.score(X, truth):.3f}")
    0.850 1.000

    References
    ----------
    Lecture note 002 (transduction); Vapnik, Statistical learning theory, 1998; Joachims, Transductive inference for
    text classification using support vector machines, 1999; Sindhwani & Keerthi, Large scale semi-supervised linear
    SVMs, 2006.
    """

    description = Description(
        parts=(WorthOfUnlabelled,),
        variants={"C": (0.1, 1.0), "kernel": ("rbf", "linear"), "gamma": ("scale", 0.3), "solver": ("smo",),
                  "n_levels": (3,), "n_init": (1,), "C_unlabelled": (None, 0.5), "shrinking": (True, False)},
        lacks={"sample": "its scores are no probabilities"},
    )  # fmt: skip
    target = PARTLY_LABELLED
    unsaved = ("transduction_",)

    def __init__(
        self,
        *,
        C: float = 1.0,
        C_unlabelled: float | None = None,
        kernel: Any = "rbf",
        degree: float = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        class_shares: dict[Any, float] | None = None,
        n_init: int = 5,
        n_levels: int = 10,
        max_switches: int = 100,
        compare: int | None = None,
        tol: float = 1e-3,
        cache_size: float = 200,
        shrinking: bool = True,
        max_iter: int = -1,
        solver: str = "smo",
        n_jobs: int | None = None,
        random_state: Any = None,
        max_memory: float | None = None,
    ) -> None:
        self.C = C
        self.C_unlabelled = C_unlabelled
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.class_shares = class_shares
        self.n_init = n_init
        self.n_levels = n_levels
        self.max_switches = max_switches
        self.compare = compare
        self.tol = tol
        self.cache_size = cache_size
        self.shrinking = shrinking
        self.max_iter = max_iter
        self.solver = solver
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.max_memory = max_memory

    def check(self) -> None:
        self.check_search(self.C)
        if self.is_given:
            raise ValueError("kernel='precomputed' is not taken: give the rows, and a function as the kernel")
        for name in ("C", "C_unlabelled"):
            value = getattr(self, name)
            if value is not None and not (is_number(value) and 0.0 < value < np.inf):
                raise ValueError(f"{name} must be finite and above zero, got {value!r}")
        whole_number(self.n_init, "n_init", 1)
        whole_number(self.n_levels, "n_levels", 1)
        whole_number(self.max_switches, "max_switches", 1)
        check_folds(self.compare)

    # -- learning ---------------------------------------------------------------------------------------------------

    def learn_from(self, source: Source, watch: Any) -> None:
        super().learn_from(source, watch)
        self.comparison_ = None if self.compare is None else compared(self, source, self.compare)
        self.helped_ = None if self.comparison_ is None else self.comparison_.helped

    def learn(self, rows: Chunk) -> dict[str, Any]:
        held = self.held(rows)
        given, weight = is_labelled(held.y), held.weight
        if not given.any():
            raise ValueError(NO_LABEL)
        free = np.flatnonzero(~given)
        if len(free) and (weight[free] != weight[free[0]]).any():
            raise ValueError(
                "sample_weight of rows without a label must be the same: pairs of them are switched, and the number of "
                "rows of each class is kept"
            )
        classes, code = np.unique(labels_of(held.y[given]), return_inverse=True)
        number = np.full(len(given), -1)
        number[given] = code.reshape(-1)
        shares = self.shares(classes, np.bincount(number[given], weight[given]))
        free_cost = self.C if self.C_unlabelled is None else self.C_unlabelled
        cost = np.where(given, float(self.C), float(free_cost)) * weight
        levels = np.geomspace(LEAST, 1.0, self.n_levels) if self.n_levels > 1 else np.ones(1)
        found: list[Switched] = []
        seed = seed_of(0 if self.random_state is None else self.random_state)
        for k in FUNCTIONS.get(len(classes), range(len(classes))):
            signs = np.where(given, np.where(number == k, 1.0, -1.0), 0.0)
            positive = round(float(shares[k]) * len(free))
            solve = partial(self.minimised, held.matrix)
            search = partial(switched, solve, signs, free, cost, positive)
            runs = [search(levels=levels, most=int(self.max_switches))]
            for first in self.starts(held, signs, free, seed):
                runs.append(search(levels=np.ones(1), most=int(self.max_switches), first=first))
            found.append(min(runs, key=lambda run: run.machine.objective))
        if not all(one.settled for one in found):
            warn(
                f"max_switches={self.max_switches} solutions were not enough for one cost: increase it",
                ConvergenceWarning,
            )
        number[free] = self.best_of(found, weight)[free]
        return self.described(held, found) | {"classes_": classes, "transduction_": classes[number]}

    def starts(self, held: Any, signs: np.ndarray, free: np.ndarray, seed: int) -> Iterator[np.ndarray]:
        """Scores of the rows without a label to begin with: by their neighbours, then by chance about these."""
        if not len(free) or self.n_init < 2:
            return
        random, k = np.random.default_rng(seed), min(NEIGHBOURS, len(signs))
        near = LabelPropagation("knn", n_neighbors=k, solver="exact")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of rows that no label reaches: they are in the middle
            shares = near.fit(held.rows, np.where(signs == 0.0, -1, signs > 0)).label_distributions_[free]
        scores = shares[:, 1] - shares[:, 0]
        for start in range(int(self.n_init) - 1):
            yield scores + start * NOISE * random.standard_normal(len(free))

    def best_of(self, found: list[Switched], weight: np.ndarray) -> np.ndarray:
        """Numbers of the classes of all rows: signs of two classes, the largest of more functions."""
        if not found:
            return np.zeros(len(weight), dtype=np.intp)
        if len(found) == 1:
            return (found[0].signs > 0).astype(np.intp)
        scores = [one.signs - one.machine.slope + one.machine.level for one in found]
        return np.argmax(scores, axis=0)

    def shares(self, classes: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The share of each class among the unlabelled rows."""
        if self.class_shares is None:
            return weights / weights.sum()
        names = classes.tolist()
        given = dict(self.class_shares)
        if sorted(map(str, given)) != sorted(map(str, names)) or any(label not in given for label in names):
            raise ValueError(f"class_shares names {list(given)}, and the classes are {names}: give a share of each")
        found = np.array([float(given[label]) for label in names])
        if not (np.isfinite(found).all() and (found >= 0).all() and abs(found.sum() - 1.0) < 1e-6):
            raise ValueError(f"class_shares must be shares that sum to one, got {self.class_shares!r}")
        return found

    def described(self, held: Any, found: list[Switched]) -> dict[str, Any]:
        """Fitted attributes of all functions."""
        numbers = np.array([one.machine.beta for one in found]).reshape(len(found), len(held.weight))
        kept = np.flatnonzero((numbers != 0).any(axis=0))
        level = np.array([one.machine.level for one in found])
        values = self.vectors_of(held, kept, numbers[:, kept], level)
        thin = sparse.issparse(values["support_vectors_"])
        trace = [(k, *point) for k, one in enumerate(found) for point in one.trace]
        return values | self.told([one.machine for one in found]) | {
            "dual_coef_": type(values["support_vectors_"])(numbers[:, kept]) if thin else numbers[:, kept],
            "trace_": np.array(trace, dtype=float).reshape(-1, 3),
            "objective_": np.array([one.machine.objective for one in found]),
            "n_switches_": sum(one.switches for one in found),
            "n_iter_": len(trace),
        }  # fmt: skip

    # -- using ------------------------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> np.ndarray:
        """f(x): of two classes positive for the second, else a column for each class; zero, where there is one."""
        self.check_ready()
        if len(self.classes_) == 1:
            return np.zeros(self.rows_of(X, sparse_ok=True).shape[0], dtype=self.float_dtype)
        scores = self.outputs(X, self.numbers_of_vectors()).astype(self.float_dtype, copy=False)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The class on whose side a row lies, whether it was learnt or not."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)]
