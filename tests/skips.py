"""Which tests may be skipped where a change is judged: those that a platform cannot run, never for a missing package.

With SUMLEARN_STRICT_SKIPS=1 (`.ci/run` sets it) a skipped test fails, unless its reason is listed here.
"""

import os
import re
from typing import TypeVar

import pytest

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

ALLOWED = {
    r"needs fork": "processes are not forked on Windows",
    r"the administrator may write everywhere|root may read everything": "rights do not bind who runs as root",
    r"open files are counted in /proc, which only Linux has": "there is no such count elsewhere",
    r"RLIMIT_DATA binds memory on Linux alone": "there is no such limit elsewhere",
    r"there is no Chromium to look at the page with": "a browser is no package of Python",
    r"the browser is driven by playwright": "pages are looked at by `make test-all`",
    r"SCIPY_ARRAY_API is not set: .*": "scikit-learn's check of arrays on devices, which has to be asked for",
    r"a penalty weighs against the rows": "the law is none of this learner's",
    r"no penalty of this size is a number": "the law is none of this learner's",
    r"its half-space is seen from the origin": "the law is none of this learner's",
    r"numbers are no classes": "the score is none of this learner's",
    r"scikit-learn's largest error takes one target": "there is nothing to compare with",
    r"torch is not installed": "nothing needs a package of its size; where it is there, tensors are looked at",
    r"has no partial_fit": "the law is none of this learner's",
    r"\w+ does not have a (decision_function|predict_proba) method\.": "scikit-learn's check is of a method not there",
}


def strict() -> bool:
    return os.environ.get("SUMLEARN_STRICT_SKIPS", "") not in ("", "0")


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a test or module was skipped."""
    told = report.longrepr
    return str(told[2] if isinstance(told, tuple) else told).removeprefix("Skipped: ")


def allowed(reason: str) -> bool:
    return any(re.fullmatch(pattern, reason) for pattern in ALLOWED)


def judged(report: Report) -> Report:
    """The report, turned into a failure where its skip is not allowed."""
    if strict() and report.skipped and not hasattr(report, "wasxfail") and not allowed(reason_of(report)):
        report.longrepr = f"skipped where everything has to run: {reason_of(report)}"
        report.outcome = "failed"
    return report
