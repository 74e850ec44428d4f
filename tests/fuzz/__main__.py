"""`python -m tests.fuzz`: the drawn tests, drawn anew round after round for as long as asked.

A round has a seed, from which all its draws come, and which is printed. What fails is collected and told at the end,
every failure once, with the example that Hypothesis found and the command that draws it again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
LARGEST_FACTOR = 16


@dataclass(frozen=True)
class Failure:
    """A test that failed, the first time it did so in this way."""

    test: str
    text: str
    seed: int
    factor: int

    @property
    def way(self) -> tuple[str, str]:
        """What tells it from others: the test, and the last error with all numbers left out."""
        errors = re.findall(r"^E\s+(\S.*)$", self.text, re.MULTILINE)
        return self.test, re.sub(r"[\d.e+-]+", "#", errors[0] if errors else self.text[-200:])

    def told(self) -> str:
        again = f'make fuzz SEED={self.seed} FACTOR={self.factor} FUZZ_ARGS="{self.test}"'
        return f"{'=' * 100}\n{self.test}\n{self.text}\n\ndraw it again:  {again}\n"


def run(seed: int, factor: int, until: float | None, options: argparse.Namespace, results: Path) -> int:
    """One round, in processes of its own; the order of sets of strings is drawn as well."""
    environment = os.environ | {"PYTHONHASHSEED": str(seed % 2**32)}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), environment.get("PYTHONPATH", "")])
    words = ["-p", "tests.fuzz.plugin", "-p", "no:cacheprovider", "-q", "--tb=short", "--no-header", "--no-summary"]
    words += [f"--hypothesis-seed={seed}", f"--fuzz-seed={seed}"]
    words += [f"--fuzz-factor={factor}", f"--fuzz-results={results}", "-n", str(options.workers)]
    words += [] if until is None else [f"--fuzz-until={until}"]
    command = [sys.executable, "-m", "pytest", *words, *(options.tests or ["tests"])]
    return subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=False).returncode


def round_of(seed: int, factor: int, until: float | None, options: argparse.Namespace) -> list[Failure]:
    started = time.time()
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        code = run(seed, factor, until, options, results)
        if code not in (0, 1) or not results.exists():
            sys.exit(f"pytest ended with code {code}: no test was drawn")
        told = json.loads(results.read_text(encoding="utf-8"))
    failures = [Failure(entry["test"], entry["text"], seed, factor) for entry in told["failures"]]
    minutes = (time.time() - started) / 60
    drawn = f"seed {seed}, {factor} times the examples"
    print(f"{drawn}: {told['ran']} tests in {minutes:.1f} minutes, {len(failures)} failed", flush=True)
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("tests", nargs="*", help="files or tests (default: all that draw)")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to draw (default: 10)")
    parser.add_argument("--seed", type=int, help="draw one round, from this seed")
    parser.add_argument("--factor", type=int, default=1, help="times as many examples as every day, in the first round")
    parser.add_argument("--workers", type=int, default=2, help="processes at the same time (default: 2)")
    options = parser.parse_args()
    failures: dict[tuple[str, str], Failure] = {}
    until = None if options.seed is not None else time.time() + 60 * options.minutes
    seed, factor = secrets.randbits(31) if options.seed is None else options.seed, options.factor
    while True:
        for failure in round_of(seed, factor, until, options):
            if failure.way not in failures:
                print(f"    new: {failure.test}", flush=True)
            failures.setdefault(failure.way, failure)
        if until is None or time.time() > until:
            break
        seed, factor = secrets.randbits(31), min(2 * factor, LARGEST_FACTOR)
    for failure in failures.values():
        print(failure.told())
    print(f"{len(failures)} distinct failures" if failures else "nothing failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
