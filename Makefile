# Commands for people: `make run` and `make test`; for developers also `make check`, `make format` and `make bench`.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
ARGS ?=
ONLY ?=

# The first interpreter that really runs and is in range: a name on PATH may be a wrapper around nothing.
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	if "$$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' >/dev/null 2>&1; \
	then echo "$$name"; break; fi; done)

.PHONY: run test check format bench clean

run: $(READY)
	@$(BIN)/draftlens $(ARGS)

test: $(READY)
	@$(BIN)/python -m pytest $(ARGS)

check: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(READY)
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

# One line a figure: name, value, goal, verdict. `make bench ONLY=name` runs one.
bench: $(READY)
	@$(BIN)/python tests/bench $(ONLY)

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# Redone only when what is locked or declared changes.
$(READY): requirements-dev.lock pyproject.toml
	@if ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
		if [ -z "$(PYTHON)" ]; then \
			echo "Draftlens needs Python 3.11, 3.12 or 3.13, and none was found. Install one, or name it: make run PYTHON=/path/to/python3.12" >&2; \
			exit 2; \
		fi; \
		echo "Setting up $(VENV) with $$($(PYTHON) --version) (once, a few minutes)" >&2; \
		if ! $(PYTHON) -m venv --clear $(VENV) >&2; then \
			echo "$(PYTHON) cannot make a virtual environment. On Debian or Ubuntu: apt install python3-venv" >&2; \
			exit 2; \
		fi; \
	fi
	@echo "Installing what requirements-dev.lock lists" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
