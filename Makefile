# make parse [TEXT="..."]   parse a text with the pipeline that ships here: a tree, and an SVG beside it
# make test                 format, lint, types and all tests but the slow ones
# make slow                 the slow tests: streams, new random cases, small projects, a browser
# make clean                remove the virtual environment and what was built
#
# All but clean set up what they need in .venv; only Python 3.10 or newer, make and git have to be there.
# The loop over states is compiled if a C compiler is there; make SPACY_UCCA_PURE=1 leaves it as Python.
# Another Python: make parse PYTHON=/path/to/python3.12. The output: PICTURE=graph.svg.

SHELL := /bin/sh
MODEL ?= models/en_ucca_sm
PICTURE ?= parse.svg
# Test processes at a time.
JOBS ?= 2
# Of the random examples of `make slow`.
SEED ?= $(shell date +%s)
VENV := .venv
BIN := $(VENV)/bin

# The text as it was typed: not expanded by make, and handed on in the environment, not in a command.
override TEXT := $(value TEXT)
export TEXT
export PYTHONUTF8 = 1
export PIP_DISABLE_PIP_VERSION_CHECK = 1

# The first Python that starts, is new enough and can make virtual environments.
PYTHON ?= $(shell for python in python3.13 python3.12 python3.11 python3.10 python3 python; do \
	if $$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1; \
	then echo $$python; break; fi; done)

.PHONY: help parse test slow clean
.DELETE_ON_ERROR:

help:
	@sed -n '1,/^$$/s/^# \{0,1\}//p' Makefile

parse: $(VENV)/runtime.stamp
	@if ! test -d '$(MODEL)'; then echo 'There is no pipeline at $(MODEL). Choose one: make parse MODEL=...' >&2; exit 1; fi
	@if test -n "$$TEXT"; then printf '%s\n' "$$TEXT"; else cat docs/sample.txt; fi > $(VENV)/text.txt
	@$(BIN)/spacy-ucca parse - --model '$(MODEL)' --to tree --no-progress < $(VENV)/text.txt
	@$(BIN)/spacy-ucca parse - --model '$(MODEL)' --to svg --no-progress < $(VENV)/text.txt > '$(PICTURE)'
	@echo 'The same as a picture: $(PICTURE)'

test: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow"

slow: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "slow or hypothesis" \
		--hypothesis-profile new_examples --hypothesis-seed $(SEED)

# What a user needs. Both environments are one, so that `make test` tests what `make parse` runs.
$(VENV)/runtime.stamp: setup.cfg pyproject.toml setup.py $(wildcard spacy_ucca/native/*.p*) $(wildcard spacy_ucca/encoder/*.c)
	@if test -z '$(PYTHON)'; then echo 'No Python 3.10 or newer (with venv) was found. Name one: make PYTHON=/path/to/python3' >&2; exit 1; fi
	@echo 'Setting up $(VENV) with $(PYTHON); this happens once and takes a minute or two.'
	@test -x $(BIN)/python || '$(PYTHON)' -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

# The `ucca` package, the reference of many tests, pins spaCy 2: it comes without its dependencies.
$(VENV)/dev.stamp: $(VENV)/runtime.stamp
	@echo 'Installing what the tests need.'
	@$(BIN)/python -m pip install --quiet --editable '.[dev,texts,docs,languages,links,serve,ray,release]'
	@$(BIN)/python -m pip install --quiet --no-deps ucca==1.3.11 \
		|| echo 'NOTE: ucca==1.3.11 could not be installed: the tests that compare with it are skipped.' >&2
	@command -v chromedriver >/dev/null \
		|| echo 'NOTE: no Chromium with its driver (Debian: chromium, chromium-driver): tests in a browser are skipped.' >&2
	@$(BIN)/python -c 'import ctypes; ctypes.CDLL("liblink-grammar.so.5")' 2>/dev/null \
		|| echo 'NOTE: no Link Grammar (Debian: link-grammar, link-grammar-dictionaries-all): its tests are skipped.' >&2
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info spacy_ucca/native/*.so spacy_ucca/native/*.pyd .mypy_cache .ruff_cache .pytest_cache .hypothesis
