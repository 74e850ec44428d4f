"""Dask frames of Parquet files, which Dask cuts otherwise for every choice of their columns."""

import dask.dataframe as dd
import numpy as np
import pandas as pd

rng = np.random.default_rng(5)
TABLE = pd.DataFrame(rng.standard_normal((2000, 4)), columns=list("abcd"))
TABLE["y"] = TABLE.sum(axis=1) + rng.standard_normal(2000)
TABLE["kind"] = np.where(TABLE["y"] > 0, "high", "low")
TABLE["w"] = rng.integers(1, 4, 2000) / 2.0


def frames(folder):
    """The same table: one file of many row groups, many files, expressions and filters."""
    TABLE.to_parquet(folder / "one.parquet", row_group_size=100)
    (folder / "many").mkdir()
    for number in range(8):
        TABLE[250 * number : 250 * (number + 1)].to_parquet(folder / "many" / f"{number}.parquet")
    one, many = str(folder / "one.parquet"), str(folder / "many")
    split = dd.read_parquet(one, split_row_groups=True)
    return {
        "one file": dd.read_parquet(one),
        "row groups": split,
        "some row groups": dd.read_parquet(one, split_row_groups=3),
        "many files": dd.read_parquet(many),
        "a pattern": dd.read_parquet(many + "/*.parquet"),
        "small blocks": dd.read_parquet(many, blocksize="10kB"),
        "an expression": split.assign(a=split["a"] * 2 - split["a"]),
        "a filter": split[split["a"] > -1e9],  # of all rows, but Dask does not know
    }
