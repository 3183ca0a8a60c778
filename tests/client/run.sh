#!/bin/sh
# Installs the build into a fresh prefix, builds the client against it, and runs it: run.sh BUILD SOURCE CXX
set -eu
build=$1 source=$2 compiler=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
cmake -S "$source/tests/client" -B "$scratch/client" -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_CXX_COMPILER="$compiler" >/dev/null
cmake --build "$scratch/client" >/dev/null
test "$("$scratch/client/client")" = 1
test "$("$scratch/prefix/bin/quench" --version)" = "$("$build/quench" --version)"
share=$scratch/prefix/share
bash -n "$share/bash-completion/completions/quench"
test -s "$share/zsh/site-functions/_quench" -a -s "$share/fish/vendor_completions.d/quench.fish"
for command in '' -compile -bench-attention; do grep -q '^.SH SYNOPSIS' "$share/man/man1/quench$command.1"; done
