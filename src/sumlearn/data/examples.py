"""Bundled example tables and small synthetic problems; needs NumPy and the standard library only."""

from __future__ import annotations

import csv
import difflib
import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

TABLES = Path(__file__).parent / "tables"


@dataclass(frozen=True, eq=False, repr=False)
class Example:
    """A bundled table, split into inputs and target.

    Attributes
    ----------
    name : str
        The name that `load_example` takes.
    X : ndarray of shape (rows, columns)
        float64 where every column is numeric, NaN for an empty cell; otherwise objects (strings).
    y : ndarray of shape (rows,) or None
        Labels as strings; None for a table without a target.
    columns : tuple of str
        Names of the columns of `X`.
    target : str or None
        Name of the column that became `y`.
    description : str
        What the rows are.
    source : str
        Whose they are.
    path : Path
        The file itself, for everything that reads files.

    Examples
    --------
    >>> from sumlearn.data.examples import load_example
    >>> load_example("iris")
    Example('iris', 150 rows x 4 columns, target 'Species')
    """

    name: str
    X: NDArray[np.float64] | NDArray[np.object_]
    y: NDArray[np.str_] | None
    columns: tuple[str, ...]
    target: str | None
    description: str
    source: str
    path: Path

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        target = "no target" if self.target is None else f"target {self.target!r}"
        return f"Example({self.name!r}, {rows} rows x {columns} columns, {target})"


class Entry(NamedTuple):
    """What is known of a table before its file is read."""

    file: str
    target: str | None
    description: str
    source: str
    row_names: str | None = None  # a column that numbers the rows and tells nothing about them


UCI_PIMA = "National Institute of Diabetes and Digestive and Kidney Diseases; Smith et al. 1988; UCI repository"
RIPLEY_PIMA = "Ripley 1996, Pattern Recognition and Neural Networks; R package MASS"

ENTRIES = {
    "pima": Entry(
        "pima.csv",
        "diabetes",
        "Diabetes among 768 women of Pima heritage; a zero in glucose, pressure, triceps, insulin or mass "
        "stands for a missing value.",
        UCI_PIMA,
    ),
    "pima2": Entry(
        "pima2.csv",
        "diabetes",
        "The table pima with its missing values left empty (652 cells, most of them in insulin).",
        UCI_PIMA,
    ),
    "pima_tr": Entry(
        "pima_tr.csv", "type", "Ripley's training part of the Pima table: 200 complete cases.", RIPLEY_PIMA
    ),
    "pima_te": Entry("pima_te.csv", "type", "Ripley's test part of the Pima table: 332 complete cases.", RIPLEY_PIMA),
    "iris": Entry(
        "iris.csv",
        "Species",
        "Length and width of sepals and petals of 150 flowers of three species.",
        "Anderson 1935; Fisher 1936, The use of multiple measurements in taxonomic problems",
    ),
    "faithful": Entry(
        "faithful.csv",
        None,
        "Duration of 272 eruptions of the Old Faithful geyser and the waiting time to the next, in minutes.",
        "Azzalini & Bowman 1990, A look at some data on the Old Faithful geyser; Härdle 1991",
    ),
    "play_tennis": Entry(
        "play_tennis.csv",
        "PlayTennis",
        "Fourteen days, four discrete attributes: is it a day to play tennis?",
        "Mitchell 1997, Machine Learning, table 3.2",
        row_names="Day",
    ),
    "enjoy_sport": Entry(
        "enjoy_sport.csv",
        "EnjoySport",
        "Four days, six discrete attributes: the standard example of concept learning.",
        "Mitchell 1997, Machine Learning, table 2.1",
    ),
    "dna": Entry(
        "dna.csv.gz",
        "Class",
        "Splice junctions: 180 binary columns for 60 nucleotides, classes ei, ie and n; the first 2000 rows "
        "are the training part of Statlog, the other 1186 its test part.",
        "Noordewier, Towell & Shavlik; UCI repository and Statlog, Michie et al. 1994",
    ),
}


def list_examples() -> list[str]:
    """Names of the bundled tables, in alphabetical order.

    Examples
    --------
    >>> from sumlearn.data.examples import list_examples
    >>> list_examples()
    ['dna', 'enjoy_sport', 'faithful', 'iris', 'pima', 'pima2', 'pima_te', 'pima_tr', 'play_tennis']
    """
    return sorted(ENTRIES)


def load_example(name: str) -> Example:
    """Read a bundled table.

    Parameters
    ----------
    name : str
        One of `list_examples()`.

    Returns
    -------
    Example
        Fresh arrays at every call: they may be changed.

    Raises
    ------
    ValueError
        If there is no such table; the message gives the nearest name.

    Examples
    --------
    A third of the women in the Pima table have diabetes.

    >>> from sumlearn.data.examples import load_example
    >>> pima = load_example("pima")
    >>> pima.X.shape, pima.columns[:2]
    ((768, 8), ('pregnant', 'glucose'))
    >>> print(round((pima.y == "pos").mean(), 3))
    0.349

    A table of words comes as objects.

    >>> print(load_example("play_tennis").X[0])
    ['Sunny' 'Hot' 'High' 'Weak']
    """
    if name not in ENTRIES:
        nearest = difflib.get_close_matches(str(name), ENTRIES, n=1, cutoff=0.0)[0]
        raise ValueError(
            f"There is no example table {name!r}; the nearest name is {nearest!r}. "
            f"All names: {', '.join(list_examples())}."
        )
    entry = ENTRIES[name]
    path = TABLES / entry.file
    header, rows = read_csv(path)
    values = dict(zip(header, zip(*rows, strict=True), strict=True))
    target = None if entry.target is None else np.array(values[entry.target])
    columns = tuple(c for c in header if c not in (entry.target, entry.row_names))
    X = numbers_or_objects([values[c] for c in columns])
    return Example(name, X, target, columns, entry.target, entry.description, entry.source, path)


def read_csv(path: Path) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a CSV file, plain or gzipped, as strings."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def numbers_or_objects(columns: Sequence[Sequence[str]]) -> NDArray[np.float64] | NDArray[np.object_]:
    """One array of all columns: float64 with NaN for empty cells if every cell is a number, else strings."""
    try:
        numbers = [[float(cell or "nan") for cell in column] for column in columns]
    except ValueError:
        return np.array(columns, dtype=object).T.copy()
    return np.array(numbers, dtype=np.float64).T.copy()


class ToyPoints(NamedTuple):
    """Three points with a class each (`label`) and a number each (`target`)."""

    X: NDArray[np.float64]
    label: NDArray[np.str_]
    target: NDArray[np.float64]


def make_toy_points() -> ToyPoints:
    """Three points in the plane with labels and regression targets: small enough for pencil and paper.

    Returns
    -------
    ToyPoints
        `X` of shape (3, 2), `label` ('+', '+', '-') and `target` (0.5, 2.5, -1.0).

    Examples
    --------
    With a constant input there are as many weights as points, so the plane meets every target.

    >>> import numpy as np
    >>> from sumlearn.data.examples import make_toy_points
    >>> X, label, target = make_toy_points()
    >>> w = np.linalg.solve(np.column_stack([np.ones(3), X]), target)
    >>> print(w.round(4))
    [-1.9375  0.625   0.625 ]

    References
    ----------
    Lecture note 001, linear models.
    """
    X = np.array([[0.9, 3.0], [3.0, 4.1], [1.2, 0.3]])
    return ToyPoints(X, np.array(["+", "+", "-"]), np.array([0.5, 2.5, -1.0]))


def make_noisy_polynomial(
    n_samples: int = 30,
    coef: Sequence[float] = (0.0, 1.0, 0.0, -1.0),
    noise: float = 0.1,
    seed: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points on a polynomial curve with Gaussian noise, for questions of degree and overfitting.

        t = sum_j coef_j x^j + e,   x ~ U(-1, 1),   e ~ N(0, noise^2)

    Parameters
    ----------
    n_samples : int
        Number of points.
    coef : sequence of float
        Coefficients from the constant upwards; the default is x - x^3.
    noise : float
        Standard deviation of the noise.
    seed : int
        Seed of the random numbers: the same seed gives the same points.

    Returns
    -------
    X : ndarray of shape (n_samples, 1)
        Inputs in increasing order.
    t : ndarray of shape (n_samples,)
        Targets.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn.data.examples import make_noisy_polynomial
    >>> X, t = make_noisy_polynomial(5000, coef=(1.0, 2.0), noise=0.1)
    >>> residual = t - (1 + 2 * X[:, 0])
    >>> print(round(residual.std(), 2))
    0.10

    References
    ----------
    Lecture note 000, polynomial curve fitting.
    """
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-1, 1, n_samples))
    t = np.polynomial.polynomial.polyval(x, coef) + rng.normal(0, noise, n_samples)
    return x[:, None], t


def make_xor(n_samples: int = 200, spread: float = 0.2, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Four clouds at the corners of a square, opposite corners of one class: no line separates them.

        x ~ N(corner, spread^2 I),   corner in {-1, 1}^2,   y = 1 if the signs of the corner differ

    Parameters
    ----------
    n_samples : int
        Number of points; the four corners share them as evenly as possible.
    spread : float
        Standard deviation of each cloud; 0 puts every point on its corner.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
        0 or 1.

    Examples
    --------
    Without spread these are the four rows of the truth table.

    >>> from sumlearn.data.examples import make_xor
    >>> X, y = make_xor(4, spread=0)
    >>> print(X.astype(int).tolist(), y)
    [[-1, -1], [-1, 1], [1, -1], [1, 1]] [0 1 1 0]

    References
    ----------
    Lecture note 004, the classical example of classes that are not separable.
    """
    rng = np.random.default_rng(seed)
    corners = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    which = np.arange(n_samples) % 4
    X = corners[which] + rng.normal(0, spread, (n_samples, 2))
    return X, (which % 3 != 0).astype(np.int64)  # corners 1 and 2 have one sign of each kind


def make_two_gaussians(
    n_samples: int = 200,
    distance: float = 2.0,
    prior: float = 0.5,
    n_features: int = 2,
    seed: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Two Gaussian classes with unit covariance: separable when far apart, overlapping when near.

        x ~ N(-m, I) for y = 0,   x ~ N(+m, I) for y = 1,   m = (distance / 2, 0, ..., 0)

    With equal priors the best error is Phi(-distance / 2): 15.9 % at distance 2, 0.1 % at 6.

    Parameters
    ----------
    n_samples : int
        Number of points.
    distance : float
        Distance of the two means in standard deviations.
    prior : float
        Probability of class 1; each label is drawn with it.
    n_features : int
        Number of inputs; only the first one tells the classes apart.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        0 or 1.

    Examples
    --------
    The sign of the first input is the best rule; here is its error.

    >>> from sumlearn.data.examples import make_two_gaussians
    >>> X, y = make_two_gaussians(100_000, distance=2.0)
    >>> print(round(((X[:, 0] > 0) != y).mean(), 2))
    0.16

    References
    ----------
    Lecture note 004, separable and overlapping classes.
    """
    rng = np.random.default_rng(seed)
    y = (rng.random(n_samples) < prior).astype(np.int64)
    X = rng.normal(size=(n_samples, n_features))
    X[:, 0] += distance * (y - 0.5)
    return X, y
