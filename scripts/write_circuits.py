#!/usr/bin/env python3
"""Writes docs/circuits.md: the circuits benchmark, and what published methods find of its circuits.

usage: scripts/write_circuits.py [--quench PROGRAM] [--measure] [--pairs N] [--steps N]

--measure writes a set (`quench circuits`), lets every method of its methods.py score the edges of every model, has its score.py hold them
against the truth, and keeps the figures in docs/circuits.json; that needs numpy and torch, and where TransformerLens is installed the logits of
its models are compared, too. The page is written from those figures.
"""
import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIGURES, PAGE = ROOT / "docs/circuits.json", ROOT / "docs/circuits.md"
METHODS = {"eap": "EAP", "eap-ig-inputs": "EAP-IG inputs", "eap-ig-activations": "EAP-IG activations", "acdc": "ACDC",
           "patching": "exact patching"}


def module_in(folder, name):
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def version(package):
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def logits_apart(folder, methods):
    """The greatest difference between the logits of TransformerLens and of methods.py, over the clean words of a model."""
    import torch

    lens = module_in(ROOT / "python/quench", "lens")
    files = {name: (folder / name).read_bytes() for name in ("config.json", "model.safetensors")}
    pairs, network = methods.Pairs(folder), methods.Network(folder)
    with torch.no_grad():
        theirs = lens.load_transformer_lens(files)(pairs.clean)
        ours = network.run(pairs.clean)[0]
        if not torch.equal(pairs.at_last(theirs).argmax(-1), pairs.clean_label):
            raise SystemExit(f"error: {folder.name} answers wrongly in TransformerLens")
    return (pairs.at_last(theirs) - pairs.at_last(ours)).abs().max().item()


def measure(quench, pairs, steps):
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory) / "set"
        subprocess.run([quench, "circuits", "-o", folder, "--pairs", str(pairs)], check=True, stdout=subprocess.DEVNULL)
        methods, score = module_in(folder, "methods"), module_in(folder, "score")
        methods.torch.set_num_threads(1)
        index = json.loads((folder / "index.json").read_text())
        names = [model["name"] for model in index["models"]]
        results, seconds = {}, {}
        for method in METHODS:
            start = time.process_time()
            scores = {name: methods.edge_scores(folder / name, method, steps) for name in names}
            seconds[method] = round(time.process_time() - start, 1)
            results[method] = {against: score.score_set(folder, scores, against) for against in ("circuit", "visible")}
            print(f"{method}: {seconds[method]} s", file=sys.stderr)
        packages = ("numpy", "torch", "transformer-lens")
        figures = {"versions": {name: version(name) for name in packages}, "pairs": pairs, "steps": steps, "seconds": seconds,
                   "seed": index["seed"], "models": index["models"], "results": results,
                   "decisive": decisive(folder, names),
                   "logits_apart": max(logits_apart(folder / name, methods) for name in names) if version("transformer-lens") else None}
    before = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    figures["cross_check"] = before.get("cross_check")  # of scripts/cross_check_circuits.py
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")


def decisive(folder, names):
    """By model: how many edges other than true ones carry a difference or change an answer in any pair."""
    wrong = 0
    for name in names:
        edges = json.loads((folder / name / "edges.json").read_text())["edges"]
        wrong += sum(edge["differs"] + edge["changes"] > 0 for edge in edges if not edge["true"])
    return {"spurious": wrong}


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


def mean(results, key):
    values = [result[key] for result in results.values()]
    return sum(values) / len(values)


def total(results, key):
    return sum(result[key] for result in results.values())


def measured(figures):
    return {method: title for method, title in METHODS.items() if method in figures["results"]}


def model_table(figures):
    return table(["model", "kind", "layers", "heads", "width", "candidates", "true", "from positions", "differing", "changing", "pairs", "why"],
                 [[f"`{m['name']}`", m["kind"], m["layers"], m["heads"], m["width"], m["candidates"], m["true"], m["true_from_positions"],
                   m["true_differing"], m["true_changing"], m["pairs"], m["why"]] for m in figures["models"]])


def method_table(figures, against):
    rows = []
    for method, title in measured(figures).items():
        results = figures["results"][method][against]
        rows.append([title, *(f"{mean(results, key):.3f}" for key in ("auroc", "average_precision", "precision_at_true")),
                     f"{total(results, 'found')} of {total(results, 'true')}", total(results, "spurious"), f"{figures['seconds'][method]:.0f}"])
    return table(["method", "AUROC", "AP", "P@true", "found", "spurious", "seconds"], rows)


def auroc_table(figures):
    rows = []
    for model in figures["models"]:
        rows.append([f"`{model['name']}`", *(f"{figures['results'][method]['circuit'][model['name']]['auroc']:.2f}" for method in measured(figures))])
    return table(["model", *measured(figures).values()], rows)


def cross_check_text(figures):
    check = figures.get("cross_check")
    if not check:
        return ""
    rows, versions = check["rows"], check["versions"]
    eap, patching = (max(row[key] for row in rows) for key in ("eap", "patching"))
    ours, theirs, both = (sum(row[key] for row in rows) for key in ("acdc_ours", "acdc_theirs", "acdc_both"))
    return (f"`scripts/cross_check_circuits.py` holds them against auto-circuit {versions['auto-circuit']} (on TransformerLens "
            f"{versions['transformer-lens']}) for `flip_flop` and `dyck_1`, {sum(row['pairs'] for row in rows)} pairs: scores of EAP differ by {eap:.1g} at "
            f"most, those of patching by {patching:.1g}; ACDC at 0.01 keeps {theirs} edges there and {ours} here, {both} of them in both.")


def logits_text(figures):
    if figures["logits_apart"] is None:
        return ""
    return (f"The logits of TransformerLens differ from those that `methods.py` computes in double precision by {figures['logits_apart']:.1g} at most, "
            "and every label is right there, too.")


LIST = {
    "eap-ig-inputs": "- **EAP-IG inputs** (Hanna, Pezzelle, Belinkov 2024): the gradient is averaged between the two embeddings.",
    "eap-ig-activations": "- **EAP-IG activations**: it is averaged between the outputs of each sublayer on both words.",
    "acdc": "- **ACDC** (Conmy et al. 2023), at five thresholds: edges are taken out one after the other, for good, if that hardly changes the "
            "distribution of the answer."}
ACDC = ("- **ACDC** is patching with memory: once one of two ways is gone the other one counts, but the one that went first is "
        "never found.")


def mean_by_recipe(figures, method, exact):
    names = {m["name"] for m in figures["models"] if ("exact" in m["recipe"]) == exact}
    results = {name: result for name, result in figures["results"][method]["circuit"].items() if name in names}
    return f"{mean(results, 'auroc'):.2f}"


def blind(figures, method):
    """Models on which the method gives no edge, or one alone, a score."""
    return sum(result["found"] <= 1 for result in figures["results"][method]["circuit"].values())


def page(figures):
    template = (ROOT / "scripts/circuits_page.md").read_text()
    models, versions = figures["models"], figures["versions"]
    exact = figures["results"]["patching"]
    values = {
        "versions": ", ".join(f"{name} {number}" for name, number in versions.items() if number),
        "pairs": sum(model["pairs"] for model in models), "most_pairs": figures["pairs"], "steps": figures["steps"], "seed": figures["seed"],
        "candidates": sum(model["candidates"] for model in models), "true": sum(model["true"] for model in models),
        "positions": sum(model["true_from_positions"] for model in models),
        "differing": sum(model["true_differing"] for model in models), "changing": sum(model["true_changing"] for model in models),
        "unseen": sum(model["true"] - model["true_from_positions"] - model["true_differing"] for model in models),
        "unchanging": sum(model["true_differing"] - model["true_changing"] for model in models),
        "spurious": figures["decisive"]["spurious"],
        "logits": logits_text(figures),
        "models": len(models), "eap_blind": blind(figures, "eap"), "exact_models": sum("exact" in model["recipe"] for model in models),
        "tight_models": sum("exact" not in model["recipe"] for model in models),
        "eap_tight": mean_by_recipe(figures, "eap", False), "eap_exact": mean_by_recipe(figures, "eap", True),
        "inputs_tight": mean_by_recipe(figures, "eap-ig-inputs", False), "inputs_exact": mean_by_recipe(figures, "eap-ig-inputs", True),
        "method_list": "\n".join(LIST[method] for method in measured(figures) if method in LIST),
        "acdc": ACDC if "acdc" in figures["results"] else "",
        "patching_found": total(exact["circuit"], "found"), "patching_true": total(exact["circuit"], "true"),
        "any_spurious": max(total(results["circuit"], "spurious") for results in figures["results"].values()),
        "cross_check": cross_check_text(figures), "model_table": model_table(figures), "method_table": method_table(figures, "circuit"),
        "visible_table": method_table(figures, "visible"), "auroc_table": auroc_table(figures),
    }
    for name, value in values.items():
        template = template.replace("{{" + name + "}}", str(value).rstrip("\n"))
    if "{{" in template:
        sys.exit("error: scripts/circuits_page.md has a name that is not known: " + template[template.index("{{"):][:40])
    return template


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quench", default=str(ROOT / "build/release/quench"))
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--steps", type=int, default=30)
    options = parser.parse_args()
    if options.measure:
        measure(options.quench, options.pairs, options.steps)
    PAGE.write_text(page(json.loads(FIGURES.read_text())))
    subprocess.run([ROOT / "scripts/refresh_console_blocks.py", options.quench, PAGE], check=True)


if __name__ == "__main__":
    main()
