# Everything lives in .venv and in ignored build folders; nothing outside this folder is changed, and set-up runs again
# only when its sources change.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PY := .venv/bin/python
READY := .venv/ready
PACKAGING := setup.py pyproject.toml
COMPILED := $(shell find core proto -name '*.pyx' -o -name '*.pxd' -o -name '*.proto')
STUBBED := $(shell find core -name '*.pyx' | sed 's|^core/||; s|\.pyx$$||; s|/|.|g')
BUF_VERSION := 1.75.0
BUF := .venv/buf-$(BUF_VERSION)

.PHONY: help setup demo serve test bench static check proto-lint test-all clean

help: ## Show this list
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/  make \1\t\2/p' Makefile | expand -t 20

setup: $(READY) ## Create .venv, install the dependencies, compile; does nothing when nothing changed

# $? names every prerequisite when the stamp is missing, and only the newer ones otherwise: a change of the packaging
# installs anew, a change of compiled or generated code alone is built in place.
$(READY): $(PACKAGING) $(COMPILED)
	@$(if $(filter $(PACKAGING),$?),$(install),$(rebuild))
	touch $@

define install
python=
for candidate in python3 python3.11 python3.12 python3.13 python3.14; do
  if "$$candidate" -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$candidate; break; fi
done
if [ -z "$$python" ]; then
  echo 'laizi needs Python 3.11 or newer with its venv module (on Debian: apt-get install python3-venv)' >&2; exit 1
fi
echo "set-up: a virtual environment in .venv ($$("$$python" --version))"
"$$python" -m venv .venv
echo 'set-up: the build tools'
$(PY) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' > .venv/build-requires.txt
$(PY) -m pip install --quiet --disable-pip-version-check --requirement .venv/build-requires.txt
echo 'set-up: compile laizi and install it with its dependencies, as an editable install (the first time takes a minute or two)'
$(PY) -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[cli,dev]'
endef

define rebuild
echo 'set-up: compile what changed'
$(PY) setup.py --quiet build_wire --inplace build_ext --inplace
endef

demo: $(READY) ## Start the service on loopback, ask it about real hands of both games, print its answers
	@$(PY) -m laizi_service.demo

serve: $(READY) ## Run the service until Ctrl-C
	@exec $(PY) -m laizi_service.cli serve

bench: $(READY) ## Measure the engine and the service on this machine
	@exec $(PY) -m laizi_service.cli bench

test: $(READY) ## Run every test that Python and a C compiler can run (PYTEST='-k word' adds options)
	@echo 'test: pytest, warnings are errors'
	$(PY) -m pytest $(PYTEST)

static: $(READY)
	@echo 'check: format and lint (ruff)'
	$(PY) -m ruff format --check --quiet
	$(PY) -m ruff check --quiet
	echo 'check: Cython lint (cython-lint)'
	PATH=.venv/bin:$$PATH cython-lint core
	echo 'check: types (mypy --strict)'
	$(PY) -m mypy
	echo 'check: stubs against the compiled modules (stubtest)'
	$(if $(STUBBED),$(PY) -m mypy.stubtest --mypy-config-file pyproject.toml $(STUBBED))

check: static test ## Check format, lint, types and stubs, then run the tests

$(BUF): $(READY)
	@echo "set-up: buf $(BUF_VERSION) in $(BUF)"
	npm install --silent --no-save --no-audit --no-fund --prefix $@ @bufbuild/buf@$(BUF_VERSION)
	touch $@

proto-lint: $(BUF)
	@echo 'check: the contract (buf lint)'
	$(BUF)/node_modules/.bin/buf lint proto

# One pytest run at the end: that of "make test" and, because -m is empty, the tests that need package registries.
test-all: static proto-lint ## As root on Debian: all of the above, and what needs tools from package registries
	@echo 'test-all: pytest with everything'
	$(PY) -m pytest -m '' $(PYTEST)

clean: ## Remove .venv and everything that was built
	@rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis core/laizi/v1
	find core service benchmarks tests \( -name '*.so' -o -name '*.egg-info' -o -name __pycache__ \) -prune -exec rm -rf {} +
	rm -rf *.egg-info
	echo 'clean: removed .venv and everything built'
