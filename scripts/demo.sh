#!/bin/sh
# What `make demo` shows: a rule, the network it becomes with its certificate, a bit remembered over a million tokens, and
# where the network looks.
set -eu
quench=$PWD/build/release/quench
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

say() { printf '\n%s\n' "$*"; }
show() {
  printf '\033[1m$ quench %s\033[0m\n' "$*"
  "$quench" "$@"
}

say "A rule: a read (r) returns the bit that was last written (w); other bits are ignored (i)."
sed -n '/^let/,$p' examples/formulas/flip_flop.tl
say "Its network. The certificate says up to which length every word comes out right, in each number format:"
cp examples/formulas/flip_flop.tl "$scratch" && cd "$scratch"
show compile flip_flop.tl -o flip_flop.safetensors

say "A bit written once and read 999,998 tokens later, by softmax attention in float32; then the same with the wrong bit:"
awk 'BEGIN { for (bit = 1; bit >= 0; --bit) { printf "w1"; for (k = 0; k < 499998; ++k) printf "i0"; print "r" bit } }' >words
printf '\033[1m$ quench run flip_flop.safetensors --dtype f32 --input words\033[0m\n'
begin=$(date +%s%N)
"$quench" run flip_flop.safetensors --dtype f32 --input words >answers
end=$(date +%s%N)
sed -E 's/^(.{6})[^ ]*([^ ]{4}) +[01]*([01]{4}) +/\1…\2   …\3   /' answers
printf '2,000,000 tokens in %d ms, reading and printing included\n' $(((end - begin) / 1000000))

say "Where the head that finds the last write looks (rows look at columns):"
show attend flip_flop.safetensors w1i0w0i1r0 --layer 1 --head 2
