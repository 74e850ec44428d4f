"""What the first use costs: every command with an empty cache of compiled loops, and again with the cache it filled.

    python -m benchmarks.first_use [train update ...]

Each run is a process of its own, in seconds of CPU; both are the best of a few. `imports` is the way to the first
estimator, beside scikit-learn's to its own.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sumlearn.data.examples import TABLES

RUNS = 2
MODELS = "lda,qda,naive_bayes,least_squares,logistic"
COMMANDS = {
    "train": "train pima.csv -t diabetes -o out --force --budget none --refits 3",
    "train-numbers": "train age.csv -t age -o out --force --budget none --refits 3",
    "train-some": f"train pima.csv -t diabetes --models {MODELS} -o out --force --budget none --refits 3",
    "predict": "predict lda.skops pima.csv -o out.csv --force",
    "update": "update lda.skops more.csv -o out.skops --force",
    "forget": "forget lda.skops gone.csv -o out.skops --force",
    "merge": "merge lda.skops other.skops -o out.skops --force",
    "share": "share lda.skops -o out.skops --force",
    "info": "info lda.skops",
    "report": "report lda.skops more.csv -o out.html --force",
    "select": "select pima.csv -t diabetes --method sffs",
    "compare": f"compare pima.csv -t diabetes --models {MODELS}",
    "cluster": "cluster pima.csv -k 2..4 --drop diabetes -o out --force",
    "oneclass": "oneclass pima.csv -t diabetes --normal neg --method gauss -o out --force",
}


def seconds(words: Sequence[str], cache: str, folder: str) -> float:
    """CPU time of a process and its threads."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from sumlearn.cli import main; sys.exit(main())", *words],
        cwd=folder,
        env=os.environ | {"NUMBA_CACHE_DIR": cache, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def prepared(folder: Path) -> None:
    """Tables and models for the commands."""
    lines = (TABLES / "pima.csv").read_text().splitlines(keepends=True)
    head, rows = lines[0], lines[1:]
    parts = {"pima": rows[:600], "more": rows[600:700], "other": rows[700:], "gone": rows[:5]}
    for name, part in parts.items():
        (folder / f"{name}.csv").write_text(head + "".join(part))
    (folder / "age.csv").write_text(head + "".join(rows))
    for name in ("pima", "other"):
        words = f"train {name}.csv -t diabetes --models lda --cv 2 --budget none --refits 0 -q -o {name}"
        seconds(words.split(), str(folder / "cache"), str(folder))
        (folder / f"{'lda' if name == 'pima' else name}.skops").write_bytes(
            (folder / name / "model.skops").read_bytes()
        )


def cpu_of_import(module: str) -> float:
    code = f"import time, {module}; print(time.process_time())"
    command = [sys.executable, "-c", code]
    return min(float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout) for _ in range(5))


def main(names: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        prepared(folder)
        print("command           first run   again   compiling")
        for name in names or COMMANDS:
            words, first, again = COMMANDS[name].split(), [], []
            for _ in range(RUNS):
                with tempfile.TemporaryDirectory() as cache:
                    first.append(seconds(words, cache, text))
                    again.append(seconds(words, cache, text))
            print(f"{name:16} {min(first):8.1f} s {min(again):7.1f} s {min(first) - min(again):7.1f} s", flush=True)
    ours, theirs = (cpu_of_import(m) for m in ("sumlearn.learners.regression.ridge", "sklearn.linear_model"))
    print(f"imports: {ours:.2f} s to Ridge, scikit-learn {theirs:.2f} s to its own: x {ours / theirs:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
