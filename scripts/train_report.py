#!/usr/bin/env python3
"""Trains five seeds on each rule and writes what came out into docs/training.md, between the marks.

train_report.py PROGRAM [DOCUMENT [JOBS]]
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

SEEDS = range(1, 6)
OPTIONS = ["--steps", "1000", "--test-words", "200", "--threads", "1"]
RULES = [
    ("MAJORITY", "#<[Q_1] > #<[Q_0]", []),
    ("contains `ab`, words over a, b", "O (Q_b & prev Q_a)", []),
    ("contains `ab`, words over a, b and others", "O (Q_b & prev Q_a)", ["--unmentioned"]),
]


def run(program, *arguments):
    return json.loads(subprocess.run([program, *arguments, "--json"], check=True, capture_output=True).stdout)


def percent(share):
    return f"{100 * share:.1f} %"


def train(program, rule, extra, seed):
    """One row of the table, and whether the seed reached 99 % at the training length."""
    with tempfile.TemporaryDirectory() as directory:
        model = os.path.join(directory, "model.safetensors")
        result = run(program, "train", "-e", rule, "--seed", str(seed), "-o", model, *OPTIONS, *extra)
        hard = run(program, "harden", model, "-e", rule)["hard"]["words"]
    test = result["test"]
    cells = [str(seed), f"{result['seconds']:.0f}", *(percent(row["trained"]) for row in test),
             percent(test[-1]["compiled"]), percent(hard)]
    print(rule, *cells, file=sys.stderr, flush=True)
    return "| " + " | ".join(cells) + " |", test[0]["trained"] >= 0.99


def report(program, name, rule, extra, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        rows = list(pool.map(lambda seed: train(program, rule, extra, seed), SEEDS))
    good = sum(reached for _, reached in rows)
    return [f"**{name}**: `{rule}`", "",
            "| seed | seconds | length 40 | 80 | 200 | 400 | compiled, 400 | hardened, 40 |",
            "|---|---|---|---|---|---|---|---|",
            *(row for row, _ in rows), "",
            f"{good} of {len(SEEDS)} seeds reach 99 % at length 40.", ""]


def write(document, lines):
    with open(document, encoding="utf-8") as file:
        text = file.read()
    marked = re.compile("(<!-- figures -->\n).*?(<!-- end of figures -->)", re.S)
    text = marked.sub(lambda m: m[1] + "\n" + "\n".join(lines) + m[2], text)
    with open(document, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    program = os.path.abspath(sys.argv[1])
    document = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(__file__), "../docs/training.md")
    jobs = int(sys.argv[3]) if len(sys.argv) > 3 else os.cpu_count()
    lines = []
    for name, rule, extra in RULES:
        lines += report(program, name, rule, extra, jobs)
        write(document, lines)


main()
