"""Fisher's discriminant: the projection in which classes lie apart."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ...data import Chunk
from ...statistics import Grouped, Pooled
from ..classifier import LabelMixin
from ..correlation import Correlation
from ..description import BY_FEATURES, Description, Offer
from ..fitted import Fitted, check_variances, narrowed
from ..gaussian.parts.gaussian_classifier import warn_of_directions
from ..linear_map import affine, is_far, numbers_of
from ..one_pass import OnePass
from ..precision import AtPrecision, is_exact
from .parts.class_targets import best_class
from .parts.gaussian_scores import GaussianScores, later_slope, shares_of

WITHIN = ("pooled", "identity")
THRESHOLDS = ("midpoint", "mean", "prior")


class FisherDiscriminant(ClassNamePrefixFeaturesOutMixin, TransformerMixin, GaussianScores, LabelMixin, OnePass):
    """Directions along which the class means are far apart and the classes narrow, and the nearest projected mean.

        two classes: J(w) = (m1' - m0')^2 / (s0^2 + s1^2), largest for w ~ S_w^-1 (m1 - m0); class 1 if w'x > threshold
        K classes:   eigenvectors of S_w^-1 S_b, at most K - 1;  S_b = sum_k N_k (m_k - m)(m_k - m)'

    with m_k' = w'm_k, s_k^2 the sum of (w'x - m_k')^2 over the rows of class k, S_w the scatter within the classes.
    Note 000 writes w ~ S_w^-1 (m2 - m1) but decides for C1 where w'(x - m) > 0, which needs m1 - m2. The direction is
    that of LinearDiscriminantAnalysis and of least squares on targets +N/N1 and -N/N2 (the note loses the sign).

    Statistic: Pooled moments (class means, one scatter). One pass. Can merge, forget, decay, restrict. Cost: summarise
    O(n d^2), solve O(d^3). ``FisherDiscriminant().solve(lda.statistic_)`` needs no new pass.

    Parameters
    ----------
    n_components : int, default=None
        Number of directions, at most min(K - 1, d), which None takes. Classes are told apart in these.
    within : {"pooled", "identity"}, default="pooled"
        "identity" leaves the scatter within the classes out: for two classes w ~ m1 - m0.
    threshold : {"midpoint", "mean", "prior"}, default="midpoint"
        Where two classes part on the line: midway between the projected means; at the projected mean of all rows (the
        note's, two classes only); or where normal classes of these shares and one variance are equally probable. With
        more classes the nearest projected mean, or its like with ln(N_k / N) added for "prior".
    tol : float, default=1e-4
        Directions whose within-class deviation, of features scaled to unit variance, is below this are left out.
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else; models of a basis that looks at the data merge where the look is the same.
    precision : {None, "double", "exact"}, default=None
        "exact" sums without any rounding: the same rows leave the same bits, however they came and went. It takes
        longer, and nothing decays.

    Attributes
    ----------
    direction_ : array (features,)
        The first direction, of unit length; of two classes it points to the second.
    threshold_ : float
        Two classes: the second is predicted where direction_'x exceeds it.
    criterion_ : float
        J for two classes, else the trace of (W'S_w W)^-1 W'S_b W.
    eigenvalues_ : array (components,)
        w'S_b w / w'S_w w of each direction; for two classes J N0 N1 / N.
    scalings_, means_, xbar_, coef_, intercept_, classes_
        As in LinearDiscriminantAnalysis: directions (within-class variance 1), class means, mean, discriminants.

    Examples
    --------
    >>> from sumlearn import FisherDiscriminant
    >>> X = [[0.0, 0.0], [4.0, 2.0], [2.0, 2.0], [0.0, 2.0], [4.0, 4.0], [2.0, 2.0]]
    >>> model = FisherDiscriminant().fit(X, [0, 0, 0, 1, 1, 1])
    >>> model.direction_.round(4).tolist(), round(model.threshold_, 4)  # (-1, 2) / sqrt(5)
    ([-0.4472, 0.8944], 0.8944)
    >>> print(f"{model.criterion_:.4f} {model.set_params(within='identity').criterion_:.4f}")
    1.3333 0.3333

    References
    ----------
    Lecture notes 000, 003, 004; Fisher, "The use of multiple measurements in taxonomic problems", 1936; Bishop 2006,
    sec. 4.1.4 to 4.1.6.
    """

    description = Description(
        offers=(Offer("fisher", "Fisher's discriminant", 90, extra=True),),
        complexity=BY_FEATURES,
        variants={"precision": (None, "exact"), "within": ("pooled", "identity"), "threshold": ("midpoint", "prior")},
    )

    chunk_factor = 8  # a merge costs a rank-one term for every class

    statistic_type = AtPrecision(Pooled)

    direction_ = Fitted("First direction, of unit length.")
    threshold_ = Fitted("Where two classes part along the direction.")
    criterion_ = Fitted("J of the directions.")
    eigenvalues_ = Fitted("Scatter between the classes over scatter within, for each direction.")
    scalings_ = Fitted("Directions, (features, components); the variance within the classes along them is one.")
    means_ = Fitted("Class means.")
    xbar_ = Fitted("Mean of all rows.")
    coef_ = Fitted("Weights of the discriminants, (1, features) for two classes, else (classes, features).")
    intercept_ = Fitted("Constants of the discriminants.")
    _n_features_out = Fitted("Number of columns that `transform` returns.")

    def __init__(
        self,
        n_components: int | None = None,
        *,
        within: str = "pooled",
        threshold: str = "midpoint",
        tol: float = 1e-4,
        basis: Any = None,
        precision: str | None = None,
    ) -> None:
        self.n_components = n_components
        self.within = within
        self.threshold = threshold
        self.tol = tol
        self.basis = basis
        self.precision = precision

    def summarise(self, chunk: Chunk, look: Any = None) -> Any:
        if is_exact(self):
            return Grouped.of(chunk.X, chunk.y, chunk.weight, exact=True)
        return Pooled.of(chunk.X, chunk.y, chunk.weight)

    def solution(self, statistic: Any) -> dict[str, Any]:
        pooled = Pooled.from_groups(statistic, statistic.features) if isinstance(statistic, Grouped) else statistic
        labels = self.labels_of(pooled)
        seen = np.array([label in pooled.groups.groups for label in labels.tolist()])
        self._check_options(len(labels))
        if not pooled.features:
            raise ValueError("there is no column to project: take a basis of at least degree one")
        if seen.sum() > 1 and self.within == "pooled" and all(part.is_single for part in pooled.groups.contents()):
            raise ValueError("The number of samples must be more than the number of classes.")
        share = np.array([part.weight for part in pooled.groups.groups.values()]) / pooled.weight
        first, apart = differences(pooled)
        centre = share @ apart
        apart = apart - centre  # class means about the mean of all rows
        xbar = first + centre
        rest = (first - xbar) + centre  # what one word cannot say of the mean
        within = Correlation.of(pooled.within, pooled.weight)
        deviation = within.deviation
        check_variances(deviation)
        whiten = self._whitening(within, apart, pooled)
        scalings = self._directions(apart, whiten, share, pooled.features)
        projected = apart @ scalings
        coef, level = self._discriminants(projected, scalings, share, seen)
        inside, between = within.form(scalings), (share[:, None] * projected).T @ projected
        with np.errstate(divide="ignore", invalid="ignore"):
            eigenvalues = np.nan_to_num(between.diagonal() / inside.diagonal(), nan=0.0, posinf=np.inf)
        direction = scalings[:, 0] / length(scalings[:, 0]) if scalings.shape[1] else np.zeros(len(xbar))
        dtype, shares = self.float_dtype, shares_of(pooled, labels)
        found = {
            "classes_": labels,
            "coef_": narrowed(coef, dtype),
            "intercept_": narrowed(level - coef @ xbar, dtype),
            "means_": narrowed(self._means(pooled, seen), dtype),
            "xbar_": narrowed(xbar, dtype),
            "scalings_": narrowed(scalings, dtype),
            "direction_": narrowed(direction, dtype),
            "eigenvalues_": eigenvalues,
            "criterion_": criterion(inside, between),
            "centre": xbar if is_far(xbar, deviation) else None,
            "level": level - coef @ rest,
            "shares": shares,
            "slope": partial(float, 1.0) if self._gaussian else later_slope(pooled, coef, xbar, level, shares),
            "mean": xbar,
            "shift": rest @ scalings,
            "_n_features_out": scalings.shape[1],
        }
        if len(labels) == 2 and seen.all():
            size = length(coef)
            # S_b = N0 N1 / N (m1 - m0)(m1 - m0)'
            found["criterion_"] = float(found["criterion_"] / (pooled.weight * share.prod()))
            found["threshold_"] = float(direction @ xbar - (level[0] / size if size else 0.0))
        return found

    def scores(self, X: Any) -> np.ndarray:
        X = self.rows_of(X)
        solution = self.solved()
        return affine(X, solution["coef_"].T, solution["intercept_"], solution["centre"], solution["level"])

    def decision_function(self, X: Any) -> np.ndarray:
        """w'x - threshold for two classes, w = scalings_ (m1' - m0'); else -1/2 |z - z_k|^2 up to a common term."""
        scores = self.scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The class whose projected mean is nearest, by the rule of `threshold`."""
        return best_class(self.scores(X), self.classes_)

    def transform(self, X: Any) -> np.ndarray:
        """Project the rows, less the mean, to the directions."""
        X = self.rows_of(X)
        solution = self.solved()
        with np.errstate(over="ignore", invalid="ignore"):
            found = (X - solution["mean"]) @ solution["scalings_"] - solution["shift"]
            return numbers_of(found.astype(self.float_dtype))

    # -- the steps of the solution ------------------------------------------------------------------------------------

    @property
    def _gaussian(self) -> bool:
        """Whether the scores are the log-densities of Gaussian classes, up to a common term."""
        return self.within == "pooled" and self.threshold == "prior"

    def _check_options(self, classes: int) -> None:
        for name, choices in (("within", WITHIN), ("threshold", THRESHOLDS)):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, got {getattr(self, name)!r}")
        if self.threshold == "mean" and classes > 2:
            raise ValueError(f'threshold="mean" parts two classes, but there are {classes}')

    def _whitening(self, within: Correlation, apart: np.ndarray, pooled: Pooled) -> np.ndarray:
        """A with A'C A = I, where C is S_w / N or the mean variance times the identity."""
        if self.within == "identity":
            deviation = within.deviation
            largest = deviation.max(initial=0.0)
            size = largest * np.sqrt(np.mean((deviation / largest) ** 2)) if largest else 1.0
            return (np.eye(len(deviation)) if within.factor is None else np.linalg.qr(apart.T)[0]) / size
        A, still = within.whitening(self.tol, apart)
        warn_of_directions(self, still, within.deviation, pooled)
        return A

    def _directions(self, apart: np.ndarray, whiten: np.ndarray, share: np.ndarray, features: int) -> np.ndarray:
        """Principal directions of the whitened class means, largest first; signs fixed."""
        most = min(len(apart) - 1, features)
        wanted: Any = most if self.n_components is None else self.n_components
        if self.n_components is not None and not (isinstance(wanted, int | np.integer) and 0 < wanted <= most):
            raise ValueError(
                f"n_components must be between 1 and min(n_features, n_classes - 1) = {most}, got {wanted!r}: "
                f"there are {features} feature(s) and {len(apart)} class(es)"
                + (", that is one class only" if len(apart) == 1 else "")
            )
        if not most or not whiten.shape[1]:
            return np.zeros((features, 0))
        points = apart @ whiten
        _, sizes, rotation = np.linalg.svd(np.sqrt(share)[:, None] * points, full_matrices=False)
        kept = rotation[:wanted][(sizes > self.tol * sizes[0])[:wanted]]
        along = points @ kept.T
        if len(apart) == 2:
            sign = np.sign(along[1] - along[0])
        else:  # the mean that is farthest out lies on the positive side
            sign = np.sign(along[np.abs(along).argmax(axis=0), np.arange(len(kept))])
        return whiten @ (kept * np.where(sign == 0, 1.0, sign)[:, None]).T

    def _discriminants(
        self, projected: np.ndarray, scalings: np.ndarray, share: np.ndarray, seen: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Weights and values at the mean of all rows; a class without rows is never chosen."""
        coef, level = np.zeros((len(seen), len(scalings))), np.full(len(seen), -np.inf)
        coef[seen] = projected @ scalings.T
        level[seen] = -0.5 * (projected**2).sum(axis=1) + (np.log(share) if self.threshold == "prior" else 0.0)
        if len(seen) != 2:
            return coef, level
        if self.threshold == "mean" and seen.all():
            level = np.zeros(2)
        return coef[1:] - coef[:1], level[1:] - level[:1]

    def _means(self, pooled: Pooled, seen: np.ndarray) -> np.ndarray:
        means = np.full((len(seen), pooled.features), np.nan)
        means[seen] = [part.mean for part in pooled.groups.groups.values()]
        return means


def differences(pooled: Pooled) -> tuple[np.ndarray, np.ndarray]:
    """The first class mean in one word, and what all class means differ from it, exact at any offset."""
    parts = list(pooled.groups.groups.values())
    first = parts[0].mean
    return first, np.array([part.shift(-first).mean for part in parts])


def length(w: np.ndarray) -> float:
    """Euclidean length; its square may be out of range."""
    largest = np.abs(w).max()
    return float(largest * np.linalg.norm(w / largest)) if largest else 0.0


def criterion(inside: np.ndarray, between: np.ndarray) -> float:
    """Trace of inside^-1 between; infinite where the classes have no width at all."""
    if not len(inside):
        return 0.0
    if not inside.diagonal().all():
        return float("inf") if between.any() else 0.0
    return float(np.trace(np.linalg.solve(inside, between)))
