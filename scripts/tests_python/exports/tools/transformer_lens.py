"""The folder of `--to transformer-lens` in TransformerLens: a TransformerBridge in version 4, a HookedTransformer before."""

import json
from pathlib import Path

import safetensors.torch
import torch

from exports.tools import Loaded, answers_of, versions_of
from exports.tools.torch_module import residual_stream

torch.set_num_threads(1)


def versions():
    return versions_of("transformer-lens", "torch")


def model_of(path):
    config = json.loads((Path(path) / "config.json").read_text())
    config.pop("quench")
    config["dtype"] = getattr(torch, config["dtype"].removeprefix("torch."))
    weights = safetensors.torch.load_file(f"{path}/model.safetensors")
    if versions()["transformer-lens"].startswith("3."):
        from transformer_lens import HookedTransformer, HookedTransformerConfig

        model = HookedTransformer(HookedTransformerConfig.from_dict(config))
        missing = model.load_state_dict(weights, strict=False)  # its masks are its own
        assert not missing.unexpected_keys and all(key.endswith((".mask", ".IGNORE")) for key in missing.missing_keys), missing
        return model.eval()
    from transformer_lens.config import TransformerBridgeConfig
    from transformer_lens.model_bridge.sources import boot_native
    from transformer_lens.utilities.tl_checkpoint_conversion import convert_tl_checkpoint

    config = TransformerBridgeConfig.from_dict(config)
    model = boot_native(config)
    model.load_state_dict(convert_tl_checkpoint(weights, config))
    return model.eval()


def load(path, job):
    model = model_of(path)

    def answers(batch):
        with torch.no_grad():
            return answers_of(model(torch.tensor(batch)), job).tolist()

    def residual(word):
        with torch.no_grad():
            _, cache = model.run_with_cache(torch.tensor([word]))
        return residual_stream(cache, model.cfg.n_layers)

    return Loaded(answers, residual)
