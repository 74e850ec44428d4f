"""The NIST reference data of tests/data/nist, and how many digits of an estimate are right."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FOLDER = Path(__file__).parent.parent / "data" / "nist"
MOST_DIGITS = 15  # certified values are printed with 15 digits

Certified = dict[str, Any]


@cache
def certified_values(family: str) -> dict[str, Certified]:
    """All certified results of a family: "lls", "univ" or "anova"."""
    return json.loads((FOLDER / f"{family}_certified.json").read_text(encoding="utf-8"))


LINEAR = tuple(certified_values("lls"))
UNIVARIATE = tuple(certified_values("univ"))
ANOVA = tuple(certified_values("anova"))


def load_linear(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64], Certified]:
    """Inputs without a constant column, target, certified values.

    `certified["coef"]` begins with the intercept where `certified["intercept"]` is true.
    """
    certified = certified_values("lls")[name]
    table = read_table("lls", name)
    y, X = table[:, 0], table[:, 1:]
    if certified["kind"] == "poly":
        X = X ** np.arange(1, certified["terms"] + 1)
    return X, y, certified


def load_univariate(name: str) -> tuple[NDArray[np.float64], Certified]:
    """Observations, certified mean, standard deviation and autocorrelation."""
    return read_table("univ", name)[:, 0], certified_values("univ")[name]


def load_anova(name: str) -> tuple[NDArray[np.int64], NDArray[np.float64], Certified]:
    """Group of each observation, observations, certified analysis of variance."""
    table = read_table("anova", name)
    return table[:, 0].astype(np.int64), table[:, 1], certified_values("anova")[name]


def read_table(family: str, name: str) -> NDArray[np.float64]:
    """The numbers of a file, plain or gzipped, two-dimensional."""
    path = FOLDER / f"{family}_{name}.csv"
    if not path.exists():
        path = path.with_suffix(".csv.gz")
    return np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)


def correct_digits(estimate: ArrayLike, certified: ArrayLike) -> float:
    """Correct digits of the worst entry: the log relative error, between 0 and 15.

        -log10(|estimate - certified| / |certified|),   -log10(|estimate|) where certified is 0

    An entry that is not a number has no correct digit.
    """
    b, c = np.broadcast_arrays(np.asarray(estimate, float), np.asarray(certified, float))
    scale = np.where(c == 0, 1.0, np.abs(c))
    with np.errstate(invalid="ignore"):  # inf - inf
        error = np.where(b == c, 0.0, np.abs(b - c) / scale)
    error = np.where(np.isnan(error), np.inf, error)
    digits = -np.log10(np.clip(error, 10.0**-MOST_DIGITS, 1.0))
    return float(digits.min()) + 0.0  # no negative zero
