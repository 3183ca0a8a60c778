#!/usr/bin/env python3
"""Runs compiled models as common engines do and finds the lengths at which their answers go wrong.

  scripts/measure_engines.py                    prints the table
  scripts/measure_engines.py --write            writes it into docs/certificates.md, between the markers

Needs build/release/quench and NumPy; PyTorch for the engines that are PyTorch's own, which are skipped, by name, without
it. A model is read from its file alone (docs/model-format.md). Words are those that come out wrong first: one off the
threshold, or decided by two neighbouring positions, and a few random ones. Every position is compared with the
rule; where a network has one layer and the word is longer than 128, one in the middle and the last two.
"""
import argparse
import contextlib
import json
import math
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit("nothing measured: NumPy is not installed")
try:
    import torch
    torch.set_num_threads(1)
except ImportError:
    torch = None

sys.path.insert(0, str(Path(__file__).resolve().parent))
from engine_network import Model, answers, hidden_keys
from engine_words import RULES

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/certificates.md"
BEGIN, END = "<!-- written by scripts/measure_engines.py -->", "<!-- end -->"


def nearest(x, dropped):
    """float32, rounded to nearest with `dropped` bits fewer, ties to even."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    keep = np.uint32(dropped)
    return (bits + np.uint32((1 << dropped - 1) - 1) + (bits >> keep & np.uint32(1)) >> keep << keep).view(np.float32)


def exact(x):
    return np.asarray(x, np.float32)


def half(x):
    return np.asarray(x, np.float32).astype(np.float16).astype(np.float32)


bfloat = lambda x: nearest(x, 16)
tf32 = lambda x: nearest(x, 13)
LOG2E = np.float32(1.4426950408889634)


def usual_exp(scores):
    return np.exp(scores - scores.max(axis=1, keepdims=True))


def exp2_fused(scores):
    """2^(s·log₂e − M), M = max·log₂e rounded, by one fused step: 48 bits of a product fit a double."""
    shift = scores.max(axis=1, keepdims=True) * LOG2E
    return np.exp2((scores.astype(np.float64) * np.float64(LOG2E) - shift).astype(np.float32))


def exp2_twice(scores):
    scaled = scores * LOG2E
    return np.exp2(scaled - scaled.max(axis=1, keepdims=True))


class Emulated:
    """float32 NumPy. `stored`: weights and results of sublayers; `operand`: what enters a product; `scored`, `shares`:
    what becomes of scores and of weights; `hide`: what is added to hidden scores."""
    needs = None

    def __init__(self, name, stored=exact, operand=exact, scored=exact, shares=exact, weigh=usual_exp, last=True,
                 hide=-np.inf):
        self.name, self.store, self.operand, self.scored, self.shares = name, stored, operand, scored, shares
        self.weigh, self.last, self.hide = weigh, last, np.float32(hide)

    def context(self):
        return contextlib.nullcontext()

    def weights(self, x):
        return self.store(np.asarray(x, np.float32)).copy()

    def linear(self, x, w, b=None):
        result = self.operand(x) @ self.operand(w).T
        return self.store(result if b is None else result + b)

    def relu(self, x):
        return np.maximum(x, 0)

    def attend(self, q, k, v, mask, rows, scale):
        block = max(1, (1 << 19) // len(k))  # what the cache holds
        parts = [self.attend_rows(q[at:at + block], k, v, hidden_keys(mask, rows[at:at + block], len(k)), scale)
                 for at in range(0, len(rows), block)]
        return np.concatenate(parts)

    def attend_rows(self, q, k, v, hidden, scale):
        scores = self.scored(self.scored(self.operand(self.store(q)) @ self.operand(k).T) * np.float32(scale))
        if hidden is not None:
            scores = np.where(hidden, scores + self.hide, scores)
        e = self.weigh(scores)
        total = e.sum(axis=1, keepdims=True)
        if not self.last:
            e = e / total
        mixed = self.shares(e) @ self.operand(v)
        return self.store(mixed / total if self.last else mixed)


class Torch:
    """PyTorch on the processor. `fused`: scaled_dot_product_attention, by its flash kernel; `autocast`: weights and
    residual stream stay float32."""
    needs = "PyTorch"

    def __init__(self, name, dtype, fused=False, autocast=False):
        self.name, self.type, self.fused, self.autocast = name, dtype, fused, autocast

    def context(self):
        stack = contextlib.ExitStack()
        stack.enter_context(torch.no_grad())
        if self.autocast:
            stack.enter_context(torch.autocast("cpu", dtype=getattr(torch, self.type)))
        return stack

    def weights(self, x):
        return torch.from_numpy(np.array(x)).to(torch.float32 if self.autocast else getattr(torch, self.type))

    def store(self, x):
        return x

    def linear(self, x, w, b=None):
        return torch.nn.functional.linear(x, w, b)

    def relu(self, x):
        return torch.relu(x)

    def attend(self, q, k, v, mask, rows, scale):
        hidden = hidden_keys(mask, rows, len(k))
        seen = None if hidden is None else torch.from_numpy(~hidden)
        if not self.fused:
            scores = q @ k.T * scale
            if seen is not None:
                scores = scores.masked_fill(~seen, -math.inf)
            return torch.softmax(scores, dim=-1) @ v.to(scores.dtype)
        width = max(q.shape[1], v.shape[1])  # the flash kernel takes one width
        fill = lambda x: torch.nn.functional.pad(x, (0, width - x.shape[1]))[None, None]
        backends = torch.nn.attention.SDPBackend
        with torch.nn.attention.sdpa_kernel(backends.FLASH_ATTENTION):
            out = torch.nn.functional.scaled_dot_product_attention(fill(q), fill(k), fill(v), attn_mask=seen, scale=scale)
        return out[0, 0, :, :v.shape[1]]


# In groups, each after the certified lengths of our format that is nearest.
ENGINES = [
    ("f32", [
        Torch("PyTorch, softmax and then a product", "float32"),
        Torch("PyTorch, fused attention", "float32", fused=True),
        Emulated("normalised first", last=False),
        Emulated("normalised last"),
        Emulated("exp2 of s·log₂e − M, fused step", weigh=exp2_fused),
        Emulated("exp2 of s·log₂e − M, two roundings", weigh=exp2_twice),
        Emulated("hidden keys by adding −10⁴", hide=-1e4),
        Emulated("TF32 products", operand=tf32, shares=tf32),
    ]),
    ("bf16", [
        Torch("PyTorch, all in bf16, fused attention", "bfloat16", fused=True),
        Emulated("fused kernel: P rounded to bf16", stored=bfloat, shares=bfloat),
        Torch("PyTorch, all in bf16, softmax and then a product", "bfloat16"),
        Torch("PyTorch, autocast to bf16", "bfloat16", autocast=True),
        Emulated("scores and P rounded to bf16", stored=bfloat, scored=bfloat, shares=bfloat, last=False),
    ]),
    ("f16", [
        Torch("PyTorch, all in f16, fused attention", "float16", fused=True),
        Emulated("fused kernel: P rounded to f16", stored=half, shares=half),
        Torch("PyTorch, all in f16, softmax and then a product", "float16"),
        Torch("PyTorch, autocast to f16", "float16", autocast=True),
        Emulated("scores and P rounded to f16", stored=half, scored=half, shares=half, last=False),
    ]),
]


def lengths(longest):
    """2^k and the length after it, up to a few thousand also 3·2^k, above only every second of them."""
    powers = [*range(3, 13), *range(14, 40, 2)]
    return sorted(n for n in {n for k in powers for n in (1 << k, (1 << k) + 1)} | {3 << k for k in range(2, 11)}
                  if n <= longest)


def all_right(model, engine, rule, n, whole):
    oracle, words = rule[2:]
    rows = np.arange(n) if n <= whole else np.array([n // 2, n - 2, n - 1])
    for text in words(n, random.Random(n)):
        word = np.frombuffer(text.encode(), np.uint8)
        if (answers(model, engine, word, rows) != oracle(word)[rows]).any():
            return False
    return True


def measured(model, engine, rule, arguments):
    """'longest right / first wrong', or '> longest tried'."""
    right, shallow = 0, len(model.layers) == 1
    for n in lengths(arguments.longest if shallow else arguments.whole):
        if not all_right(model, engine, rule, n, min(128, arguments.whole) if shallow else arguments.whole):
            return f"{right:,} / {n:,}"
        right = n
    return f"> {right:,}"


def compiled(quench, folder, rule):
    path = Path(folder) / "model.safetensors"
    done = subprocess.run([quench, "compile", "-e", rule[0], *rule[1].split(), "-o", str(path), "--json"],
                          capture_output=True, text=True, check=True)
    return Model(path), json.loads(done.stdout)["certified"]


def cells(arguments, models, engines):
    """By engine's name, one per rule; each in a process of its own, as many at once as there are jobs."""
    jobs = [(engine, column) for engine in engines for column in range(len(RULES))]

    def measure(job):
        engine, column = jobs[job]
        found = measured(models[column][0], engine, RULES[column], arguments)
        print(f"{engine.name}, {' '.join(RULES[column][:2])}: {found}", file=sys.stderr, flush=True)
        return found

    global worker
    worker = measure  # what a forked process finds
    with multiprocessing.get_context("fork").Pool(arguments.jobs) as pool:
        found = pool.map(work, range(len(jobs)), chunksize=1)
    return {engine.name: found[at * len(RULES):(at + 1) * len(RULES)] for at, engine in enumerate(engines)}


def work(job):
    return worker(job)


def table(arguments):
    with tempfile.TemporaryDirectory() as folder:
        models = [compiled(arguments.quench, folder, rule) for rule in RULES]
    engines = [engine for _, group in ENGINES for engine in group]
    skipped = [engine.name for engine in engines if engine.needs and torch is None]
    found = cells(arguments, models, [engine for engine in engines if engine.name not in skipped])
    line = lambda cells: "| " + " | ".join(cells) + " |"
    text = [line(["engine"] + [f"`{rule[0]}`" + (f" `{rule[1]}`" if rule[1] else "") for rule in RULES]),
            line(["---"] * (len(RULES) + 1))]
    for dtype, group in ENGINES:
        shown = [f"{certified[dtype]:,}" if certified[dtype] is not None else "no limit" for _, certified in models]
        text.append(line([f"**{dtype}**, certified for any engine"] + [f"**{length}**" for length in shown]))
        text += [line([engine.name] + found[engine.name]) for engine in group if engine.name in found]
    if skipped:
        print("skipped, since PyTorch is not installed: " + "; ".join(skipped), file=sys.stderr)
    made = f"PyTorch {torch.__version__.split('+')[0]}, " if torch else ""
    return "\n".join(text + ["", f"Measured with {made}NumPy {np.__version__}."]), skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quench", default=str(ROOT / "build/release/quench"))
    parser.add_argument("--whole", type=int, default=2049, help="longest word of networks of more layers")
    parser.add_argument("--longest", type=int, default=(1 << 22) + 1, help="longest word, of networks of one layer")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", action="store_true", help="into docs/certificates.md")
    arguments = parser.parse_args()
    text, skipped = table(arguments)
    if not arguments.write:
        return print(text)
    if skipped:
        sys.exit("not written: a table without PyTorch's engines would replace one with them")
    before, rest = DOCUMENT.read_text().split(BEGIN)
    DOCUMENT.write_text(before + BEGIN + "\n\n" + text + "\n\n" + END + rest.split(END, 1)[1])


if __name__ == "__main__":
    np.seterr(over="ignore", invalid="ignore", divide="ignore")
    main()
