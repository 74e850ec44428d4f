"""The exact end of an interior path: which ramps bend at the solution is known, the rest is one linear system.

    P v + sum_{t > 0} c_k g_k + sum_{t = 0} l_k g_k = 0,    a_k + g_k'v = 0 where t = 0
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

MOST = 4  # ramps at their kink, for each number of the point, up to which the system is tried


def exact_end(problem: Any, ramps: Any, quadratic: np.ndarray, v: np.ndarray, t: np.ndarray, pair: Any) -> Any:
    """v to rounding, or None where the ramps at their kink cannot be told, or the system says something else."""
    p, q, l = pair
    scale = float(np.abs(t).mean()) or 1.0
    cost = ramps.cost
    lively = l / cost > q / scale  # complementary pairs: one of each vanishes
    upper = (cost - l) / cost > p / scale
    kink = np.flatnonzero(lively & upper)
    if len(kink) > MOST * len(v):
        return None
    above = np.where(lively & ~upper, cost, 0.0)
    G = rows_of(problem, ramps, kink)
    right = np.concatenate([-summed(problem, ramps, above), -ramps.constant[kink]])
    n, m = len(v), len(kink)
    system = np.zeros((n + m, n + m))
    system[np.arange(n), np.arange(n)] = quadratic
    system[:n, n:], system[n:, :n] = G.T, G
    size = np.sqrt(np.maximum(np.abs(system).max(axis=1), 1e-300))
    scaled = system / size / size[:, None]
    start = np.concatenate([v, l[kink]])

    def solved(rest: np.ndarray) -> np.ndarray:
        return np.linalg.lstsq(scaled, rest / size, rcond=1e-13)[0] / size

    with np.errstate(all="ignore"):
        found = start + solved(right - system @ start)
        found = found + solved(right - system @ found)
    inside = found[n:]
    if not np.isfinite(found).all() or (inside < -1e-9 * cost[kink]).any() or (inside > cost[kink] * (1 + 1e-9)).any():
        return None
    still = (right[:n] == 0) & ~G.any(axis=0) & (quadratic > 0)  # columns of zeros
    return np.where(still, 0.0, found[:n])


def rows_of(problem: Any, ramps: Any, which: np.ndarray) -> np.ndarray:
    """g_k of some ramps."""
    n, d = problem.rows, problem.frame.features
    of_rows = which[which < len(ramps.signs) * n]
    X = problem.X[of_rows % n]
    X = X.toarray() if sparse.issparse(X) else X
    X = np.column_stack([X, np.ones(len(X))]) if problem.frame.intercept else X
    out = np.zeros((len(which), d + problem.frame.intercept))
    out[: len(of_rows)] = ramps.signs.reshape(-1)[of_rows][:, None] * X
    rest = which[len(of_rows) :] - len(ramps.signs) * n
    out[np.arange(len(of_rows), len(which)), rest % max(ramps.size, 1)] = np.where(rest < ramps.size, 1.0, -1.0)
    return out


def summed(problem: Any, ramps: Any, factor: np.ndarray, absolute: bool = False) -> np.ndarray:
    """sum_k factor_k g_k; or of the absolute values."""
    n, X = problem.rows, problem.X
    rows = factor[: len(ramps.signs) * n].reshape(-1, n)
    rows = rows.sum(axis=0) if absolute else (ramps.signs * rows).sum(axis=0)
    out = abs(X).T @ rows if absolute else X.T @ rows
    out = np.append(out, rows.sum()) if problem.frame.intercept else out
    up, down = factor[len(ramps.signs) * n :].reshape(2, -1)
    out[: ramps.size] += up + down if absolute else up - down
    return out
