"""Rows in Dask blocks, and a cluster to sum them on."""

import logging
import os
import sys
import time
from contextlib import contextmanager

import numpy as np

rng = np.random.default_rng(3)
ROWS = 5 * 32_768 + 777
NAMES = ["a", "b", "c"]
X = rng.standard_normal((ROWS, 3)) * [1.0, 30.0, 0.01] + [0.0, 1e4, -3.0]
SCORE = X @ [1.0, 0.1, 50.0] + 0.5 * rng.standard_normal(ROWS)
LABEL = np.array(["low", "mid", "top"])[np.digitize(SCORE, np.quantile(SCORE, [0.3, 0.7]))]
WEIGHT = rng.integers(0, 4, ROWS) / 2.0


@contextmanager
def local_cluster():
    """Processes of this machine, which find the library and these tests as this process does."""
    import dask
    from distributed import Client, LocalCluster

    path = os.pathsep.join(filter(None, sys.path))
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None, "env": {"PYTHONPATH": path}}
    with (
        dask.config.set({"distributed.worker.daemon": True}),
        LocalCluster(n_workers=1, silence_logs=logging.CRITICAL, **options) as cluster,
        Client(cluster) as client,
    ):
        yield client


def scaled(client, workers):
    """As many workers as that: their process ids."""
    client.cluster.scale(workers)
    end = time.monotonic() + 60
    while len(client.scheduler_info(n_workers=-1)["workers"]) != workers and time.monotonic() < end:
        time.sleep(0.05)
    pids = set(client.run(os.getpid).values())
    assert len(pids) == workers
    return pids
