#!/bin/sh
# Makes what is released of the last commit, in build/dist: the source archive, Debian packages built from that archive, and
# their checksums. The same commit gives the same bytes, wherever it is done with the same compiler: dist.sh [JOBS [DIRECTORY]].
# Archive and packages are packed twice and compared; `dist.sh --twice [JOBS]` also compiles all of it again, and compares that.
set -eu

cd "$(dirname "$0")/.."
if [ "${1:-}" = --twice ]; then
  "$0" "${2:-$(nproc)}" build/dist
  "$0" "${2:-$(nproc)}" build/dist-again
  cmp build/dist/SHA256SUMS build/dist-again/SHA256SUMS && echo 'the same bytes, compiled twice' && rm -r build/dist-again
  exit
fi
jobs=${1:-$(nproc)}
out=$(mkdir -p "${2:-build/dist}" && cd "${2:-build/dist}" && pwd)
version=$(sed -n 's/^project(quench VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=quench-$version
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
umask 022
[ -z "$(git status --porcelain --untracked-files=no)" ] || echo "not committed, and so not in it: $(git status --porcelain --untracked-files=no | wc -l) files" >&2

rm -rf "$out/work" "$out"/quench*.deb "$out/$name.tar.gz"
mkdir "$out/work"
differ() { echo "$1 is not the same when it is packed again" >&2; exit 1; }
archive() { git archive --format=tar --prefix="$name/" HEAD | gzip -9n; }
archive >"$out/$name.tar.gz"
sleep 1  # a time that crept in would be another one now
archive | cmp - "$out/$name.tar.gz" || differ "$name.tar.gz"
tar -xzf "$out/$name.tar.gz" -C "$out/work"
cd "$out/work/$name"
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
  -DQUENCH_BUILD_TESTS=OFF -DQUENCH_REPRODUCIBLE=ON >build.log 2>&1 || { cat build.log >&2; exit 1; }
cmake --build build -j "$jobs"
package() { (cd build && cpack -G DEB) >package.log 2>&1 || { cat package.log >&2; exit 1; }; }
package
mv build/quench*.deb "$out"
package
for deb in build/quench*.deb; do cmp "$deb" "$out/${deb#build/}" || differ "${deb#build/}"; done
cd "$out" && rm -rf work
sha256sum "$name.tar.gz" quench*.deb >SHA256SUMS
cat SHA256SUMS
