"""Naive Bayes on counts beside scikit-learn's: 200,000 rows of 50 columns, and counts of words in 20,000 texts.

    python -m benchmarks.naive_bayes [--share 0.1]

Equal probabilities first, then fit and predict, runs interleaved, the best counts. Words of a table are coded by
scikit-learn's OrdinalEncoder where its model needs that; the coding is part of its time, as it is of ours.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sparse
import sklearn.naive_bayes as rival
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import sumlearn as sl

TOLD = 10_000  # rows whose probabilities are compared
WORDS, LENGTH = 50_000, 60  # of all texts, and of one


def cases(share: float) -> Iterator[tuple[str, Any, Any, Any, np.ndarray]]:
    """(name, our model, the rival, rows, labels)."""
    rng = np.random.default_rng(0)
    n, texts = int(200_000 * share), int(20_000 * share)
    y = rng.integers(0, 5, n)
    levels = rng.integers(0, 8, (n, 50))
    counts = rng.poisson(2.0, (n, 50)).astype(float)
    words = rng.integers(0, WORDS, texts * LENGTH)
    bags = sparse.csr_array((np.ones(len(words)), words, np.arange(0, len(words) + 1, LENGTH)), shape=(texts, WORDS))
    bags.sum_duplicates()
    topics = rng.integers(0, 20, texts)
    frame = pd.DataFrame(np.array(list("abcdefgh"))[levels], columns=[f"c{j}" for j in range(50)])
    yield "CategoricalNB", sl.CategoricalNB(), rival.CategoricalNB(), levels, y
    for name in ("MultinomialNB", "ComplementNB", "BernoulliNB"):
        yield name, getattr(sl, name)(), getattr(rival, name)(), counts, y
        yield f"{name}, texts", getattr(sl, name)(), getattr(rival, name)(), bags, topics
    coded = make_pipeline(OrdinalEncoder(), rival.CategoricalNB())
    yield "NaiveBayes, words", sl.NaiveBayes(), coded, frame, y
    yield "NaiveBayes, categories", sl.NaiveBayes(), coded, frame.astype("category"), y
    yield "NaiveBayes, truth values", sl.NaiveBayes(), rival.BernoulliNB(), frame == "a", y
    numbers = pd.DataFrame(rng.normal(size=(n, 50)) + y[:, None] / 9.0, columns=frame.columns)
    yield "NaiveBayes, numbers", sl.NaiveBayes(), rival.GaussianNB(), numbers, y


def least(work: Callable[[], Any], best: float) -> float:
    began = time.perf_counter()
    work()
    return min(best, time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0)
    print("| | fit, ms | rival | ratio | predict, ms | rival | ratio | apart |\n|---|---|---|---|---|---|---|---|")
    for name, ours, theirs, X, y in cases(parser.parse_args().share):
        rows = X[:TOLD]
        apart = np.abs(ours.fit(X, y).predict_proba(rows) - theirs.fit(X, y).predict_proba(rows)).max()
        assert apart < 1e-8, f"{name}: probabilities differ by {apart}"
        times = dict.fromkeys(("fit", "fit of rival", "predict", "predict of rival"), np.inf)
        for _ in range(3):
            for kind, model in (("", ours), (" of rival", theirs)):
                for word, work in (("fit", partial(model.fit, X, y)), ("predict", partial(model.predict, X))):
                    times[word + kind] = least(work, times[word + kind])
        a, b, c, d = (1e3 * value for value in times.values())
        told = f"{a:.1f} | {b:.1f} | {b / a:.1f} | {c:.1f} | {d:.1f} | {d / c:.1f}"
        print(f"| {name} | {told} | {apart:.0e} |", flush=True)


if __name__ == "__main__":
    main()
