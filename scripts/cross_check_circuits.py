#!/usr/bin/env python3
"""The methods of a set (`quench circuits`) held against auto-circuit's, a published implementation on TransformerLens before version 4.

usage: scripts/cross_check_circuits.py SET [MODEL...]        (default: flip_flop dyck_1)

Needs torch, transformer-lens < 4 and auto-circuit 1.0. Words of one length at a time, as auto-circuit wants them: EAP as the gradient of its edge masks,
exact patching by setting one mask after the other, ACDC by its own search. Prints the largest differences, and keeps them in docs/circuits.json for
scripts/write_circuits.py.
"""
import importlib.util
import json
import sys
import tempfile
from importlib import metadata
from pathlib import Path

import torch
from auto_circuit.data import PromptDataLoader, PromptDataset
from auto_circuit.prune_algos.ACDC import acdc_prune_scores
from auto_circuit.prune_algos.mask_gradient import mask_gradient_prune_scores
from auto_circuit.utils.ablation_activations import src_ablations
from auto_circuit.utils.graph_utils import patch_mode, patchable_model, set_all_masks
from transformer_lens import HookedTransformer, HookedTransformerConfig

FIGURES = Path(__file__).resolve().parent.parent / "docs/circuits.json"


def module_in(folder, name):
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def hooked(methods, folder):
    config = json.loads((folder / "config.json").read_text())
    config.pop("quench")
    config["dtype"] = torch.float64
    model = HookedTransformer(HookedTransformerConfig.from_dict(config))
    model.load_state_dict(methods.read_safetensors(folder / "model.safetensors"), strict=False)
    model.cfg.use_attn_result = model.cfg.use_attn_in = model.cfg.use_split_qkv_input = model.cfg.use_hook_mlp_in = True
    return model.eval()


def our_name(edge):
    """"Resid Start->MLP 0", "A0.1->A1.0.K", "MLP 2->Resid End" by our names."""
    def node(name):
        if name == "Resid Start":
            return "embed"
        if name == "Resid End":
            return "logits"
        if name.startswith("MLP "):
            return "m" + name[4:]
        layer, head, *x = name[1:].split(".")
        return f"a{layer}.h{head}" + (f"<{x[0].lower()}>" if x else "")

    return f"{node(edge.src.name)}->{node(edge.dest.name)}"


def part_of(folder, length):
    """A folder with the pairs of this length alone."""
    made = tempfile.TemporaryDirectory()
    for name in ("config.json", "model.safetensors", "edges.json"):
        (Path(made.name) / name).write_bytes((folder / name).read_bytes())
    lines = [line for line in (folder / "pairs.jsonl").read_text().splitlines() if len(json.loads(line)["clean_tokens"]) == length]
    (Path(made.name) / "pairs.jsonl").write_text("\n".join(lines) + "\n")
    return made, len(lines)


def compare(methods, folder, name):
    pairs = methods.Pairs(folder)
    model = patchable_model(hooked(methods, folder), factorized=True, slice_output="last_seq", separate_qkv=True, device=torch.device("cpu"))
    labels = [pairs.clean_label[:, None], pairs.corrupted_label[:, None]]
    data = PromptDataset(pairs.clean, pairs.corrupted, labels[0], labels[1])
    loader = PromptDataLoader(data, seq_len=None, diverge_idx=0, batch_size=len(pairs.clean), shuffle=False)
    known = {"->".join(edge) for edge in methods.Network(folder).edges}
    edges = [edge for edge in model.edges if our_name(edge) in known]

    gradient = mask_gradient_prune_scores(model, loader, None, "logit", "avg_diff", mask_val=0.0)
    ours = methods.edge_scores(folder, "eap")
    eap = max(abs(gradient[edge.dest.module_name][edge.patch_idx].item() + ours[our_name(edge)]) for edge in edges)

    ours = methods.edge_scores(folder, "patching")
    with torch.no_grad():
        clean = pairs.metric(model(pairs.clean))
        corrupted = src_ablations(model, pairs.corrupted)
        patching = 0.0
        for edge in edges:
            set_all_masks(model, val=0.0)
            edge.patch_mask(model).data[edge.patch_idx] = 1.0
            with patch_mode(model, corrupted):
                change = (pairs.metric(model(pairs.clean)) - clean).item()
            patching = max(patching, abs(change - ours[our_name(edge)]))

    found = acdc_prune_scores(model, loader, None, tao_exps=[-2], tao_bases=[1])
    theirs = {our_name(edge) for edge in edges if found[edge.dest.module_name][edge.patch_idx] > 0.01}
    attribution = methods.Attribution(methods.Network(folder), pairs)
    with torch.no_grad():
        kept = {"->".join(edge) for edge in attribution.kept_by_acdc(0.01)}
    print(f"{name}: {len(pairs.clean)} pairs, {len(edges)} edges; EAP apart by {eap:.1e}, patching by {patching:.1e}; "
          f"ACDC at 0.01 keeps {len(theirs)} there, {len(kept)} here, {len(theirs & kept)} in both", flush=True)
    return {"words": name, "pairs": len(pairs.clean), "edges": len(edges), "eap": eap, "patching": patching, "acdc_theirs": len(theirs),
            "acdc_ours": len(kept), "acdc_both": len(theirs & kept)}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    methods = module_in(folder, "methods")
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    rows = []
    for name in sys.argv[2:] or ["flip_flop", "dyck_1"]:
        for length in (6, 8, 10):
            part, count = part_of(folder / name, length)
            if count:
                rows.append(compare(methods, Path(part.name), f"{name}, length {length}"))
    figures = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    figures["cross_check"] = {"versions": {name: metadata.version(name) for name in ("auto-circuit", "transformer-lens")}, "rows": rows}
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
