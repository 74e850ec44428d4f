"""Epochs of a multilayer perceptron against scikit-learn and torch: `python -m benchmarks.networks [--device cuda]`.

All sides learn float32 rows in batches of 200 by Adam: the same layers, the same number of epochs, one after the other
in rounds, and the best time of each counts. scikit-learn's BLAS and torch take one thread or all, whichever is faster;
the loop of torch is written by hand, with its fused Adam. With the same seed scikit-learn's course is ours, so the last
losses of the two are compared first; torch draws other weights.

With `--device` one wide network, three layers of 2,048 units in batches of 8,192, learns there: the loop of torch keeps
all rows on the device, as ours does. The least time of several fits is divided by the steps, and short fits are taken
from long ones, so that what a fit does once (weights are drawn, rows are moved) is not counted.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn import neural_network

import sumlearn as sl

from benchmarks.timing import blas_threads, timed

BATCH = 200
WIDE_BATCH = 8192


def tables() -> dict[str, tuple[np.ndarray, np.ndarray, tuple[int, ...], int]]:
    """Rows, classes, hidden layers and epochs: like the digits, and many rows."""
    rng = np.random.default_rng(0)
    digits = rng.random((1797, 64), dtype=np.float32), rng.integers(0, 10, 1797)
    many = rng.standard_normal((100_000, 100), dtype=np.float32)
    classes = many[:, :10].argmax(axis=1)
    return {
        "digits, 100": (*digits, (100,), 20),
        "100,000 x 100, 100": (many, classes, (100,), 1),
        "100,000 x 100, 256 and 128": (many, classes, (256, 128), 1),
    }


def by_torch(
    X: np.ndarray,
    y: np.ndarray,
    hidden: tuple[int, ...],
    epochs: int,
    threads: int,
    size: int = BATCH,
    device: str = "cpu",
) -> Any:
    """A loop written by hand."""
    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    units = [X.shape[1], *hidden, int(y.max()) + 1]
    layers: list[Any] = []
    for inputs, outputs in pairwise(units):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    model, judge = torch.nn.Sequential(*layers[:-1]).to(device), torch.nn.CrossEntropyLoss()
    rule = torch.optim.Adam(model.parameters(), fused=True)
    rows, classes = torch.from_numpy(X).to(device), torch.from_numpy(y).to(device)
    for _ in range(epochs):
        order = torch.randperm(len(X), device=device)
        for start in range(0, len(X), size):
            batch = order[start : start + size]
            rule.zero_grad(set_to_none=True)
            judge(model(rows[batch]), classes[batch]).backward()
            rule.step()
    return [p.detach().cpu().numpy() for p in model.parameters()]


def held(threads: int, fit: Callable[[], Any]) -> Any:
    with blas_threads(threads):
        return fit()


def on_device(device: str, rounds: int) -> None:
    """Milliseconds of a step of a wide network."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((16 * WIDE_BATCH, 1024), dtype=np.float32)
    y, hidden = X[:, :10].argmax(axis=1), (2048, 2048, 2048)
    epochs = (1, 5)

    def ours(epochs: int, dropout: float = 0.0) -> Any:
        options = {"hidden_layer_sizes": hidden, "max_iter": epochs, "tol": 0.0, "n_iter_no_change": epochs + 1}
        return sl.MLPClassifier(**options, batch_size=WIDE_BATCH, dropout=dropout, device=device).fit(X, y)

    sides: dict[str, Callable[[int], Any]] = {
        "sumlearn": ours,
        "sumlearn, half of the units silent": lambda n: ours(n, 0.5),
        "torch": lambda n: by_torch(X, y, hidden, n, os.cpu_count() or 1, WIDE_BATCH, device),
    }
    best: dict[tuple[str, int], float] = {}
    for turn in range(rounds + 1):  # the first one warms up
        for name, fit in sides.items():
            for n in epochs:
                seconds = timed(lambda fit=fit, n=n: fit(n))[0]
                best[name, n] = min(best.get((name, n), np.inf), seconds) if turn else np.inf
    steps = (epochs[1] - epochs[0]) * len(X) // WIDE_BATCH
    each = {name: (best[name, epochs[1]] - best[name, epochs[0]]) / steps for name in sides}
    print(f"a step of 3 x 2,048 units, batches of {WIDE_BATCH:,}, on {device}")
    for name, seconds in each.items():
        print(f"    {name:36} {1000 * seconds:8.3f} ms  torch / it {each['torch'] / seconds:6.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.networks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default=None, help='such as "cuda": one wide network there')
    given = parser.parse_args()
    rounds = given.rounds
    warnings.simplefilter("ignore")
    if given.device is not None:
        on_device(given.device, rounds)
        return
    cores = sorted({1, os.cpu_count() or 1})
    for title, (X, y, hidden, epochs) in tables().items():
        options = {"hidden_layer_sizes": hidden, "max_iter": epochs, "tol": 0.0, "n_iter_no_change": epochs + 1}
        ours = lambda o=options, X=X, y=y: sl.MLPClassifier(**o, random_state=0).fit(X, y)  # noqa: E731
        theirs = lambda o=options, X=X, y=y: neural_network.MLPClassifier(**o, random_state=0).fit(X, y)  # noqa: E731
        sides: dict[str, Callable[[], Any]] = {"sumlearn": ours}
        for n in cores:
            sides[f"scikit-learn, {n} threads"] = lambda n=n, fit=theirs: held(n, fit)
            sides[f"torch, {n} threads"] = lambda n=n, a=(X, y, hidden, epochs): by_torch(*a, n)
        best: dict[str, float] = {}
        found: dict[str, Any] = {}
        ours()  # loops are compiled, pages are there
        for _ in range(rounds):
            for name, fit in sides.items():
                seconds, found[name] = timed(fit)
                best[name] = min(best.get(name, np.inf), seconds)
        losses = found["sumlearn"].loss_, found[f"scikit-learn, {cores[0]} threads"].loss_
        own = best.pop("sumlearn")
        print(f"{title}: {epochs / own:.2f} epochs a second; loss {losses[0]:.6f}, scikit-learn's {losses[1]:.6f}")
        for name, seconds in best.items():
            print(f"    {name:28} {seconds:8.3f} s  ratio {seconds / own:6.2f}", flush=True)


if __name__ == "__main__":
    main()
