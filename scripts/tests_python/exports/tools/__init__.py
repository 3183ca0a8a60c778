"""One file per tool. `load(path, job)` gives a Loaded; `versions()` what it was run with."""

import importlib.metadata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Optional


@dataclass
class Loaded:
    answers: Callable[[list], list]
    """Of words of one length: what docs/exports.md calls answers, at every position."""
    residual: Optional[Callable[[list], Sequence[Any]]] = None
    """Of one word: positions x coordinates, after the embedding and after every layer."""
    other_ways: Sequence[Callable[[list], list]] = ()
    """To the same answers."""


def versions_of(*packages):
    return {package: importlib.metadata.version(package) for package in packages}


def answers_of(logits, job):
    """The label with the greatest logit; where labels have scores, the logits themselves, in millionths."""
    return (1e6 * logits.double()).round() if job["output"]["kind"] in ("scores", "ratios") else logits.argmax(-1)
