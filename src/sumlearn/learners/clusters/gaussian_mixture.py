"""Mixtures of Gaussians."""

from __future__ import annotations

from time import perf_counter
from typing import Any, Self

import numpy as np
from sklearn.base import DensityMixin

from ...data import Chunk, Source
from ...solvers import Turn
from ...statistics import Moments
from ..description import Description
from ..passes import Passes
from ..stepwise import Stepwise
from ..turns import in_turn
from .parts.combining import combined, moved_towards
from .parts.expectation import Ascent, Ascents, em_step
from .parts.gaussians import Gaussians
from .parts.mixture_attributes import attributes_of
from .parts.mixture_model import MixtureModel
from .parts.mixture_options import MixtureOptions
from .parts.mixture_starts import (
    FORMS,
    STARTS,
    MixtureStarts,
    first_mixtures,
    given_starts,
    shape_of,
    starts_from_rows,
)
from .parts.whitening import Whitening


class GaussianMixture(MixtureOptions, MixtureModel, DensityMixin, Stepwise):
    """A density of several Gaussians, each with a weight, found by expectation and maximisation (EM).

        p(x) = sum_k pi_k N(x | m_k, S_k)
        E  r_nk = pi_k N(x_n | m_k, S_k) / p(x_n)
        M  N_k = sum_n w_n r_nk,   m_k = sum_n w_n r_nk x_n / N_k,   pi_k = N_k / sum_n w_n,
           S_k = sum_n w_n r_nk (x_n - m_k)(x_n - m_k)' / N_k + reg_covar I

    No step lowers the log-likelihood (``lower_bounds_``), but for what `reg_covar` adds.

    Statistic: N_k, sum r x and sum r x x' by component, a pass for each step, all starts in the same. Learns from files
    and clusters larger than memory. Cannot merge or forget exactly: see `combine` and `partial_fit`. Cost of a step:
    O(n k d^2), "diag" and "spherical" O(n k d), "tied" O(n d^2 + n k d).

    Sums are taken in coordinates in which the rows have mean zero and covariance one, by products of these while all
    components are wide there, and about the means of the components as soon as one is narrow.

    Parameters
    ----------
    n_components : int, default=1
        k.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        A covariance matrix for each component, one for all, variances of the columns, or one variance.
    tol : float, default=1e-3
        A step that changes the mean log-likelihood by less is the last.
    reg_covar : float or array (n_features,), default=1e-6
        Added to the diagonal of the covariances, in units of x squared, or of each column squared. With zero a
        component that has collapsed to a point or a plane is an error, since the likelihood has no bound there.
    max_iter : int, default=100
        Most steps.
    n_init : int, default=1
        How many starts, the best of which counts; they share the passes.
    init_params : {"kmeans", "k-means++", "random_from_data", "random", "lbg"}, default="kmeans"
        Components start with the groups that k-means finds, or splitting (LBG), or with the rows nearest to rows that
        k-means++ or chance draws; or with random shares of every row. Of many rows, a sample of a million numbers is
        looked at.
    weights_init, means_init, precisions_init : arrays, default=None
        Where to start. With means alone, components start with the rows nearest to them.
    random_state : int, RandomState or None, default=None
        Seeds the starts, and `sample`. For the starts None is a seed like any other: two fits give the same mixture.
    warm_start : bool, default=False
        Go on from the fit before.
    verbose, verbose_interval : int, default=0, 10
        Print every so many steps.
    learning_decay : float in (0.5, 1], default=0.7
        Step sizes of `partial_fit`.
    n_jobs : int or None, default=None
        Threads; None takes all processors.

    Attributes
    ----------
    weights_, means_, covariances_, precisions_, precisions_cholesky_
        As in scikit-learn.
    converged_, n_iter_, lower_bound_, lower_bounds_
        Of the best start; the lower bound is the mean log-likelihood before the last step.
    n_samples_ : float
        The weight of all rows.

    Examples
    --------
    >>> from sumlearn import GaussianMixture
    >>> from sumlearn.data import load_example
    >>> eruptions = load_example("faithful").X
    >>> model = GaussianMixture(2, random_state=0).fit(eruptions)
    >>> print(model.means_[model.means_[:, 0].argsort()].round(2).tolist(), f"{model.score(eruptions):.4f}")
    [[2.04, 54.48], [4.29, 79.97]] -4.1554
    >>> mean, std = model.conditional([[2.0], [4.5]], given=[0], return_std=True)  # waiting time after an eruption
    >>> mean.ravel().round(1).tolist(), std.ravel().round(1).tolist()
    ([54.2, 81.1], [5.6, 5.6])

    References
    ----------
    Lecture note 000, section on clustering (with 1/N_k and N, where it prints K); Dempster, Laird & Rubin, Maximum
    likelihood from incomplete data via the EM algorithm, 1977; Bishop 2006, sec. 9.2.
    """

    description = Description(
        parts=(MixtureStarts,),
        variants={
            "n_components": (1, 2, 3),
            "covariance_type": ("full", "tied", "diag", "spherical"),
            "n_init": (1, 2),
            "init_params": STARTS,
        },
    )

    target = None
    keeps_trace = False
    unfinished = (
        "Best performing initialization did not converge. Try different init parameters, or increase max_iter, tol, or "
        "check for degenerate data."
    )
    look_parameters = ("n_components", "covariance_type", "n_init", "init_params", "random_state")
    private = ("_rest",)

    def __init__(
        self,
        n_components: int = 1,
        *,
        covariance_type: str = "full",
        tol: float = 1e-3,
        reg_covar: Any = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: str = "kmeans",
        weights_init: Any = None,
        means_init: Any = None,
        precisions_init: Any = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        verbose_interval: int = 10,
        learning_decay: float = 0.7,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval
        self.learning_decay = learning_decay
        self.n_jobs = n_jobs

    # -- the fit ------------------------------------------------------------------------------------------------------

    def look(self, source: Source) -> MixtureStarts | None:
        """Where the components start, unless that is given."""
        if np.ndim(self.reg_covar) and np.size(self.reg_covar) != source.features:
            raise ValueError(f"reg_covar has {np.size(self.reg_covar)} numbers for {source.features} columns")
        given = given_starts(self, source.features)
        if given.is_whole:
            return None
        return starts_from_rows(
            source, self.n_components, self.init_params, self.n_init, self.covariance_type,
            0 if self.random_state is None else self.random_state, given.means,
        )  # fmt: skip

    def start(self, rows: Passes, look: MixtureStarts | None) -> Turn:
        moments = rows.total(survey)
        self.check_rows(moments)
        covariance = moments.covariance()
        where = Whitening.of(moments.mean, covariance, self.covariance_type, self.ridge)
        self.n_samples_, self._began = moments.weight, perf_counter()
        shape = shape_of(self.covariance_type, self.n_components, moments.features)
        if "weights_" in self.previous and self.previous["precisions_cholesky_"].shape == shape:
            mixture = self.begun(where)
            return Turn(None, Ascents((Ascent(mixture, last=self.previous["lower_bound_"]),), where))
        given = given_starts(self, moments.features)
        mixtures = first_mixtures(look, given, self.covariance_type, self.ridge, where)
        return Turn(None, Ascents(tuple(map(Ascent, mixtures)), where))

    def begun(self, where: Whitening) -> Gaussians:
        """The fit before, in the coordinates of this one."""
        natural = np.asarray(self.previous["precisions_cholesky_"], dtype=np.float64)
        if self.covariance_type == "spherical":
            natural = np.repeat(natural[:, None], len(where.scale), axis=1)
        means = where.point(np.asarray(self.previous["means_"], dtype=np.float64))
        weights = np.asarray(self.previous["weights_"], dtype=np.float64)
        return Gaussians(FORMS[self.covariance_type], weights, means, where.factor(natural))

    def step(self, state: Turn, rows: Passes) -> Turn:
        after = em_step(state, self.rules, rows.total)
        if self.verbose:
            self.tell(after.second)
        return after

    def done(self, before: Turn, after: Turn) -> bool:
        return not after.second.active

    def attributes(self, state: Turn) -> dict[str, Any]:
        del self._began
        runs: Ascents = state.second
        best = runs.best
        values = best.values
        return self.described(best.mixture, runs.where) | {
            "converged_": best.ended,
            "n_iter_": len(values),
            "lower_bound_": best.value,
            "lower_bounds_": list(values),
            "n_samples_": self.n_samples_,
        }

    def described(self, mixture: Gaussians, where: Whitening) -> dict[str, Any]:
        """The attributes of a mixture, in units of x; degenerate components are told."""
        return attributes_of(mixture, where, self.covariance_type, self.ridge, self.float_dtype)

    def tell(self, runs: Ascents) -> None:
        steps = max(len(run.values) for run in runs.runs)
        if steps % self.verbose_interval == 0 or not runs.active:
            values = ", ".join(f"{run.value:.5f}" for run in runs.runs)
            time = f", {perf_counter() - self._began:.2f} s" if self.verbose > 1 else ""
            print(f"  Iteration {steps}: mean log-likelihood {values}{time}")

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Fit, and the most probable component of every row."""
        return self.fit(X, sample_weight=sample_weight).predict(X)

    # -- more rows, another model -------------------------------------------------------------------------------------

    @in_turn
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows, in one step of online EM: near to a fit on all rows, not equal to it.

        The first rows are fitted as `fit` does. From then on the moments of each component move towards those of the
        new rows by the share s^learning_decay, where s is the new rows' share of all weight so far. With a decay of one
        every row counts alike, however wrong the shares it once was given; below, what is old is forgotten slowly
        (Cappé & Moulines, On-line expectation-maximization algorithm for latent data models, 2009). The order of the
        rows matters.
        """
        if "weights_" not in self.__dict__:
            return self.fit(X, sample_weight=sample_weight)
        work = self.twin()
        source = work.open(X, None, sample_weight, reset=False, empty_ok=True)
        if source.rows == 0:
            return self
        work.remember(source)
        work.__dict__.update(work.moved(Passes(source, self.n_jobs)))
        return self.commit(work)

    def moved(self, rows: Passes) -> dict[str, Any]:
        """Attributes after a step towards some rows."""
        moments = rows.total(survey)
        where, mixture = self.in_use()
        seen = moments.weight / (self.n_samples_ + moments.weight)
        values, merged = moved_towards(mixture, where, rows, seen**self.learning_decay, self.rules)
        return self.described(merged, where) | {
            "n_samples_": self.n_samples_ + moments.weight,
            "n_iter_": self.n_iter_ + 1,
            "lower_bound_": values,
            "lower_bounds_": [*self.lower_bounds_, values],
        }

    def combine(self, other: Self, n_components: int | None = None) -> Self:
        """A mixture for the rows of both, without the rows: not a fit on all of them, and hence not ``+``.

        The components of both together, each with its part of the rows, are exactly the mixture of the two densities;
        ``n_components=len(a.weights_) + len(b.weights_)`` keeps that. Fewer (by default as many as here) are had by
        joining pairs, always those whose joining loses least by Runnalls' bound on the divergence: mean and covariance
        of all rows stay, what is lost is the form within the pair. Components of one covariance, of its diagonal or of
        one variance lose what their type cannot say.

        References: Runnalls, Kullback-Leibler approach to Gaussian mixture reduction, 2007.
        """
        return combined(self, other, self.n_components if n_components is None else n_components)


def survey(chunk: Chunk) -> Moments:
    return Moments.of(chunk.X, None, chunk.weight, precise=False).squared()
