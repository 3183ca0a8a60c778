# The documented commands. Each installs what is missing (Debian packages, as root or with sudo), builds, and runs.
.PHONY: help web deps configure build tests demo test test-all test-python install bench sanitize clang warnings format docs clean

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

help:
	@echo 'make demo      build the program; a rule, its certificate, a bit remembered over a million tokens'
	@echo 'make build     build/release/quench, without the tests'
	@echo 'make test      the quick tests (minutes);  make test-all: all of them'
	@echo 'make install   program, manual pages, shell completion, library and CMake package under PREFIX ($(PREFIX))'
	@echo 'make sanitize  the quick tests under AddressSanitizer and UBSan;  make clang: with clang++'
	@echo 'make warnings  everything with more warnings, all of them errors, by g++ and by clang++'
	@echo 'make web       the page of `quench studio` (needs Node.js); then make build'
	@echo 'make bench     the benchmarks'

deps:
	@scripts/install_dependencies.sh

configure: deps
	@cmake --preset release >build-release.log 2>&1 || { cat build-release.log; rm -f build-release.log; exit 1; }
	@rm -f build-release.log

build: configure
	cmake --build --preset release -j $(JOBS) --target quench_cli

tests: configure
	cmake --build --preset release -j $(JOBS)

# The studio's page, which needs Node.js and npm; `make build` then puts it into the program.
web:
	@command -v npm >/dev/null || { echo 'the page needs Node.js and npm (Debian: apt-get install nodejs npm)' >&2; exit 1; }
	cd web && npm ci --no-audit --no-fund && node build.mjs

demo: build
	@scripts/demo.sh

test: tests
	ctest --preset quick -j $(JOBS)

test-all: tests
	ctest --preset all -j $(JOBS)

# Exports against the tools they are for, in a virtual environment that is made in build/.
test-python: build
	scripts/tests_python/exports_test.py build/release/quench examples/formulas/*.tl examples/programs/*.[bs]rasp

install: build
	cmake --install build/release --prefix $(PREFIX)

sanitize: deps
	cmake --preset sanitize && cmake --build --preset sanitize -j $(JOBS) && ctest --preset sanitize -j $(JOBS)

clang: deps
	@scripts/install_dependencies.sh clang
	cmake --preset clang && cmake --build --preset clang -j $(JOBS) && ctest --preset clang -j $(JOBS)
	cmake --preset clang-sanitize && cmake --build --preset clang-sanitize -j $(JOBS) && ctest --preset clang-sanitize -j $(JOBS)

warnings: deps
	@scripts/install_dependencies.sh clang
	cmake --preset warnings && cmake --build --preset warnings -j $(JOBS)
	cmake --preset warnings-clang && cmake --build --preset warnings-clang -j $(JOBS)

bench: deps
	cmake --preset bench && cmake --build --preset bench -j $(JOBS)
	@for program in build/bench/bench/bench_*; do [ -x $$program ] && $$program; done

format:
	clang-format -i $$(git ls-files '*.cpp' '*.h')

docs: build
	scripts/write_docs.sh

clean:
	rm -rf build
