# A bare machine with Python (3.11 or newer) and make is enough: every target makes the
# virtual environment .venv when there is none and installs what it needs, once.
#
#   make demo                      a tour on bundled data
#   make test PYTEST_ARGS="-x"     options for pytest
#   make fuzz MINUTES=30           drawn tests, drawn anew for half an hour
#   make demo PYTHON=python3.13    another interpreter for .venv

PYTHON ?= python3
PYTEST_ARGS ?=
FOREIGN_ARGS ?=
FUZZ_ARGS ?=
MINUTES ?= 10
FACTOR ?= 1
SEED ?=
WORKERS ?= 2
BENCH_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# The order of sets of strings is the same everywhere, as all draws are; `make fuzz` varies both. Threads of other
# libraries that wait for each other leave the cores to the tests, and each worker has one. Bytecode is kept: a
# second run starts sooner. No test asks what was logged.
PYTEST := PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE= OMP_WAIT_POLICY=passive OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q -p no:logging

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo test test-all fuzz foreign neighbours lint bench docs clean distclean

help:
	@echo "make demo       a tour on bundled data"
	@echo "make test       the tests, without the slow ones"
	@echo "make test-all   all tests, with the slow ones, neighbours and the browser; prints its time"
	@echo "make fuzz       drawn tests with new draws, for MINUTES=10; SEED=... draws one round again"
	@echo "make foreign    scikit-learn's own checks and tests, run on our classes"
	@echo "make neighbours ONNX, MLflow, skrub, skore, and the report in a Chromium"
	@echo "make lint       ruff and mypy"
	@echo "make bench      times against other libraries"
	@echo "make docs       HTML pages in docs/_build/html"
	@echo "make clean      remove what was built; distclean removes $(VENV) too"

demo: $(STAMPS)/demo
	$(BIN)/sumlearn demo

# Where a change is judged nothing is left out for want of a package.
test: $(STAMPS)/test $(if $(SUMLEARN_STRICT_SKIPS),$(STAMPS)/ecosystem)
	$(PYTEST) -m "not slow and not foreign" $(PYTEST_ARGS)

test-all: $(STAMPS)/test $(STAMPS)/ecosystem $(STAMPS)/browser
	@started=$$(date +%s); $(PYTEST) -rs $(PYTEST_ARGS); code=$$?; seconds=$$(($$(date +%s) - started)); \
	echo "test-all took $$((seconds / 60)) min $$((seconds % 60)) s"; exit $$code

fuzz: $(STAMPS)/test
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) --factor $(FACTOR) --workers $(WORKERS) \
	  $(if $(SEED),--seed $(SEED)) $(FUZZ_ARGS)

foreign: $(STAMPS)/test
	$(if $(FOREIGN_ARGS),,$(PYTEST) -m foreign tests)
	$(BIN)/python -m tests.foreign $(FOREIGN_ARGS)

neighbours: $(STAMPS)/test $(STAMPS)/ecosystem $(STAMPS)/browser
	$(PYTEST) tests/interoperability tests/report tests/saving $(PYTEST_ARGS)

lint: $(STAMPS)/lint
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy

bench: $(STAMPS)/bench
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

docs: $(STAMPS)/docs
	rm -rf docs/reference/generated
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "wrote docs/_build/html/index.html"

clean:
	rm -rf build dist docs/_build docs/reference/generated .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests benchmarks docs -type d -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean
	rm -rf $(VENV)

# The environment counts as made only when venv came to its end.
$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit("sumlearn needs Python 3.11 or newer: make PYTHON=python3.13 ..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS)
	@touch $@

# One stamp for each extra of pyproject.toml; the library itself is installed in place.
$(STAMPS)/%: pyproject.toml | $(STAMPS)/venv
	$(PIP_INSTALL) --editable ".[$*]"
	@touch $@
