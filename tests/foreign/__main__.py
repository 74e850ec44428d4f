"""`python -m tests.foreign`: scikit-learn's own tests, run on our classes.

A test that is on no list must pass; one that is listed as failing must fail. The lists are in tests/foreign/deselected.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import sklearn

from tests.foreign.suites import Suite, load, names

HERE = Path(__file__).parent


def run(suite: Suite, results: Path) -> subprocess.CompletedProcess[str]:
    """One module in a process of its own, without this project's settings of pytest; float32 is not left out."""
    environment = {key: value for key, value in os.environ.items() if key != "SCIPY_ARRAY_API"}
    environment |= {"SKLEARN_RUN_FLOAT32_TESTS": "1", "SKLEARN_TESTS_GLOBAL_RANDOM_SEED": "42"}
    environment |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # many tiny problems: threads only wait
    environment["PYTHONPATH"] = os.pathsep.join([str(HERE.parents[1]), environment.get("PYTHONPATH", "")])
    options = ["-c", str(HERE / "pytest.ini"), "-p", "tests.foreign.plugin", "-p", "no:cacheprovider", "-q", "-rfE"]
    options += ["--foreign", suite.name, "--foreign-results", str(results), "--tb=short", "--pyargs", suite.module]
    command = [sys.executable, "-m", "pytest", *options]
    return subprocess.run(command, env=environment, text=True, capture_output=True, check=False)


def share(count: Counter[str]) -> tuple[int, int]:
    """Tests that passed, and tests that could have."""
    return count["passed"], count["passed"] + count["failed"] + count["deselected"]


def report(suite: Suite, outcomes: dict[str, dict[str, str]]) -> Counter[str]:
    count = Counter(test["outcome"] for test in outcomes.values())
    passed, applicable = share(count)
    print(f"{suite.name}: {passed} of {applicable} applicable tests passed ({percent(passed, applicable)})")
    for outcome, title in (("deselected", "fail, as listed"), ("not ours", "not applicable")):
        groups = Counter(test["category"] for test in outcomes.values() if test["outcome"] == outcome)
        for category, number in groups.most_common():
            print(f"    {number:4d}  {title}: {category}")
    print(f"    {count['skipped']:4d}  skipped or expected to fail by scikit-learn itself\n", flush=True)
    return count


def percent(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.1f} %"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.foreign", description=__doc__)
    parser.add_argument("suite", nargs="*", help=f"any of {', '.join(names())} (default: all)")
    parser.add_argument("--any-version", action="store_true", help="run with a scikit-learn the lists are not for")
    parser.add_argument("--workers", type=int, default=2, help="suites at the same time (default: 2)")
    options = parser.parse_args()
    version = ".".join(sklearn.__version__.split(".")[:2])
    suites = [load(name) for name in options.suite or names()]
    for suite in suites:
        if suite.written_for != version and not options.any_version:
            parser.error(f"the list {suite.name} is for scikit-learn {suite.written_for}, this is {version}")
    total: Counter[str] = Counter()
    broken = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.workers) as pool:
        files = [Path(folder) / f"{suite.name}.json" for suite in suites]
        for suite, results, process in zip(suites, files, pool.map(run, suites, files), strict=True):
            total += report(suite, json.loads(results.read_text(encoding="utf-8")) if results.exists() else {})
            if process.returncode:
                broken.append(suite.name)
                print(process.stdout[-20_000:], process.stderr[-2_000:], sep="\n")
    passed, applicable = share(total)
    print(f"all: {passed} of {applicable} applicable tests passed ({percent(passed, applicable)})")
    if broken:
        print(f"not as listed: {', '.join(broken)}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
