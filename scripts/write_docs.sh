#!/bin/sh
# Regenerates what the program writes: the command reference, the outputs shown in documents, the pictures.
set -eu
cd "$(dirname "$0")/.."
quench=build/release/quench
scripts/cli_reference.sh "$quench" >docs/cli.md
scripts/refresh_console_blocks.py "$quench" README.md docs/*.md
mkdir -p docs/images
"$quench" attend examples/formulas/flip_flop.tl --layer 1 --head 2 'w1i0r1w0i1i1r0' --svg docs/images/flip_flop.svg
