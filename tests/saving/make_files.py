"""Write the files that every later version must read: ``python -m tests.saving.make_files``.

A file for each public one-pass learner, and some special cases, goes to ``files/<format>``, with a JSON file of what
the model says, and says after it has learnt more, merged and forgotten. A file that is there is never written again:
run this when a learner or a file format is new.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sumlearn as sl
from sumlearn.features import Polynomial, RadialBasis
from sumlearn.saving.manifest import FORMAT
from sumlearn.testing import outputs

from tests.laws.discovered import CLASSIFIERS, LEARNERS, suited, supervised

FILES = Path(__file__).parent / "files"


def rows(start, stop):
    """Numbers that no generator of random numbers is needed for."""
    i = np.arange(start, stop)[:, None]
    return (i * np.array([7919, 104729, 1299709]) % np.array([101, 103, 107])) / 64.0


def target(kind, X):
    if not supervised(kind):
        return None
    score = X @ [1.0, -0.5, 0.25] + np.round(3.0 * X[:, 0]) % 2
    return np.array(["high", "low", "mid"])[np.digitize(score, [0.3, 0.9])] if kind in CLASSIFIERS else score


def special():
    """Cases beside the plain ones: (name, model, whether rows have names)."""
    return [
        ("Ridge-basis", sl.Ridge(0.5, basis=RadialBasis(6, random_state=0)), False),
        ("LinearRegression-polynomial", sl.LinearRegression(basis=Polynomial(2)), True),
        ("ExtremeLearningMachineRegressor", sl.ExtremeLearningMachineRegressor(12, domain=(0.0, 2.0)), False),
        ("RBFNetworkClassifier", sl.RBFNetworkClassifier(6, placing="random"), True),
        ("GaussianNB-ledger", sl.GaussianNB().keep_ledger(), True),
        ("LinearDiscriminantAnalysis-eigen", sl.LinearDiscriminantAnalysis("eigen", priors=[0.2, 0.3, 0.5]), False),
    ]


def cases():
    return [(kind.__name__, kind(), False) for kind in LEARNERS] + special()


def batch(model, named, start, stop):
    X = suited(type(model), rows(start, stop))
    y = target(type(model), X)
    table = pd.DataFrame(X, columns=["a", "b", "c"]) if named else X
    return (table,) if y is None else (table, y)


def said(model, named):
    """All that a model says about a few rows, as JSON."""
    X = batch(model, named, 200, 206)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = outputs(model, X)
        if hasattr(model, "predict"):
            found["predict"] = model.predict(X)
        if hasattr(model, "decision_function"):
            found["decision_function"] = model.decision_function(X)
    return {name: np.asarray(value).tolist() for name, value in found.items()}


def story(model, named):
    """What a model says as it is, and after each of the things that a model on sums can do."""
    found = {"as it was": said(model, named)}
    other = type(model)(**model.get_params(deep=False))
    if "_ledger" in vars(model):
        other.keep_ledger()
    if "basis_" in vars(model):
        other = None  # its centres were taken from other rows
    model.partial_fit(*batch(model, named, 60, 80))
    found["after learning more"] = said(model, named)
    model.forget(*batch(model, named, 0, 10))
    found["after forgetting"] = said(model, named)
    if other is not None:
        model = model + other.fit(*batch(model, named, 80, 120))
        found["after merging"] = said(model, named)
        model = model - other
        found["after merging and removing"] = said(model, named)
    found["after decay"] = said(model.decay(0.5), named)
    return found


def main():
    folder = FILES / str(FORMAT)
    folder.mkdir(parents=True, exist_ok=True)
    for name, model, named in cases():
        path = folder / f"{name}.sumlearn"
        if not path.exists():
            model.fit(*batch(model, named, 0, 60))
            sl.save(model, path)
            facts = {"class": type(model).__name__, "named": named, "story": story(model, named)}
            path.with_suffix(".json").write_text(json.dumps(facts) + "\n", encoding="utf-8")
    path = folder / "pipeline.sumlearn"
    if not path.exists():
        model = make_pipeline(StandardScaler(), sl.LogisticRegression(C=0.5)).fit(*batch(sl.GaussianNB(), False, 0, 60))
        sl.save(model, path)
        facts = {"class": "Pipeline", "proba": model.predict_proba(rows(200, 206)).tolist()}
        path.with_suffix(".json").write_text(json.dumps(facts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
