#!/usr/bin/env python3
"""What it costs to call Quench from Python, against the command line: measure_python.py QUENCH [DOCUMENT], with the package installed.

Least processor times of many; a million tokens of the flip-flop language as an array of numbers, as text, and by `quench run`. The table goes
into DOCUMENT between its marks.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import timeit

import numpy as np

import quench

BEGIN, END = "<!-- written by scripts/measure_python.py -->", "<!-- end -->"
EXAMPLE = pathlib.Path(__file__).resolve().parents[1] / "examples" / "formulas" / "flip_flop.tl"


def of_children():
    """Seconds of the processor that commands have taken."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def least(function, number, repeat, timer=time.process_time):
    """Seconds of the processor, all threads together: other work on the machine does not count."""
    return min(timeit.repeat(function, number=number, repeat=repeat, timer=timer)) / number


def peak():
    """The most memory that this process has had, in bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def by_command_line(quench_program, model, text):
    """Seconds of the whole command, with what it takes to start and to write the answer as JSON."""
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere:
        model.save(f"{folder}/model.safetensors")
        pathlib.Path(folder, "word").write_text(text + "\n")
        command = [quench_program, "run", f"{folder}/model.safetensors", "--input", f"{folder}/word", "--json"]
        return least(lambda: subprocess.run(command, stdout=nowhere, check=True), 1, 5, of_children)


def measured(quench_program):
    rule = quench.read_rule(EXAMPLE)
    model = quench.compile(rule)
    numbers = np.array([model.symbols.index(symbol) for symbol in "w1i0r1"], dtype=np.int32)
    short = [
        ("compile", lambda: quench.compile(rule, certify=False)),
        ("compile, with certificate", lambda: quench.compile(rule)),
        ("six symbols, as text", lambda: model("w1i0r1")),
        ("six symbols, as numbers", lambda: model(numbers)),
        ("six symbols, the rule itself", lambda: rule("w1i0r1")),
    ]
    rows = [(name, f"{1e6 * least(function, 5, 40):,.0f} µs") for name, function in short]
    text = "w1" + "i0" * 499_998 + "r1"
    word = np.array([model.symbols.index(symbol) for symbol in text], dtype=np.int32)
    before = peak()
    from_numbers = least(lambda: model(word), 1, 5)
    grown = peak() - before
    from_text = least(lambda: model(text), 1, 5)
    command = by_command_line(quench_program, model, text)
    return [
        *rows,
        ("a million tokens, as numbers", f"{from_numbers:.3f} s, {grown / 1e6:.0f} MB"),
        ("a million tokens, as text", f"{from_text:.3f} s"),
        ("a million tokens, `quench run`", f"{command:.3f} s"),
        ("numbers against `quench run`", f"{from_numbers / command:.2f}"),
    ]


def main():
    rows = measured(sys.argv[1])
    table = "".join(f"| {name} | {value} |\n" for name, value in rows)
    print(table)
    if len(sys.argv) > 2:
        document = pathlib.Path(sys.argv[2])
        before, rest = document.read_text().split(BEGIN, 1)
        document.write_text(f"{before}{BEGIN}\n| | least processor time |\n|---|---|\n{table}{END}{rest.split(END, 1)[1]}")


if __name__ == "__main__":
    main()
