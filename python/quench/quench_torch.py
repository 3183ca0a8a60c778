"""A model of Quench in PyTorch. This file needs torch and nothing else; `quench export --to torch` writes it beside the weights.

    model = QuenchModel.load("folder")                  # or dtype=torch.float64, torch.bfloat16, torch.float16
    model.answers(model.encode("w1i0r1"))               # what `quench run` says at every position
    logits, cache = model.run_with_cache(ids)           # residual streams and patterns by TransformerLens' names

Every mask, weighting, temperature, position formula and predicate of docs/model-format.md is computed from the input's shape and
mask by torch operators: batches padded on either side, any device, torch.compile and gradients. In half formats products are formed in
float32 and what is stored is rounded, as fused kernels do it.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

LOGIT_SCALE = 20.0  # a softmax over the logits of an exact answer gives 1 - 2e-9
SCORE_UNIT = 1_000_000


class HookPoint(nn.Identity):
    """Where a tensor can be looked at or replaced, by `register_forward_hook` or the methods of QuenchModel."""


class Positions:
    """i = 1 ... n of every word of a batch, whatever it is padded with; n is a column, since words differ in length."""

    def __init__(self, present: Tensor):
        counts = present.long().cumsum(1)
        self.present = present
        self.i = counts.clamp(min=1)  # padding is nobody's key; it only has to stay finite
        self.n = counts[:, -1:].clamp(min=1)
        self.longest = present.shape[1]

    def power(self) -> Tensor:
        """N, the power of two at or above n."""
        powers = 2 ** torch.arange(62, device=self.n.device)
        return torch.where(powers >= self.n, powers, 2**62).amin(1, keepdim=True)

    def visible(self, mask: str) -> Tensor:
        """batch x queries x keys"""
        query, key = self.i[:, :, None], self.i[:, None, :]
        masks: dict[str, Callable[[], Tensor]] = {
            "none": lambda: torch.ones_like(key <= query),
            "future": lambda: key <= query,
            "past": lambda: key >= query,
            "strict_future": lambda: key < query,
            "strict_past": lambda: key > query,
        }
        return masks[mask]() & self.present[:, None, :]

    def inverse_temperature(self, name: str) -> Tensor:
        """1/tau(i, n): batch x queries"""
        i, n = self.i.double(), self.n.double().expand_as(self.i)
        log = torch.log1p(n)
        formulas: dict[str, Callable[[], Tensor]] = {
            "1": lambda: torch.ones_like(i),
            "1/n": lambda: n,
            "1/i": lambda: i,
            "1/i^2": lambda: i * i,
            "1/N": lambda: self.power().double().expand_as(i),
            "1/ln(n+1)": lambda: log,
            "1/(n ln(n+1))": lambda: n * log,
            "1/(n^2 ln(n+1))": lambda: n * n * log,
            "1/(n^3 ln(n+1))": lambda: n * n * n * log,
        }
        return formulas[name]()

    def encoding(self, encoding: Mapping[str, Any]) -> Tensor:
        """The value of a position formula: batch x positions, in double."""
        whole, formula = self.i, encoding["formula"]
        i, n = whole.double(), self.n.double().expand_as(whole)
        sign = 1 - 2 * (whole % 2)
        if formula in ("predicate", "predicate_at_zero"):
            at = whole if formula == "predicate" else torch.zeros_like(whole)
            return self.holds(encoding["predicate"], at).expand_as(whole).double()
        if formula == "table":
            values = encoding["values"]
            if self.longest > len(values):
                raise ValueError(f"a position encoding of this model ends at position {len(values)}; the word is longer")
            return torch.tensor(values, dtype=torch.float64, device=whole.device)[whole - 1]
        formulas: dict[str, Callable[[], Tensor]] = {
            "i": lambda: i,
            "i^2": lambda: i * i,
            "n": lambda: n,
            "i*n": lambda: i * n,
            "i^2*n": lambda: i * i * n,
            "i/n": lambda: i / n,
            "(i/n)^2": lambda: (i / n) * (i / n),
            "1/i": lambda: 1 / i,
            "1/(n-i+1)": lambda: 1 / (n - i + 1),
            "(-1)^i": lambda: sign.double(),
            "i/N": lambda: i / self.power().double(),
            "1/n": lambda: 1 / n,
            "log(i)": lambda: torch.log(i),
            "log(n-i+1)": lambda: torch.log(n - i + 1),
            "i*(-1)^i": lambda: (whole * sign).double(),
            "d0": lambda: (whole % 256).double(),
            "d1": lambda: (whole // 256 % 256).double(),
            "256*d2": lambda: (256 * (whole // 65536)).double(),
            "d0/N": lambda: (whole % 256).double() / self.power().double(),
            "256*d1/N": lambda: (256 * (whole // 256 % 256)).double() / self.power().double(),
            "65536*d2/N": lambda: (65536 * (whole // 65536)).double() / self.power().double(),
        }
        return formulas[formula]()

    def holds(self, predicate: Mapping[str, Any], x: Tensor) -> Tensor:
        kind = predicate["kind"]
        if kind == "expression":
            return self.expression(predicate["nodes"], x)
        if kind == "set":
            return member(x, predicate["members"])
        if kind == "prime":  # no d with d*d <= x divides it
            d = torch.arange(2, math.isqrt(self.longest) + 2, device=x.device)
            column = x[..., None]
            return (x > 1) & ~((column % d == 0) & (d * d <= column)).any(-1)
        tests: dict[str, Callable[[], Tensor]] = {
            "odd": lambda: x % 2 == 1,
            "even": lambda: x % 2 == 0,
            "mod": lambda: (x - predicate["residue"]) % predicate["modulus"] == 0,
            "square": lambda: is_power(x, 2),
            "cube": lambda: is_power(x, 3),
            "triangular": lambda: is_power(8 * x + 1, 2),
            "pow2": lambda: member(x, [2**k for k in range(62)]),
            "fibonacci": lambda: member(x, fibonacci_numbers()),
            "first": lambda: x == 1,
            "last": lambda: x == self.n,
        }
        return tests[kind]()

    def expression(self, nodes: Iterable[Mapping[str, Any]], x: Tensor) -> Tensor:
        """In 64-bit integers; a division by zero divides by one."""
        values: list[Tensor] = []  # one per node; children come first
        for node in nodes:
            args = [values[index] for index in node.get("args", [])]
            if node["op"] == "constant":
                values.append(torch.full_like(x, node["value"]))
            elif node["op"] in ("x", "n"):
                values.append(x if node["op"] == "x" else self.n.expand_as(x))
            else:
                values.append(OPERATIONS[node["op"]](*args).long())
        return values[-1] != 0


def divisor(b: Tensor) -> Tensor:
    return torch.where(b == 0, torch.ones_like(b), b)


OPERATIONS: dict[str, Callable[..., Tensor]] = {
    "negate": lambda a: -a,
    "not": lambda a: a == 0,
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: torch.div(a, divisor(b), rounding_mode="floor"),
    "modulo": lambda a, b: a % divisor(b),
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
    "and": lambda a, b: (a != 0) & (b != 0),
    "or": lambda a, b: (a != 0) | (b != 0),
}


def member(x: Tensor, members: Iterable[int]) -> Tensor:
    return (x[..., None] == torch.tensor(list(members), dtype=torch.long, device=x.device)).any(-1)


def is_power(x: Tensor, power: int) -> Tensor:
    root = x.double().pow(1 / power).round().long()
    return root**power == x


def fibonacci_numbers() -> list[int]:
    numbers = [0, 1, 2]
    while numbers[-1] + numbers[-2] < 2**62:
        numbers.append(numbers[-1] + numbers[-2])
    return numbers


def weights_of(scores: Tensor, visible: Tensor, weighting: str) -> Tensor:
    """What becomes of rows of scores; a row that sees nothing is zero."""
    hidden = scores.masked_fill(~visible, torch.finfo(scores.dtype).min)
    if weighting == "soft":
        return hidden.softmax(-1) * visible
    best = (hidden == hidden.amax(-1, keepdim=True)) & visible
    if weighting == "lhardmax":
        best = best & (best.long().cumsum(-1) == 1)
    if weighting == "rhardmax":
        best = best & (best.flip(-1).long().cumsum(-1) == 1).flip(-1)
    return best.to(scores.dtype) / best.sum(-1, keepdim=True).clamp(min=1).to(scores.dtype)


class Attention(nn.Module):
    """The heads of a layer side by side, padded with zeros to the widest."""

    def __init__(self, heads: list[dict[str, Any]], width: int, d_k: int, d_v: int):
        super().__init__()
        self.heads = heads
        self.W_Q = nn.Parameter(torch.zeros(len(heads), width, d_k))
        self.W_K = nn.Parameter(torch.zeros(len(heads), width, d_k))
        self.W_V = nn.Parameter(torch.zeros(len(heads), width, d_v))
        self.W_O = nn.Parameter(torch.zeros(len(heads), d_v, width))
        self.scale: Tensor
        self.register_buffer("scale", torch.ones(len(heads)))  # 1/sqrt(d_k) of each head's own d_k
        self.hook_q, self.hook_k, self.hook_v = HookPoint(), HookPoint(), HookPoint()
        self.hook_attn_scores, self.hook_pattern = HookPoint(), HookPoint()
        self.hook_z, self.hook_result = HookPoint(), HookPoint()

    def forward(self, residual: Tensor, positions: Positions, hard: bool) -> Tensor:
        if not self.heads:
            return torch.zeros_like(residual)
        stored, wide = residual.dtype, wide_type(residual)
        q, k, v = (
            hook(torch.einsum("bpd,hde->bphe", residual.to(wide), weight.to(wide)).to(stored))
            for hook, weight in ((self.hook_q, self.W_Q), (self.hook_k, self.W_K), (self.hook_v, self.W_V))
        )
        products = torch.einsum("bqhe,bkhe->bhqk", q.to(wide), k.to(wide)) * self.scale.to(wide)[:, None, None]
        cooling = [positions.inverse_temperature(head["temperature"]) for head in self.heads]
        scores = self.hook_attn_scores(products * torch.stack(cooling, 1)[..., None].to(wide))
        pattern = self.hook_pattern(self.pattern(scores, positions, hard))
        z = self.hook_z(torch.einsum("bhqk,bkhe->bqhe", pattern.to(wide), v.to(wide)).to(stored))
        result: Tensor = self.hook_result(torch.einsum("bphe,hed->bphd", z.to(wide), self.W_O.to(wide)))
        return result.sum(2).to(wide)

    def pattern(self, scores: Tensor, positions: Positions, hard: bool) -> Tensor:
        rows = []
        for number, head in enumerate(self.heads):
            change = hard and head["weighting"] == "soft" and head["intended"] != "soft"
            weighting = head["intended"] if change else head["weighting"]
            rows.append(weights_of(scores[:, number], positions.visible(head["mask"]), weighting))
        return torch.stack(rows, 1)


class FeedForward(nn.Module):
    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.W_in = nn.Parameter(torch.zeros(width, hidden))
        self.b_in = nn.Parameter(torch.zeros(hidden))
        self.W_out = nn.Parameter(torch.zeros(hidden, width))
        self.b_out = nn.Parameter(torch.zeros(width))
        self.hook_pre, self.hook_post = HookPoint(), HookPoint()

    def forward(self, residual: Tensor) -> Tensor:
        stored, wide = residual.dtype, wide_type(residual)
        pre = self.hook_pre(residual.to(wide) @ self.W_in.to(wide) + self.b_in.to(wide))
        post: Tensor = self.hook_post(torch.relu(pre).to(stored))
        return post.to(wide) @ self.W_out.to(wide) + self.b_out.to(wide)


class Block(nn.Module):
    def __init__(self, heads: list[dict[str, Any]], width: int, shape: tuple[int, int, int]):
        super().__init__()
        self.attn = Attention(heads, width, shape[0], shape[1])
        self.mlp = FeedForward(width, shape[2])
        self.hook_resid_pre, self.hook_attn_out, self.hook_resid_mid = HookPoint(), HookPoint(), HookPoint()
        self.hook_mlp_out, self.hook_resid_post = HookPoint(), HookPoint()

    def forward(self, residual: Tensor, positions: Positions, hard: bool) -> Tensor:
        residual = self.hook_resid_pre(residual)
        written = self.hook_attn_out(self.attn(residual, positions, hard))
        residual = self.hook_resid_mid((residual + written).to(residual.dtype))
        written = self.hook_mlp_out(self.mlp(residual))
        after: Tensor = self.hook_resid_post((residual + written).to(residual.dtype))
        return after


def wide_type(tensor: Tensor) -> torch.dtype:
    return torch.promote_types(tensor.dtype, torch.float32)


class Embedding(nn.Module):
    def __init__(self, rows: int, width: int):
        super().__init__()
        self.W_E = nn.Parameter(torch.zeros(rows, width))

    def forward(self, input_ids: Tensor) -> Tensor:
        return self.W_E[input_ids]


class QuenchModel(nn.Module):
    """The network of a model file: its document (docs/model-format.md), and weights by the names of `torch` exports."""

    def __init__(self, document: Mapping[str, Any], shapes: list[tuple[int, int, int]]):
        """`shapes` has d_k, d_v and the number of hidden units of every layer."""
        super().__init__()
        self.document = dict(document)
        self.symbols: list[str] = self.document["symbols"]
        width = self.document["width"]
        self.embed = Embedding(len(self.symbols) + 1, width)
        layers = self.document["layers"]
        self.blocks = nn.ModuleList(Block(layer["heads"], width, shape) for layer, shape in zip(layers, shapes))
        self.hook_embed, self.hook_pos_embed = HookPoint(), HookPoint()

    @classmethod
    def load(cls, folder: str | Path, dtype: torch.dtype = torch.float32) -> QuenchModel:
        return cls.from_bytes((Path(folder) / "model.safetensors").read_bytes(), dtype)

    @classmethod
    def from_bytes(cls, content: bytes, dtype: torch.dtype = torch.float32) -> QuenchModel:
        """From the .safetensors file of an export."""
        document, tensors = read_safetensors(content)
        model = cls(document, layer_shapes(tensors))
        model.to(dtype)
        model.load_state_dict({name: tensor.to(dtype) for name, tensor in tensors.items()})
        return model.eval()

    def encode(self, words: str | list[str]) -> Tensor:
        """Numbers of symbols, one row per word; words of one length. The number after the last is every other symbol."""
        rows = [words] if isinstance(words, str) else words
        single = all(len(symbol) == 1 for symbol in self.symbols)
        numbers = {symbol: number for number, symbol in enumerate(self.symbols)}
        split = [list(row) if single else row.split() for row in rows]
        return torch.tensor([[numbers.get(symbol, len(numbers)) for symbol in row] for row in split])

    def residual(self, input_ids: Tensor, attention_mask: Tensor | None = None, hard: bool = False) -> Tensor:
        """The residual stream after the last layer."""
        present = torch.ones_like(input_ids, dtype=torch.bool) if attention_mask is None else attention_mask.bool()
        positions = Positions(present)
        symbols: Tensor = self.hook_embed(self.embed(input_ids.clamp(max=len(self.symbols))))
        residual: Tensor = (symbols.to(wide_type(symbols)) + self.hook_pos_embed(self.encodings(positions, symbols))).to(symbols.dtype)
        for block in self.blocks:
            residual = block(residual, positions, hard)
        return residual

    def encodings(self, positions: Positions, like: Tensor) -> Tensor:
        columns: dict[int, Tensor] = {}
        for encoding in self.document["position_encodings"]:
            value = positions.encoding(encoding).to(like.dtype).to(wide_type(like))
            at = encoding["coordinate"]
            columns[at] = columns[at] + value if at in columns else value
        nothing = torch.zeros(like.shape[:2], dtype=wide_type(like), device=like.device)
        return torch.stack([columns.get(at, nothing) for at in range(like.shape[2])], -1)

    def values(self, input_ids: Tensor, attention_mask: Tensor | None = None, hard: bool = False) -> Tensor:
        """The coordinates that answers are read off: batch x positions x cases."""
        output = self.document["output"]
        at = [case["coordinate"] for case in output.get("cases") or []] or [output["coordinate"]]
        residual = self.residual(input_ids, attention_mask, hard)
        if output["kind"] == "ratios":
            return residual[..., at].double() / residual[..., [output["coordinate"]]].double()
        return residual[..., at]

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None, hard: bool = False) -> Tensor:
        """A logit per label: no and yes; the cases and none of them; scores as they are; the number itself."""
        return self.logits(self.values(input_ids, attention_mask, hard))

    def logits(self, values: Tensor) -> Tensor:
        kind, scaled = self.document["output"]["kind"], LOGIT_SCALE * (values - 0.5)
        if kind == "boolean":
            return torch.cat([-scaled, scaled], -1)
        if kind == "string":
            return torch.cat([scaled, torch.zeros_like(scaled[..., :1])], -1)
        return values

    def answers(self, input_ids: Tensor, attention_mask: Tensor | None = None, hard: bool = False) -> Tensor:
        """What `quench run` says: 0 or 1; the number; the number of the case, -1 for none; scores in millionths."""
        values, kind = self.values(input_ids, attention_mask, hard).double(), self.document["output"]["kind"]
        if kind == "boolean":
            return (values[..., 0] >= 0.5).long()
        if kind == "string":
            chosen = values >= 0.5
            return torch.where(chosen.any(-1), chosen.long().argmax(-1), -1)
        if kind in ("scores", "ratios"):
            return round_away(SCORE_UNIT * values)
        lengths = input_ids.shape[1] if attention_mask is None else attention_mask.sum(1, keepdim=True)
        return round_away(values[..., 0] * (lengths if kind == "integer" else 1))

    def hook_dict(self) -> dict[str, HookPoint]:
        return {name: module for name, module in self.named_modules() if isinstance(module, HookPoint)}

    def run_with_hooks(self, *args: Any, fwd_hooks: Iterable[tuple[str, Callable[..., Any]]] = (), **kwargs: Any) -> Tensor:
        """`fwd_hooks` are pairs of a name and a function of the tensor and hook=...; what it returns takes its place."""
        points, handles = self.hook_dict(), []
        try:
            for name, function in fwd_hooks:
                point = points[name]
                handles.append(point.register_forward_hook(lambda module, _, value, f=function: f(value, hook=module)))
            result: Tensor = self(*args, **kwargs)
            return result
        finally:
            for handle in handles:
                handle.remove()

    def run_with_cache(self, *args: Any, **kwargs: Any) -> tuple[Tensor, dict[str, Tensor]]:
        cache: dict[str, Tensor] = {}

        def keeper(name: str) -> Callable[..., None]:
            return lambda value, hook: cache.update({name: value})

        logits = self.run_with_hooks(*args, fwd_hooks=[(name, keeper(name)) for name in self.hook_dict()], **kwargs)
        return logits, cache


def round_away(values: Tensor) -> Tensor:
    """To the nearest integer, halves away from zero."""
    return (values.sign() * (values.abs() + 0.5).floor()).long()


def layer_shapes(tensors: Mapping[str, Tensor]) -> list[tuple[int, int, int]]:
    """d_k, d_v and the hidden units of every layer."""
    layers = sum(name.endswith(".attn.W_Q") for name in tensors)
    return [
        (
            tensors[f"blocks.{layer}.attn.W_Q"].shape[2],
            tensors[f"blocks.{layer}.attn.W_V"].shape[2],
            tensors[f"blocks.{layer}.mlp.W_in"].shape[1],
        )
        for layer in range(layers)
    ]


def read_safetensors(content: bytes) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The document, and the tensors by name."""
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    document: dict[str, Any] = json.loads(header.pop("__metadata__")["quench"])
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        kind = {"F64": torch.float64, "F32": torch.float32}[entry["dtype"]]
        flat = torch.frombuffer(bytearray(content[begin:end]), dtype=kind) if end > begin else torch.empty(0, dtype=kind)
        tensors[name] = flat.reshape(entry["shape"])
    return document, tensors
