"""Bundled tables and synthetic problems are what they claim to be."""

import subprocess
import sys
from statistics import NormalDist

import numpy as np
import pytest

from sumlearn.data.examples import ENTRIES, TABLES, list_examples, load_example
from sumlearn.data.generators import (
    make_noisy_polynomial,
    make_occluded_digits,
    make_toy_points,
    make_two_class_scores,
    make_two_gaussians,
    make_xor,
)

SHAPES = {
    "pima": (768, 8),
    "pima2": (768, 8),
    "pima_tr": (200, 7),
    "pima_te": (332, 7),
    "iris": (150, 4),
    "faithful": (272, 2),
    "play_tennis": (14, 4),
    "enjoy_sport": (4, 6),
    "dna": (3186, 180),
}


def test_every_example_has_a_shape_here():
    assert list_examples() == sorted(SHAPES)


@pytest.mark.parametrize("name", SHAPES)
def test_shape_names_and_kind(name):
    example = load_example(name)
    assert example.X.shape == SHAPES[name]
    assert len(example.columns) == example.X.shape[1]
    assert example.X.dtype == (object if name in ("play_tennis", "enjoy_sport") else np.float64)
    assert example.X.flags.c_contiguous and example.X.flags.owndata
    assert example.path.is_file()
    assert example.description and example.source
    if example.target is None:
        assert example.y is None
    else:
        assert example.target not in example.columns
        assert example.y.shape == (len(example.X),)
        assert example.y.dtype.kind == "U"


@pytest.mark.parametrize("name", SHAPES)
def test_missing_cells_only_where_they_are_promised(name):
    X = load_example(name).X
    if X.dtype == object:
        assert all(cell for cell in X.ravel())
    else:
        assert np.isnan(X).sum() == (652 if name == "pima2" else 0)


def test_pima2_is_pima_with_its_impossible_zeros_left_empty():
    pima, pima2 = load_example("pima"), load_example("pima2")
    empty = np.isnan(pima2.X)
    assert (pima.X[empty] == 0).all()
    assert (pima.X[~empty] == pima2.X[~empty]).all()
    assert (pima.y == pima2.y).all()
    assert pima.columns == pima2.columns


def test_iris_is_the_table_that_scikit_learn_has():
    from sklearn.datasets import load_iris

    ours, theirs = load_example("iris"), load_iris()
    assert np.array_equal(ours.X, theirs.data)
    assert (ours.y == theirs.target_names[theirs.target]).all()


def test_iris_setosa_mean_and_variance():
    setosa = load_example("iris").X[:50]
    np.testing.assert_allclose(setosa.mean(axis=0), [5.006, 3.428, 1.462, 0.246])
    np.testing.assert_allclose(setosa.var(axis=0), [0.121764, 0.140816, 0.029556, 0.010884])


def test_dna_has_binary_columns_and_three_classes():
    dna = load_example("dna")
    assert set(np.unique(dna.X)) == {0.0, 1.0}
    labels, counts = np.unique(dna.y, return_counts=True)
    assert dict(zip(labels.tolist(), counts.tolist(), strict=True)) == {"ei": 767, "ie": 765, "n": 1654}


def test_play_tennis_leaves_out_the_number_of_the_day():
    tennis = load_example("play_tennis")
    assert tennis.columns == ("Outlook", "Temperature", "Humidity", "Wind")
    assert (tennis.y == "Yes").sum() == 9


def test_loads_are_independent():
    load_example("faithful").X[:] = 0
    assert load_example("faithful").X.min() > 0


def test_unknown_name_gives_the_nearest():
    with pytest.raises(ValueError, match="'pimaa'.*nearest name is 'pima'"):
        load_example("pimaa")
    with pytest.raises(ValueError, match="play_tennis"):
        load_example("tennis")
    with pytest.raises(ValueError, match="All names"):
        load_example("")


def test_every_table_is_known_and_attributed():
    attribution = (TABLES / "ATTRIBUTION.md").read_text(encoding="utf-8")
    files = {path.name for path in TABLES.iterdir() if path.suffix in (".csv", ".gz")}
    assert files == {entry.file for entry in ENTRIES.values()}
    assert all(file in attribution for file in files)


def test_reading_a_table_needs_no_heavy_import():
    code = (
        "import sys; from sumlearn.data.examples import load_example; load_example('pima2'); "
        "print(sorted({'pandas', 'sklearn', 'scipy', 'numba', 'polars'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_toy_points():
    X, label, target = make_toy_points()
    assert X.tolist() == [[0.9, 3.0], [3.0, 4.1], [1.2, 0.3]]
    assert label.tolist() == ["+", "+", "-"]
    assert target.tolist() == [0.5, 2.5, -1.0]


@pytest.mark.parametrize("make", [make_noisy_polynomial, make_xor, make_two_gaussians, make_two_class_scores])
def test_the_seed_decides(make):
    first, again, other = make(50, seed=3), make(50, seed=3), make(50, seed=4)
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert (first[0] != other[0]).any()
    assert len(first[0]) == len(first[1]) == 50


def test_noisy_polynomial_without_noise_lies_on_the_curve():
    X, t = make_noisy_polynomial(40, coef=(1.0, -2.0, 3.0), noise=0.0)
    np.testing.assert_allclose(t, 1 - 2 * X[:, 0] + 3 * X[:, 0] ** 2)
    assert (np.diff(X[:, 0]) > 0).all()


def test_xor_label_is_a_product_of_signs():
    X, y = make_xor(1000, spread=0.1)
    assert (y == (X[:, 0] * X[:, 1] < 0)).all()
    assert y.sum() == 500
    # every linear correlation with the class vanishes but for noise
    assert np.abs(np.corrcoef(X.T, y)[2, :2]).max() < 0.02


@pytest.mark.parametrize("distance", [0.5, 2.0, 6.0])
def test_two_gaussians_have_the_promised_best_error(distance):
    n = 200_000
    X, y = make_two_gaussians(n, distance=distance, n_features=3)
    best = NormalDist().cdf(-distance / 2)
    error = ((X[:, 0] > 0) != y).mean()
    assert abs(error - best) < 4 * np.sqrt(best * (1 - best) / n)


def test_two_gaussians_prior():
    _, y = make_two_gaussians(100_000, prior=0.1)
    assert y.mean() == pytest.approx(0.1, abs=0.005)


@pytest.mark.parametrize("distance", [0.5, 1.5])
def test_two_class_scores_have_the_promised_area(distance):
    from sklearn.metrics import roc_auc_score

    score, y = make_two_class_scores(100_000, distance=distance, prior=0.3)
    assert roc_auc_score(y, score) == pytest.approx(NormalDist().cdf(distance / np.sqrt(2)), abs=0.006)
    assert y.mean() == pytest.approx(0.3, abs=0.01)


def test_occluded_digits_are_the_digits_but_for_the_squares():
    from sklearn.datasets import load_digits

    clean, digits = load_digits(return_X_y=True)
    X, y, hidden = make_occluded_digits(share=0.25, size=2, seed=1)
    assert (y == digits).all()
    assert (X[~hidden] == clean[~hidden]).all() and (X[hidden] == 16).all()
    covered = hidden.any(axis=1)
    assert covered.sum() == round(0.25 * len(X)) and (hidden[covered].sum(axis=1) == 4).all()
    assert (make_occluded_digits(share=0.0)[0] == clean).all()
    with pytest.raises(ValueError, match="size must be between 0 and 8, got 9"):
        make_occluded_digits(size=9)
    with pytest.raises(ValueError, match="share must be between 0 and 1, got 2"):
        make_occluded_digits(share=2)
