#!/usr/bin/env python3
"""What it costs to call Quench from Python, against the command line: measure_python.py QUENCH, with the package installed.

Least times of many; a million tokens of the flip-flop language as an array of numbers, as text, and by `quench run`.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import timeit

import numpy as np

import quench

EXAMPLE = pathlib.Path(__file__).resolve().parents[1] / "examples" / "formulas" / "flip_flop.tl"


def least(function, number, repeat):
    """Seconds."""
    return min(timeit.repeat(function, number=number, repeat=repeat)) / number


def main():
    rule = quench.read_rule(EXAMPLE)
    model = quench.compile(rule)
    numbers = np.array([model.symbols.index(symbol) for symbol in "w1i0r1"], dtype=np.int32)
    rows = [("compile", lambda: quench.compile(rule, certify=False)), ("compile, with certificate", lambda: quench.compile(rule)),
            ("six symbols, as text", lambda: model("w1i0r1")), ("six symbols, as numbers", lambda: model(numbers)),
            ("six symbols, the rule itself", lambda: rule("w1i0r1"))]
    for name, function in rows:
        function()
        print(f"{name:30} {1e6 * least(function, 5, 20):10.1f} us")
    text = "w1" + "i0" * 499_998 + "r1"
    word = np.array([model.symbols.index(symbol) for symbol in text], dtype=np.int32)
    from_numbers, from_text = (least(lambda given=given: model(given), 1, 5) for given in (word, text))
    print(f"a million tokens, as numbers   {from_numbers:10.3f} s\na million tokens, as text      {from_text:10.3f} s")
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model.safetensors")
        pathlib.Path(folder, "word").write_text(text + "\n")
        command = [sys.argv[1], "run", f"{folder}/model.safetensors", "--input", f"{folder}/word", "--json"]
        with open(os.devnull, "w") as nowhere:
            by_command = least(lambda: subprocess.run(command, stdout=nowhere, check=True), 1, 5)
    print(f"a million tokens, quench run   {by_command:10.3f} s\nratio, numbers to command line {from_numbers / by_command:10.2f}")


if __name__ == "__main__":
    main()
