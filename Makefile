.DEFAULT_GOAL := help
PYTHON ?= python3
MINUTES ?= 1
SEED ?= soak
BIN := .venv/bin
export VIRTUAL_ENV := $(CURDIR)/.venv
export PATH := $(CURDIR)/.venv/bin:$(PATH)

.PHONY: help demo test test-rust test-python check bench bench-once fmt build release wheel soak ci

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

check: build      ## Formatting, lints, types, documentation
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: release    ## Timings: release build, quiet machine
	$(BIN)/pytest benches --benchmark-enable --benchmark-only --benchmark-columns=min,median,mean,stddev,rounds

bench-once: build ## Every bench once, untimed
	$(BIN)/pytest benches --benchmark-disable -q

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

soak: build       ## Kills, reopenings and two writers against a model, for MINUTES=1; SEED=…
	$(BIN)/python -m tests.soak --minutes $(MINUTES) --seed $(SEED)

ci: check test soak bench-once wheel ## Everything that is checked before a change lands

.venv/.tools: pyproject.toml
	@command -v cargo >/dev/null || { echo "missing: cargo. Install Rust 1.95 or newer (https://rustup.rs)."; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "missing: $(PYTHON). Install Python 3.11 or newer."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "too old: $(PYTHON). Python 3.11 or newer is needed; say make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "missing: Python's venv module (on Debian: apt-get install python3-venv)."; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@
