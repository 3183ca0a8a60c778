# The documented commands. Each installs what is missing (Debian packages, as root or with sudo), builds, and runs.
.PHONY: help web studio deps test-deps configure build tests demo test test-all test-python install bench sanitize tsan clang warnings fuzz coverage dist \
        format docs clean
.NOTPARALLEL:

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
SECONDS ?= 60

help:
	@echo 'make demo      build the program; a rule, its certificate, a bit remembered over a million tokens'
	@echo 'make build     build/release/quench, without the tests'
	@echo 'make test      the quick tests (minutes);  make test-all: all of them'
	@echo 'make install   program, manual pages, shell completion, library and CMake package under PREFIX ($(PREFIX))'
	@echo 'make sanitize  the quick tests under AddressSanitizer and UBSan;  make clang: with clang++'
	@echo 'make tsan      the tests of what has threads under ThreadSanitizer'
	@echo 'make fuzz      every fuzz target for SECONDS ($(SECONDS)): executions, edges over time, findings (fuzz/README.md)'
	@echo 'make coverage  which lines and branches of src/ the quick tests run: build/coverage/coverage.txt'
	@echo 'make dist      source archive, Debian package and checksums in build/dist, the same bytes from the same commit (scripts/dist.sh --twice)'
	@echo 'make warnings  everything with more warnings, all of them errors, by g++ and by clang++'
	@echo 'make studio    the page on which one writes a rule and watches it become a network (needs Node.js to build)'
	@echo 'make bench     the benchmarks'

deps:
	@scripts/install_dependencies.sh build

test-deps:
	@scripts/install_dependencies.sh test

configure: deps
	@cmake --preset release >build-release.log 2>&1 || { cat build-release.log; rm -f build-release.log; exit 1; }
	@rm -f build-release.log

build: configure
	cmake --build --preset release -j $(JOBS) --target quench_cli

tests: test-deps configure
	cmake --build --preset release -j $(JOBS)

# The studio's page, which needs Node.js and npm; `make build` then puts it into the program.
web:
	@command -v npm >/dev/null || { echo 'the page needs Node.js and npm (Debian: apt-get install nodejs npm)' >&2; exit 1; }
	cd web && npm ci --no-audit --no-fund && node build.mjs

studio: web build
	build/release/quench studio --open

demo: build
	@scripts/demo.sh

test: tests
	ctest --preset quick -j $(JOBS)

# With the page of the studio in a browser, where both can be had, and with the tools that models are exported to.
test-all:
	@if command -v npm >/dev/null && command -v chromium >/dev/null; then $(MAKE) web; \
	else echo 'without Node.js and chromium the page of the studio is not tested'; fi
	$(MAKE) tests
	ctest --preset all -j $(JOBS)
	$(MAKE) test-python

# The Python package, and exports against the tools they are for, in virtual environments that are made in build/ from lock files
# (6 GB, most of it torch; they need the network once).
test-python: build
	scripts/tests_python/package_test.sh
	scripts/tests_python/exports_test.py build/release/quench --jobs $(JOBS)

install: build
	cmake --install build/release --prefix $(PREFIX)

sanitize: deps test-deps
	cmake --preset sanitize && cmake --build --preset sanitize -j $(JOBS) && ctest --preset sanitize -j $(JOBS)

tsan: deps
	@scripts/install_dependencies.sh clang
	cmake --preset tsan && cmake --build --preset tsan -j $(JOBS) && ctest --preset tsan

clang: deps test-deps
	@scripts/install_dependencies.sh clang
	cmake --preset clang && cmake --build --preset clang -j $(JOBS) && ctest --preset clang -j $(JOBS)
	cmake --preset clang-sanitize && cmake --build --preset clang-sanitize -j $(JOBS) && ctest --preset clang-sanitize -j $(JOBS)

warnings: deps
	@scripts/install_dependencies.sh clang
	cmake --preset warnings && cmake --build --preset warnings -j $(JOBS)
	cmake --preset warnings-clang && cmake --build --preset warnings-clang -j $(JOBS)

fuzz: deps
	@scripts/install_dependencies.sh clang
	cmake --preset fuzz && cmake --build --preset fuzz -j $(JOBS) --target fuzz_targets
	@scripts/fuzz.py $(SECONDS)

coverage: deps test-deps
	@scripts/install_dependencies.sh coverage
	cmake --preset coverage && cmake --build --preset coverage -j $(JOBS)
	@scripts/coverage.sh $(JOBS)

dist: deps
	@scripts/install_dependencies.sh dist
	@scripts/dist.sh $(JOBS)

bench: deps
	cmake --preset bench && cmake --build --preset bench -j $(JOBS)
	@for program in build/bench/bench/bench_*; do [ -x $$program ] && $$program; done

format:
	clang-format -i $$(git ls-files '*.cpp' '*.h')

docs: build
	scripts/write_docs.sh

clean:
	rm -rf build
