#!/usr/bin/env python3
"""Turns an n-gram model in the ARPA format into a program of B-RASP that puts out scores.

    scripts/ngram_program.py examples/ngram/toy.arpa > examples/programs/ngram_toy.brasp

At every position the program scores each symbol of the model as the next one: log10 p(symbol | what stands up to here), by
the model's own backoff, log p(w | h) = the entry of hw if there is one, else bow(h) + log p(w | h without its first symbol),
where bow(h) is 0 if h has no entry. The word is preceded by <s>. Numbers are rounded to millionths.

Needs only the standard library.
"""

import math
import sys

MOST_GRAMS = 20  # the order of a model
MOST_SCORES = 5_000_000  # every symbol may have another score after every history


def finite(text, number):
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"line {number}: {text} is not a finite number")
    return value


def read_arpa(lines):
    """{n-gram as a tuple: (log probability, log backoff weight)}, and the order."""
    entries, order = {}, 0
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if line.startswith("\\") and line.endswith("-grams:"):
            text = line[1:-len("-grams:")]
            order = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
            if not 1 <= order <= MOST_GRAMS:
                raise ValueError(f"line {number}: n-grams are read for n from 1 to {MOST_GRAMS}")
        elif line == "\\end\\":
            return entries, order
        elif line and order and not line.startswith("\\"):
            fields = line.split()
            if len(fields) not in (order + 1, order + 2):
                raise ValueError(f"line {number}: a {order}-gram is a number, {order} symbols and at most one more number")
            backoff = finite(fields[-1], number) if len(fields) == order + 2 else 0.0
            gram = tuple(fields[1:order + 1])
            if gram in entries:
                raise ValueError(f"line {number}: {' '.join(gram)} is listed twice")
            entries[gram] = (finite(fields[0], number), backoff)
    raise ValueError("there is no \\end\\: the file is cut off, or not in the ARPA format")


def probability(entries, history, symbol):
    """log10 p(symbol | history), the definition."""
    total = 0.0
    while history + (symbol,) not in entries:
        if not history:
            return total - 99.0
        total += entries.get(history, (0.0, 0.0))[1]
        history = history[1:]
    return total + entries[history + (symbol,)][0]


def decimal(score):
    """As scores are written: at least one digit after the point."""
    text = f"{score:.6f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def quoted(symbol):
    return "'" + symbol.replace("\\", "\\\\").replace("'", "\\'") + "'"


class Writer:
    def __init__(self, entries, order):
        self.entries = entries
        # Histories that matter: beginnings of entries, with all their ends.
        histories = {history[first:] for gram in entries for history in (gram[:-1], gram) if len(history) < order
                     for first in range(len(history))}
        # Each by what is left of it without its first symbol.
        self.longer = {}
        for history in sorted(histories):
            self.longer.setdefault(history[1:], []).append(history)
        symbols = sum(len(gram) == 1 for gram in entries)
        if symbols * len(histories) > MOST_SCORES:
            raise ValueError(f"{symbols} symbols after {len(histories)} histories are too many for a program; "
                             f"at most {MOST_SCORES} scores")

    def score(self, symbol, history=()):
        """The score of a symbol as an expression, `history` being known of what stands before it."""
        default = probability(self.entries, history, symbol)
        otherwise, here = decimal(default), "in(i)" if not history else f"back{len(history)}(i)"
        expression = otherwise
        for extended in reversed(self.longer.get(history, [])):
            if extended[0] == "<s>" and not history:
                continue  # <s> stands before the word only
            inner = self.score(symbol, extended)
            if inner != otherwise:
                inner = f"({inner})" if "?" in inner else inner
                expression = f"{here} = {quoted(extended[0])} ? {inner} : {expression}"
        return expression


def program(entries, order, name):
    symbols = sorted({gram[0] for gram in entries if len(gram) == 1} - {"<s>"})
    lines = [f"// Scores of the next symbol by the {order}-gram model {name} (scripts/ngram_program.py wrote this)."]
    # What the program answers on a short word, for its reader and the tests.
    word = [symbol for symbol in symbols if symbol not in ("</s>", "<unk>")][:2]
    answers = []
    for end in range(1, len(word) + 1):
        history = tuple((["<s>"] + word[:end])[1 - order:]) if order > 1 else ()
        answers.append(" ".join(f"{s}:{decimal(probability(entries, history, s))}" for s in symbols))
    lines.append(f"// maps: {' '.join(word)} -> {' | '.join(answers)}")
    lines.append("alphabet {" + ", ".join(map(quoted, symbols)) + "}")
    for distance in range(1, order - 1):
        before = "in(j)" if distance == 1 else f"back{distance - 1}(j)"
        missing = "'<s>'" if distance == 1 else "'<none>'"
        lines.append(f"back{distance}(i) = rightmost j [j < i] {before} : {missing}")
    writer = Writer(entries, order)
    for symbol in symbols:
        lines.append(f"score[{quoted(symbol)}](i) = {writer.score(symbol)}")
    return "\n".join(lines) + "\n"


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        with open(arguments[1], encoding="utf-8") as file:
            entries, order = read_arpa(file)
        text = program(entries, order, arguments[1].rsplit("/", 1)[-1])
    except OSError as error:
        print(f"{arguments[1]}: {error.strerror}", file=sys.stderr)
        return 3
    except ValueError as error:
        print(f"{arguments[1]}: {error}", file=sys.stderr)
        return 2
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
