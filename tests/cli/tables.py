"""Tables for the tests: pieces of the Pima table, and small ones with all kinds of columns."""

import csv

import numpy as np
from sklearn.model_selection import StratifiedKFold

from sumlearn.data.examples import ENTRIES, TABLES


def pima_rows():
    with open(TABLES / ENTRIES["pima"].file, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def shuffled(folds=5):
    """The folds of `sumlearn select` for labels."""
    return StratifiedKFold(folds, shuffle=True, random_state=0)


def write(path, header, rows, delimiter=","):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([header, *rows])
    return path


def pima_part(path, start, stop):
    header, rows = pima_rows()
    return write(path, header, rows[start:stop])


def mixed(path, n=120, seed=0, delimiter=","):
    """Numbers, words, booleans, dates, gaps; the label depends on size and city."""
    rng = np.random.default_rng(seed)
    size, city = rng.normal(size=n), rng.choice(["Rome, centre", 'Oslo "north"', "Bonn"], n)
    label = np.where(size + (city == "Bonn") + 0.5 * rng.normal(size=n) > 0.3, "+", "-")
    rows = [
        [
            f"=id{i}",
            "" if i % 17 == 3 else f"{size[i]:.6f}",
            city[i],
            "true" if rng.random() < 0.5 else "false",
            f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}",
            label[i],
        ]
        for i in range(n)
    ]
    return write(path, ["key", "size", "city", "new", "day", "label"], rows, delimiter)
