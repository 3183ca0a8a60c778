#!/usr/bin/env python3
"""Published methods that score the edges of a network, on a set that `quench circuits` wrote. Needs numpy and torch.

usage: methods.py SET METHOD -o SCORES.json [--only NAMES] [--steps N] [--pairs N]

  eap                  edge attribution patching (Syed, Rager, Conmy 2023): what the edge carries in the corrupted run less what it carries
                       in the clean one, times the gradient of the metric where it is read
  eap-ig-inputs        the same with gradients averaged over --steps embeddings between the two words (Hanna, Pezzelle, Belinkov 2024)
  eap-ig-activations   the same with gradients averaged over --steps values between the two runs, of one sublayer's output after the other
  patching             the edge is given what it carries in the corrupted run, and the metric looked at: one run per edge
  acdc                 automatic circuit discovery (Conmy et al. 2023): from the logits down, edges are taken out for good where that raises the
                       Kullback-Leibler divergence from the clean answers by less than a threshold; the score of an edge is the
                       greatest of the thresholds 0.0001, 0.001, 0.01, 0.1, 1 at which it stays, or 0

The metric is the logit of the clean word's label less that of the corrupted word's, at the last position; scores are means over the pairs.
score.py says how good they are.
"""
import argparse
import json
import sys
from pathlib import Path

import numpy as np
import torch

THRESHOLDS = [1e-4, 1e-3, 1e-2, 1e-1, 1.0]


def read_safetensors(path):
    """Tensors of float32 by name."""
    content = Path(path).read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8:8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, about in header.items():
        begin, end = about["data_offsets"]
        data = np.frombuffer(content[8 + length + begin:8 + length + end], dtype="<f4")
        tensors[name] = torch.tensor(data.reshape(about["shape"]), dtype=torch.float64)
    return tensors


class Network:
    """A decoder by TransformerLens' names, in double precision, with every edge to be had by itself."""

    def __init__(self, folder):
        folder = Path(folder)
        self.config = json.loads((folder / "config.json").read_text())
        self.weights = read_safetensors(folder / "model.safetensors")
        self.edges = [tuple(edge["edge"].split("->")) for edge in json.loads((folder / "edges.json").read_text())["edges"]]
        self.writers = list(dict.fromkeys(writer for writer, _ in self.edges))
        self.readers = list(dict.fromkeys(reader for _, reader in self.edges))

    def heads(self, layer):
        """Without those that only fill up the layer."""
        return [head for head in range(self.config["n_heads"]) if f"a{layer}.h{head}" in self.writers]

    def reading_weights(self, reader):
        if reader == "logits":
            return self.weights["unembed.W_U"]
        layer = reader[1:].split(".")[0]
        if reader[0] == "m":
            return self.weights[f"blocks.{layer}.mlp.W_in"]
        return self.weights[f"blocks.{layer}.attn.W_{reader[-2].upper()}"][int(reader[reader.index("h") + 1:-3])]

    def reads(self, reader, difference):
        """Whether the difference arrives: where all of it meets zeros, nothing changes, and no run is needed."""
        return bool((difference @ self.reading_weights(reader)).any())

    def run(self, tokens, replaced=None, blended=None):
        """Logits, what every writer wrote, and what every reader read. `replaced` has by reader what it gets from some writers instead of what
        they write, `blended` what some writers write instead of what they would."""
        written, read = {}, {}
        residual = 0

        def write(name, value):
            nonlocal residual
            if blended and name in blended:
                value = blended[name]
            written[name] = value
            residual = residual + value

        def take(reader):
            value = residual
            for writer, instead in (replaced or {}).get(reader, {}).items():
                value = value + (instead - written[writer])
            # A tensor of its own for every reader, so that each has its own gradient.
            read[reader] = value = value + 0
            return value

        weights, n = self.weights, tokens.shape[1]
        write("embed", weights["embed.W_E"][tokens])
        write("pos_embed", weights["pos_embed.W_pos"][:n].expand(*tokens.shape, -1))
        visible = torch.ones(n, n, dtype=torch.bool).tril()
        for layer in range(self.config["n_layers"]):
            block, results = f"blocks.{layer}.", {}
            for head in self.heads(layer):
                name = f"a{layer}.h{head}"
                q, k, v = (take(f"{name}<{x}>") @ weights[f"{block}attn.W_{x.upper()}"][head] for x in "qkv")
                scores = (q @ k.transpose(1, 2)) / self.config["d_head"] ** 0.5
                pattern = scores.masked_fill(~visible, -torch.inf).softmax(-1)
                results[name] = pattern @ v @ weights[f"{block}attn.W_O"][head]
            for name, value in results.items():
                write(name, value)
            hidden = torch.relu(take(f"m{layer}") @ weights[f"{block}mlp.W_in"] + weights[f"{block}mlp.b_in"])
            write(f"m{layer}", hidden @ weights[f"{block}mlp.W_out"] + weights[f"{block}mlp.b_out"])
        return take("logits") @ weights["unembed.W_U"] + weights["unembed.b_U"], written, read


class Pairs:
    """Clean and corrupted words side by side, filled up on the right; the answer is read at the last position of each."""

    def __init__(self, folder, count=None):
        lines = [json.loads(line) for line in (Path(folder) / "pairs.jsonl").read_text().splitlines()][:count]
        longest = max(len(line["clean_tokens"]) for line in lines)
        padded = lambda key: torch.tensor([line[key] + [0] * (longest - len(line[key])) for line in lines])
        self.clean, self.corrupted = padded("clean_tokens"), padded("corrupted_tokens")
        self.last = torch.tensor([len(line["clean_tokens"]) - 1 for line in lines])
        self.clean_label = torch.tensor([line["clean_label"] for line in lines])
        self.corrupted_label = torch.tensor([line["corrupted_label"] for line in lines])
        self.every = torch.arange(len(lines))

    def at_last(self, logits):
        return logits[self.every, self.last]

    def metric(self, logits):
        last = self.at_last(logits)
        return (last[self.every, self.clean_label] - last[self.every, self.corrupted_label]).mean()


class Attribution:
    def __init__(self, network, pairs):
        self.network, self.pairs = network, pairs
        with torch.no_grad():
            self.clean_logits, self.clean, _ = network.run(pairs.clean)
            _, self.corrupted, _ = network.run(pairs.corrupted)

    def between(self, writer, part):
        """Between what is written in the corrupted run (0) and in the clean one (1)."""
        return part * self.clean[writer] + (1 - part) * self.corrupted[writer]

    def gradients(self, blended=None):
        """Of the metric, where each reader reads, on the clean words."""
        if blended is None:
            blended = {"embed": self.clean["embed"]}
        with torch.enable_grad():
            blended = {name: value.clone().requires_grad_() for name, value in blended.items()}
            logits, _, read = self.network.run(self.pairs.clean, blended=blended)
            names = [name for name in self.network.readers if read[name].requires_grad]
            found = torch.autograd.grad(self.pairs.metric(logits), [read[name] for name in names], allow_unused=True)
        return {name: value for name, value in zip(names, found) if value is not None}

    def by_gradient(self, settings):
        """The difference of what is written, times the mean gradient of the settings."""
        total = {}
        for blended in settings:
            for name, value in self.gradients(blended).items():
                total[name] = total.get(name, 0) + value / len(settings)
        differences = {name: self.corrupted[name] - self.clean[name] for name in self.network.writers}
        return {(writer, reader): (differences[writer] * total[reader]).sum().item() if reader in total else 0.0
                for writer, reader in self.network.edges}

    def eap(self):
        return self.by_gradient([None])

    def eap_ig_inputs(self, steps):
        return self.by_gradient([{"embed": self.between("embed", step / steps)} for step in range(steps)])

    def eap_ig_activations(self, steps):
        sublayers = [["embed"]]
        for layer in range(self.network.config["n_layers"]):
            sublayers += [[f"a{layer}.h{head}" for head in self.network.heads(layer)], [f"m{layer}"]]
        return self.by_gradient([{writer: self.between(writer, step / steps) for writer in sublayer}
                                 for sublayer in sublayers if sublayer for step in range(1, steps + 1)])

    @torch.no_grad()
    def patching(self):
        clean = self.pairs.metric(self.clean_logits)
        scores = {}
        for writer, reader in self.network.edges:
            scores[writer, reader] = 0.0
            if self.network.reads(reader, self.corrupted[writer] - self.clean[writer]):
                logits, _, _ = self.network.run(self.pairs.clean, {reader: {writer: self.corrupted[writer]}})
                scores[writer, reader] = (self.pairs.metric(logits) - clean).item()
        return scores

    @torch.no_grad()
    def acdc(self):
        scores = dict.fromkeys(self.network.edges, 0.0)
        for threshold in THRESHOLDS:
            for edge in self.kept_by_acdc(threshold):
                scores[edge] = threshold
        return scores

    def kept_by_acdc(self, threshold):
        wanted = self.pairs.at_last(self.clean_logits).log_softmax(-1)
        replaced, current, written = {reader: {} for reader in self.network.readers}, 0.0, self.clean
        for writer, reader in reversed(self.network.edges):
            replaced[reader][writer] = self.corrupted[writer]
            if not self.network.reads(reader, self.corrupted[writer] - written[writer]):
                continue
            logits, now_written, _ = self.network.run(self.pairs.clean, replaced)
            got = self.pairs.at_last(logits).log_softmax(-1)
            divergence = (wanted.exp() * (wanted - got)).sum(-1).mean().item()
            if divergence - current < threshold:
                current, written = divergence, now_written
            else:
                del replaced[reader][writer]
        return [(writer, reader) for writer, reader in self.network.edges if writer not in replaced[reader]]


METHODS = {"eap": lambda one, steps: one.eap(), "eap-ig-inputs": lambda one, steps: one.eap_ig_inputs(steps),
           "eap-ig-activations": lambda one, steps: one.eap_ig_activations(steps), "patching": lambda one, steps: one.patching(),
           "acdc": lambda one, steps: one.acdc()}


def edge_scores(folder, method, steps=30, pairs=None):
    """{"EDGE": score} of one model."""
    attribution = Attribution(Network(folder), Pairs(folder, pairs))
    return {f"{writer}->{reader}": score for (writer, reader), score in METHODS[method](attribution, steps).items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path)
    parser.add_argument("method", choices=sorted(METHODS))
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--only", help="names of models, with commas")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--pairs", type=int, help="the first so many of each model")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    names = [model["name"] for model in json.loads((arguments.set / "index.json").read_text())["models"]]
    wanted = arguments.only.split(",") if arguments.only else names
    for name in set(wanted) - set(names):
        sys.exit(f"error: there is no model {name!r} in {arguments.set}")
    scores = {name: edge_scores(arguments.set / name, arguments.method, arguments.steps, arguments.pairs) for name in wanted}
    arguments.output.write_text(json.dumps(scores, indent=1) + "\n")


if __name__ == "__main__":
    main()
