#!/usr/bin/env python3
"""Runs compiled models in PyTorch on many short words at once, checks the answers against quench, and times the two
against each other, interleaved.

  scripts/bench_torch_batch.py --json batch.json        needs PyTorch and build/release/quench

float32 on both sides. PyTorch gets one product for the queries, keys and values of all heads of a layer, attention of all
heads and words at once (scaled_dot_product_attention where there is one, or matmul-softmax-matmul, whichever is faster),
and dense feed-forwards; the words in portions of the fastest of several sizes; subnormal numbers are flushed. With one
thread the figures are processor time, with more wall-clock time; each is the median of the repetitions.
"""
import argparse
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from bench_peers import commit, machine, median, time_calls
from write_performance import QUENCH, TWENTY, TWENTY_TEMPORAL

try:
    import torch
except ImportError:
    sys.exit("PyTorch is not installed")

power = lambda n: 1 << (n - 1).bit_length()
# docs/model-format.md; formulas that these models do not have are left out.
POSITIONS = {"i": lambda i, n: i, "i/n": lambda i, n: i / n, "1/i": lambda i, n: 1 / i, "1/n": lambda i, n: 1 / n,
             "(-1)^i": lambda i, n: (-1) ** i, "i/N": lambda i, n: i / power(n)}
SHARPNESS = {"1": lambda i, n: 1, "1/n": lambda i, n: n, "1/i": lambda i, n: i, "1/i^2": lambda i, n: i * i,
             "1/N": lambda i, n: power(n)}
VISIBLE = {"none": lambda i, j: True, "future": lambda i, j: j <= i, "past": lambda i, j: j >= i,
           "strict_future": lambda i, j: j < i, "strict_past": lambda i, j: j > i}


def read_model(path):
    """(tensors by name, the document)"""
    data = Path(path).read_bytes()
    length, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    document = json.loads(header.pop("__metadata__")["quench"])
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        values = struct.unpack(f"<{(end - begin) // 8}d", data[begin:end])
        tensors[name] = torch.tensor(values, dtype=torch.float64).reshape(entry["shape"]).float()
    return tensors, document


class Network:
    """A compiled model for words of one length n. Heads of a layer are filled up with zeros to one width."""

    def __init__(self, path, n):
        tensors, document = read_model(path)
        self.output = document["output"]["coordinate"]
        self.symbols = document["symbols"]
        self.fused = hasattr(torch.nn.functional, "scaled_dot_product_attention")
        positions = torch.zeros(n, document["width"], dtype=torch.float64)
        for encoding in document["position_encodings"]:
            value = POSITIONS[encoding["formula"]]
            positions[:, encoding["coordinate"]] += torch.tensor([float(value(i, n)) for i in range(1, n + 1)])
        self.positions, self.embedding = positions.float(), tensors["embedding"]
        self.layers = [self.layer(tensors, f"layers.{index}.", layer["heads"], n)
                       for index, layer in enumerate(document["layers"])]

    @staticmethod
    def layer(tensors, prefix, heads, n):
        part = lambda name: [tensors[f"{prefix}heads.{h}.{name}"] for h in range(len(heads))]
        layer = {"heads": len(heads), "ffn": [tensors[f"{prefix}ffn.{name}"] for name in ("w1", "b1", "w2", "b2")]}
        if not heads:
            return layer
        d_k, d_v = max(q.shape[0] for q in part("q")), max(v.shape[0] for v in part("v"))
        fill = lambda matrix, rows: torch.nn.functional.pad(matrix, (0, 0, 0, rows - matrix.shape[0]))
        layer["q"], layer["k"], layer["v"] = (torch.cat([fill(w, rows) for w in part(name)]).T.contiguous()
                                              for name, rows in (("q", d_k), ("k", d_k), ("v", d_v)))
        layer["o"] = torch.cat([fill(o.T, d_v) for o in part("o")]).contiguous()
        layer["qkv"] = torch.cat([layer["q"], layer["k"], layer["v"]], 1)
        layer["split"] = [len(heads) * d_k, len(heads) * d_k, len(heads) * d_v]
        layer["sharpness"] = torch.tensor([[[SHARPNESS[head["temperature"]](i, n) / math.sqrt(q.shape[0])]
                                            for i in range(1, n + 1)] for head, q in zip(heads, part("q"))])
        visible = torch.tensor([[[VISIBLE[head["mask"]](i, j) for j in range(n)] for i in range(n)] for head in heads])
        layer["some"] = visible.any(-1, keepdim=True).float()  # a row that sees nothing gives the zero vector
        layer["mask"] = torch.zeros(visible.shape).masked_fill(~visible & visible.any(-1, keepdim=True), -math.inf)
        layer["all_some"] = bool(layer["some"].all())
        return layer

    def attend(self, layer, h):
        words, n, _ = h.shape
        q, k, v = (part.reshape(words, n, layer["heads"], -1).transpose(1, 2)
                   for part in torch.split(h @ layer["qkv"], layer["split"], -1))  # words × heads × n × width
        q = q * layer["sharpness"]
        if self.fused:
            mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=layer["mask"], scale=1.0)
        else:
            mixed = (q @ k.transpose(-1, -2) + layer["mask"]).softmax(-1) @ v
        if not layer["all_some"]:
            mixed = mixed * layer["some"]
        return mixed.transpose(1, 2).reshape(words, n, -1) @ layer["o"]

    def run(self, words):
        """words × n symbols → words × n outputs"""
        h = self.embedding[words] + self.positions
        for layer in self.layers:
            if layer["heads"]:
                h = h + self.attend(layer, h)
            w1, b1, w2, b2 = layer["ffn"]
            if len(b1):
                h = h + torch.nn.functional.linear(torch.relu(torch.nn.functional.linear(h, w1, b1)), w2, b2)
        return h[..., self.output]

    def run_in_portions(self, words, size):
        with torch.no_grad():
            return torch.cat([self.run(words[k:k + size]) for k in range(0, len(words), size)])


def quench(*arguments):
    return subprocess.run([QUENCH, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def check(network, path, words, outputs):
    """The rounded outputs are quench's."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.writelines("".join(network.symbols[s] for s in word) + "\n" for word in words.tolist())
        file.flush()
        lines = quench("run", path, "--input", file.name, "--dtype", "f32", "--json").splitlines()
    expected = torch.tensor([json.loads(line)["values"] for line in lines])
    differences = int(((outputs >= 0.5) != (expected == 1)).sum())
    if differences:
        sys.exit(f"PyTorch and quench differ at {differences} positions")


def measure(name, text, options, threads):
    torch.set_num_threads(threads)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "model.safetensors"
        quench("compile", "-e", text, "--recipe", "tight", "-o", path)
        network = Network(path, options.length)
        chooser = random.Random(1)
        words = torch.tensor([[chooser.randrange(len(network.symbols)) for _ in range(options.length)]
                              for _ in range(options.words)])
        candidates = [(fused, size) for fused in ([True, False] if network.fused else [False])
                      for size in (64, 256, 1024, 4096)]
        took = {}
        for network.fused, size in candidates:
            call = lambda: network.run_in_portions(words[:4096], size)
            call()
            took[network.fused, size] = min(time_calls(call, threads, 1) for _ in range(2))
        network.fused, size = min(took, key=took.get)
        for k in range(0, options.words, 4096):
            check(network, path, words[k:k + 4096], network.run_in_portions(words[k:k + 4096], size))
        times = {"ours": [], "torch": []}
        for _ in range(options.repetitions):
            times["torch"].append(time_calls(lambda: network.run_in_portions(words, size), threads, 1))
            report = json.loads(quench("bench", path, "--dtype", "f32", "--batch", options.words, "--batch-length",
                                       options.length, "--length", 1, "--dense-length", 0, "--reference-length", 0,
                                       "--repetitions", 3, *(["--threads"] if threads > 1 else []), "--json"))
            case = next(case for case in report["cases"] if case["engine"] == "batch")
            times["ours"].append(case["cpu_ns_per_token" if threads == 1 else "ns_per_token"] * 1e-9 * words.numel())
    ours, peer = median(times["ours"]), median(times["torch"])
    return {"formula": name, "recipe": "tight", "threads": threads, "words": options.words, "length": options.length,
            "ours_words_per_second": options.words / ours, "torch_words_per_second": options.words / peer,
            "torch_ratio": peer / ours, "path": "scaled_dot_product_attention" if network.fused else "explicit softmax",
            "portion": size}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=1 << 14)
    parser.add_argument("--length", type=int, default=20)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, os.cpu_count()])
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--json", help="write the report here")
    options = parser.parse_args()
    # Weights of sharp attention are often too small for a normal number, and those are slow: without them PyTorch takes
    # half the time. Set before there are threads, which inherit it.
    torch.set_flush_denormal(True)
    report = {"machine": machine(), "commit": commit(), "repetitions": options.repetitions,
              "torch": f"PyTorch {torch.__version__}", "batch": []}
    for threads in options.threads:
        for name, text in (("20 operators, 11 temporal", TWENTY), ("30 operators, 20 temporal", TWENTY_TEMPORAL)):
            report["batch"].append(measure(name, text, options, threads))
            print(report["batch"][-1], file=sys.stderr)
    report["load"] = os.getloadavg()[0]
    if options.json:
        Path(options.json).write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
