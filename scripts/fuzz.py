#!/usr/bin/env python3
"""Runs the fuzz targets, one after the other, and prints what became of each: fuzz.py SECONDS [--executions N] [TARGET…]
Or rewrites their seeds, fuzz/corpus/TARGET, as the few small inputs that reach all that they and what was found reach:
fuzz.py --minimise [TARGET…]

Each runs for SECONDS, or until it has been executed N times, whichever comes first.
Inputs that reach something new are kept in build/fuzz/corpus/TARGET, and the next run begins from there. Inputs that end a
target are kept in build/fuzz/findings; then the exit code is 1."""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "fuzz"
# Targets that read more than one language, or the same document as another target.
DICTIONARIES = {"differential": ["formula", "program"], "certificate": ["certificate", "formula"],
                "http": ["http", "formula"]}
STATUS = re.compile(r"^#(\d+)\s.*\bcov: (\d+)")
# Seeds: at most so many of a target, and none of more bytes. A model of two layers has about 10,000.
MOST_SEEDS, LARGEST_SEED, LARGER_SEEDS = 200, 4096, {"model_file": 12288}
# What once ended a target: kept whatever it reaches.
KEPT = "finding-"
PARTS = (0, 0.1, 0.25, 0.5, 1)  # of the time, for the edges reached by then


def dictionary(target):
    """The argument that has all entries for a target, in the one file that libFuzzer takes; it does not start with an empty one."""
    paths = [path for name in DICTIONARIES.get(target, [target]) if (path := ROOT / "fuzz" / f"{name}.dict").exists()]
    if not paths:
        return []
    joined = BUILD / f"{target}.dict"
    joined.write_text("".join(path.read_text() for path in paths))
    return [f"-dict={joined}"]


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
               "-print_final_stats=1", "-print_funcs=0", f"-artifact_prefix={findings}/{target}-", *dictionary(target), grown]
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


def minimise(target):
    """A row about the seeds before and after. A seed that stays keeps its name; the others get libFuzzer's."""
    seeds, grown = ROOT / "fuzz" / "corpus" / target, BUILD / "corpus" / target
    seeds.mkdir(parents=True, exist_ok=True)
    before = {path.read_bytes(): path.name for path in seeds.iterdir()}
    largest = LARGER_SEEDS.get(target, LARGEST_SEED)
    with tempfile.TemporaryDirectory() as name:
        small, merged = Path(name) / "small", Path(name) / "merged"
        small.mkdir()
        merged.mkdir()
        found = sorted(grown.iterdir()) if grown.exists() else []
        for number, path in enumerate([*sorted(seeds.iterdir()), *found]):
            if path.stat().st_size <= largest:
                shutil.copy(path, small / str(number))
        done = subprocess.run([BUILD / "fuzz" / f"fuzz_{target}", "-merge=1", "-timeout=30", "-rss_limit_mb=3000", f"-max_len={largest}", merged, small],
                              stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors="replace")
        if done.returncode != 0:
            sys.stderr.write(done.stderr[-4000:])
            return [target, len(before), "FAILED", "-"], 1
        chosen = {path.read_bytes(): path.name for path in merged.iterdir()}
    smallest_first = sorted(chosen, key=lambda content: (len(content), chosen[content]))
    kept = {content: name for content, name in before.items() if name.startswith(KEPT)}
    for content in smallest_first[:max(0, MOST_SEEDS - len(kept))]:
        kept.setdefault(content, before.get(content, chosen[content]))
    for path in seeds.iterdir():
        path.unlink()
    for content, file_name in kept.items():
        (seeds / file_name).write_bytes(content)
    return [target, len(before), len(kept), len(chosen)], 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--executions", type=int, default=-1, metavar="N")
    parser.add_argument("--minimise", action="store_true")
    parser.add_argument("words", nargs="*", metavar="SECONDS TARGET…", help="SECONDS comes first; not with --minimise")
    options = parser.parse_intermixed_args()
    seconds, targets = 0, list(options.words)
    if not options.minimise:
        if not targets or not targets[0].isdecimal():
            parser.error("SECONDS: for how long each target is run, or --minimise")
        seconds = int(targets.pop(0))
    known = sorted(path.stem for path in (ROOT / "fuzz").glob("*.cpp"))
    for target in targets:
        if target not in known:
            parser.error(f"there is no target {target}: {', '.join(known)}")
    targets = targets or known
    header = ["target", "executions", "per second", "edges in all", *(f"by {part:.0%}" for part in PARTS), "corpus", "findings"]
    if options.minimise:
        header = ["target", "seeds before", "seeds now", "inputs that reach something of their own"]
    print("| " + " | ".join(header) + " |\n|" + "---|" * len(header), flush=True)
    found = False
    for target in targets:
        row, failed = minimise(target) if options.minimise else run(target, seconds, options.executions)
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
        found = found or failed != 0
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
