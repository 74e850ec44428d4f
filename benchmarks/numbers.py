"""What is compared: numbers read from a fitted estimator with scikit-learn's attribute names."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.candidates import Numbers
from benchmarks.data import Data


def coefficients(model: Any, data: Data) -> Numbers:
    """Coefficients of a linear model, and its predictions of the sample rows, which judge the intercept too."""
    return {"coef": np.ravel(model.coef_), "predictions": np.asarray(model.predict(data.sample))}


def components(model: Any, data: Data) -> Numbers:
    """Variances and directions of principal components, signed so that the largest entry is positive."""
    directions = np.asarray(model.components_)
    largest = np.abs(directions).argmax(axis=1)
    signs = np.sign(directions[np.arange(len(directions)), largest])
    return {"variance": np.asarray(model.explained_variance_), "components": directions * signs[:, None]}


def labels(model: Any, data: Data) -> Numbers:
    """Predicted classes of the sample rows."""
    return {"labels": np.asarray(model.predict(data.sample))}


def learnt(data: Data, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nine tenths of the rows."""
    rows = slice(0, 9 * len(y) // 10)
    return data.X[rows], y[rows]


def tree(model: Any, data: Data, y: np.ndarray) -> Numbers:
    """Leaves of a tree, and its score on the tenth of the rows that it has not learnt."""
    rest = slice(9 * len(y) // 10, None)
    return {"leaves": np.array([float(model.get_n_leaves())]), "score": np.array([model.score(data.X[rest], y[rest])])}


def log_loss(model: Any, data: Data) -> Numbers:
    """The objective of logistic regression with C = 1 at the coefficients found, in double precision."""
    W, b = np.asarray(model.coef_, dtype=float), np.asarray(model.intercept_, dtype=float)
    loss = 0.0
    for start in range(0, len(data.X), 50_000):
        part = slice(start, start + 50_000)
        f = data.X[part].astype(float) @ W.T + b
        f = np.column_stack([np.zeros(len(f)), f]) if f.shape[1] == 1 else f
        top = f.max(axis=1)
        own = f[np.arange(len(f)), data.labels[part]]
        loss += float((top + np.log(np.exp(f - top[:, None]).sum(axis=1)) - own).sum())
    return {"objective": np.array([loss + 0.5 * (W**2).sum()])}


def scores(result: dict[str, np.ndarray], data: Data) -> Numbers:
    """Test scores of `cross_validate`, one for each fold."""
    return {"fold scores": np.asarray(result["test_score"])}


def roc(fpr: np.ndarray, tpr: np.ndarray, area: float) -> Numbers:
    """The area under a ROC curve, and the curve at rates that no threshold gives exactly."""
    rates = (np.arange(1000) + 1 / np.pi) / 1000
    return {"area": np.array([area]), "tpr": np.interp(rates, fpr, tpr)}


def inference(
    estimates: Any, covariance: Any, t: Any, p: Any, interval: Any, F: Any, aic: Any, bic: Any, adjusted: Any
) -> Numbers:
    """Estimates of a regression and all that is inferred from them."""
    named = {"estimates": estimates, "covariance": covariance, "t": t, "p": p, "interval": interval}
    return {name: np.asarray(value) for name, value in (named | {"fit": [F, aic, bic, adjusted]}).items()}


def curve(errors: np.ndarray) -> Numbers:
    """A cross-validation curve, mean squared error by penalty or by fold and penalty, and its lowest mean."""
    mean = errors.mean(axis=0) if errors.ndim == 2 else errors
    return {"curve": errors, "lowest": np.array([mean.min()])}
