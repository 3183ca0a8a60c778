#!/bin/sh
# Runs all experiments in full and copies their figures and pages to docs/lab: write_lab.sh [DIRECTORY FOR EVERYTHING]
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/lab}
build/release/quench lab run all --out "$out"
mkdir -p docs/lab
cp "$out"/*.svg "$out"/*.md docs/lab/
