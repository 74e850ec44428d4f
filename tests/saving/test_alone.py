"""A process of the command's own does not wait for a list of all of scikit-learn, and reads the same files."""

import subprocess
import sys

import numpy as np
import pandas as pd
from sklearn.neighbors import KNeighborsRegressor

import sumlearn as sl

from tests.cli.conftest import ENVIRONMENT

READ = """
import sys
import pandas as pd
from sumlearn import lazy
lazy.ALONE = True
import sumlearn as sl
ours = sl.load("ours.skops")
assert "skops" in sys.modules and "sklearn.neural_network" not in sys.modules
foreign = sl.load("foreign.skops")
sl.save(ours, "again.skops")
sl.save(foreign, "foreign_again.skops")
print(type(ours).__name__, type(foreign.learner_).__name__, foreign.predict(pd.DataFrame({"a": [1.0]}))[0])
from sklearn.utils import all_estimators
assert len(all_estimators()) > 100
"""


def test_models_are_read_and_written_as_anywhere(tmp_path):
    table = pd.DataFrame({"a": np.arange(6.0), "y": np.arange(6.0) ** 2})
    sl.save(sl.Ridge().fit(table[["a"]], table["y"]), tmp_path / "ours.skops")
    sl.save(sl.TableModel(KNeighborsRegressor(1, algorithm="brute")).fit(table, "y"), tmp_path / "foreign.skops")
    done = subprocess.run(
        [sys.executable, "-c", READ], capture_output=True, cwd=tmp_path, env=ENVIRONMENT, text=True, check=False
    )
    assert done.stdout.split() == ["Ridge", "KNeighborsRegressor", "1.0"], done.stderr
    again = sl.load(tmp_path / "again.skops"), sl.load(tmp_path / "foreign_again.skops")
    assert [model.predict(table[["a"]]).tolist() for model in again] == [
        sl.load(tmp_path / f"{name}.skops").predict(table[["a"]]).tolist() for name in ("ours", "foreign")
    ]
