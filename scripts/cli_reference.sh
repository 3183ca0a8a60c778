#!/bin/sh
# Writes docs/cli.md from the program's own help: cli_reference.sh PROGRAM > docs/cli.md
set -eu
quench=$1
cat <<'TEXT'
# Command line

This page is generated from the program's help (`make docs`). A SOURCE is a file or `-e TEXT`. Commands that take a MODEL
also take a SOURCE, which is compiled on the fly with the compile options.

An argument that begins with `-` is an option; after `--` every argument is taken as it is, so `quench run MODEL -- -a` runs
the word `-a`. Numbers are decimal.

Exit codes: 0 done (`run` and `eval` whatever the answers) · 1 a negative finding (a counterexample, a refused length) ·
2 the user's text or arguments · 3 files · 70 a bug in quench.
TEXT
page() {
  printf '\n## quench %s\n\n```text\n' "$*"
  "$quench" "$@" --help | sed 's/[[:space:]]*$//'
  printf '```\n'
}
for command in $("$quench" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  page "$command"
  if [ "$command" = bench ]; then page bench attention; page bench zoo; fi
  if [ "$command" = lab ]; then page lab list; page lab run; fi
done
cat <<'TEXT'

## JSON

`run` and `eval` print one object per word, `{"word","n","values":[0/1…],"accept"}`; `words --jsonl` likewise. Rules that
answer with something else have `"output"` instead of the last two: a text, a list of integers, or of scores — numbers, or
objects `{"a":score,…}` — one per position.
`compile` prints `{"logic","recipe","kind","layers","heads","width","parameters","temperature":[…per head],
"position_encodings":[…],"certified":{"f32":N,…}|null,"certified_by_summation":{"f32":{"any":N,"normalise-last":N,
"exact-count":N},…}|null}`: `certified` has the lengths that hold in any engine (those of `any`), the other field also those of
engines that sum in a certain way (docs/certificates.md); a length of null is no limit. `certify` prints a list of
`{"dtype","summation","length","limiting_head","reason","heads":[{"name","lemma","gap","score_error","bound"}…]}`, and with
`--length` of `{"dtype","length","gamma"|null,"digits","summation"}`. `verify` prints `{"words","positions","differences","counterexample":null |
{"word","position","expected","got"}}`, with `--gap` also `"gaps":[{"head","name","lemma","gap","gap_n3","n"}…]`. `bench zoo`
prints `{"tracr_length","programs":[{"program","class","width","layers","parameters","heads","tracr"|null,
"not_smaller"|null}…]}`.
`train` prints `{"options","parameters","step","loss","batch_accuracy","seconds","test":[{"length","words","trained",
"trained_positions","compiled"|null,"compiled_positions"}…]}`; `harden` prints `{"heads":[{"layer","head","weighting",
"distance","tied"}…],"words","agreement","soft"|null,"hard"|null}`, each of the last three `{"words","positions"}`, shares.
`compare` prints `{"recipes":[{"recipe","theorem","layers","heads","width","parameters","temperature":[…],
"position_encodings":[…],"certified":{"f32":N,…}}…],"uncovered":[{"recipe","reason"}…]}`, the lengths those of any engine. `eval
--all` prints `{"symbols":[…],"other"|null,"words":[…as above],"lengths":[{"length","words","accepted"}…]}`; `other` is the
symbol that stands for all that the rule does not mention. `attend` prints `{"word":[…],"dtype","heads":[{"layer","head","name",
"mask","temperature","weighting","weights":[[…]…]}…]}`, a row per query, null where the mask hides the key. Layers and heads are
counted from 0 everywhere, positions from 1.
TEXT
