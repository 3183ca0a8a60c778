#!/usr/bin/env python3
"""Exports against the tools they are for: every answer of an exported model must be that of `quench run`.

usage: exports_test.py QUENCH [--environment DIR] [--targets onnx,hf,hf-custom,torch,transformer-lens] [--dtype f32|f64] RULE...

Makes a virtual environment from requirements.lock, unless DIR is one, and starts itself again in it. All words up to length 6
(fewer where that is more than 1,500 words) and random words up to 200, with and without symbols that the rule does not mention.
S-RASP by its own recipe is certified for short words in f32: it is exported in f64. A rule that a target cannot hold, or that does not compile as a decoder, is left out and counted.
"""
import argparse
import itertools
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import venv

HERE = pathlib.Path(__file__).resolve().parent
CONTEXT = 256
LONGEST = 200


def enter_environment(folder):
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", HERE / "requirements.lock"], check=True)
    if pathlib.Path(sys.prefix).resolve() != folder.resolve():
        os.execv(python, [str(python), *sys.argv])


def document(path):
    with open(path, "rb") as file:
        length, = struct.unpack("<Q", file.read(8))
        return json.loads(json.loads(file.read(length))["__metadata__"]["quench"])


def words(symbols):
    """Lists of numbers; the number after the last symbol is a symbol that the rule does not mention."""
    numbers, generator, result = symbols + 1, random.Random(1), []
    for length in range(1, 7):
        if len(result) + numbers ** length > 1500:
            break
        result += [list(word) for word in itertools.product(range(numbers), repeat=length)]
    for choices in (numbers, max(symbols, 1)):
        lengths = [generator.randint(1, LONGEST) for _ in range(30)] + [LONGEST]
        result += [[generator.randrange(choices) for _ in range(length)] for length in lengths]
    return result


def as_text(symbols, word):
    other = next(character for character in "_.~@%&" if character not in symbols)
    separator = "" if all(len(symbol) == 1 for symbol in symbols) else " "
    return separator.join(symbols[number] if number < len(symbols) else other for number in word)


def expected(quench, model, symbols, all_words):
    text = "".join(as_text(symbols, word) + "\n" for word in all_words)
    finished = subprocess.run([quench, "run", model, "--uncertified", "--no-lint", "--input", "-", "--json"], input=text,
                              capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in finished.stdout.splitlines()]
    return [line["values"] if "values" in line else line["output"] for line in lines]


def put_out(output, numbers):
    """The text that the cases of these numbers put out."""
    cases = [case["symbols"] for case in output["cases"]]
    symbols = [symbol for number in numbers for symbol in (cases[number] if 0 <= number < len(cases) else ["?"])]
    known = [symbol for case in cases for symbol in case]
    return ("" if all(len(symbol) == 1 for symbol in known) else " ").join(symbols)


def batches(all_words):
    by_length = {}
    for index, word in enumerate(all_words):
        by_length.setdefault(len(word), []).append(index)
    for length, indices in by_length.items():
        size = max(1, 4000 // length)
        yield from (indices[at:at + size] for at in range(0, len(indices), size))


def onnx_answers(path, _):
    import numpy
    import onnx
    import onnxruntime
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return lambda batch: session.run(["answers"], {"input_ids": numpy.array(batch, dtype=numpy.int64)})[0].tolist()


def hf_answers(path, symbols):
    import torch
    import transformers
    tokens = transformers.AutoModelForTokenClassification.from_pretrained(path).eval()
    sequences = transformers.AutoModelForSequenceClassification.from_pretrained(path).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)

    def answers(batch):
        assert tokenizer(as_text(symbols, batch[0])).input_ids == batch[0]
        with torch.no_grad():
            ids = torch.tensor(batch)
            everywhere = tokens(input_ids=ids).logits.argmax(-1)
            assert torch.equal(sequences(input_ids=ids).logits.argmax(-1), everywhere[:, -1])
        return everywhere.tolist()
    return answers


def transformer_lens_answers(path, _):
    import safetensors.torch
    import torch
    from transformer_lens.config import TransformerBridgeConfig
    from transformer_lens.model_bridge.sources import boot_native
    from transformer_lens.utilities.tl_checkpoint_conversion import convert_tl_checkpoint
    config = json.loads((pathlib.Path(path) / "config.json").read_text())
    config.pop("quench")
    config["dtype"] = getattr(torch, config["dtype"].removeprefix("torch."))
    config = TransformerBridgeConfig.from_dict(config)
    model = boot_native(config)
    model.load_state_dict(convert_tl_checkpoint(safetensors.torch.load_file(f"{path}/model.safetensors"), config))
    model.eval()

    def answers(batch):
        with torch.no_grad():
            return model(torch.tensor(batch)).argmax(-1).tolist()
    return answers


def torch_answers(path, symbols):
    import importlib.util
    import torch
    spec = importlib.util.spec_from_file_location("quench_torch", f"{path}/quench_torch.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    dtype = torch.float64 if b'"F64"' in pathlib.Path(path, "model.safetensors").read_bytes()[:100_000] else torch.float32
    model = module.QuenchModel.load(path, dtype)

    def answers(batch):
        assert model.encode(as_text(symbols, batch[0])).tolist() == [batch[0]]
        with torch.no_grad():
            return model.answers(torch.tensor(batch)).tolist()
    return answers


def hf_custom_answers(path, symbols):
    import torch
    import transformers
    tokens = transformers.AutoModelForTokenClassification.from_pretrained(path, trust_remote_code=True).eval()
    sequences = transformers.AutoModelForSequenceClassification.from_pretrained(path, trust_remote_code=True).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(path, trust_remote_code=True)
    labelled = tokens.config.document["output"]["kind"] in ("boolean", "string")

    def answers(batch):
        assert tokenizer(as_text(symbols, batch[0])).input_ids == batch[0]
        n, padding = len(batch[0]), [tokens.config.pad_token_id] * 3
        sides = random.Random(n).choices((0, 1, 2, 3), k=len(batch))  # words of one length, padded by three on both sides
        padded = torch.tensor([padding[:side] + word + padding[side:] for side, word in zip(sides, batch)])
        mask = torch.tensor([[0] * side + [1] * n + [0] * (3 - side) for side in sides])
        with torch.no_grad():
            found = tokens(input_ids=padded, attention_mask=mask).logits.argmax(-1) if labelled else tokens.network.answers(padded, mask)
            if labelled:
                last = sequences(input_ids=padded, attention_mask=mask).logits.argmax(-1)
                assert last.tolist() == [row[side + n - 1].item() for side, row in zip(sides, found)]
        return [row[side:side + n].tolist() for side, row in zip(sides, found)]
    return answers


TARGETS = {"onnx": onnx_answers, "hf": hf_answers, "hf-custom": hf_custom_answers, "torch": torch_answers,
           "transformer-lens": transformer_lens_answers}


def wrong_positions(output, answers, all_words, truth):
    wrong = 0
    for indices in batches(all_words):
        for index, row in zip(indices, answers([all_words[index] for index in indices])):
            if output["kind"] == "string":
                row = put_out(output, row)
            wrong += sum(a != b for a, b in itertools.zip_longest(row, truth[index]))
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("quench")
    parser.add_argument("rules", nargs="+")
    parser.add_argument("--environment", default=str(HERE.parents[1] / "build" / "python_environment"))
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--dtype", default="f32")
    arguments = parser.parse_args()
    enter_environment(pathlib.Path(arguments.environment))
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for target in arguments.targets.split(","):
            models = positions = wrong = left_out = 0
            for rule in arguments.rules:
                model, path = f"{folder}/model.safetensors", f"{folder}/export" + (".onnx" if target == "onnx" else "")
                decoder = ["--decoder"] if target in ("hf", "transformer-lens") else []
                dtype = "f64" if rule.endswith(".srasp") and not decoder else arguments.dtype  # certified in f64 only, at these lengths
                compiled = subprocess.run([arguments.quench, "compile", rule, *decoder, "-o", model], capture_output=True)
                exported = subprocess.run([arguments.quench, "export", model, "--to", target, "-o", path, "--context",
                                           str(CONTEXT), "--dtype", dtype], capture_output=True)
                output = document(model)["output"] if compiled.returncode == 0 else {"kind": "none"}
                if compiled.returncode or exported.returncode or output["kind"] == "scores":
                    left_out += 1
                    continue
                symbols = document(model)["symbols"]
                all_words = words(len(symbols))
                truth = expected(arguments.quench, model, symbols, all_words)
                found = wrong_positions(output, TARGETS[target](path, symbols), all_words, truth)
                if found:
                    print(f"{target}: {rule}: {found} wrong", flush=True)
                models, wrong, positions = models + 1, wrong + found, positions + sum(map(len, all_words))
            print(f"{target} {arguments.dtype}: {wrong} wrong of {positions} positions, {models} models, {left_out} left out",
                  flush=True)
            failed = failed or wrong > 0 or models == 0
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
