#!/bin/sh
# Installs the build into a fresh prefix, builds the client and the programs of docs/api.md against it, and runs them; each
# program has to print the text block that follows it. run.sh BUILD SOURCE CXX
set -eu
build=$1 source=$2 compiler=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/prefix" >/dev/null

# Only the public headers are there.
(cd "$source/include" && find . -name '*.h' | sort) >"$scratch/public"
(cd "$scratch/prefix/include" && find . -type f | sort) | diff "$scratch/public" -

mkdir "$scratch/examples"
awk -v folder="$scratch/examples" '
  /^```/ { to = ""; if ($0 == "```cpp") to = folder "/example_" ++count ".cpp";
           if ($0 == "```text") to = folder "/example_" count ".expected"; if (to) printf "" >to; next }
  to { print >to }' "$source/docs/api.md"

cmake -S "$source/tests/client" -B "$scratch/client" -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  -DQUENCH_EXAMPLES="$scratch/examples" >/dev/null
cmake --build "$scratch/client" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
test "$("$scratch/client/client")" = 1
test "$("$scratch/prefix/bin/quench" --version)" = "$("$build/quench" --version)"
share=$scratch/prefix/share
bash -n "$share/bash-completion/completions/quench"
test -s "$share/zsh/site-functions/_quench" -a -s "$share/fish/vendor_completions.d/quench.fish"
for command in '' -compile -bench-attention; do grep -q '^.SH SYNOPSIS' "$share/man/man1/quench$command.1"; done

mkdir "$scratch/work" && cd "$scratch/work"
ln -s "$source/examples" examples
for example in "$scratch"/examples/*.cpp; do
  name=$(basename "$example" .cpp)
  "$scratch/client/$name" >"$scratch/printed" 2>&1 || { echo "$name ended with $?"; cat "$scratch/printed"; exit 1; }
  diff -u "$scratch/examples/$name.expected" "$scratch/printed" || { echo "$name of docs/api.md prints something else"; exit 1; }
done
