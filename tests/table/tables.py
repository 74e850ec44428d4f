"""Mixed tables to test on: numbers, whole numbers, booleans, categories and dates, with missing values."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st


def mixed_table(n=120, seed=0, cities=("Oslo", "Rome", "Bern"), missing=0.15, offset=0.0):
    """A table with a number `y` and a label `kind` to predict."""
    rng = np.random.default_rng(seed)
    size = np.round(rng.standard_normal(n) * 1024) / 1024
    city = rng.choice(cities, n).astype(object)
    rooms = rng.integers(1, 6, n)
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), unit="D")
    y = 2.0 * size + rooms + (city == cities[0]) * 3.0 + 0.3 * rng.standard_normal(n)
    frame = pd.DataFrame(
        {
            "size": size + offset,
            "rooms": rooms,
            "city": city,
            "garden": rng.random(n) < 0.4,
            "when": when,
            "y": y,
            "kind": np.where(y > 4.0, "dear", np.where(y > 2.0, "fair", "cheap")),
        }
    )
    frame.loc[rng.random(n) < missing, "size"] = np.nan
    frame.loc[rng.random(n) < missing, "city"] = None
    frame.loc[rng.random(n) < missing / 2, "when"] = pd.NaT
    return frame


@st.composite
def pairs(draw):
    """Two tables of one kind, the second with levels of its own, with drawn sizes, offsets and shares of gaps."""
    offset = draw(st.sampled_from([0.0, 1e3, 1e6, 1e9]))
    missing = draw(st.sampled_from([0.0, 0.1, 0.5]))
    seeds = draw(st.tuples(st.integers(0, 99), st.integers(100, 199)))
    sizes = draw(st.tuples(st.integers(25, 90), st.integers(12, 60)))
    cities = draw(st.sampled_from([("Oslo", "Rome"), ("Lima", "Rome", "Pisa"), ("Lima",)]))
    first = mixed_table(sizes[0], seeds[0], missing=missing, offset=offset)
    second = mixed_table(sizes[1], seeds[1], cities, missing=missing, offset=offset)
    return first, second


def together(*frames):
    return pd.concat(frames, ignore_index=True)


def without(frame, target):
    """The features, and the target by name beside them."""
    return frame.drop(columns={"y": "kind", "kind": "y"}[target])
