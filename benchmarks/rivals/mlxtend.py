"""mlxtend: floating search, in one job or two, with one BLAS thread or the default."""

from __future__ import annotations

from typing import Any

from mlxtend.feature_selection import SequentialFeatureSelector
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from benchmarks import subsets
from benchmarks.candidates import BOTH_BLAS, DEFAULT_BLAS, Candidate, Numbers, Rival
from benchmarks.data import Data

rival = Rival("mlxtend", __name__)

JOBS: dict[int, tuple[int | None, ...]] = {1: BOTH_BLAS, 2: DEFAULT_BLAS}


def searches(data: Data, floating: bool, compared: bool) -> list[Candidate]:
    """Forward search by cross-validated accuracy; a floating one has a rule of its own, so its subset may differ."""
    y = subsets.classes(data)

    def candidate(jobs: int) -> Candidate:
        def search(count: int) -> Any:
            selector = SequentialFeatureSelector(
                LinearDiscriminantAnalysis(solver="lsqr"),
                k_features=subsets.features(data),
                floating=floating,
                cv=subsets.FOLDS,
                n_jobs=jobs,
                scoring="accuracy",
            )
            return selector.fit(data.X[:, :count], y)

        def read(selector: Any) -> Numbers:
            numbers = dict(subsets.found(selector.k_feature_idx_, selector.k_score_))
            return numbers if compared else {"score": numbers["score"]}

        return subsets.over_columns(f"solver=lsqr n_jobs={jobs}", search, data, read, blas=JOBS[jobs])

    return [candidate(jobs) for jobs in JOBS]


@rival.enters("sfs/lda")
def sfs_lda(data: Data) -> list[Candidate]:
    return searches(data, floating=False, compared=True)


@rival.enters("sffs/lda")
def sffs_lda(data: Data) -> list[Candidate]:
    return searches(data, floating=True, compared=False)
