"""Tables of many columns: features are looked at some at a time, with the same result."""

from unittest.mock import patch

import numpy as np
import pandas as pd

from sumlearn.features import TableEncoder
from sumlearn.features.table import design


def test_features_are_looked_at_in_blocks():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((20, 60)), columns=[f"c{j}" for j in range(60)])
    table.iloc[3:9, 5], table["c7"], table["k"] = np.nan, 4.0, list("abcab") * 4
    whole = TableEncoder().fit(table)
    with patch.object(design, "BLOCK", 8):
        blocks = TableEncoder().fit(table)
    assert blocks.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    assert np.array_equal(blocks.transform(table), whole.transform(table))
