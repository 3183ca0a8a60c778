"""A decoder in the format of InterpBench: ll_model.pth, ll_model_cfg.pkl, and edges.pkl with the true edges of its circuit."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

from quench.errors import IoError
from quench.models import Model
from quench.names import Path as AnyPath

__all__ = ["edges", "write"]


def node_names(name: str) -> list[str]:
    """What InterpBench calls a node of ours; feed-forwards are one node per layer."""
    parts = name.split(".")
    if parts[0] == "layers":
        return [f"blocks.{parts[1]}.attn.hook_result[{parts[3]}]" if parts[2] == "heads" else f"blocks.{parts[1]}.mlp.hook_post"]
    return {"embedding": ["hook_embed"], "position": ["hook_pos_embed"], "output": []}[parts[0]]


def edges(model: Model) -> set[tuple[str, str]]:
    """Pairs of who writes and who reads, without what is the same at every position of every word.

    >>> import quench
    >>> from quench import interpbench
    >>> sorted(interpbench.edges(quench.compile("Q_a S Q_b", decoder=True)))[0]
    ('blocks.0.attn.hook_result[0]', 'blocks.0.mlp.hook_post')
    """
    found = set()
    for edge in model.circuit()["edges"]:
        if not edge["constant"]:
            found |= {(source, target) for source in node_names(edge["from"]) for target in node_names(edge["to"])}
    return {(source, target) for source, target in found if source != target}


def write(model: Model, folder: AnyPath, n_ctx: int = 512) -> None:
    """Raises UserError if the model is no decoder, IoError if the folder cannot be written."""
    import safetensors.torch
    import torch

    files = model.export("transformer-lens", n_ctx)
    config: dict[str, Any] = json.loads(files["config.json"])
    config.pop("quench")
    config["dtype"] = getattr(torch, config["dtype"].removeprefix("torch."))
    try:
        into = Path(folder)
        into.mkdir(parents=True, exist_ok=True)
        torch.save(safetensors.torch.load(files["model.safetensors"]), into / "ll_model.pth")
        (into / "ll_model_cfg.pkl").write_bytes(pickle.dumps(config))
        (into / "edges.pkl").write_bytes(pickle.dumps(edges(model)))
    except OSError as error:
        raise IoError(f"{folder}: {error.strerror}") from error
