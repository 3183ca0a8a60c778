#!/usr/bin/env python3
"""Runs the fuzz targets, one after the other, and prints what became of each: fuzz.py SECONDS [--executions N] [TARGET…]

Each runs for SECONDS, or until it has been executed N times, whichever comes first.
Inputs that reach something new are kept in build/fuzz/corpus/TARGET, and the next run begins from there. Inputs that end a
target are kept in build/fuzz/findings; then the exit code is 1."""
import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "fuzz"
# Targets that read more than one language, or the same document as another target.
DICTIONARIES = {"differential": ["formula", "program"], "certificate": ["certificate", "formula"],
                "http": ["http", "formula"]}
STATUS = re.compile(r"^#(\d+)\s.*\bcov: (\d+)")
PARTS = (0, 0.1, 0.25, 0.5, 1)  # of the time, for the edges reached by then


def dictionary(target):
    """All entries for a target in one file, which is what libFuzzer takes."""
    paths = [ROOT / "fuzz" / f"{name}.dict" for name in DICTIONARIES.get(target, [target])]
    joined = BUILD / f"{target}.dict"
    joined.write_text("".join(path.read_text() for path in paths if path.exists()))
    return joined


class Progress:
    """Executions and edges over time, as the target's lines tell them."""

    def __init__(self):
        self.start, self.seen, self.executions, self.edges = time.monotonic(), [], 0, "?"

    def read(self, line):
        if match := STATUS.match(line):
            self.executions = int(match[1])
            self.seen.append((time.monotonic() - self.start, int(match[2])))
        elif match := re.search(r"Loaded \d+ PC tables \((\d+) PCs\)", line):
            self.edges = match[1]
        elif match := re.match(r"stat::number_of_executed_units: (\d+)", line):
            self.executions = int(match[1])

    def reached(self, part):
        """Edges by a part of the time; the first line is that of the corpus alone."""
        last = self.seen[-1][0] if self.seen else 0
        by_then = [edges for when, edges in self.seen if when <= part * last]
        return by_then[-1] if by_then else self.seen[0][1] if self.seen else 0


def run(target, seconds, executions):
    grown, findings = BUILD / "corpus" / target, BUILD / "findings"
    grown.mkdir(parents=True, exist_ok=True)
    findings.mkdir(exist_ok=True)
    command = [BUILD / "fuzz" / f"fuzz_{target}", f"-max_total_time={seconds}", f"-runs={executions}", "-timeout=30", "-rss_limit_mb=3000",
               "-print_final_stats=1", "-print_funcs=0", f"-artifact_prefix={findings}/{target}-", f"-dict={dictionary(target)}", grown]
    if (seeds := ROOT / "fuzz" / "corpus" / target).exists():
        command.append(seeds)
    progress, tail = Progress(), []
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors="replace") as process:
        for line in process.stderr:
            progress.read(line)
            tail = (tail + [line])[-80:]
    took = time.monotonic() - progress.start
    row = [target, progress.executions, round(progress.executions / max(took, 1e-9)), progress.edges,
           *(progress.reached(part) for part in PARTS), len(list(grown.iterdir())), "FOUND" if process.returncode else "-"]
    if process.returncode:
        sys.stderr.writelines(tail)
    return row, process.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=int)
    parser.add_argument("--executions", type=int, default=-1)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    options = parser.parse_intermixed_args()
    targets = options.targets or sorted(path.stem for path in (ROOT / "fuzz").glob("*.cpp"))
    header = ["target", "executions", "per second", "edges in all", *(f"by {part:.0%}" for part in PARTS), "corpus", "findings"]
    print("| " + " | ".join(header) + " |\n|" + "---|" * len(header), flush=True)
    found = False
    for target in targets:
        row, failed = run(target, options.seconds, options.executions)
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
        found = found or failed != 0
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
