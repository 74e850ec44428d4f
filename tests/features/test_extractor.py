"""Fixed extractors: any function of a row in the place of a basis."""

import numpy as np
import pytest

import sumlearn as sl
from sumlearn.features import Extractor
from sumlearn.testing import assert_same_model, check_learner

X = np.round(np.random.default_rng(0).standard_normal((60, 3)) * 64) / 64
Y = X[:, 0] * X[:, 1] + X[:, 2]


def products(row):
    return row[0] * row[1], row[1] * row[2], row.sum()


def products_of_rows(rows):
    return np.column_stack([rows[:, 0] * rows[:, 1], rows[:, 1] * rows[:, 2], rows.sum(axis=1)])


BY_ROW, BY_BLOCK = Extractor(products), Extractor(products_of_rows, rows=True, bias=True)


@pytest.mark.parametrize("basis", [BY_ROW, BY_BLOCK], ids=["rows", "blocks"])
def test_rows_and_blocks_of_rows(basis):
    wanted = products_of_rows(X)
    found = basis.fit(X).transform(X)
    np.testing.assert_array_equal(found[:, int(basis.bias) :], wanted)
    assert basis.n_outputs_ == 3 and basis.stateless
    assert found.shape[1] == len(basis.get_feature_names_out()) == basis.size(3)
    assert basis.transform(X.astype(np.float32)).dtype == np.float32
    assert basis.same_as(Extractor(basis.function, basis.rows, bias=basis.bias).fit(X))
    assert not basis.same_as(Extractor(np.abs, True).fit(X))


def test_learners_behind_a_function_add_up():
    check_learner(sl.Ridge(0.1, basis=Extractor(products)), X, Y)
    plain, behind = sl.Ridge(0.1).fit(products_of_rows(X), Y), sl.Ridge(0.1, basis=Extractor(products)).fit(X, Y)
    np.testing.assert_allclose(behind.coef_, plain.coef_, rtol=1e-12)
    with pytest.raises(ValueError, match="differ in basis"):
        behind + sl.Ridge(0.1, basis=Extractor(np.abs, True)).fit(X, Y)


def test_files_and_clusters_go_through_the_function(tmp_path):
    pd, da = pytest.importorskip("pandas"), pytest.importorskip("dask.array")
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=Y)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    learner = sl.Ridge(basis=Extractor(products))
    wanted = sl.Ridge(basis=Extractor(products)).fit(X, Y).coef_
    np.testing.assert_allclose(learner.fit(str(tmp_path / "rows.csv"), "y").coef_, wanted, rtol=1e-10)
    np.testing.assert_allclose(learner.fit(da.from_array(X, (20, 3)), da.from_array(Y, 20)).coef_, wanted, rtol=1e-10)


def test_a_file_names_no_function_but_elementwise_ones(tmp_path):
    model = sl.Ridge(basis=Extractor(np.tanh, rows=True)).fit(X, Y)
    sl.save(model, tmp_path / "model")
    assert_same_model(sl.load(tmp_path / "model") + model, model + model, X, 0.0)
    with pytest.raises(ValueError, match="types that a model file may not hold.*products"):
        sl.save(sl.Ridge(basis=Extractor(products)).fit(X, Y), tmp_path / "other")


@pytest.mark.parametrize(
    ("function", "options", "error", "message"),
    [
        ("hog", {}, TypeError, "function must be a function of a row, got str"),
        (lambda row: "text", {}, ValueError, "must return as many real numbers for every row"),
        (lambda row: row[: 1 + (row[0] > 0)], {}, ValueError, "returned 2 numbers for a row|as many real numbers"),
        (lambda row: 1.0 / row[5], {}, ValueError, "asked for a row of zeros and answered IndexError"),
        (lambda row: np.nan if row[0] == X[7, 0] else 1.0, {}, ValueError, "returned nan for row 7"),
        (products, {"n_outputs": 2}, ValueError, "products returned 3 numbers for a row, not 2"),
        (products, {"rows": "all"}, ValueError, "rows must be one of"),
    ],
)
def test_what_is_refused(function, options, error, message):
    with pytest.raises(error, match=message), np.errstate(all="ignore"):
        sl.Ridge(basis=Extractor(function, **options)).fit(X, Y)
