#!/usr/bin/env python3
"""Writes docs/performance.md from measurements on this machine, and their figures beside it as JSON.

usage: scripts/write_performance.py [--peers PEERS.json ...] [--repetitions N]
       scripts/write_performance.py --only PART... [--repetitions N]    measures parts again, and keeps the rest: models, linearity,
                                                                       exact, bits, verification

Needs build/release/quench and the programs of build/bench (cmake --preset bench). Reports of peers come from
scripts/bench_peers.py, which measures attention beside PyTorch, ONNX Runtime and OpenBLAS where they are installed, and
from scripts/bench_torch_batch.py, which runs whole models in PyTorch. There may be several, also of several versions of
PyTorch.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import bench_peers

ROOT = Path(__file__).resolve().parent.parent
QUENCH = str(ROOT / "build/release/quench")
BENCH = ROOT / "build/bench/bench"

TWENTY = "!((Q_a S (prev !Q_a)) & prev (prev (Q_a S !Q_a)) | ((!Q_a S (prev Q_a)) & !(prev (!Q_a S (prev prev Q_a)))))"
TWENTY_TEMPORAL = ("prev ((Q_a S Q_b) & prev (Q_b S (Q_c & prev Q_a))) | (O (Q_a & prev (Q_c S Q_b)) & "
                   "!(prev (prev (Q_a S (Q_b | prev Q_c)))) S (Q_a & H (Q_b -> O Q_c))) & "
                   "(Q_b S prev (Q_a S prev Q_c)) S Q_c")
MODELS = [
    ("`Q_a S Q_b`", "Q_a S Q_b", "tight"), ("`Q_a S prev Q_b`", "Q_a S prev Q_b", "18a"),
    ("20 operators, 11 temporal", TWENTY, "tight"),
    ("30 operators, 20 temporal", TWENTY_TEMPORAL, "tight"),
    ("`#<[Q_a] > #<[Q_b]`", "#<[Q_a] > #<[Q_b]", "tight"),
    ("`#<[Q_a] > #<[Q_b]`", "#<[Q_a] > #<[Q_b]", "tight-decoder"),
    ("`#<[Q_a] >= #>[Q_b]`", "#<[Q_a] >= #>[Q_b]", "tight"),
    ("`odd(#<[Q_a])`", "odd(#<[Q_a])", "tight"), ("`odd(#<[Q_a])`", "odd(#<[Q_a])", "22a"),
]


def output(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, cwd=ROOT).stdout


def bench(source, *options):
    """(engine, n) → processor time and wall-clock time, ns per token."""
    report = json.loads(output(QUENCH, "bench", *source, "--dtype", "f32", "--reference-length", 0, *options, "--json"))
    return {(case["engine"], case["n"]): (case["cpu_ns_per_token"], case["ns_per_token"]) for case in report["cases"]}


def circumstances(repetitions):
    return {"machine": bench_peers.machine(), "commit": bench_peers.commit(), "load": os.getloadavg()[0], "repetitions": repetitions}


def models(repetitions):
    rows = []
    for name, text, recipe in MODELS:
        source = ["-e", text, "--recipe", recipe, "--repetitions", repetitions]
        # Dense by itself: what runs right after it finds cold caches and a slower clock.
        dense = bench(source, "--length", 16_384, "--dense-length", 16_384)
        alone = bench(source, "--length", "10000,1000000", "--dense-length", 0, "--batch", 10_000, "--batch-length", 100)
        together = bench(source, "--length", 1_000_000, "--dense-length", 0, "--batch", 10_000, "--batch-length", 100,
                         "--threads")
        rows.append({"formula": name, "recipe": recipe,
                     "ns_10000": alone["structured", 10_000][0], "ns_1000000": alone["structured", 1_000_000][0],
                     "ns_1000000_all_cores_wall": together["structured", 1_000_000][1],
                     "ns_batch": alone["batch", 1_000_000][0], "ns_batch_all_cores_wall": together["batch", 1_000_000][1],
                     "dense_ratio_16384": dense["dense", 16_384][0] / dense["structured", 16_384][0]})
    return rows


def heads(repetitions, torches):
    """`torches`: ns per token of PyTorch's attention, by its name and the width."""
    report = json.loads(output(BENCH / "bench_heads", f"--benchmark_repetitions={repetitions}", "--benchmark_format=json",
                               "--benchmark_enable_random_interleaving=true", "--benchmark_min_time=0.02"))
    medians = {}
    for run in report["benchmarks"]:
        if run.get("aggregate_name") == "median":
            engine, pattern, n = re.match(r"(\w+)/(\d+)/(\d+)", run["run_name"]).groups()
            scale = {"ns": 1, "us": 1e3, "ms": 1e6}[run["time_unit"]]
            medians[engine, int(pattern), int(n)] = (run["cpu_time"] * scale / int(n), run["label"])
    rows = []
    for pattern in sorted({key[1] for key in medians}):
        short, label = medians["structured", pattern, 16_384]
        dense = medians["dense", pattern, 16_384][0]
        rows.append({"head": label, "ns_16384": short, "ns_1000000": medians["structured", pattern, 1_000_000][0],
                     "dense_ratio": dense / short, "torch_ratios": {name: widths[4] / short for name, widths in torches.items() if 4 in widths}})
    return rows


def linearity(repetitions):
    rows = []
    for path in sorted((ROOT / "examples/formulas").glob("*.tl")):
        times = bench([path.relative_to(ROOT), "--repetitions", repetitions], "--length", "10000,1000000",
                      "--dense-length", 0)
        short, long = times["structured", 10_000][0], times["structured", 1_000_000][0]
        rows.append({"example": path.stem, "ns_10000": short, "ns_1000000": long, "ratio": long / short})
    return rows


EXACT_FORMULAS = ["parity_odd", "modular_counting", "square_count", "majority", "a_n_b_n", "dyck_1", "shuffle_dyck_2"]


def exact_recipe(repetitions):
    """Every example program, and some formulas that count, by --recipe exact; beside them the recipe of every length."""
    rows = []
    paths = sorted((ROOT / "examples/programs").glob("*")) + [ROOT / f"examples/formulas/{name}.tl" for name in EXACT_FORMULAS]
    for path in paths:
        source = [path.relative_to(ROOT), "--repetitions", repetitions]
        every = bench(source, "--length", "2000,10000", "--dense-length", 0)
        row = {"example": path.name, "every_ns_2000": every["structured", 2_000][0],
               "every_ns_10000": every["structured", 10_000][0]}
        try:
            times = bench(source, "--recipe", "exact", "--length", "10000,100000,1000000", "--dense-length", 0)
        except subprocess.CalledProcessError as error:
            row["refused"] = error.stderr.strip().splitlines()[0]
        else:
            row.update({f"ns_{n}": times["structured", n][0] for n in (10_000, 100_000, 1_000_000)})
            row["ratio"] = 10 * row["ns_1000000"] / row["ns_100000"]
        print(row, file=sys.stderr, flush=True)
        rows.append(row)
    return {**circumstances(repetitions), "rows": rows}


def exact_text(report):
    made = [row for row in report["rows"] if "ratio" in row]
    refused = [row["example"] for row in report["rows"] if "refused" in row]
    return f"""
## The exact recipe, in linear time

{len(report["rows"])} examples by `--recipe exact` for words of up to 2^20: ns of processor time per token, one thread, and how many
times longer 10⁶ tokens take than 10⁵; beside it the recipe that serves every length ("quadratic": a token costs more than three times
as much at 10⁴ as at 2,000). Medians of {report["repetitions"]}; {report["machine"]}, load {report["load"]:.1f}, commit {report["commit"]}. Not to be had by `exact`: {", ".join(refused) or "none"}.

""" + table(["example", "exact: 10⁴", "10⁵", "10⁶", "10⁶ ÷ 10⁵", "every length: 10⁴"],
            [[row["example"], f"{row['ns_10000']:.0f}", f"{row['ns_100000']:.0f}", f"{row['ns_1000000']:.0f}", f"{row['ratio']:.1f}",
              f"{row['every_ns_10000']:.0f}" + (", quadratic" if row["every_ns_10000"] > 3 * row["every_ns_2000"] else "")]
             for row in made]) + f"""
Greatest ratio: {max(row['ratio'] for row in made):.1f}.
"""


def medians_of(program, repetitions):
    """Processor time of each case of a program of bench/, ns."""
    report = json.loads(output(BENCH / program, f"--benchmark_repetitions={repetitions}", "--benchmark_format=json",
                               "--benchmark_enable_random_interleaving=true", "--benchmark_min_time=0.02"))
    return {run["run_name"]: run["cpu_time"] for run in report["benchmarks"] if run.get("aggregate_name") == "median"}


def bits(repetitions):
    """One word of 10⁶ positions, and many words at once."""
    alone, together = medians_of("bench_bits", repetitions), medians_of("bench_bits_batch", repetitions)
    rows = []
    for name in ("past", "parity", "majority"):
        planes, hand = (alone[f"{how}/{name}/1000000"] for how in ("by_planes", "by_hand"))
        rows.append({"formula": name, "words": 1, "length": 1_000_000, "ns_per_token": planes / 1e6,
                     "ratio_to_hand": planes / hand})
        for words, n in ((10_000, 100), (1 << 20, 20)):
            ours, hand, single = (together[f"{how}/{name}/{words}/{n}"]
                                  for how in ("batch", "batch_by_hand", "batch_one_by_one"))
            rows.append({"formula": name, "words": words, "length": n, "ns_per_token": ours / (words * n),
                         "ratio_to_hand": ours / hand, "one_by_one_ratio": single / ours})
    return rows


def verification(_):
    rows = []
    for recipe in ("tight", "17a", "18a"):
        with tempfile.NamedTemporaryFile("w", suffix=".tl") as file:
            file.write(TWENTY + "\n")
            file.flush()
            before = time.time()
            report = json.loads(output(QUENCH, "verify", file.name, "--recipe", recipe, "--dtype", "f32", "--exhaustive",
                                       20, "--json"))
            took = time.time() - before
        rows.append({"recipe": recipe, "words": report["words"], "positions": report["positions"],
                     "differences": report["differences"], "seconds": took})
    return rows


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def version(torch):
    """PyTorch 2.0.1+x, function, some path, AVX2 → PyTorch 2.0.1, some path"""
    parts = [part.strip() for part in torch.split(",")]
    path = [part for part in parts if part.endswith(" path") or part == "explicit softmax"]
    return ", ".join([parts[0].split("+")[0]] + path)


def batch_text(batches):
    text = ""
    for batch in batches:
        rows = batch["batch"]
        text += f"""
The network alone on {rows[0]["words"]:,} words of length {rows[0]["length"]} at once, float32, beside the same weights in {batch["torch"]} (one
product for all heads' queries, keys and values, all heads and words at once, portions of the fastest size, subnormal numbers
flushed; its rounded outputs are ours). Processor time with one thread, wall-clock with more; load {batch["load"]:.1f}, written by
`scripts/bench_torch_batch.py`.

""" + table(["formula", "recipe", "threads", "Quench, words/s", "PyTorch, words/s", "PyTorch's attention", "PyTorch ÷ ours"],
            [[row["formula"], row["recipe"], str(row["threads"]), f"{row['ours_words_per_second']:,.0f}",
              f"{row['torch_words_per_second']:,.0f}", row["path"], f"{row['torch_ratio']:.1f}"] for row in rows])
    return text


def again_text(report):
    return "".join(f" Measured later, {part}: {how['machine']}, commit {how['commit']}, load {how['load']:.1f}, medians of {how['repetitions']}."
                   for part, how in report.get("again", {}).items())


def text_of(report):
    torches = [name for name, widths in report["torch_ns_16384"].items() if 4 in widths]
    peers = ", and PyTorch's\ncausal attention of width 4 at the same length" if torches else ""
    notes = "".join(f"- {name}: ns a token at width " + ", ".join(f"{d}: {ns:,.0f}" for d, ns in sorted(widths.items())) + "\n"
                    for name, widths in report["torch_ns_16384"].items())
    if notes:
        notes = "\nThe heads' own widths are at most 2. What PyTorch takes at narrow widths:\n\n" + notes
    parts = [f"""# Performance

Written by `scripts/write_performance.py`; do not edit. {report['machine']}, load {report['load']:.1f}, commit
{report['commit']}. Medians of {report['repetitions']} interleaved runs, float32. Processor time unless it says wall-clock: the
machine is shared, and cpu time says less about its other users. Figures are in `performance.json`.{again_text(report)}

## Models by the structured engine

ns per token of one word at n = 10,000 and 1,000,000 with one thread; of 10,000 words of length 100 at once; both with all
cores, wall-clock; and how many times faster one word of 16,384 is than with our own dense engine.
""", table(["formula", "recipe", "10⁴", "10⁶", "batch", "10⁶, all cores", "batch, all cores", "× dense"],
           [[row["formula"].replace("|", "\\|"), row["recipe"], f"{row['ns_10000']:.1f}", f"{row['ns_1000000']:.1f}",
             f"{row['ns_batch']:.1f}", f"{row['ns_1000000_all_cores_wall']:.1f}", f"{row['ns_batch_all_cores_wall']:.1f}",
             f"{row['dense_ratio_16384']:.0f}"] for row in report["models"]]),
             """
## Single heads

ns per token by the head's own method, one thread; our tiled dense kernel on the same numbers"""
             + peers + ", divided by it.\n" + notes,
             table(["head", "n = 16,384", "n = 10⁶", "dense ÷ ours"] + [f"{version(name)} ÷ ours" for name in torches],
                   [[row["head"], f"{row['ns_16384']:.1f}", f"{row['ns_1000000']:.1f}", f"{row['dense_ratio']:,.0f}"]
                    + [f"{row['torch_ratios'][name]:,.0f}" for name in torches] for row in report["heads"]]),
             """
## Linear time

Every example formula, compiled by `auto`: ns per token at the two lengths, and their ratio.
""", table(["example", "10⁴", "10⁶", "ratio"], [[row["example"], f"{row['ns_10000']:.1f}", f"{row['ns_1000000']:.1f}",
                                               f"{row['ratio']:.2f}"] for row in report["linearity"]]),
             f"""
Greatest ratio: {max(row['ratio'] for row in report['linearity']):.2f}.

{exact_text(report["exact"]) if "exact" in report else ""}
## Bits

`--engine bits`, one thread, and its time divided by that of an evaluator written by hand for the formula: on one word 64
positions at a time (`bench/bits.cpp`), on many 512 words at a time (`bench/bits_batch.cpp`). Both sides read the symbols and
hand out the answers by the same functions. The last column is the same words one by one.
""", table(["formula", "words", "length", "ns/token", "÷ by hand", "one by one ÷ ours"],
           [[row["formula"], f"{row['words']:,}", f"{row['length']:,}", f"{row['ns_per_token']:.3f}",
             f"{row['ratio_to_hand']:.2f}", f"{row['one_by_one_ratio']:.1f}" if "one_by_one_ratio" in row else ""]
            for row in report["bits"]]),
             """
## Verification

All words up to length 20 over two symbols, the formula of 20 operators above, through the softmax network in float32 and against
the oracle; wall-clock seconds with all cores.
""", table(["recipe", "words", "positions", "differences", "seconds", "million words/s"],
           [[row["recipe"], f"{row['words']:,}", f"{row['positions']:,}", str(row["differences"]), f"{row['seconds']:.1f}",
             f"{row['words'] / row['seconds'] / 1e6:.2f}"] for row in report["verification"]]),
             batch_text(report["torch_batch"])]
    if report["dense"]:
        parts.append("\n## Dense attention beside its peers\n\nWritten by `scripts/bench_peers.py`: how many times longer each "
                     "peer takes.\n\n" + "\n".join(map(bench_peers.markdown, report["dense"])))
    return "\n".join(parts)


def read_peers(paths):
    """Reports of attention, those with one version of PyTorch put together; and reports of models in batch."""
    dense, batches = {}, []
    for path in paths:
        report = json.loads(Path(path).read_text())
        if "batch" in report:
            batches.append(report)
            continue
        same = dense.setdefault(report["peers"].get("torch"), report)
        if same is not report:
            same["rows"] += report["rows"]
            same["peers"] = {**report["peers"], **same["peers"]}
    return list(dense.values()), batches


def narrow_attention(reports):
    """ns per token of PyTorch's causal attention at n = 16,384, one thread: by its name and the width, at most 4."""
    times = {}
    for report in reports:
        for row in report["rows"]:
            if ((row["n"], row["mask"], row["pass"], row["threads"]) == (16_384, "causal", "forward", 1) and row["d"] <= 4
                    and "torch" in row["milliseconds"]):
                times.setdefault(report["peers"]["torch"], {})[row["d"]] = row["milliseconds"]["torch"] * 1e6 / row["n"]
    return times


def write(report):
    (ROOT / "docs/performance.json").write_text(json.dumps(report, indent=1) + "\n")
    (ROOT / "docs/performance.md").write_text(text_of(report))


# What can be measured again by itself.
PARTS = {"models": models, "linearity": linearity, "exact": exact_recipe, "bits": bits, "verification": verification}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", nargs="+", default=[], help="reports of scripts/bench_peers.py and bench_torch_batch.py")
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--only", nargs="+", choices=PARTS, help="measure these parts again, and keep the rest")
    options = parser.parse_args()
    if options.only:
        report = json.loads((ROOT / "docs/performance.json").read_text())
        report["torch_ns_16384"] = {name: {int(d): ns for d, ns in widths.items()}
                                    for name, widths in report["torch_ns_16384"].items()}
        for part in options.only:
            how = circumstances(options.repetitions)
            report[part] = PARTS[part](options.repetitions)
            if part != "exact":  # which says so itself
                report.setdefault("again", {})[part] = how
        return write(report)
    dense, batches = read_peers(options.peers)
    torches = narrow_attention(dense)
    report = {**circumstances(options.repetitions), "torch_ns_16384": torches}
    report["heads"] = heads(options.repetitions, torches)
    for part, measure in PARTS.items():
        report[part] = measure(3 if part == "exact" else options.repetitions)
    report["torch_batch"] = batches
    report["dense"] = dense
    write(report)


if __name__ == "__main__":
    main()
