#!/bin/sh
# Installs the Debian packages the build needs, if any is missing. With the argument "clang": also the clang compiler.
set -eu

packages="build-essential cmake ninja-build pkg-config libmpfr-dev libgmp-dev libflint-arb-dev libflint-dev
libcli11-dev libfmt-dev nlohmann-json3-dev libtbb-dev libhwy-dev libgtest-dev libgmock-dev libbenchmark-dev libcpp-httplib-dev"
[ "${1:-}" = clang ] && packages="clang libclang-rt-14-dev"

missing=""
for package in $packages; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1; then
  as_root="sudo"
else
  echo "These packages are missing; please have them installed:$missing" >&2
  exit 1
fi
echo "installing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{ $as_root apt-get update -qq && $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $missing; } \
  >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
