#!/usr/bin/env python3
"""Training steps of `quench train` beside the same network in PyTorch: processor seconds, interleaved, medians.

usage: scripts/bench_train.py [--steps N] [--repetitions N] [--quench PROGRAM]

The network of docs/training.md with its default options (2 layers of 2 heads, width 16, 32 hidden units, 32 words of 1 to 40
symbols a step, Adam, gradients clipped) on MAJORITY, one thread. PyTorch pads the words of a step to the longest of them and takes
all at once; its words are drawn beforehand and not counted, while Quench draws its own.
"""
import argparse
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import torch
from torch.nn import functional

ROOT = Path(__file__).resolve().parent.parent
LAYERS, HEADS, WIDTH, HIDDEN, BATCH, LENGTH = 2, 2, 16, 32, 32, 40


def quench_seconds(program, steps):
    """User and system time of the steps alone: what a run of one step takes is subtracted."""
    def run(count):
        with tempfile.TemporaryDirectory() as directory:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([program, "train", "-e", "#<[Q_1] > #<[Q_0]", "--steps", str(count), "--no-test", "--threads", "1", "-o",
                            f"{directory}/model.safetensors"], check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return run(steps) - run(1)


class Network(torch.nn.Module):
    def __init__(self, dtype):
        super().__init__()
        def weights(*shape):
            return torch.nn.Parameter(torch.randn(*shape, dtype=dtype) / shape[0] ** 0.5)
        self.embedding = weights(3, WIDTH)
        self.layers = torch.nn.ParameterList()
        for _ in range(LAYERS):
            self.layers.extend([weights(WIDTH, 3 * WIDTH), weights(WIDTH, WIDTH), weights(WIDTH, HIDDEN), weights(1, HIDDEN),
                                weights(HIDDEN, WIDTH), weights(1, WIDTH)])
        self.readout, self.bias = weights(WIDTH), weights(1)

    def forward(self, words, positions):
        h = self.embedding[words] + positions
        batch, n, _ = h.shape
        for layer in range(LAYERS):
            qkv, o, w1, b1, w2, b2 = self.layers[6 * layer:6 * layer + 6]
            q, k, v = ((h @ qkv).view(batch, n, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4))
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            h = h + mixed.transpose(1, 2).reshape(batch, n, WIDTH) @ o
            h = h + torch.relu(h @ w1 + b1) @ w2 + b2
        return h @ self.readout + self.bias


def drawn(steps, dtype):
    """Words padded to the longest of the step, encodings, labels, and the weight of every position."""
    batches = []
    for _ in range(steps):
        lengths = torch.randint(1, LENGTH + 1, (BATCH,))
        n = int(lengths.max())
        words = torch.randint(0, 2, (BATCH, n))
        i = torch.arange(1, n + 1)
        there = (i <= lengths[:, None]).to(dtype)
        positions = torch.zeros(BATCH, n, WIDTH, dtype=dtype)
        positions[..., 0] = i / lengths[:, None]
        positions[..., 1] = 1 / i
        positions[..., 2] = 1 - 2 * (i % 2)
        labels = (2 * words.cumsum(1) > i).to(dtype)
        batches.append((words, positions, labels, there / lengths[:, None] / BATCH))
    return batches


def torch_seconds(steps, dtype):
    network = Network(dtype)
    optimiser = torch.optim.Adam(network.parameters(), lr=0.005, betas=(0.9, 0.98), fused=True)
    batches = drawn(steps, dtype)
    before = time.process_time()
    for words, positions, labels, weight in batches:
        optimiser.zero_grad()
        loss = (functional.binary_cross_entropy_with_logits(network(words, positions), labels, reduction="none") * weight).sum()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
    return time.process_time() - before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--quench", default=str(ROOT / "build/release/quench"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch_seconds(5, torch.float64)
    times = {"Quench, float64": [], "PyTorch, float64": [], "PyTorch, float32": []}
    for _ in range(options.repetitions):
        times["Quench, float64"].append(quench_seconds(options.quench, options.steps))
        times["PyTorch, float64"].append(torch_seconds(options.steps, torch.float64))
        times["PyTorch, float32"].append(torch_seconds(options.steps, torch.float32))
    medians = {name: statistics.median(seconds) for name, seconds in times.items()}
    print(f"{options.steps} steps, processor seconds, medians of {options.repetitions}, PyTorch {torch.__version__}")
    for name, median in medians.items():
        print(f"{name:18} {median:6.2f}   {median / medians['Quench, float64']:5.2f} times ours")


if __name__ == "__main__":
    main()
