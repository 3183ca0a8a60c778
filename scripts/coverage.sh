#!/bin/sh
# What of src/ the quick tests run, from the build of the preset `coverage`: build/coverage/coverage.txt, the files with the
# most lines never run first, and the same line by line in coverage.html: coverage.sh [JOBS]
set -eu

cd "$(dirname "$0")/.."
find build/coverage -name '*.gcda' -delete
ctest --preset coverage -j "${1:-$(nproc)}" || echo "some tests failed; what they ran is counted" >&2
cd build/coverage
gcovr --root ../.. --filter '../../src/' --exclude-throw-branches --exclude-unreachable-branches --sort-uncovered \
  --txt coverage.txt --html-details coverage.html --json-summary coverage.json --print-summary .
