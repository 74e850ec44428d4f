"""What is measured: sizes, tolerances and target ratios. A target names the rival it is meant for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from benchmarks.agreement import Tolerance
from benchmarks.candidates import Rival

BOTH = ("float64", "float32")
# Rivals that add float32 numbers in float32 are off by some 7e-4 after a million rows.
USUAL = {"float64": Tolerance(reals=1e-8, labels=1e-4), "float32": Tolerance(reals=2e-3, labels=1e-3)}

# The objective reached; in float32 scikit-learn itself ends 4e-7 above the minimum.
SAME_OBJECTIVE = {"float64": Tolerance(reals=1e-8, labels=0.0), "float32": Tolerance(reals=1e-6, labels=0.0)}

# Trees to the end: of equally good questions of a few rows each library asks another one. Leaves, and errors on rows
# left out.
NEAR_TREE = {"float32": Tolerance(reals=3e-2, labels=0.0)}

# Forests and boosting by other draws and other bins: losses on rows left out.
NEAR_LOSS = {"float32": Tolerance(reals=5e-2, labels=0.0)}

# The same columns and the same score of them.
SAME_SUBSET = {"float64": Tolerance(reals=1e-9, labels=0.0)}
# Floating searches have rules of their own, and end at subsets that differ a little.
NEAR_SCORE = {"float64": Tolerance(reals=1e-2, labels=0.0)}


@dataclass(frozen=True)
class Field:
    """Who runs: ours, if it is there, and the rivals that could be loaded."""

    ours: Rival | None
    rivals: list[Rival]


@dataclass(frozen=True)
class Task:
    """A size of data, the dtypes to run, what counts as agreement, and the ratio to reach by rival."""

    name: str
    rows: int
    columns: int
    kind: str = "race"
    dtypes: tuple[str, ...] = ("float64",)
    targets: Mapping[str, float] = field(default_factory=dict)
    tolerances: Mapping[str, Tolerance] = field(default_factory=lambda: USUAL)

    @property
    def model(self) -> str:
        """The name under which adapters enter this task."""
        return self.name.removeprefix("memory/").removeprefix("wide/")

    def target(self, rival: str) -> float | None:
        return self.targets.get(rival)

    def tolerance(self, dtype: np.dtype) -> Tolerance:
        return self.tolerances[str(dtype)]

    def is_in(self, name: str) -> bool:
        """Is this the named task, or one of the named group (`memory` of `memory/ridge`)?"""
        return self.name == name or self.name.startswith(f"{name}/")


FITS = {
    "linear_regression": {"intelex": 1.5, "scikit-learn": 18.0},
    "ridge": {"intelex": 1.5, "scikit-learn": 2.4},
    "pca": {"intelex": 1.3, "scikit-learn": 1.3},
    "lda": {"scikit-learn": 8.0},
    "qda": {"scikit-learn": 30.0},
    "gaussian_nb": {"scikit-learn": 40.0},
}

WIDE = ("linear_regression", "ridge", "ridge_loo", "pca", "lda")  # on fewer rows than columns

TASKS: tuple[Task, ...] = (
    *(Task(name, 1_000_000, 100, dtypes=BOTH, targets=targets) for name, targets in FITS.items()),
    Task("five_models", 1_000_000, 100, kind="five", dtypes=BOTH, targets={"best of each": 15.0}),
    Task(
        "ridge_cv",
        200_000,
        200,
        targets={"intelex": 2000.0, "scikit-learn": 2000.0},
        tolerances={"float64": Tolerance(reals=1e-12, labels=0.0)},
    ),
    Task("ridge_loo", 200_000, 200, targets={"scikit-learn": 150.0}),
    Task("cross_validate/linear_regression", 200_000, 100),
    Task("cross_validate/lda", 200_000, 100, tolerances={"float64": Tolerance(reals=2e-4, labels=0.0)}),
    Task("logistic/two", 500_000, 50, targets={"scikit-learn": 5.0}, tolerances=SAME_OBJECTIVE),
    Task("logistic/two_narrow", 500_000, 50, dtypes=("float32",), targets={"scikit-learn": 15.0},
         tolerances=SAME_OBJECTIVE),
    Task("logistic/ten", 500_000, 50, targets={"scikit-learn": 15.0}, tolerances=SAME_OBJECTIVE),
    Task("inference/ols", 1_000_000, 50, targets={"statsmodels": 10.0}),
    Task("inference/file", 10_000_000, 9, kind="large inference"),
    Task("selection/mi", 100_000, 500, targets={"scikit-learn": 100.0}),
    Task("selection/fcbf", 100_000, 500, targets={"scikit-learn": 250.0}),
    Task("sfs/least_squares", 20_000, 60, targets={"scikit-learn": 3000.0}, tolerances=SAME_SUBSET),
    Task("sfs/ridge", 20_000, 60, targets={"scikit-learn": 3000.0}, tolerances=SAME_SUBSET),
    Task("sfs/lda", 20_000, 60, targets={"scikit-learn": 500.0}, tolerances=SAME_SUBSET),
    Task("sffs/lda", 20_000, 60, targets={"mlxtend": 300.0}, tolerances=NEAR_SCORE),
    Task("sfs/wide", 100_000, 1_000, tolerances=SAME_SUBSET),
    Task("sfs/parquet", 1_000_000, 30, tolerances=SAME_SUBSET),
    Task("tree/two", 200_000, 50, dtypes=("float32",), targets={"scikit-learn": 5.0}, tolerances=NEAR_TREE),
    Task("tree/ten", 200_000, 50, dtypes=("float32",), targets={"scikit-learn": 5.0}, tolerances=NEAR_TREE),
    Task("tree/numbers", 200_000, 50, dtypes=("float32",), targets={"scikit-learn": 5.0}, tolerances=NEAR_TREE),
    *(
        Task(f"boosting/{kind}", 200_000, 50, dtypes=("float32",), targets={"scikit-learn": 2.0, "LightGBM": 2.0},
             tolerances=NEAR_LOSS)
        for kind in ("two", "five", "numbers")
    ),
    *(
        Task(f"forest/{kind}", 200_000, 50, dtypes=("float32",), targets={"scikit-learn": 8.0}, tolerances=NEAR_LOSS)
        for kind in ("two", "numbers")
    ),
    Task("adaboost", 100_000, 50, dtypes=("float32",), targets={"scikit-learn": 5.0},
         tolerances={"float32": Tolerance(reals=1e-6, labels=0.0)}),
    *(
        Task(f"bagging/{base}", 20_000, 50, targets={"scikit-learn": 20.0},
             tolerances={"float64": Tolerance(reals=1e-6, labels=0.0)})
        for base in ("ridge", "lda")
    ),
    Task("stacking", 100_000, 50, targets={"scikit-learn": 20.0},
         tolerances={"float64": Tolerance(reals=1e-6, labels=0.0)}),
    Task("local/nadaraya_watson", 20_000, 10, targets={"NumPy": 5.0, "scikit-learn": 5.0, "statsmodels": 5.0}),
    Task("local/bandwidth", 4_000, 3, targets={"NumPy": 5.0}),
    Task("local/lwr", 100_000, 10),
    Task("local/lwr_queries", 100_000, 10, targets={"NumPy": 5.0}),
    Task("local/loess_curve", 2_000, 1, targets={"NumPy": 5.0, "statsmodels": 5.0}),
    Task("local/loess_surface", 2_000, 5, targets={"NumPy": 5.0}),
    Task("bayesian_regression", 1_000_000, 50, targets={"scikit-learn": 5.0}),
    Task("extreme_learning_machine", 200_000, 20, tolerances={"float64": Tolerance(reals=1e-6, labels=0.0)}),
    Task("roc", 1_000_000, 1, dtypes=BOTH, targets={"scikit-learn": 2.0}),
    *(Task(f"wide/{name}", 60, 2_000) for name in WIDE),
    *(Task(f"memory/{name}", 1_000_000, 100, kind="memory") for name in FITS),
    *(Task(f"memory/wide/{name}", 200, 20_000, kind="memory") for name in WIDE[:3]),  # some rivals square the others
    Task("memory/inference/ols", 1_000_000, 50, kind="memory"),
    Task("memory/local/nadaraya_watson", 20_000, 10, kind="memory"),
    Task("memory/local/lwr_queries", 100_000, 10, kind="memory"),
    Task("memory/local/loess_surface", 2_000, 5, kind="memory"),
    Task(
        "files",
        1_000_000,
        100,
        kind="files",
        targets={"in memory": 0.7, "half the rows": 0.9, "pandas + scikit-learn": 1.0},
    ),
)
