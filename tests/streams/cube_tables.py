"""Tables with times and groups, for the tests of cubes."""

import numpy as np
import pandas as pd

FEATURES = ["a", "b", "c"]


def table(n=3000, seed=0, offset=0.0, days=120, shops="ABCDEFGHIJK"):
    """Rows of shops and lanes at any second of some days, whose slopes drift."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.standard_normal((n, 3)) + offset, columns=FEATURES)
    frame["shop"] = rng.choice(list(shops), n)
    frame["lane"] = rng.integers(0, 3, n)
    frame["ts"] = pd.Timestamp("2026-01-05") + pd.to_timedelta(rng.integers(0, days * 86400, n), unit="s")
    drift = (frame["ts"] - frame["ts"].min()).dt.days / days
    frame["y"] = (frame["a"] - offset) * (1 + drift) - 2 * (frame["b"] - offset) + 0.5 * rng.standard_normal(n)
    frame["w"] = rng.choice([0.0, 0.5, 1.0, 3.0], n)
    return frame


def refit(learner, rows, weighted=False):
    return learner.fit(rows[FEATURES], rows["y"], rows["w"] if weighted else None)


def drawn_window(rng, frame, grain_days=1):
    """A window of whole days and a choice of keys, as they stand in the brackets, and the rows that they mean."""
    start = frame["ts"].min().normalize()
    days = (frame["ts"].max().normalize() - start).days + 1
    first, last = sorted(rng.choice(days + 1, 2, replace=False).tolist())
    begin, end = start + pd.Timedelta(days=first), start + pd.Timedelta(days=last)
    rows = (frame["ts"] >= begin) & (frame["ts"] < end)
    window = slice(begin.to_pydatetime(), end.to_pydatetime())
    if rng.random() < 0.5:  # the same as periods, whose end belongs to them
        window = slice(str(begin.date()), str((end - pd.Timedelta(days=1)).date()))
    wanted = {}
    if rng.random() < 0.7:
        wanted["shop"] = sorted(rng.choice(frame["shop"].unique(), rng.integers(1, 8), replace=False).tolist())
        rows &= frame["shop"].isin(wanted["shop"])
    if rng.random() < 0.4:
        wanted["lane"] = int(rng.integers(0, 3))
        rows &= frame["lane"] == wanted["lane"]
    return (window, wanted) if wanted else window, frame[rows]
