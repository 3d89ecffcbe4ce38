# Every target that compiles calls SwiftPM; this file adds what SwiftPM cannot know: packages to
# install, the commit, and the flags that all builds of one kind share, so nothing is built twice.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

PREFIX ?= /usr/local
DESTDIR ?=

# SwiftPM keeps caches in HOME, which a container may leave unset or read-only.
ifneq ($(shell test -w "$${HOME:-}" && echo writable),writable)
export HOME := $(CURDIR)/.build/home
endif

RELEASE_BUILD = TILEBENCH_COMMIT="$$(.ci/commit)" TILEBENCH_SWIFT="$$(.ci/commit --swift)" \
    swift build -c release --static-swift-stdlib
RELEASE_BINARY := .build/release/tilebench
SIMULATION := .build/release/RenewalSimulation

# `make test WARNINGS=` lets a newer compiler's new warnings pass.
WARNINGS := -Xswiftc -warnings-as-errors -Xcc -Wall -Xcc -Werror
TEST_FLAGS := --build-tests $(WARNINGS) --explicit-target-dependency-import-check error
THREAD_FLAGS := --sanitize=thread --scratch-path .build/thread
SWIFT_TEST := swift test --skip-build --disable-xctest

.PHONY: help
help: ## Print these targets.
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 20

.PHONY: run
run: build ## Build, then a first load test: Benchmarks/scenarios/quickstart.json.
	$(RELEASE_BINARY) run Benchmarks/scenarios/quickstart.json

.PHONY: build
build: toolchain ## Install what is missing and build release: .build/release/tilebench
	@$(RELEASE_BUILD) --product tilebench

.PHONY: install
install: build ## Install PREFIX/bin/tilebench (default /usr/local); runs without a toolchain.
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 $(RELEASE_BINARY) "$(DESTDIR)$(PREFIX)/bin/tilebench"

.PHONY: test
test: build-tests ## Install what the tests need, build and run them.
	$(SWIFT_TEST) --skip CommandTests
	.ci/test-commands

.PHONY: test-all
test-all: test ## The same, longer randomised runs, MapProxy, Varnish, the thread sanitizer.
	$(SIMULATION) explore
	$(SIMULATION) seconds 60
	TILEBENCH_EXHAUSTIVE=1 $(SWIFT_TEST) --skip CommandTests
	TILEBENCH_EXHAUSTIVE=1 $(SWIFT_TEST) --no-parallel --filter CommandTests.EmbeddedOriginTests
	.ci/venv all
	TILEBENCH_MAPPROXY=1 $(SWIFT_TEST) --no-parallel --filter CommandTests.MapProxyTests
	@.ci/install servers
	TILEBENCH_VARNISH=1 $(SWIFT_TEST) --no-parallel --filter CommandTests.VarnishTests
	TILEBENCH_NO_JEMALLOC=1 swift build $(TEST_FLAGS) $(THREAD_FLAGS)
	TSAN_OPTIONS=history_size=0:suppressions=$(CURDIR)/.ci/thread-sanitizer.txt \
	    TILEBENCH_NO_JEMALLOC=1 $(SWIFT_TEST) $(THREAD_FLAGS) \
	    --filter 'EngineTests|MetricsTests|TileOriginTests' --skip RenewalWorldTests

.PHONY: bench
bench: toolchain ## Micro-benchmarks: times are printed, a budget of allocations is kept.
	@$(RELEASE_BUILD) --product HotPaths
	.build/release/HotPaths

.PHONY: build-tests
build-tests: toolchain test-packages venv ## Build the tests and the binaries they run.
	swift build $(TEST_FLAGS)
	@$(RELEASE_BUILD) --product RenewalSimulation

.PHONY: lint
lint: toolchain test-packages ## Check formatting, imports and the size of files and functions.
	swift format lint --strict --parallel --recursive Package.swift Sources Tests Benchmarks
	.ci/check-imports
	.ci/tidy

.PHONY: format
format: toolchain ## Format every Swift file in place.
	swift format --in-place --parallel --recursive Package.swift Sources Tests Benchmarks

.PHONY: clean
clean: ## Remove everything built or downloaded.
	rm -rf .build .venv

.PHONY: toolchain
toolchain:
	@.ci/install toolchain build
	@command -v swift >/dev/null || { \
	    echo "Swift 6.2 or newer is needed and 'swift' is not in PATH." >&2; \
	    echo "Get it from https://www.swift.org/install/linux/ (Debian 12), unpack it and add its" \
	        "usr/bin folder to PATH." >&2; \
	    exit 1; }

.PHONY: test-packages
test-packages:
	@.ci/install test

.PHONY: venv
venv: test-packages
	@.ci/venv || echo "Going on: the tests that compare with these packages will fail." >&2
