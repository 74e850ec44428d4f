"""statsmodels: both ways of its OLS, with one BLAS thread or the default."""

from __future__ import annotations

import numpy as np
import statsmodels.api as sm
from statsmodels.nonparametric.kernel_regression import KernelReg
from statsmodels.nonparametric.smoothers_lowess import lowess

from benchmarks import local, numbers
from benchmarks.candidates import Candidate, Numbers, Rival, Sample
from benchmarks.data import Data

rival = Rival("statsmodels", __name__)


@rival.enters("inference/ols")
def inference_ols(data: Data) -> list[Candidate]:
    """The design with its column of ones is part of the work, as statsmodels asks for it."""

    def candidate(method: str) -> Candidate:
        def run() -> Numbers:
            fit = sm.OLS(data.target, sm.add_constant(data.X)).fit(method=method)
            return numbers.inference(
                fit.params, fit.cov_params(), fit.tvalues, fit.pvalues, fit.conf_int(),
                fit.fvalue, fit.aic, fit.bic, fit.rsquared_adj,
            )  # fmt: skip

        return Candidate(f"method={method}", run, lambda found: found)

    return [candidate("pinv"), candidate("qr")]


@rival.enters("local/nadaraya_watson")
def nadaraya_watson(data: Data) -> list[Candidate]:
    """KernelReg takes one query after the other: a few of them are timed."""
    queries, bandwidth = local.queries(data), np.full(data.X.shape[1], local.bandwidth(data))

    def predict(count: int) -> np.ndarray:
        kernel = KernelReg(data.target, data.X, "c" * data.X.shape[1], reg_type="lc", bw=bandwidth)
        return kernel.fit(queries[:count])[0]

    sample = Sample(lambda: predict(10), lambda: predict(len(queries)), (len(queries) - 10) / (local.FIRST - 10))
    return [
        Candidate("KernelReg, local constant", lambda: predict(local.FIRST), read_first, sample=sample),
    ]


@rival.enters("local/loess_curve")
def loess_curve(data: Data) -> list[Candidate]:
    queries = local.queries(data)[:, 0]

    def run() -> np.ndarray:
        return lowess(data.target, data.X[:, 0], frac=local.SPAN, it=0, xvals=queries)

    return [Candidate("lowess(xvals=...)", run, local.predictions)]


def read_first(found: np.ndarray) -> Numbers:
    return {"first predictions": found[: local.FIRST]}
