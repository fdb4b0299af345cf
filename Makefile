.DEFAULT_GOAL := help
PYTHON ?= python3
MINUTES ?= 1
SEED ?= soak
BIN := .venv/bin
export VIRTUAL_ENV := $(CURDIR)/.venv
export PATH := $(CURDIR)/.venv/bin:$(PATH)

# A build in which libFuzzer sees what each input reaches; stable Rust has all that it takes.
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
FUZZ = --locked --package membound-fuzz --release --config profile.release.lto=false \
	--target $(HOST) --target-dir target/fuzz
COVERAGE = -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
	-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
	-Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 -Cdebug-assertions \
	-Coverflow-checks --cfg fuzzing
TARGETS ?= tokens record request context index

.PHONY: help demo test test-rust test-python clients clients-if-node check bench bench-once compare instructions fmt build release wheel soak fuzz ci

help:             ## What there is to make
	@grep -hE '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## ?/\1\t/' | expand -t 14

demo: release     ## Fill a temporary store with real text and watch it recall
	$(BIN)/python demo/demo.py

test: test-rust test-python ## Build, then every test

test-rust: .venv/.tools ## The core's own tests
	cargo test --locked

test-python: build ## Stubs against the module, then the suite
	$(BIN)/python -m mypy.stubtest membound._core
	$(BIN)/pytest

# The inspector's command line looks for the manifest of the package that it is a part of.
clients:          ## The MCP clients of others, for tests/test_mcp_node.py: TypeScript SDKs, inspector
	npm install --prefix tests/node --no-package-lock --no-audit --no-fund --silent
	@echo '{"name": "@modelcontextprotocol/inspector", "version": "1.0.3"}' \
		> tests/node/node_modules/@modelcontextprotocol/package.json

check: build      ## Formatting, lints, types, documentation
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

fuzz: .venv/.tools ## The fuzz targets under libFuzzer, MINUTES each; TARGETS=index for one
	RUSTFLAGS="$(COVERAGE)" cargo build $(FUZZ) --features libfuzzer --bins
	@for target in $(TARGETS); do \
		mkdir -p target/fuzz/corpus/$$target && \
		TMPDIR=$$(test -d /dev/shm && echo /dev/shm || echo /tmp) target/fuzz/$(HOST)/release/$$target \
			target/fuzz/corpus/$$target rust/fuzz/corpus/$$target -dict=rust/fuzz/hostile.dict \
			-max_total_time=$$(($(MINUTES) * 60)) -timeout=60 -rss_limit_mb=4096 \
			-artifact_prefix=target/fuzz/$$target- -print_final_stats=1 || exit 1; \
	done

bench: release    ## Timings: release build, quiet machine
	$(BIN)/pytest benches --benchmark-enable --benchmark-only --benchmark-columns=min,median,mean,stddev,rounds

bench-once: build ## Every bench once, untimed
	$(BIN)/pytest benches --benchmark-disable -q

compare: release .venv-compare/.tools ## Recall beside FTS5, bm25s, tantivy and others; ARGUMENTS="--million"
	VIRTUAL_ENV=$(CURDIR)/.venv-compare $(BIN)/maturin develop --locked --quiet --release
	.venv-compare/bin/python -m benches.compare $(ARGUMENTS)

# Where it is missing and cannot be installed, the script says so.
instructions: .venv/.tools ## Instructions of a fixed workload against budgets; UPDATE=1 sets those
	@command -v valgrind >/dev/null || { apt-get -qq update && \
		DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends valgrind; \
		} >/dev/null 2>&1 || true
	$(BIN)/python -m benches.instructions $(if $(UPDATE),--update)

fmt:              ## Put all code in form
	cargo fmt --all
	$(BIN)/ruff check --fix --select I .
	$(BIN)/ruff format .

build: .venv/.tools ## The extension, built for development
	$(BIN)/maturin develop --locked --quiet

release: .venv/.tools ## The extension, built for speed
	$(BIN)/maturin develop --locked --quiet --release

wheel: .venv/.tools ## A release wheel, tried where no tool of ours is
	$(BIN)/maturin build --locked --quiet --release --out dist
	$(PYTHON) -m venv --clear .venv-clean
	.venv-clean/bin/pip install --quiet "$$(ls -t dist/*.whl | head -n 1)[cli]"
	.venv-clean/bin/python -I tests/wheel_smoke.py

soak: build       ## Kills, reopenings and two writers against a model, then two servers; MINUTES=1 each; SEED=…
	$(BIN)/python -m tests.soak --minutes $(MINUTES) --seed $(SEED)
	MEMBOUND_SECONDS=$$(awk 'BEGIN {print 60 * $(MINUTES)}') $(BIN)/pytest -q -s \
		"tests/test_workspace_processes.py::test_servers_side_by_side_lose_nothing[2]"

# Where node is missing, the tests that need it are skipped and say so.
ci: clients-if-node check test instructions soak bench-once wheel ## Everything that is checked before a change lands

clients-if-node:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory clients || echo "the MCP clients of others cannot be installed"; fi

.venv/.tools: pyproject.toml
	@command -v cargo >/dev/null || { echo "missing: cargo. Install Rust 1.95 or newer (https://rustup.rs)."; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "missing: $(PYTHON). Install Python 3.11 or newer."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "too old: $(PYTHON). Python 3.11 or newer is needed; say make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "missing: Python's venv module (on Debian: apt-get install python3-venv)."; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

.venv-compare/.tools: pyproject.toml
	$(PYTHON) -m venv .venv-compare
	.venv-compare/bin/python -m pip install --quiet --upgrade pip
	.venv-compare/bin/python -m pip install --quiet --group compare
	@touch $@
