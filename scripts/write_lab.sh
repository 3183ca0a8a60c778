#!/bin/sh
# Runs experiments in full and copies their figures and pages to docs/lab:
#   write_lab.sh [DIRECTORY FOR EVERYTHING [EXPERIMENT…]]
# Without names all of them; with names the others stay as they are, in the index too.
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/lab}
[ $# -eq 0 ] || shift
if [ $# -eq 0 ]; then
  build/release/quench lab run all --out "$out"
  mkdir -p docs/lab
  cp "$out"/*.svg "$out"/*.md docs/lab/
  exit
fi
build/release/quench lab run "$@" --out "$out"
for name; do
  cp "$out/$name.svg" "$out/$name.md" docs/lab/
done
python3 - docs/lab/index.md "$out/index.md" "$@" <<'PYTHON'
import re, sys
index, new, names = sys.argv[1], sys.argv[2], sys.argv[3:]
section = lambda text, name: re.search(rf"^## \[{name}\].*?(?=^## |\Z)", text, re.M | re.S)
text, found = open(index).read(), open(new).read()
for name in names:
    old = section(text, name)
    text = text[:old.start()] + section(found, name)[0].rstrip("\n") + "\n" + ("\n" if old.end() < len(text) else "") + text[old.end():]
open(index, "w").write(text)
PYTHON
