#!/bin/sh
# What `make demo` shows: two rules compiled, words run through the networks, one attention pattern.
set -eu
quench=build/release/quench
show() {
  printf '\n\033[1m$ quench %s\033[0m\n' "$*"
  "$quench" "$@"
}
show compile examples/formulas/parity_odd.tl
show run examples/formulas/parity_odd.tl --uncertified 0110 0111 10101
show compile -e "Q_a S Q_b" --recipe 15a
show run -e "Q_a S Q_b" --uncertified baa bab aaba bacaa
show verify -e "Q_a S Q_b" --exhaustive 7
show attend -e "Q_a S Q_b" baaacaaba
