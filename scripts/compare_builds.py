#!/usr/bin/env python3
"""Compares two programs `quench` on this machine, row by row of docs/performance.md, in turns.

usage: scripts/compare_builds.py OLD NEW [--repetitions N] [--rounds N] [--skip-examples]

Each round runs every row with the one program and then with the other; a cell is the median over the rounds of NEW's processor
time divided by OLD's. Rows that the older program does not know are left out.
"""
import argparse
import json
import statistics
import subprocess
from pathlib import Path

from write_performance import MODELS, ROOT

COLUMNS = {"10⁴": ("structured", 10_000), "10⁶": ("structured", 1_000_000), "batch": ("batch", 1_000_000)}


def bench(program, source, repetitions):
    """(engine, n) → processor time, ns per token; nothing if the program does not know the rule."""
    times = {}
    for options in (["--length", "10000"], ["--length", "1000000", "--batch", "10000", "--batch-length", "100"]):
        done = subprocess.run([program, "bench", *source, "--dtype", "f32", "--reference-length", "0", "--dense-length", "0", *options,
                               "--repetitions", str(repetitions), "--json"], capture_output=True, text=True, cwd=ROOT)
        if done.returncode != 0:
            return None
        times.update({(case["engine"], case["n"]): case["cpu_ns_per_token"] for case in json.loads(done.stdout)["cases"]})
    return times


def ratios(programs, source, rounds, repetitions):
    found = {name: [] for name in COLUMNS}
    for _ in range(rounds):
        times = [bench(program, source, repetitions) for program in programs]
        if None in times:
            return None
        for name, key in COLUMNS.items():
            found[name].append(times[1][key] / times[0][key])
    return {name: statistics.median(values) for name, values in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--skip-examples", action="store_true")
    options = parser.parse_args()
    programs = [str(Path(program).resolve()) for program in (options.old, options.new)]
    rows = [(f"{name} {recipe}", ["-e", text, "--recipe", recipe]) for name, text, recipe in MODELS]
    if not options.skip_examples:
        rows += [(path.stem, [str(path.relative_to(ROOT))]) for path in sorted((ROOT / "examples/formulas").glob("*.tl"))]
    print("| rule | " + " | ".join(COLUMNS) + " |\n|---" * 1 + "|---" * len(COLUMNS) + "|")
    for name, source in rows:
        row = ratios(programs, source, options.rounds, options.repetitions)
        print(f"| {name} | " + (" | ".join(f"{row[column]:.2f}" for column in COLUMNS) if row else "not known to both") + " |", flush=True)


if __name__ == "__main__":
    main()
