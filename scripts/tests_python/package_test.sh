#!/bin/sh
# Installs the Python package into a virtual environment in build/, and runs its tests: pytest with the documents and the examples in
# docstrings, and mypy --strict.
set -eu
cd "$(dirname "$0")/../.."
environment=build/python_environment
[ -x $environment/bin/python ] || python3 -m venv $environment
$environment/bin/python -m pip install -q -r scripts/tests_python/requirements.lock
$environment/bin/python -m pip install -q .
$environment/bin/python -m pytest -q python/tests
$environment/bin/python -m mypy --strict -p quench
