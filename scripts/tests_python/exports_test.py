#!/usr/bin/env python3
"""Exports against the tools they are for: every answer of an exported model must be the rule's.

usage: exports_test.py QUENCH [--full] [--tools NAME,...] [--jobs N] [--build DIR] [--json FILE] [--document FILE] [RULE...]

The rules are all examples unless told. The tools are found in virtual environments that are made in build/ from the lock files beside
this one (exports/environments.py), and onnxruntime-web beside them if there is Node.js. How words are chosen is in exports/words.py:
`--full` tries more of them, and some of length 4,096. Models are exported in f32 where their certificate speaks of it, and no word is
longer than it; the others in f64. Programs and automata are made for the words that are tried. What a target cannot hold is left out, with its reason.
Models, words and answers are kept in build/exports_test until the program or the rule changes.

Prints a table, and the reasons. --json writes all figures; what the file has of other tools stays. --document puts the table of all
figures into a document between its marks.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
from exports import environments, models, table, words  # noqa: E402

# name: target of the export, module in exports/tools, environment
TOOLS = {
    "hf": ("hf", "hugging_face", "newest"),
    "hf-4": ("hf", "hugging_face", "transformers_4"),
    "hf-opt": ("hf --architecture opt", "hugging_face_opt", "newest"),
    "nnsight": ("hf", "nnsight_tracing", "newest"),
    "hf-custom": ("hf-custom", "hugging_face_custom", "newest"),
    "hf-custom-4": ("hf-custom", "hugging_face_custom", "transformers_4"),
    "transformer-lens": ("transformer-lens", "transformer_lens", "newest"),
    "transformer-lens-3": ("transformer-lens", "transformer_lens", "transformer_lens_3"),
    "torch": ("torch", "torch_module", "newest"),
    "onnx": ("onnx", "onnx_runtime", "newest"),
    "onnx-web": ("onnx", "onnx_runtime_web", "newest"),
    "openvino": ("onnx", "openvino_runtime", "newest"),
}
DECODERS = {"hf", "hf --architecture opt", "transformer-lens"}
# Tools that compute in float32 whatever the weights are in: models that have no certificate there are left out.
SINGLE = {"openvino"}


def examples():
    return sorted(path for folder in ("formulas", "programs", "automata") for path in (ROOT / "examples" / folder).iterdir())


def prepare(arguments, targets, folder, pool):
    """For every target: the jobs for its tools, and why rules are left out."""
    budget = words.FULL if arguments.full else words.QUICK

    def of_rule(rule):
        jobs, left_out = {}, {}
        for decoder in sorted({target in DECODERS for target in targets}):
            own = [target for target in targets if (target in DECODERS) == decoder]
            try:
                prepared = models.Prepared(arguments.quench, rule, decoder, budget, Path(folder) / f"{rule.name}-{decoder}")
            except models.LeftOut as why:
                left_out.update({target: str(why) for target in own})
                continue
            for target in own:
                try:
                    jobs[target] = prepared.export(target, budget)
                except models.LeftOut as why:
                    left_out[target] = str(why)
        return rule.name, jobs, left_out

    found = {target: {"jobs": [], "left_out": {}} for target in targets}
    for name, jobs, left_out in pool.map(of_rule, arguments.rules):
        for target in targets:
            if target in jobs:
                found[target]["jobs"].append(jobs[target])
            else:
                found[target]["left_out"][name] = left_out[target]
    return found


def try_tool(name, python, jobs, folder, node_modules):
    _, module, _ = TOOLS[name]
    given, result = Path(folder) / f"{name}.jobs.json", Path(folder) / f"{name}.result.json"
    given.write_text(json.dumps(jobs))
    environment = {**os.environ, "PYTHONPATH": str(HERE), "OMP_NUM_THREADS": "1", "QUENCH_NODE_MODULES": str(node_modules),
                   "HF_HUB_OFFLINE": "1", "HF_MODULES_CACHE": f"{folder}/{name}.modules"}  # fmt: skip
    subprocess.run([python, "-m", "exports.worker", module, given, result], env=environment, check=True)
    return json.loads(result.read_text())


def keep(path, results):
    """Beside what the file has of other tools, if there is one, in the order of TOOLS."""
    known = {**(json.loads(path.read_text()) if path and path.exists() else {}), **results}
    ordered = {name: known[name] for name in TOOLS if name in known}
    if path:
        path.write_text(json.dumps(ordered, indent=1) + "\n")
    return ordered


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("quench", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("rules", nargs="*", type=Path)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--document", type=Path)
    arguments = parser.parse_intermixed_args()
    arguments.rules = arguments.rules or examples()
    chosen = arguments.tools.split(",")
    modules = environments.node_modules(arguments.build) if "onnx-web" in chosen else None
    if "onnx-web" in chosen and modules is None:
        print("without Node.js and npm onnxruntime-web is not tried")
        chosen.remove("onnx-web")
    pythons = {name: environments.ensure(arguments.build, TOOLS[name][2]) for name in chosen}
    targets = list(dict.fromkeys(TOOLS[name][0] for name in chosen))
    folder = Path(arguments.build) / "exports_test" / ("full" if arguments.full else "quick")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        prepared = prepare(arguments, targets, folder, pool)

        def result_of(name):
            target = TOOLS[name][0]
            jobs, left_out = prepared[target]["jobs"], dict(prepared[target]["left_out"])
            if name in SINGLE:
                left_out.update({job["rule"]: f"{name} computes in float32" for job in jobs if job["format"] == "f64"})
                jobs = [job for job in jobs if job["format"] == "f32"]
            try:
                found = try_tool(name, pythons[name], jobs, folder, modules)
            except subprocess.CalledProcessError:
                print(f"{name}: failed", flush=True)
                return name, None
            print(f"{name}: {sum(model['wrong'] for model in found['models'])} wrong, {found['seconds']:.0f} s", flush=True)
            return name, {"target": target, "left_out": left_out, **found}

        results, failed = {}, False
        for finished in concurrent.futures.as_completed([pool.submit(result_of, name) for name in chosen]):
            name, result = finished.result()
            failed = failed or result is None or any(model["wrong"] for model in result["models"])
            if result is not None:
                results[name] = result
                results = keep(arguments.json, results)
    print(table.markdown(results) + "\n" + table.reasons(results))
    if arguments.document:
        table.put_into(arguments.document, table.markdown(results) + "\n" + table.reasons(results))
    sys.exit(failed)


if __name__ == "__main__":
    main()
