"""Quadratic discriminant analysis."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data import Chunk
from ...statistics import Grouped, Moments
from ...statistics.warnings import warn
from ..description import Complexity, Description, Offer, Tuning
from ..fitted import Fitted, check_variances
from ..linear_map import away_from, is_far
from ..one_pass import OnePass
from ..precision import AtPrecision, is_exact
from .parts.covariance_forms import SMALLEST, Form, correlations, factored
from .parts.gaussian_classifier import GaussianClassifier, decision, refuse, shrinkage_of


class QuadraticDiscriminantAnalysis(GaussianClassifier, OnePass):
    """Normal classes, each with its own covariance.

        ln p(k | x) = ln p(k) - 1/2 ln |C_k| - 1/2 (x - m_k)'C_k^-1 (x - m_k) + const,   C_k = S_k / N_k

    A class that does not vary in some direction gets a floor of 1e-12 of its variance there, with a warning
    (scikit-learn raises, and judges it by an absolute bound).

    Statistic: Grouped[Moments], full. One pass. Can merge, forget, decay, restrict. Cost: summarise O(n d^2), solve
    O(K d^3).

    Parameters
    ----------
    solver : {"svd", "eigen"}, default="svd"
        Both give the same model; "eigen" allows shrinkage.
    shrinkage : float between 0 and 1, default=None
        C_k becomes (1 - s) C_k + s tr(C_k) / d I; "auto" is no function of the sums and is refused.
    priors : dict or array of shape (classes,), default=None
        Prior probabilities by label, or by the place of the classes, of which then none may be forgotten altogether. A
        class without rows has none, and the others share what is left. None takes the share of the weights.
    reg_param : float, default=0.0
        C_k becomes (1 - r) C_k + r I.
    store_covariance, tol
        Accepted for compatibility; ``covariance_`` is always there, and rank is judged relative to the variances.
    covariance_estimator : EmpiricalCovariance or ShrunkCovariance, default=None
        In place of `shrinkage`, with "eigen". Any other is refused: it needs the rows.
    precision : {None, "double", "exact"}, default=None
        "exact" sums without any rounding: the same rows leave the same bits, however they came and went. It takes
        longer, and nothing decays.

    Attributes
    ----------
    classes_, priors_, means_, covariance_, rotations_, scalings_
        As in scikit-learn; rotations and scalings are eigenvectors and eigenvalues of the class covariances.

    Examples
    --------
    >>> from sumlearn import QuadraticDiscriminantAnalysis
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> model = QuadraticDiscriminantAnalysis().fit(iris.X, iris.y)
    >>> float(model.score(iris.X, iris.y))
    0.98
    >>> without = model.forget(iris.X[:50], iris.y[:50])       # the whole class setosa
    >>> without.classes_.tolist()
    ['versicolor', 'virginica']

    References
    ----------
    Lecture note 004; Hastie, Tibshirani & Friedman 2009, sec. 4.3.
    """

    description = Description(
        offers=(
            Offer(
                "qda",
                "quadratic discriminant",
                20,
                tuning=Tuning("reg_param", (0.01, 0.1, 0.5)),
                most_features=300,  # every class has a covariance of its own
            ),
        ),
        complexity=Complexity(
            "reg_param",
            "shrinkage to the identity",
            (0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0),  # zero: classes of few rows have no covariance
            log=False,
            otherwise=0.0,
        ),
        judge="quadratic_discriminant",
        onnx="quadratic_discriminant",
        variants={"precision": (None, "exact"), "solver": ("svd", "eigen")},
    )

    statistic_type = AtPrecision(Grouped[Moments])
    chunk_factor = 8  # each class gets its own product: with the usual chunk they would be too small

    priors_ = Fitted("Prior probabilities.")
    means_ = Fitted("Class means.")
    covariance_ = Fitted("Covariance of each class.")

    def __init__(
        self,
        *,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Any = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
        precision: str | None = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.precision = precision

    def summarise(self, chunk: Chunk, look: Any = None) -> Grouped[Moments]:
        return Grouped.of(chunk.X, chunk.y, chunk.weight, precise=False, exact=is_exact(self))

    def solution(self, statistic: Grouped[Moments]) -> dict[str, Any]:
        self._check_options()
        labels = self.labels_of(statistic)
        parts = [statistic.groups.get(label) for label in labels.tolist()]
        weights = np.array([0.0 if part is None else part.weight for part in parts])
        d = statistic.features
        overall = statistic.moments().deviation
        check_variances(overall)
        lonely = [k for k, part in zip(labels.tolist(), parts, strict=True) if part and part.is_single]
        if lonely and len(labels) > 1 and not self._regular():
            raise ValueError(
                f"y has only 1 sample in class {lonely[0]}, covariance is ill defined: at least 2 are needed"
            )
        forms = self._forms(parts, labels, overall)
        return {
            "classes_": labels,
            "priors_": self.priors_of(weights, labels),
            "means_": np.array([np.full(d, np.nan) if part is None else part.mean for part in parts]),
            "covariance_": [np.full((d, d), np.nan) if form is None else form.covariance for form in forms],
            "rest": [
                None if part is None or not is_far(part.mean, part.deviation) else part.mean_rest for part in parts
            ],
            "forms": forms,
        }

    def joint(self, X: np.ndarray) -> np.ndarray:
        solution = self.solved()
        out = np.full((len(X), len(solution["classes_"])), -np.inf, dtype=X.dtype)
        for k, (prior, mean, form) in enumerate(
            zip(solution["priors_"], solution["means_"], solution["forms"], strict=True)
        ):
            if form is not None and prior > 0:
                away = away_from(X, mean, solution["rest"][k]) @ form.whiten
                out[:, k] = np.log(prior) - 0.5 * (np.einsum("ij,ij->i", away, away) + form.log_determinant)
        return out

    def decision_function(self, X: Any) -> np.ndarray:
        """Log-odds of the second of two classes, else the joint log-density of all."""
        return decision(self.joint_rows(X))

    @property
    def rotations_(self) -> list[np.ndarray]:
        """Eigenvectors of the class covariances, largest first; NaN for a class without rows."""
        return [C if np.isnan(C).any() else np.linalg.eigh(C)[1][:, ::-1] for C in self.covariance_]

    @property
    def scalings_(self) -> list[np.ndarray]:
        """Eigenvalues of the class covariances, largest first; NaN for a class without rows."""
        return [C.diagonal() if np.isnan(C).any() else np.linalg.eigvalsh(C)[::-1] for C in self.covariance_]

    def _regular(self) -> bool:
        return self.reg_param > 0 or bool(shrinkage_of(self))

    def _forms(self, parts: list[Moments | None], labels: np.ndarray, overall: np.ndarray) -> list[Form | None]:
        """Covariances as A with A'C A = I. Where one is flat, all get the same floor, which cancels."""
        covariances = [None if part is None else self._covariance(part) for part in parts]
        forms = [None if found is None else factored(*found) for found in covariances]
        flat = [(label, form.flat) for label, form in zip(labels.tolist(), forms, strict=True) if form and form.flat]
        if flat:
            warn(
                f"class {flat[0][0]!r} does not vary in {flat[0][1]} direction(s): variances below {SMALLEST:g} of "
                "that of all rows are raised to it",
            )
            scale = np.where(overall > 0, overall, 1.0)
            forms = [
                None if found is None else factored(scale, found[1] * (found[0] / scale) * (found[0] / scale)[:, None])
                for found in covariances
            ]
        return forms

    def _covariance(self, part: Moments) -> tuple[np.ndarray, np.ndarray]:
        """Deviations and correlations of a class, with shrinkage and regularisation."""
        deviation, R = correlations(part)
        if self._regular():
            C = R * deviation * deviation[:, None]
            shrinkage = shrinkage_of(self)
            if shrinkage:
                C = (1 - shrinkage) * C + shrinkage * np.trace(C) / len(C) * np.eye(len(C))
            C = (1 - self.reg_param) * C + self.reg_param * np.eye(len(C))
            deviation = np.sqrt(C.diagonal())
            R = C / np.where(deviation > 0, deviation, 1.0) / np.where(deviation > 0, deviation, 1.0)[:, None]
        return deviation, R

    def _check_options(self) -> None:
        if self.solver not in ("svd", "eigen"):
            raise ValueError(f"solver must be 'svd' or 'eigen', got {self.solver!r}")
        shrinkage = shrinkage_of(self)
        if isinstance(shrinkage, str):
            refuse("QuadraticDiscriminantAnalysis", shrinkage=shrinkage)
        if shrinkage is not None and self.solver == "svd":
            raise ValueError("shrinkage not supported with 'svd' solver: use solver='eigen'")
        if shrinkage is not None and not 0 <= shrinkage <= 1:
            raise ValueError(f"shrinkage must be between 0 and 1, got {shrinkage!r}")
        if not 0 <= self.reg_param <= 1:
            raise ValueError(f"reg_param must be between 0 and 1, got {self.reg_param!r}")
