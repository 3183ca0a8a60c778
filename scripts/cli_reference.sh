#!/bin/sh
# Writes docs/cli.md from the program's own declarations: cli_reference.sh PROGRAM > docs/cli.md
set -eu
quench=$1
cat <<'TEXT'
# Command line

This page is generated from the program's help (`make docs`). A SOURCE is a file, `-e TEXT` or `--regex R`. Commands that take
a MODEL also take a SOURCE, which is compiled on the fly with the compile options.

An argument that begins with `-` is an option; after `--` every argument is taken as it is, so `quench run MODEL -- -a` runs
the word `-a`. Numbers are decimal. An output `-` is standard output where that makes sense; a model is written to a file.

Exit codes: 0 done (`run` and `eval` whatever the answers) · 1 a negative finding (a counterexample, a refused length) ·
2 the user's text or arguments · 3 files · 70 a bug in quench.

`make install` also installs manual pages (`man quench`, `man quench-run`) and completion for bash, zsh and fish;
`quench help --completion bash` prints the latter. `NO_COLOR` and a dumb `TERM` switch colours off, which only terminals get;
`COLUMNS`, or else the width of the terminal, is the width of tables and pictures: what does not fit is folded or goes below,
and nothing is left out, so a name or number that cannot be cut may stand out where there are few columns. Into files and pipes,
and without `COLUMNS`, lines go as long as they are.

## JSON

With `--json` a command prints one object, or one per line where there are several words; the sections below name the fields.
A `word` is the word as it is typed. Positions count from 1, layers and heads from 0, each a number of its own. What a null
stands for is said with its field, and is one thing: of a length, that there is no limit. `written` is the list of files that
`-o` made, and is there only if it made some.

If the command fails, the exit code is 2, 3 or 70, standard error has the text for people, and standard output ends with
`{"error":{"kind","message","exit"}}`. The kind is `arguments`, `text`, `files` or `internal`; a `text` also has
`"diagnostics":[{"code","line","column","message","help"}…]`, lines and columns counted from 1. A negative finding
is no failure: the report has it. Where `run` and `soften` refuse and so have none, the kind is `refused`, and the exit code 1.
TEXT
exec "$quench" help --markdown
