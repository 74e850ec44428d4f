"""Nearest neighbours beside scikit-learn's, scikit-learn-intelex's and faiss's: 20,000 queries in 200,000 rows.

python -m benchmarks.neighbours            standard normal rows in 10 and 50 columns; clusters, ties (10 and 50 columns)
python -m benchmarks.neighbours 10 normal  one number of columns, one kind of rows
python -m benchmarks.neighbours cpu        CPU time of all threads, where the machine has other work to do

Building the index and asking it once, all processors for everybody, the better of two. Ours and scikit-learn's
distances are compared with brute force in double on some queries; faiss works in single precision.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from sumlearn import KNeighborsClassifier
from sumlearn.engines import cores

ROWS, QUERIES, NEIGHBOURS, CHECKED = 200_000, 20_000, 10, 50


def normal(rng: Any, rows: int, columns: int) -> np.ndarray:
    return rng.standard_normal((rows, columns))


def clusters(rng: Any, rows: int, columns: int) -> np.ndarray:
    """A hundred dense clusters, far apart."""
    centres = 30.0 * np.random.default_rng(1).standard_normal((100, columns))
    return centres[rng.integers(0, 100, rows)] + 0.1 * rng.standard_normal((rows, columns))


def ties(rng: Any, rows: int, columns: int) -> np.ndarray:
    """Half numbers: many are as far away as each other, and some the same."""
    return np.round(2.0 * rng.standard_normal((rows, columns)))


KINDS = {"normal": normal, "clusters": clusters, "ties": ties}


def ours(X: np.ndarray, y: np.ndarray, Q: np.ndarray) -> Any:
    return KNeighborsClassifier(NEIGHBOURS).fit(X, y).kneighbors(Q)


def voting(X: np.ndarray, y: np.ndarray, Q: np.ndarray) -> Any:
    return KNeighborsClassifier(NEIGHBOURS).fit(X, y).predict(Q)


def scikit_learn(how: str) -> Callable[..., Any]:
    def run(X: np.ndarray, y: np.ndarray, Q: np.ndarray) -> Any:
        return NearestNeighbors(n_neighbors=NEIGHBOURS, algorithm=how, n_jobs=cores()).fit(X).kneighbors(Q)

    return run


def intelex(how: str) -> Callable[..., Any]:
    from sklearnex.neighbors import NearestNeighbors as Intel

    def run(X: np.ndarray, y: np.ndarray, Q: np.ndarray) -> Any:
        return Intel(n_neighbors=NEIGHBOURS, algorithm=how).fit(X).kneighbors(Q)

    return run


def flat(X: np.ndarray, y: np.ndarray, Q: np.ndarray) -> Any:
    import faiss

    faiss.omp_set_num_threads(cores())
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X.astype(np.float32))
    squares, numbers = index.search(Q.astype(np.float32), NEIGHBOURS)
    return np.sqrt(squares), numbers


def brute(X: np.ndarray, Q: np.ndarray) -> np.ndarray:
    return np.array([np.sort(np.sqrt(((X - q) ** 2).sum(axis=1)))[:NEIGHBOURS] for q in Q])


def timed(run: Callable[..., Any], *data: Any, times: int = 2) -> tuple[float, Any]:
    clock = time.process_time if "cpu" in sys.argv else time.perf_counter
    best, found = np.inf, None
    for _ in range(times):
        start = clock()
        found = run(*data)
        best = min(best, clock() - start)
    return best, found


def rivals(columns: int, kind: str) -> dict[str, Callable[..., Any]]:
    found: dict[str, Callable[..., Any]] = {}
    if columns <= 20 or kind == "clusters":
        found["scikit-learn, kd tree"] = scikit_learn("kd_tree")
    if columns > 20:
        found["scikit-learn, brute"] = scikit_learn("brute")
    for how in ("kd_tree",) if columns <= 20 else ("brute",):
        try:
            found[f"intelex, {how}"] = intelex(how)
        except ImportError:
            print("scikit-learn-intelex is not installed")
    try:
        import faiss  # noqa: F401

        found["faiss, flat"] = flat
    except ImportError:
        print("faiss is not installed")
    return found


def race(columns: int, kind: str) -> None:
    rng = np.random.default_rng(0)
    X, Q = KINDS[kind](rng, ROWS, columns), KINDS[kind](rng, QUERIES, columns)
    y = (X[:, 0] > 0).astype(int)
    for run in (ours, voting):
        run(X[:5000], y[:5000], Q[:500])  # compiled
    own, (distances, _) = timed(ours, X, y, Q)
    votes, _ = timed(voting, X, y, Q)
    checked = rng.integers(0, QUERIES, CHECKED)
    apart = np.abs(distances[checked] - brute(X, Q[checked])).max()
    print(f"{columns} columns, {kind}: ours {own:.2f} s (votes of all that are tied {votes:.2f} s), off by {apart:.0e}")
    for name, run in rivals(columns, kind).items():
        seconds, (found, _) = timed(run, X, y, Q, times=1 if own > 3 else 2)
        off = np.abs(found[checked] - distances[checked]).max()
        print(
            f"    {name:24} {seconds:6.2f} s, ratio {seconds / own:5.2f}, votes {seconds / votes:5.2f}, "
            f"off by {off:.0e}",
            flush=True,
        )


def main(arguments: list[str]) -> None:
    columns = [int(word) for word in arguments if word.isdigit()] or [10, 50]
    kinds = [word for word in arguments if word in KINDS] or list(KINDS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for d in columns:
            for kind in kinds:
                race(d, kind)


if __name__ == "__main__":
    main(sys.argv[1:])
