"""What a file says about itself."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sumlearn as sl
from sumlearn.features import Polynomial
from sumlearn.saving import describe
from sumlearn.statistics import Counts, Grouped, Ledger

X = np.random.default_rng(0).standard_normal((40, 2))


def described(model, path, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        sl.save(model, path, **more)
    return describe(path)


def test_the_manifest(tmp_path):
    table = pd.DataFrame(X, columns=["é", "b"])
    model = sl.Ridge(alpha=2.5, basis=Polynomial(2)).fit(table, X.sum(axis=1))
    notes = {"source": "north", "rows": [1, 2]}
    found = described(model, tmp_path / "m", notes=notes)
    assert found["format"] == 1 and found["sumlearn"] == sl.__version__ and found["class"] == "Ridge"
    assert found["parameters"]["alpha"] == 2.5 and found["parameters"]["basis"] == "Polynomial()"
    assert found["feature_names"] == ["é", "b"] and found["n_features"] == 2 and found["notes"] == notes
    (statistic,) = found["statistics"]
    assert (statistic["class"], statistic["rows"], statistic["format"]) == ("statistics.Moments", 40, 1)
    assert set(found["members"]) == {"estimator.skops", "statistics/0.json", "statistics/0.bin"}


def test_the_digest_is_that_of_the_sums(tmp_path):
    y = X.sum(axis=1)
    digests = [
        described(model, tmp_path / "m")["statistics"][0]["digest"]
        for model in (sl.Ridge(1.0).fit(X, y), sl.Ridge(9.0).fit(X, y), sl.Ridge(1.0).fit(X[1:], y[1:]))
    ]
    assert digests[0] == digests[1] != digests[2]


def test_other_models(tmp_path):
    found = described(make_pipeline(StandardScaler(), sl.PCA()).fit(X), tmp_path / "m")
    assert found["class"] == "sklearn.pipeline.Pipeline" and len(found["statistics"]) == 1
    found = described(sl.Ridge(), tmp_path / "m")
    assert found["statistics"] == [] and found["n_features"] is None and found["notes"] is None
    assert described(Ledger.of(X), tmp_path / "m")["parameters"] == {}


@pytest.mark.parametrize(
    "model, size",
    [
        (sl.GaussianNB().fit(X, [0] * 38 + [1] * 2), 2),
        (sl.LinearDiscriminantAnalysis().fit(X, [0] * 36 + [1] * 4), 4),
        (sl.PolynomialClassifier(1).fit(X, [0] * 39 + [1]), 1),
        (sl.Ridge().fit(X[:3], [1.0, 2.0, 3.0]), 3),
        (Counts.of([1] * 38 + [2, 2]), 2),
        (Grouped.of(X, [0] * 35 + [1] * 5), None),
        (Ledger.of(X[:1]), None),
        (sl.Ridge(), None),
    ],
    ids=str,
)
def test_small_groups_give_a_warning(model, size, tmp_path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sl.save(model, tmp_path / "m")
    messages = [str(one.message) for one in caught if "smallest group" in str(one.message)]
    assert len(messages) == (size is not None)
    assert all(f"has {size}:" in message for message in messages)
    assert all(one.filename == __file__ for one in caught)
