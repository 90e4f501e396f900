# The project's tasks. `make` alone lists them.
#
# Needs Python 3.11 or newer, make and a package index; all else is installed in .venv and .tools.

PYTHON ?= python3
ARGS ?=
BENCH ?= referee rating

BIN := .venv/bin
# uv is installed outside .venv: it is not in the lock file, so it would remove itself from .venv.
UV_VERSION := 0.13.8
UV_HOME := .tools/uv-$(UV_VERSION)
UV := $(UV_HOME)/bin/uv
TWINE_VERSION := 7.0.0
SYNCED := .venv/.synced
# There once `make fast` has installed the compiled rules.
FAST := .venv/.fast
DOCS := dashboard/arena_dashboard/docs
NODE_TOOLS := dashboard/node_modules/.installed

# Variables of the caller that would change uv's target are unset.
SYNC = env -u VIRTUAL_ENV UV_PROJECT_ENVIRONMENT=.venv UV_PYTHON_DOWNLOADS=never \
	$(UV) sync --frozen --all-extras --python '$(PYTHON)'

CHECKS := check-format check-lint check-types check-imports check-proto check-generated \
	check-compose check-kubernetes check-workflow check-docs check-citation check-javascript check-rust

.DEFAULT_GOAL := help
.PHONY: help setup fast up test test-all check proto new-game solve wheel release docs bench screenshots clean $(CHECKS)

help: ## Print this
	@echo 'make TARGET [ARGS="…"] [PYTHON=python3.12]'
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-11s %s\n", $$1, $$2 }' Makefile

setup: $(SYNCED) ## Install everything into .venv, exactly as uv.lock says
	@echo 'Ready: make up, make test, or $(BIN)/arena --help.' \
		'Bluff is played by $(if $(wildcard $(FAST)),compiled rules,rules in Python: make fast compiles them).'

fast: $(SYNCED) ## Compile the rules of Bluff (fast/, needs Rust) and install it into .venv
	@cargo --version >/dev/null || { echo 'Compiled rules need Rust: https://rustup.rs.' >&2; exit 1; }
	$(SYNC)
	@touch $(FAST)

up: $(SYNCED) $(DOCS)/index.html ## Run database, referee, sample bots and dashboard until Ctrl-C (ARGS for `arena up`)
	@exec $(BIN)/arena up $(ARGS)

test: $(SYNCED) ## Run the tests, but for those of test-all alone (or ARGS for pytest)
	@exec $(BIN)/python -m pytest $(if $(ARGS),$(ARGS),-m 'not system')

test-all: $(SYNCED) $(DOCS)/index.html ## Run also tests with browsers, toolchains, sandboxes and chaos, as CI does
	@exec $(BIN)/python -m pytest $(ARGS)

check: $(CHECKS) ## Check format, lint, types, imports, protocol, generated code, compose file, manifests, workflow, docs, JavaScript, Rust

$(CHECKS): $(SYNCED)

check-format:
	$(BIN)/ruff format --check .

check-lint:
	$(BIN)/ruff check .

check-types:
	$(BIN)/mypy

check-imports:
	$(BIN)/lint-imports

check-proto:
	$(BIN)/buf lint proto
	$(BIN)/buf format proto --diff --exit-code

check-generated:
	@fresh=$$(mktemp -d) && trap 'rm -rf "$$fresh"' EXIT && \
		PYTHON=$(BIN)/python sh proto/generate.sh "$$fresh" && \
		if diff -r -x __init__.py -x __pycache__ "$$fresh/arena/v1" arena/v1 && \
			for copy in "$$fresh"/sample_bots/*/proto; do \
				diff -r "$$copy" "sample_bots/$${copy#$$fresh/sample_bots/}" || exit 1; done; \
		then echo 'The generated code is fresh.'; \
		else echo 'arena/v1 or sample_bots/*/proto is not what proto/ says: run make proto.' >&2; \
			exit 1; fi

check-compose:
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml

check-kubernetes:
	$(BIN)/kubernetes-validate --strict --quiet deploy/kubernetes/arena.yaml

check-workflow:
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/publish.yml

check-docs: $(DOCS)/index.html

check-citation:
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff

# The dashboard runs without Node; only those who change its JavaScript need it.
check-javascript:
	@if command -v npm >/dev/null; then \
		$(MAKE) --no-print-directory $(NODE_TOOLS) && cd dashboard && npx --no-install tsc && \
		echo 'The JavaScript is well typed.'; \
	else echo 'Node is not installed: the JavaScript is not checked.'; fi

# The arena runs without compiled rules; only those who change it need cargo.
check-rust:
	@if cargo clippy --version >/dev/null 2>&1 && cargo fmt --version >/dev/null 2>&1; then \
		cd fast && cargo fmt --check && cargo clippy --quiet --locked -- -D warnings && \
		echo 'The compiled rules have no warnings.'; \
	else echo 'cargo with clippy and rustfmt is not installed: the compiled rules are not checked.'; fi

$(DOCS)/index.html: $(shell git ls-files '*.md' docs/zensical.toml tools/docs_site.py) | $(SYNCED)
	$(BIN)/python -m tools.docs_site $(DOCS)

$(NODE_TOOLS): dashboard/package.json dashboard/package-lock.json
	cd dashboard && npm ci --no-fund --no-audit
	@touch $@

proto: $(SYNCED) ## Generate arena/v1 from proto/, and copy proto/ into the starters
	$(BIN)/buf format proto --write
	PYTHON=$(BIN)/python sh proto/generate.sh

new-game: $(SYNCED) ## Begin a new game (NAME=perudo) with one that is small and complete; docs/add-a-game.md
	@$(BIN)/python -m tools.new_game $(NAME)

solve: $(SYNCED) ## Solve the tables of the sample bot cfr: the shipped file, and dist/cfr.tables that knows more bets
	@mkdir -p dist
	@$(BIN)/arena solve --width 2e-5 --to dist/solved
	@$(BIN)/arena solve --to dist/solved --recall 1,4:4 --sweeps 40,4:200 \
		--tables sample_bots/python/arena_sample_bots/cfr.tables
	@exec $(BIN)/arena solve --to dist/solved --recall 2,4:4 --sweeps 40,4:200 \
		--take sample_bots/python/arena_sample_bots/cfr.tables --tables dist/cfr.tables

docs: $(DOCS)/index.html ## Build the documentation site, which the dashboard serves at /docs

wheel: $(DOCS)/index.html | $(UV) ## Build the wheel and the sdist into dist/
	$(UV) build --out-dir dist

release: $(DOCS)/index.html | $(UV) ## Build what is published into dist/: wheel with bill of materials, sdist; check and install both
	rm -rf dist/release dist/bluff-arena.cdx.json && mkdir -p dist/release
	$(UV) export --quiet --frozen --format cyclonedx1.5 --all-extras --no-extra fast --no-dev --output-file dist/bluff-arena.cdx.json
	$(UV) build --quiet --sdist --out-dir dist/release
	HATCH_BUILD_HOOK_ENABLE_CUSTOM=true $(UV) build --quiet --wheel --out-dir dist/release
	$(UV) tool run --quiet twine@$(TWINE_VERSION) check --strict dist/release/*.whl dist/release/*.tar.gz
	@for package in dist/release/*.whl dist/release/*.tar.gz; do \
		$(UV) tool run --isolated --from "$$package" bluff-arena --version && \
		echo "$$package installs and starts." || exit 1; done

bench: $(SYNCED) ## Measure speed, minutes each (BENCH=referee, compiled, games, learn, rating, board, dashboard, attacks or hosted, with ARGS for it)
	@for name in $(BENCH); do $(BIN)/python -m benchmarks.$$name $(ARGS) || exit 1; done

screenshots: $(SYNCED) ## Write pictures of all pages to dist/screenshots (ARGS=--readme renews the README's)
	@exec $(BIN)/python -m tools.screenshots $(ARGS)

clean: ## Remove generated files; .arena with its results stays
	rm -rf .venv .tools $(DOCS) dashboard/node_modules fast/target .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Runs again only when the lock changes, or the compiled rules where they are installed, so that
# other calls are fast and work offline.
$(SYNCED): pyproject.toml uv.lock $(if $(wildcard $(FAST)),$(wildcard fast/Cargo.* fast/src/*)) | $(UV)
	$(SYNC) $(if $(wildcard $(FAST)),,--no-extra fast)
	@touch $@

$(UV):
	@'$(PYTHON)' -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo 'Bluff Arena needs Python 3.11 or newer, and $(PYTHON) is not one:' \
			'name one, as in `make PYTHON=python3.12`.' >&2; exit 1; }
	'$(PYTHON)' -m venv $(UV_HOME)
	$(UV_HOME)/bin/pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
