"""Projections against scikit-learn: `python -m benchmarks.projections`.

Runs are interleaved, the best time of each side counts, and both sides use all cores as they do by themselves. NMF
begins from equal starts and takes as many steps, so that both end at the same loss, which is printed; a truncated
decomposition is as good as the sum of the squares of its singular values, which is at most the right one.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn import decomposition

import sumlearn as sl

Fit = Callable[[], Any]


def race(title: str, ours: Fit, rivals: dict[str, Fit], value: Callable[[Any], float], rounds: int) -> None:
    """Interleaved runs: the best time of each side, what it reached, and memory beside the data in a run of its own."""
    best: dict[str, tuple[float, float]] = {}
    sides = {"sumlearn": ours, **rivals}
    for number in range(rounds + 1):  # the first compiles
        for name, fit in sides.items():
            begun = time.perf_counter()
            model = fit()
            seconds = time.perf_counter() - begun
            if number:
                best[name] = min(best.get(name, (np.inf, 0.0)), (seconds, value(model)))
    own = best["sumlearn"][0]
    print(title)
    for name, (seconds, reached) in best.items():
        ratio = "" if name == "sumlearn" else f"  ratio {seconds / own:6.2f}"
        print(f"    {name:28} {seconds:8.3f} s  {reached:.8g}  {peak(sides[name]):7.0f} MiB{ratio}", flush=True)


def peak(fit: Fit) -> float:
    """MiB that NumPy asks for in a fit."""
    tracemalloc.start()
    fit()
    found = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return found


def factors(X: Any, k: int, rounds: int, title: str, **options: Any) -> None:
    rng = np.random.default_rng(0)
    W, H = np.abs(rng.standard_normal((X.shape[0], k))), np.abs(rng.standard_normal((k, X.shape[1])))
    common: dict[str, Any] = {"n_components": k, "init": "custom", "tol": 0.0, **options}

    def fitted(kind: Any) -> Fit:
        def fit() -> Any:
            model = kind(**common)
            model.fit_transform(X, W=W.astype(X.dtype), H=H.astype(X.dtype))
            return model

        return fit

    race(
        f"NMF {title}, {X.shape[0]} x {X.shape[1]}, k = {k}, {options['max_iter']} steps; error",
        fitted(sl.NMF),
        {"scikit-learn": fitted(decomposition.NMF)},
        lambda model: model.reconstruction_err_,
        rounds,
    )


def nmf_dense(rounds: int) -> None:
    rng = np.random.default_rng(1)
    X = rng.random((50_000, 8)) @ rng.random((8, 100)) + 0.1 * rng.random((50_000, 100))
    factors(X, 10, rounds, "cd", max_iter=50)
    factors(X, 10, rounds, "mu", solver="mu", max_iter=50)
    factors(X[:20_000], 10, rounds, "mu, Kullback-Leibler", solver="mu", beta_loss="kullback-leibler", max_iter=20)


def nmf_sparse(rounds: int) -> None:
    X = sparse.random_array((20_000, 5_000), density=0.005, rng=np.random.default_rng(1), format="csr")
    factors(X, 20, rounds, "cd, sparse", max_iter=30)
    factors(X, 20, rounds, "mu, sparse", solver="mu", max_iter=30)
    factors(X, 20, rounds, "mu, sparse, Kullback-Leibler", solver="mu", beta_loss="kullback-leibler", max_iter=10)


def svd(X: Any, k: int, rounds: int, title: str) -> None:
    def fitted(kind: Any, **options: Any) -> Fit:
        return lambda: kind(k, random_state=0, **options).fit(X)

    race(
        f"TruncatedSVD {title}, {X.shape[0]} x {X.shape[1]}, k = {k}; squares of the singular values",
        fitted(sl.TruncatedSVD),
        {
            "scikit-learn": fitted(decomposition.TruncatedSVD),
            "scikit-learn, n_iter=15": fitted(decomposition.TruncatedSVD, n_iter=15),
            "scikit-learn, arpack": fitted(decomposition.TruncatedSVD, algorithm="arpack"),
        },
        lambda model: float((model.singular_values_**2).sum()),
        rounds,
    )


def svd_dense(rounds: int) -> None:
    rng = np.random.default_rng(2)
    svd(rng.standard_normal((200_000, 20)) @ rng.standard_normal((20, 100)) + rng.standard_normal((200_000, 100)), 10,
        rounds, "dense")  # fmt: skip
    svd(rng.standard_normal((5_000, 2_000)), 10, rounds, "dense, many columns")


def svd_sparse(rounds: int) -> None:
    rng = np.random.default_rng(2)
    svd(sparse.random_array((50_000, 20_000), density=0.002, rng=rng, format="csr"), 10, rounds, "sparse")


def pca(rounds: int) -> None:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((1_000_000, 100))
    X[:, 0] *= 5.0
    race(
        "PCA, 1000000 x 100, 10 components; variance explained",
        lambda: sl.PCA(10).fit(X),
        {"scikit-learn, covariance_eigh": lambda: decomposition.PCA(10, svd_solver="covariance_eigh").fit(X)},
        lambda model: float(model.explained_variance_.sum()),
        rounds,
    )


TASKS = {"nmf": nmf_dense, "nmf_sparse": nmf_sparse, "svd": svd_dense, "svd_sparse": svd_sparse, "pca": pca}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.projections", description=__doc__)
    parser.add_argument("task", nargs="*", choices=[*TASKS, []], help="default: all")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in given.task or TASKS:
            TASKS[name](given.rounds)


if __name__ == "__main__":
    main()
