"""The folder of `--to torch`, which needs torch alone."""

import importlib.util

import torch

from exports.tools import Loaded, versions_of
from exports.words import text_of

torch.set_num_threads(1)


def versions():
    return versions_of("torch")


def module_of(path):
    spec = importlib.util.spec_from_file_location("quench_torch", f"{path}/quench_torch.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load(path, job):
    model = module_of(path).QuenchModel.load(path, torch.float64 if job["format"] == "f64" else torch.float32)

    def answers(batch):
        assert model.encode(text_of(job["symbols"], batch[0])).tolist() == [batch[0]]
        with torch.no_grad():
            return model.answers(torch.tensor(batch)).tolist()

    def residual(word):
        with torch.no_grad():
            _, cache = model.run_with_cache(torch.tensor([word]))
        return residual_stream(cache, len(model.blocks))

    return Loaded(answers, residual)


def residual_stream(cache, layers):
    """By TransformerLens' names, of the only word."""
    if layers == 0:
        return [(cache["hook_embed"] + cache["hook_pos_embed"])[0]]
    return [cache["blocks.0.hook_resid_pre"][0], *(cache[f"blocks.{layer}.hook_resid_post"][0] for layer in range(layers))]
