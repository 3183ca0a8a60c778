"""A compiled model, read from its file alone (docs/model-format.md), and run by an engine of scripts/measure_engines.py."""
import json
import math
import struct
from pathlib import Path

import numpy as np


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
                if (scale != scale[0]).any():  # a temperature by position goes into the query
                    q, scale = q * engine.weights(scale[:, None]), scale / scale
                mixed = engine.attend(q, k, v, head["mask"], rows, float(scale[0]))
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
