#!/usr/bin/env python3
"""Writes docs/performance.md from measurements on this machine.

usage: scripts/write_performance.py [build/release/quench] [build/bench/bench/bench_heads] [repetitions]
"""
import json
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
QUENCH = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/quench")
HEADS = sys.argv[2] if len(sys.argv) > 2 else str(ROOT / "build/bench/bench/bench_heads")
REPETITIONS = sys.argv[3] if len(sys.argv) > 3 else "9"

TEN = "(Q_a S (prev !Q_a)) & prev (prev (Q_a S !Q_a)) | ((!Q_a S (prev Q_a)) & !(prev (!Q_a S (prev prev Q_a))))"
CASES = [
    ("ten past operators", TEN, "17a"), ("ten past operators", TEN, "18a"), ("ten past operators", TEN, "tight"),
    ("majority", "#<[Q_1] > #<[Q_0]", "22a"), ("majority", "#<[Q_1] > #<[Q_0]", "tight"),
    ("parity", "odd(#<[Q_1])", "22a"), ("parity", "odd(#<[Q_1])", "21"),
]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def machine():
    text = Path("/proc/cpuinfo").read_text()
    name = re.search(r"model name\s*:\s*(.*)", text)
    load = Path("/proc/loadavg").read_text().split()[0]
    return f"{name.group(1).strip() if name else platform.machine()}, {text.count('processor')} cores, load {load}"


def models():
    rows = []
    for name, text, recipe in CASES:
        with tempfile.NamedTemporaryFile("w", suffix=".tl") as file:
            file.write(text + "\n")
            file.flush()
            report = json.loads(output(QUENCH, "bench", file.name, "--recipe", recipe, "--repetitions", REPETITIONS,
                                       "--length", "10000", "1000000", "--dense-length", "4096",
                                       "--reference-length", "1024", "--json"))
        cpu = {(case["engine"], case["n"]): case["cpu_ns_per_token"] for case in report["cases"]}
        short, long = cpu["structured", 10_000], cpu["structured", 1_000_000]
        rows.append(f"| {name} | {recipe} | {short:.0f} | {long:.0f} | {long / short:.2f} | "
                    f"{cpu['dense', 4096] / cpu['structured', 4096]:.0f} | {cpu['reference', 1024] / short:.0f} |")
    return rows


def heads():
    report = json.loads(output(HEADS, f"--benchmark_repetitions={REPETITIONS}", "--benchmark_format=json",
                               "--benchmark_enable_random_interleaving=true", "--benchmark_min_time=0.05"))
    medians = {}
    for run in report["benchmarks"]:
        if run.get("aggregate_name") == "median":
            engine, pattern, n = re.match(r"(\w+)/(\d+)/(\d+)", run["run_name"]).groups()
            scale = {"ns": 1, "us": 1e3, "ms": 1e6}[run["time_unit"]]
            medians[engine, int(pattern), int(n)] = (run["cpu_time"] * scale / int(n), run["label"])
    rows = []
    for pattern in sorted({key[1] for key in medians}):
        short, label = medians["structured", pattern, 16_384]
        long, dense = medians["structured", pattern, 1_000_000][0], medians["dense", pattern, 16_384][0]
        rows.append(f"| {label} | {short:.1f} | {long:.1f} | {dense:.0f} | {dense / short:.0f} |")
    return rows


def verification():
    with tempfile.NamedTemporaryFile("w", suffix=".tl") as file:
        file.write(TEN + "\n")
        file.flush()
        rows = []
        for recipe in ("17a", "18a"):
            before = time.time()
            report = json.loads(output(QUENCH, "verify", file.name, "--recipe", recipe, "--exhaustive", "20", "--json"))
            took = time.time() - before
            rows.append(f"| {recipe} | {report['words']:,} | {report['positions']:,} | {report['differences']} | {took:.1f} | "
                        f"{report['positions'] / took / 1e6:.1f} |")
        return rows


def main():
    commit = output("git", "rev-parse", "--short", "HEAD").strip()
    text = f"""# Performance

Written by `scripts/write_performance.py`; do not edit. Commit {commit}, {machine()}. Medians of {REPETITIONS} interleaved
runs, one thread, processor time (the machine is shared, so wall-clock times would say more about its other users).
PyTorch and ONNX Runtime are not installed here; the peers are our own dense and reference engines.

## Models, f64

ns per token of the structured engine at n = 10,000 and 1,000,000 and their ratio (linear time: about 1); how many times
faster it is than the dense engine at n = 4,096, and than the reference engine at n = 1,024 (per token, against its own
figure at 10,000).

| formula | recipe | ns/token, 10⁴ | ns/token, 10⁶ | ratio | × dense | × reference |
|---|---|---|---|---|---|---|
""" + "\n".join(models()) + """

## Single heads, f64

ns per token by the head's own method, and by the tiled dense kernel at n = 16,384.

| head | ns/token, 16,384 | ns/token, 10⁶ | dense ns/token, 16,384 | × dense |
|---|---|---|---|---|
""" + "\n".join(heads()) + """

## Verification

All words up to length 20 over two symbols, through the softmax network and against the bit-sliced oracle; wall-clock
seconds with all cores, shared with whatever else runs.

| recipe | words | positions | differences | seconds | million positions/s |
|---|---|---|---|---|---|
""" + "\n".join(verification()) + "\n"
    (ROOT / "docs/performance.md").write_text(text)


main()
