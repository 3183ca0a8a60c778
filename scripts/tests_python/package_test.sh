#!/bin/sh
# Installs the Python package into a virtual environment in build/, and runs its tests: pytest with the documents and the examples in
# docstrings, and mypy --strict.
set -eu
cd "$(dirname "$0")/../.."
python=$(python3 scripts/tests_python/exports/environments.py build newest)
$python -m pip install -q .
$python -m pytest -q python/tests
$python -m mypy --strict -p quench
