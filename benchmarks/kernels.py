"""Kernel ridge, landmarks and import vectors against scikit-learn: `python -m benchmarks.kernels`.

Choosing gamma and lambda: scores of all points are compared, and the whole search is timed. A grid search by
leave-one-out would take days, so one of its fits is timed, and the rest is extrapolated from it and said to be so. Both
sides have all cores (the rival at the better of one job and one for each core).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_approximation import Nystroem as TheirNystroem
from sklearn.kernel_ridge import KernelRidge as TheirKernelRidge
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

import sumlearn as sl
from sumlearn.engines import cores
from sumlearn.features import Nystroem

GAMMAS, ALPHAS = np.logspace(-3, 0.5, 10), np.logspace(-6, 2, 30)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    found = work()
    return time.perf_counter() - begun, found


def rows(count: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((count, columns))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(count)


def choice(count: int, gammas: int) -> None:
    """10 x 30 values of gamma and lambda; with fewer gammas the rival's time is that of a part, and extrapolated."""
    X, y = rows(count, 10)
    some = GAMMAS[:: len(GAMMAS) // gammas][:gammas]
    share = len(GAMMAS) / len(some)
    best = np.inf
    for jobs in {1, cores()}:
        search = GridSearchCV(TheirKernelRidge(kernel="rbf"), {"gamma": some, "alpha": ALPHAS}, cv=5, n_jobs=jobs)
        with threadpool_limits(1):
            seconds, search = timed(lambda search=search: search.fit(X, y))
        best = min(best, seconds * share)
    theirs = search.cv_results_["mean_test_score"].reshape(len(ALPHAS), len(some)).T
    for cv in (5, None):
        ours, model = timed(lambda cv=cv: sl.KernelRidgeCV(ALPHAS, gammas=GAMMAS, cv=cv, fit_intercept=False).fit(X, y))
        if cv is not None:
            place = [int(np.argmin(np.abs(model.gammas_ - gamma))) for gamma in some]
            print(f"scores of {theirs.size} points agree to {np.abs(model.scores_[place] - theirs).max():.1e}")
        title = "5 folds" if cv else "leave-one-out"
        print(
            f"choice by {title}, {count} rows: {ours:.2f} s; 5 folds by GridSearchCV {best:.1f} s, {best / ours:.0f}x"
        )
    one = min(
        timed(lambda: TheirKernelRidge(alpha=0.1, kernel="rbf", gamma=0.1).fit(X[1:], y[1:]))[0] for _ in range(5)
    )
    total = one * count * len(GAMMAS) * len(ALPHAS) / cores()
    print(
        f"    leave-one-out by GridSearchCV, extrapolated from its fits: {total:.0f} s, {total / ours:.0f}x", flush=True
    )


def landmarks(count: int, points: int) -> None:
    X, y = rows(count, 20)
    basis = Nystroem(gamma=0.05, n_components=points, random_state=0)
    pipe = make_pipeline(TheirNystroem(gamma=0.05, n_components=points, random_state=0), TheirRidge(0.1))
    ours, theirs = np.inf, np.inf
    for _ in range(3):
        seconds, model = timed(lambda: sl.Ridge(0.1, basis=basis).fit(X, y))
        ours = min(ours, seconds)
        for threads in (1, cores()):
            with threadpool_limits(threads):
                theirs = min(theirs, timed(lambda: pipe.fit(X, y))[0])
    away = np.abs(model.predict(X[:1000]) - pipe.predict(X[:1000])).max()
    print(f"ridge on {points} landmarks, {count} rows: {ours:.2f} s; scikit-learn {theirs:.2f} s, {theirs / ours:.2f}x")
    print(f"    predictions differ by {away:.1e}", flush=True)


def single(count: int) -> None:
    X, y = rows(count, 10)
    for kernel in ("rbf", "laplacian", "poly"):
        ours, theirs = np.inf, np.inf
        for _ in range(3):
            seconds, model = timed(lambda kernel=kernel: sl.KernelRidge(0.1, kernel=kernel, gamma=0.1).fit(X, y))
            ours = min(ours, seconds)
            seconds, other = timed(
                lambda kernel=kernel: TheirKernelRidge(alpha=0.1, kernel=kernel, gamma=0.1).fit(X, y)
            )
            theirs = min(theirs, seconds)
        mine, foreign = timed(lambda model=model: model.predict(X)), timed(lambda other=other: other.predict(X))
        print(
            f"kernel ridge, {kernel}, {count} rows: fit {ours:.2f} s, {theirs / ours:.2f}x; predict {mine[0]:.2f} s, "
            f"{foreign[0] / mine[0]:.2f}x; they differ by {np.abs(mine[1] - foreign[1]).max():.1e}",
            flush=True,
        )


def import_vectors(count: int) -> None:
    X, y = rows(2 * count, 5)
    label = (y > np.median(y)).astype(int)
    X, label, asked, wanted = X[:count], label[:count], X[count:], label[count:]
    model = sl.ImportVectorMachine(gamma=0.1)
    ours, model = timed(lambda: model.fit(X, label))
    full_time, full = timed(lambda: sl.ImportVectorMachine(gamma=0.1, tol=1e-6).fit(X, label))
    theirs, other = timed(lambda: GaussianProcessClassifier(1.0 * RBF(np.sqrt(5.0)), optimizer=None).fit(X, label))
    few, every, foreign = (log_loss(wanted, each.predict_proba(asked)) for each in (model, full, other))
    print(
        f"import vectors, {count} rows: {len(model.support_)} points ({100 * len(model.support_) / count:.1f} %), "
        f"{ours:.2f} s, gap {model.gap_ / model.objective_:.4f}\n"
        f"    log-loss {few:.4f}, of the full one {every:.4f} ({100 * (few / every - 1):+.2f} %; {len(full.support_)} "
        f"points, {full_time:.1f} s)\n    scikit-learn's Gaussian process: {foreign:.4f}, {theirs:.1f} s, "
        f"{theirs / ours:.1f}x",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--gammas", type=int, default=10, help="how many gammas the grid search is timed on")
    options = parser.parse_args()
    timed(lambda: sl.KernelRidgeCV(ALPHAS).fit(*rows(60, 3)))  # what is loaded and compiled at the first fit
    timed(lambda: sl.ImportVectorMachine().fit(rows(60, 3)[0], rows(60, 3)[1] > 0))
    choice(options.rows, options.gammas)
    single(2 * options.rows)
    landmarks(100 * options.rows, 300)
    import_vectors(options.rows)


if __name__ == "__main__":
    main()
