"""Files of very many columns: time and memory are linear in them."""

import time

import numpy as np
import pytest

import sumlearn as sl
from sumlearn.data.readers.text import TextReader


def written(path, columns, rows=5, seed=0):
    """A CSV file of so many columns, the last of them y; its numbers."""
    numbers = np.random.default_rng(seed).integers(-99, 99, (rows, columns)) / 4.0
    names = [f"c{j}" for j in range(columns - 1)] + ["y"]
    np.savetxt(path, numbers, fmt="%.2f", delimiter=",", header=",".join(names), comments="")
    return numbers


def test_a_file_of_many_columns(tmp_path):
    path = str(tmp_path / "wide.csv")
    numbers = written(path, 3000)
    model = sl.Ridge().fit(path, "y")
    np.testing.assert_allclose(model.coef_, sl.Ridge().fit(numbers[:, :-1], numbers[:, -1]).coef_)
    np.testing.assert_allclose(model.predict(path), numbers[:, :-1] @ model.coef_ + model.intercept_, rtol=1e-9)


@pytest.mark.slow
def test_time_is_linear_in_the_columns(tmp_path):
    """Eight times the columns take less than sixteen times as long; it was more than forty."""
    seconds = []
    for columns in (8000, 64000):
        path = str(tmp_path / f"{columns}.csv")
        written(path, columns)
        sl.Ridge().fit(path, "y")
        start = time.process_time()
        sl.Ridge().fit(path, "y")
        seconds.append(time.process_time() - start)
    assert seconds[1] < 16 * seconds[0]


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_lines_longer_than_a_block(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(TextReader, "BLOCK", 1 << 10)
    monkeypatch.setattr(TextReader, "AT_A_TIME", 1 << 10)
    path = tmp_path / f"wide.{suffix}"
    numbers = written(path, 1000, rows=12)
    if suffix == "jsonl":
        names = path.read_text().partition("\n")[0].split(",")
        lines = ("{" + ", ".join(f'"{n}": {v}' for n, v in zip(names, row, strict=True)) + "}" for row in numbers)
        path.write_text("\n".join(lines))
    model = sl.Ridge().fit(str(path), "y")
    np.testing.assert_allclose(model.coef_, sl.Ridge().fit(numbers[:, :-1], numbers[:, -1]).coef_)


def test_a_repeated_name_among_many(tmp_path):
    path = tmp_path / "wide.csv"
    names = [f"c{j}" for j in range(500)] + ["c77", "y"]
    path.write_text(",".join(names) + "\n" + ",".join(["1"] * 502) + "\n")
    with pytest.raises(ValueError, match="column 'c77' stands more than once"):
        sl.Ridge().fit(str(path), "y")
