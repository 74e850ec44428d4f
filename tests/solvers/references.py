"""Minima of regularised risks by SciPy, from formulas of their own: nothing of sumlearn is used.

Losses without kinks: L-BFGS-B, with w = p - q and p, q >= 0, so that the L1 norm is a sum. Losses with kinks: a linear
program without a penalty or with L1, the dual quadratic program with L2, tangents for the elastic net. L0: all subsets.
"""

from itertools import chain, combinations

import numpy as np
from scipy.optimize import LinearConstraint, linprog, minimize, minimize_scalar
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.svm import SVC, SVR

HUBER, EPSILON, QUANTILE, RATIO = 8.0, 3.0, 0.7, 0.4  # numbers of the losses, and the L1 share of the elastic net


def omega(penalty, w):
    l1, l2 = np.abs(w).sum(), 0.5 * (w**2).sum()
    return {"none": 0.0, "l2": l2, "l1": l1, "elasticnet": RATIO * l1 + (1 - RATIO) * l2}[penalty]


def losses(name, y, f):
    """Every loss by its formula; y is -1 or 1, a number, or a class."""
    if name == "softmax":
        return -log_softmax(f, axis=1)[np.arange(len(y)), y]
    m, r = y * f[:, 0], y - f[:, 0]
    return {
        "perceptron": lambda: np.maximum(0, -m),
        "hinge": lambda: np.maximum(0, 1 - m),
        "squared_hinge": lambda: np.maximum(0, 1 - m) ** 2,
        "logistic": lambda: -log_expit(m),
        "squared": lambda: r**2 / 2,
        "absolute": lambda: np.abs(r),
        "epsilon_insensitive": lambda: np.maximum(0, np.abs(r) - EPSILON),
        "huber": lambda: np.where(np.abs(r) <= HUBER, r**2 / 2, HUBER * np.abs(r) - HUBER**2 / 2),
        "quantile": lambda: np.where(r > 0, QUANTILE * r, (QUANTILE - 1) * r),
    }[name]()


def slopes(name, y, f):
    """Derivatives with respect to the scores, of the losses that have them."""
    if name == "softmax":
        return softmax(f, axis=1) - np.eye(f.shape[1])[y]
    m, r = y * f[:, 0], y - f[:, 0]
    out = {
        "squared_hinge": lambda: -2 * y * np.maximum(0, 1 - m),
        "logistic": lambda: -y * expit(-m),
        "squared": lambda: -r,
        "huber": lambda: -np.clip(r, -HUBER, HUBER),
    }[name]()
    return out[:, None]


def risk(loss, penalty, alpha, X, y, s, coef, intercept):
    """sum_n s_n l(y_n, w'x_n + w0) + alpha Omega(w)."""
    return s @ losses(loss, y, X @ coef.T + intercept) + alpha * omega(penalty, coef)


def least_risk(loss, penalty, alpha, X, y, s):
    """The value of the minimum."""
    if loss == "perceptron":
        return 0.0  # at w = 0, and nothing is less
    if loss in ("squared_hinge", "logistic", "softmax", "squared", "huber"):
        return least_smooth(loss, penalty, alpha, X, y, s)
    if penalty == "l2":
        return least_quadratic(loss, alpha, X, y, s)
    return least_linear(loss, X, y, s) if penalty == "none" else least_sparse(loss, penalty, alpha, X, y, s)


def least_subset(loss, alpha, X, y, s):
    """With L0: the least over all subsets of the columns, and that of every subset."""
    found = {}
    for some in chain.from_iterable(combinations(range(X.shape[1]), k) for k in range(X.shape[1] + 1)):
        part = X[:, list(some)] if some else np.zeros((len(y), 1)) + np.arange(len(y))[:, None] * 0.0
        found[some] = least_unpenalised(loss, part, y, s, bool(some)) + alpha * len(some)
    return min(found.values()), found


def least_masked(coef, intercept, X, y, s):
    """Softmax over the coefficients that are not zero, from where they are."""
    free, K = coef != 0, len(coef)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)

    def both(z):
        w = np.zeros(coef.shape)
        w[free] = z[K:]
        f = Z @ w.T + z[:K]
        g = s[:, None] * slopes("softmax", y, f)
        return s @ losses("softmax", y, f), np.concatenate([g.sum(axis=0), (g.T @ Z)[free]])

    start = np.concatenate([intercept + coef @ X.mean(axis=0), (coef * X.std(axis=0))[free]])
    return minimize(both, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-16, "gtol": 1e-10}).fun


def least_unpenalised(loss, X, y, s, columns):
    if not columns:  # the intercept alone
        grid = np.unique(np.concatenate([y, [-1.0, 0.0, 1.0], y - EPSILON, y + EPSILON]))
        if loss in ("hinge", "absolute", "quantile", "epsilon_insensitive", "perceptron"):
            return min(s @ losses(loss, y, np.full((len(y), 1), b)) for b in grid)
        best = minimize_scalar(lambda b: s @ losses(loss, y, np.full((len(y), 1), b)), options={"xtol": 1e-12})
        return best.fun
    return least_risk(loss, "none", 0.0, X, y, s)


def least_smooth(loss, penalty, alpha, X, y, s):
    """Split coefficients on standardised columns; restarts, since L-BFGS-B stops early."""
    m, u = X.mean(axis=0), X.std(axis=0)
    Z = (X - m) / u
    d, K = X.shape[1], int(y.max()) + 1 if loss == "softmax" else 1
    l1 = {"l1": 1.0, "elasticnet": RATIO}.get(penalty, 0.0)
    l2 = {"l2": 1.0, "elasticnet": 1 - RATIO}.get(penalty, 0.0)

    def both(z):
        p, q, b = z[: K * d].reshape(K, d), z[K * d : 2 * K * d].reshape(K, d), z[2 * K * d :]
        w = (p - q) / u  # natural units
        f = Z @ (p - q).T + b
        g = s[:, None] * slopes(loss, y, f)
        along = g.T @ Z + alpha * l2 * w / u
        value = s @ losses(loss, y, f) + alpha * (l2 * 0.5 * (w**2).sum() + l1 * ((p + q) / u).sum())
        bend = np.broadcast_to(alpha * l1 / u, (K, d))
        return value, np.concatenate([(along + bend).ravel(), (bend - along).ravel(), g.sum(axis=0)])

    z = np.zeros(2 * K * d + K)
    bounds = [(0, None)] * (2 * K * d) + [(None, None)] * K
    options = {"maxiter": 5000, "maxfun": 50000, "ftol": 1e-16, "gtol": 1e-10, "maxcor": 30}
    for _ in range(4):
        z = minimize(both, z, jac=True, bounds=bounds, method="L-BFGS-B", options=options).x
    return both(z)[0]


def least_linear(loss, X, y, s):
    """Linear program in (w, w0, over, under): no penalty, a loss with kinks."""
    n, d = X.shape
    A, zero, eye = np.column_stack([X, np.ones(n)]), np.zeros((n, n)), np.eye(n)
    free, positive = [(None, None)] * (d + 1), [(0, None)] * (2 * n)
    if loss == "hinge":  # t >= 1 - y f
        rows = {"A_ub": np.column_stack([-y[:, None] * A, -eye, zero]), "b_ub": -np.ones(n)}
        cost = np.concatenate([np.zeros(d + 1), s, np.zeros(n)])
    elif loss == "epsilon_insensitive":  # |y - f| <= t + epsilon
        rows = {
            "A_ub": np.block([[-A, -eye, zero], [A, -eye, zero]]),
            "b_ub": np.concatenate([EPSILON - y, EPSILON + y]),
        }
        cost = np.concatenate([np.zeros(d + 1), s, np.zeros(n)])
    else:  # y - f = over - under
        rows = {"A_eq": np.column_stack([A, eye, -eye]), "b_eq": y}
        up, down = (QUANTILE, 1 - QUANTILE) if loss == "quantile" else (1.0, 1.0)
        cost = np.concatenate([np.zeros(d + 1), up * s, down * s])
    return linprog(cost, **rows, bounds=free + positive, method="highs").fun


def least_sparse(loss, penalty, alpha, X, y, s):
    """With L1 or the elastic net: linear programs, w = p - q; squares above their tangents, of which there are more
    and more until none cuts anything off."""
    n, d = X.shape
    ratio = {"l1": 1.0, "elasticnet": RATIO}[penalty]
    u = X.std(axis=0)  # programs in units of the columns
    A, zero, eye = np.column_stack([X / u, -X / u, np.ones(n)]), np.zeros((n, n)), np.eye(n)
    none = np.zeros((n, d))  # h >= w^2 / 2
    if loss == "hinge":
        left, right = np.column_stack([-y[:, None] * A, none, -eye, zero]), -np.ones(n)
        up, down = s, 0.0 * s
    else:  # over >= y - f - epsilon, under >= f - y - epsilon
        epsilon = EPSILON if loss == "epsilon_insensitive" else 0.0
        left = np.block([[-A, none, -eye, zero], [A, none, zero, -eye]])
        right = np.concatenate([epsilon - y, epsilon + y])
        shares = (QUANTILE, 1 - QUANTILE) if loss == "quantile" else (1.0, 1.0)
        up, down = shares[0] * s, shares[1] * s
    cost = np.concatenate([np.tile(alpha * ratio / u, 2), [0.0], np.full(d, alpha * (1 - ratio)), up, down])
    bounds = [(0, None)] * (2 * d) + [(None, None)] + [(0, None)] * (d + 2 * n)
    for _ in range(200):
        found = linprog(cost, A_ub=left, b_ub=right, bounds=bounds, method="highs")
        w, h = (found.x[:d] - found.x[d : 2 * d]) / u, found.x[2 * d + 1 : 3 * d + 1]
        over = 0.5 * w**2 - h
        if ratio == 1.0 or alpha * (1 - ratio) * over.sum() <= 1e-11 * found.fun:
            break
        tangents = np.zeros((d, left.shape[1]))  # w_j w - h <= w_j^2 / 2
        tangents[np.arange(d), np.arange(d)] = w / u
        tangents[np.arange(d), d + np.arange(d)] = -w / u
        tangents[np.arange(d), 2 * d + 1 + np.arange(d)] = -1.0
        left, right = np.vstack([left, tangents]), np.append(right, 0.5 * w**2)
    return found.fun


def least_quadratic(loss, alpha, X, y, s):
    """With L2: the maximum of the dual quadratic program, from the start that libsvm gives where it knows the loss.

    libsvm alone is not precise enough on raw columns: its tolerance is one of slopes, whatever their units.
    """
    n, one = len(y), np.ones(len(y))
    options = {"kernel": "linear", "C": 1.0 / alpha, "tol": 1e-6}
    if loss == "quantile":
        return largest_dual(y, X, one, (QUANTILE - 1) * s, QUANTILE * s, alpha, np.zeros(n))
    start = np.zeros(n)
    if loss == "hinge":
        model = SVC(**options).fit(X, y, s)
        start[model.support_] = np.abs(model.dual_coef_[0]) * alpha
        return largest_dual(one, y[:, None] * X, y, np.zeros(n), s, alpha, start)
    epsilon = EPSILON if loss == "epsilon_insensitive" else 0.0
    model = SVR(**options, epsilon=epsilon).fit(X, y, s)
    start[model.support_] = model.dual_coef_[0] * alpha
    if loss == "absolute":
        return largest_dual(y, X, one, -s, s, alpha, start)
    both = np.concatenate([np.maximum(start, 0.0), np.maximum(-start, 0.0)])  # a = a+ - a-, each at its price epsilon
    c, Z, total = np.concatenate([y - epsilon, -y - epsilon]), np.concatenate([X, -X]), np.concatenate([one, -one])
    return largest_dual(c, Z, total, np.zeros(2 * n), np.concatenate([s, s]), alpha, both)


def largest_dual(c, Z, total, low, high, alpha, start):
    """max c'a - |Z'a|^2 / (2 alpha) over low <= a <= high with total'a = 0."""
    scale = np.abs(c).sum()

    def cost(a):
        w = Z.T @ a
        return (w @ w / (2 * alpha) - c @ a) / scale, (Z @ w / alpha - c) / scale

    found = minimize(
        cost, np.clip(start, low, high), jac=True, method="SLSQP", bounds=list(zip(low, high, strict=True)),
        constraints=LinearConstraint(total[None], 0.0, 0.0), options={"maxiter": 1000, "ftol": 1e-14},
    )  # fmt: skip
    return -found.fun * scale
