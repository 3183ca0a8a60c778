"""A TransformerLens checkpoint of ours as a model of TransformerLens, whichever generation is installed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def load_transformer_lens(files: Mapping[str, bytes]) -> Any:
    """From the files of an export."""
    import safetensors.torch
    import torch

    config = json.loads(files["config.json"])
    config.pop("quench")
    config["dtype"] = getattr(torch, config["dtype"].removeprefix("torch."))
    weights = safetensors.torch.load(files["model.safetensors"])
    try:
        from transformer_lens.model_bridge.sources import boot_native
    except ImportError:
        return hooked_transformer(config, weights)
    from transformer_lens.config import TransformerBridgeConfig
    from transformer_lens.utilities.tl_checkpoint_conversion import convert_tl_checkpoint

    bridge_config = TransformerBridgeConfig.from_dict(config)
    model: Any = boot_native(bridge_config)
    model.load_state_dict(convert_tl_checkpoint(weights, bridge_config))
    return model.eval()


def hooked_transformer(config: dict[str, Any], weights: dict[str, Any]) -> Any:
    """Of TransformerLens before version 4."""
    from transformer_lens import HookedTransformer, HookedTransformerConfig

    model = HookedTransformer(HookedTransformerConfig.from_dict(config))
    model.load_state_dict(weights, strict=False)  # its own mask buffers are not ours to give
    return model.eval()
