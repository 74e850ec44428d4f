"""Bundled example tables; needs NumPy and the standard library only."""

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
