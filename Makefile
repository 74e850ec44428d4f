# A bare machine with Python (3.11 or newer) and make is enough: every target makes the
# virtual environment .venv when there is none and installs what it needs, once.
#
#   make demo                      a tour on bundled data
#   make test PYTEST_ARGS="-x"     options for pytest
#   make demo PYTHON=python3.13    another interpreter for .venv

PYTHON ?= python3
PYTEST_ARGS ?=
FOREIGN_ARGS ?=
BENCH_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo test test-slow foreign neighbours lint bench docs clean distclean

help:
	@echo "make demo       a tour on bundled data"
	@echo "make test       the tests, without the slow ones"
	@echo "make test-slow  the slow tests alone"
	@echo "make foreign    scikit-learn's own tests, run on our classes"
	@echo "make neighbours ONNX, MLflow, skrub, skore, and the report in a Chromium"
	@echo "make lint       ruff and mypy"
	@echo "make bench      times against other libraries"
	@echo "make docs       HTML pages in docs/_build/html"
	@echo "make clean      remove what was built; distclean removes $(VENV) too"

demo: $(STAMPS)/demo
	$(BIN)/sumlearn demo

test: $(STAMPS)/test
	$(BIN)/python -m pytest -n 2 -q -m "not slow" $(PYTEST_ARGS)

test-slow: $(STAMPS)/test
	$(BIN)/python -m pytest -n 2 -q -m slow $(PYTEST_ARGS)

foreign: $(STAMPS)/test
	$(BIN)/python -m tests.foreign $(FOREIGN_ARGS)

neighbours: $(STAMPS)/test $(STAMPS)/ecosystem $(STAMPS)/browser
	$(BIN)/python -m pytest -n 2 -q tests/interoperability tests/report tests/saving $(PYTEST_ARGS)

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
