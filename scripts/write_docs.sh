#!/bin/sh
# Regenerates the pages that are written by the program.
set -eu
cd "$(dirname "$0")/.."
scripts/cli_reference.sh build/release/quench >docs/cli.md
