"""Names of formats, engines and the like, as types."""

from __future__ import annotations

import os
from typing import Literal, Union

Format = Literal[
    "f64", "f32", "bf16", "f16", "bf16-pure", "f16-pure", "f8e4m3", "f8e5m2",
    "m8", "m9", "m10", "m11", "m12", "m13", "m14", "m15", "m16", "m17", "m18", "m19", "m20",
]  # fmt: skip
"""How values are stored."""

Engine = Literal["auto", "reference", "dense", "structured", "bits"]
"""What runs the network."""

Summation = Literal["any", "normalise-last", "exact-count"]
"""How an engine is assumed to sum."""

Kind = Literal["auto", "formula", "program", "regex"]
"""In which language a rule is written."""

AnswerKind = Literal["truth", "numbers", "symbols", "scores"]

Mask = Literal["none", "future", "past", "strict_future", "strict_past"]
"""Which keys j a query i sees: all; j <= i; j >= i; j < i; j > i."""

Weighting = Literal[
    "softmax", "leftmost", "rightmost", "average", "log_softmax", "scalable_softmax", "sparsemax", "entmax",
    "stick_breaking", "geometric", "monotonic", "entropy_adaptive", "gap_adaptive", "gumbel_softmax", "straight_through",
]  # fmt: skip
"""What becomes of a row of scores (docs/attention.md)."""

Path = Union[str, "os.PathLike[str]"]
