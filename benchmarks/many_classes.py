"""One against one beside scikit-learn's, of learners on moments: 26 classes, whose 325 pairs come from class sums.

    python -m benchmarks.many_classes [--rows 200000] [--columns 32]

Equal answers first, then fit, runs interleaved, the best counts. The rival runs with n_jobs=None and with -1; the
better of the two counts.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import RidgeClassifier
from sklearn.multiclass import OneVsOneClassifier

import sumlearn as sl

CLASSES, RUNS = 26, 2
PAIRS = {
    "LDA": (sl.LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis()),
    "ridge": (sl.LeastSquaresClassifier(alpha=1.0), RidgeClassifier(alpha=1.0)),
}


def letters(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of overlapping classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, CLASSES, rows)
    return rng.standard_normal((CLASSES, columns))[y] + 1.5 * rng.standard_normal((rows, columns)), y


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=32)
    asked = parser.parse_args()
    X, y = letters(asked.rows, asked.columns)
    print("| one against one of | fit, s | scikit-learn, s | ratio | answers alike |\n|---|---|---|---|---|")
    for name, (ours, theirs) in PAIRS.items():
        best, said = [np.inf, np.inf], []
        for run in range(RUNS):
            for k, model in enumerate(
                (sl.OneVsOneClassifier(ours), OneVsOneClassifier(theirs, n_jobs=-1 if run else None))
            ):
                began = time.perf_counter()
                model.fit(X, y)
                best[k] = min(best[k], time.perf_counter() - began)
                if run == 0:
                    said.append(model.predict(X[:5000]))
        alike = float((said[0] == said[1]).mean())
        assert alike > 0.995, f"{name}: only {alike:.2%} of the answers are alike"
        print(f"| {name} | {best[0]:.2f} | {best[1]:.2f} | {best[1] / best[0]:.1f} | {alike:.2%} |", flush=True)


if __name__ == "__main__":
    main()
