#!/usr/bin/env python3
"""Runs compiled models as common engines do and finds the lengths at which their answers go wrong.

  scripts/measure_engines.py                    prints the table
  scripts/measure_engines.py --write            writes it into docs/certificates.md, between the markers

Needs build/release/quench and NumPy; PyTorch for the engines that are PyTorch's own, which are skipped, by name, without
it. A model is read from its file alone (docs/model-format.md). Words are those that come out wrong first: one off the
threshold, or decided by two neighbouring positions, and a few random ones. Every position is compared with the
rule; where a network has one layer and the word is longer than 128, the last two.
"""
import argparse
import contextlib
import json
import math
import random
import struct
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

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/certificates.md"
BEGIN, END = "<!-- written by scripts/measure_engines.py -->", "<!-- end -->"


# ---- The model file

def power(n):
    return 1 << (n - 1).bit_length()


def position_values(encoding, n):
    """At positions 1 … n, in double."""
    i, big = np.arange(1, n + 1, dtype=np.float64), float(power(n))
    if encoding["formula"].startswith("predicate"):
        assert encoding["predicate"]["kind"] == "odd", "another predicate"
        return i % 2 if encoding["formula"] == "predicate" else np.zeros(n)
    sign = 1 - 2 * (i % 2)
    return {"i": i, "i^2": i * i, "n": 0 * i + n, "i*n": i * n, "i^2*n": i * i * n, "1/i": 1 / i, "1/n": 0 * i + 1 / n,
            "1/(n-i+1)": 1 / (n - i + 1), "(-1)^i": sign, "i/N": i / big, "i*(-1)^i": i * sign, "log(i)": np.log(i),
            "log(n-i+1)": np.log(n - i + 1), "d0": i % 256, "d1": i // 256 % 256, "256*d2": i // 65536 * 256,
            "d0/N": i % 256 / big, "256*d1/N": i // 256 % 256 * 256 / big,
            "65536*d2/N": i // 65536 * 65536 / big}[encoding["formula"]]


def sharpness(head, i, n):
    """1/(√d_k·τ(i, n))"""
    return {"1": 1.0 + 0 * i, "1/n": n + 0 * i, "1/i": i, "1/i^2": i * i, "1/N": power(n) + 0 * i}[head["temperature"]]


class Model:
    def __init__(self, path):
        data = Path(path).read_bytes()
        length, = struct.unpack("<Q", data[:8])
        header = json.loads(data[8:8 + length])
        self.document = json.loads(header.pop("__metadata__")["quench"])
        at = lambda entry: data[8 + length + entry["data_offsets"][0]:8 + length + entry["data_offsets"][1]]
        self.tensors = {name: np.frombuffer(at(entry), "<f8").reshape(entry["shape"]) for name, entry in header.items()}
        self.layers = self.document["layers"]
        self.output = self.document["output"]["coordinate"]
        self.row = np.full(256, len(self.document["symbols"]))  # of the embedding, by character
        for row, symbol in enumerate(self.document["symbols"]):
            self.row[ord(symbol)] = row
        self.kept = {}

    def weights(self, engine, name):
        """In the engine's format; by name alone while one engine is at work."""
        if self.kept.get("engine") is not engine:
            self.kept = {"engine": engine}
        if name not in self.kept:
            self.kept[name] = engine.weights(self.tensors[name])
        return self.kept[name]


def answers(model, engine, word, rows):
    """The Booleans at the positions `rows` (from 0); all of them unless the network has one layer."""
    n, get = len(word), lambda name: model.weights(engine, name)
    with engine.context():
        h = get("embedding")[model.row[word]]
        for encoding in model.document["position_encodings"]:
            h[:, encoding["coordinate"]] += engine.weights(position_values(encoding, n))
        for l, layer in enumerate(model.layers):
            at, total = h[rows], 0
            for index, head in enumerate(layer["heads"]):
                part = lambda name: get(f"layers.{l}.heads.{index}.{name}")
                q, k, v = engine.linear(at, part("q")), engine.linear(h, part("k")), engine.linear(h, part("v"))
                scale = sharpness(head, rows + 1.0, n) / math.sqrt(q.shape[1])
                mixed = engine.attend(q * engine.weights(scale[:, None]), k, v, head["mask"], rows)
                total = total + engine.linear(mixed, part("o"))
            part = lambda name: get(f"layers.{l}.ffn.{name}")
            h = engine.store(at + total)
            units = engine.relu(engine.linear(h, part("w1"), part("b1")))
            h = engine.store(h + engine.linear(units, part("w2"), part("b2")))
        return np.array(h[:, model.output].tolist()) >= 0.5


def hidden_keys(mask, rows, n):
    """rows × n, or nothing"""
    if mask == "none":
        return None
    return np.arange(n)[None] > rows[:, None] if mask == "future" else np.arange(n)[None] < rows[:, None]


# ---- Engines

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

    def attend(self, q, k, v, mask, rows):
        block = max(1, (1 << 19) // len(k))  # what the cache holds
        parts = [self.attend_rows(q[at:at + block], k, v, hidden_keys(mask, rows[at:at + block], len(k)))
                 for at in range(0, len(rows), block)]
        return np.concatenate(parts)

    def attend_rows(self, q, k, v, hidden):
        scores = self.scored(self.operand(self.store(q)) @ self.operand(k).T)
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

    def attend(self, q, k, v, mask, rows):
        hidden = hidden_keys(mask, rows, len(k))
        seen = None if hidden is None else torch.from_numpy(~hidden)
        if not self.fused:
            scores = q @ k.T
            if seen is not None:
                scores = scores.masked_fill(~seen, -math.inf)
            return torch.softmax(scores, dim=-1) @ v.to(scores.dtype)
        width = max(q.shape[1], v.shape[1])  # the flash kernel takes one width
        fill = lambda x: torch.nn.functional.pad(x, (0, width - x.shape[1]))[None, None]
        backends = torch.nn.attention.SDPBackend
        with torch.nn.attention.sdpa_kernel(backends.FLASH_ATTENTION):
            out = torch.nn.functional.scaled_dot_product_attention(fill(q), fill(k), fill(v), attn_mask=seen, scale=1.0)
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


# ---- Rules, and words that are decided by a hair

A, B, ONE = (ord(letter) for letter in "ab1")


def since(word):
    i = np.arange(len(word))
    last = lambda marks: np.maximum.accumulate(np.where(marks, i, -1))
    return (last(word == B) >= 0) & (last(word != A) == last(word == B))


def pairs(n, shuffle):
    """The last b or c is found among neighbours; what follows is a."""
    for first in sorted({1, n // 2, n - 3, n - 2, n - 1}):
        yield from ("a" * (first - 1) + pair + "a" * (n - first - 1) for pair in ("bc", "cb"))
    if n < 10000:
        yield "".join(shuffle.choices("abc", (8, 1, 1), k=n))


def balances(n, shuffle):
    """As many a's as b's, or one more or less, early or late."""
    yield from (text * (n // 2) + text[:n % 2] for text in ("ab", "ba"))
    for first in (n // 2 - 1, n // 2, n // 2 + 1):
        yield from (one * first + other * (n - first) for one, other in ("ab", "ba"))
    for most in (n // 4, n // 4 + 1):
        yield "a" * (n // 4) + "c" * (n - n // 4 - most) + "b" * most
    yield "c" * (n - 2) + "ba"
    letters = list("ab" * (n // 2) + "a" * (n % 2))
    shuffle.shuffle(letters)
    yield "".join(letters)


def ones(n, shuffle):
    yield from ("1" * n, "0" * (n - 1) + "1", "0" * (n // 2) + "1" * (n - n // 2), "01" * (n // 2) + "1" * (n % 2))
    yield from ("".join(shuffle.choices("01", (1, weight), k=n)) for weight in (1, 9))


RULES = [
    ("Q_a S Q_b", "", since, pairs),
    ("Q_a S Q_b", "--digits", since, pairs),
    ("#<[Q_a] >= #<[Q_b]", "", lambda word: np.cumsum(word == A) >= np.cumsum(word == B), balances),
    ("#<[Q_a] >= #>[Q_b]", "", lambda word: np.cumsum(word == A) >= np.cumsum((word == B)[::-1])[::-1], balances),
    ("odd(#<[Q_1])", "", lambda word: np.cumsum(word == ONE) % 2 == 1, ones),
]


def lengths(longest):
    return sorted({n for k in range(3, 40) for n in (1 << k, (1 << k) + 1, 3 << k - 1) if n <= longest})


def all_right(model, engine, rule, n, whole):
    oracle, words = rule[2:]
    rows = np.arange(n) if n <= whole else np.array([n - 2, n - 1])
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


def table(arguments):
    with tempfile.TemporaryDirectory() as folder:
        models = [compiled(arguments.quench, folder, rule) for rule in RULES]
    line = lambda cells: "| " + " | ".join(cells) + " |"
    text = [line(["engine"] + [f"`{rule[0]}`" + (f" `{rule[1]}`" if rule[1] else "") for rule in RULES]),
            line(["---"] * (len(RULES) + 1))]
    skipped = []
    for dtype, engines in ENGINES:
        shown = [f"{certified[dtype]:,}" if certified[dtype] is not None else "no limit" for _, certified in models]
        text.append(line([f"**{dtype}**, certified for any engine"] + [f"**{length}**" for length in shown]))
        for engine in engines:
            if engine.needs and torch is None:
                skipped.append(engine.name)
                continue
            cells = []
            for rule, (model, _) in zip(RULES, models):
                cells.append(measured(model, engine, rule, arguments))
                print(f"{engine.name}, {rule[0]} {rule[1]}: {cells[-1]}", file=sys.stderr)
            text.append(line([engine.name] + cells))
    if skipped:
        print("skipped, since PyTorch is not installed: " + "; ".join(skipped), file=sys.stderr)
    made = f"PyTorch {torch.__version__.split('+')[0]}, " if torch else ""
    return "\n".join(text + ["", f"Measured with {made}NumPy {np.__version__}."]), skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quench", default=str(ROOT / "build/release/quench"))
    parser.add_argument("--whole", type=int, default=3072, help="longest word of networks of more layers")
    parser.add_argument("--longest", type=int, default=1 << 23, help="longest word, of networks of one layer")
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
