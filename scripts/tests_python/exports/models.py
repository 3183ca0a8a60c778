"""From a rule to a compiled and exported model, the words it is tried on, and what is right: the meaning of the rule by `quench eval`,
and the residual stream by `quench trace`."""

import functools
import hashlib
import json
import shutil
import struct
import subprocess
from pathlib import Path

from exports import compare, words

ATTENTION_ENTRIES = 130_000_000
"""The longest word has at most so many weights in all heads of a layer together, for the sake of memory."""

TRACED = (6, 40, 200)
"""Of words about this long the residual stream is looked at."""


class LeftOut(Exception):
    """The rule or the target says why."""


def run(command, **options):
    finished = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if finished.returncode:
        raise LeftOut(reason(finished.stderr))
    return finished.stdout


def reason(message):
    """The first line of an error, without the place."""
    line = message.strip().splitlines()[0] if message.strip() else "no message"
    return line.split("error", 1)[-1].lstrip(": ") if "error" in line else line


def document(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        return json.loads(json.loads(file.read(length))["__metadata__"]["quench"])


def answers(quench, command, symbols, tried):
    """Of `quench eval` or `quench run`."""
    lines = "".join(words.text_of(symbols, word) + "\n" for word in tried)
    printed = run([quench, *command, "--no-lint", "--input", "-", "--json"], input=lines)
    parsed = [json.loads(line) for line in printed.splitlines()]
    return [line["values"] if "values" in line else line["output"] for line in parsed]


@functools.cache
def known(quench, rule, symbols, budget, longest):
    """Words, and what the rule says of them; the same whether it is compiled as a decoder or not."""
    tried = words.words(quench, rule, list(symbols), budget, longest)
    return tried, answers(quench, ["eval", rule], symbols, tried)


@functools.cache
def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


class Prepared:
    """A rule, compiled as a decoder or not, with words, answers and traces. All is written into `folder`, and taken from there if it was
    made by the same program from the same rule and budget."""

    def __init__(self, quench, rule, decoder, budget, folder):
        self.quench, self.rule, self.folder = quench, Path(rule), Path(folder)
        self.model, stamp = self.folder / "model.safetensors", self.folder / "made_from.json"
        made_from = [digest(quench), digest(rule), digest(words.__file__), digest(__file__), decoder, list(budget)]
        if not stamp.exists() or json.loads(stamp.read_text()) != made_from:
            self.make(decoder, budget)
            stamp.write_text(json.dumps(made_from))
        self.certified = json.loads((self.folder / "compiled.json").read_text())["certified"]
        self.document = document(self.model)
        self.symbols, self.output = self.document["symbols"], self.document["output"]

    def make(self, decoder, budget):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        # Programs are made for the words that are tried: then they have a certificate that reaches as far.
        length = ["--length", budget.longest_of_all]
        options = [*(["--decoder"] if decoder else []), *(length if self.rule.suffix != ".tl" else [])]
        command = [self.quench, "compile", self.rule, *options, "-o", self.model, "--json"]
        try:
            compiled = run(command)
        except LeftOut as why:
            if "no decoder at temperature 1 is known" not in str(why):
                raise
            compiled = run([*command, "--recipe", "exact", *length])
        (self.folder / "compiled.json").write_text(compiled)
        self.certified = json.loads(compiled)["certified"]
        self.document = document(self.model)
        symbols = self.document["symbols"]
        tried, truth = known(self.quench, self.rule, tuple(symbols), budget, self.longest(budget))
        found = answers(self.quench, ["run", self.model, "--uncertified"], symbols, tried)
        if not all(map(compare.agree, found, truth)):
            raise AssertionError(f"{self.rule}: quench run does not say what quench eval says")
        cases = {"words": tried, "truth": truth, "traces": self.traces(symbols, tried)}
        (self.folder / "words.json").write_text(json.dumps(cases))

    def format(self):
        """f32 where it is certified, else f64."""
        return "f64" if self.certified.get("f32", 0) == 0 else "f32"

    def longest(self, budget):
        """Within the certificate, if there is one, and memory."""
        certified = self.certified.get(self.format())  # null stands for no limit, 0 for no certificate
        heads = max((len(layer["heads"]) for layer in self.document["layers"]), default=0)
        affordable = int((ATTENTION_ENTRIES / max(heads, 1)) ** 0.5)
        return min(budget.longest_of_all, affordable, certified or budget.longest_of_all)

    def traces(self, symbols, tried):
        """[word, for every layer: {coordinate: its values}] after the embedding and after every feed-forward."""
        found = []
        for length in TRACED:
            word = next((word for word in reversed(tried) if len(word) <= length), tried[0])
            text = words.text_of(symbols, word)
            steps = json.loads(run([self.quench, "trace", self.model, "--no-lint", "--json", "--", text]))["steps"]
            held = [{one["coordinate"]: one["raw"] for one in step["coordinates"]} for step in steps[::2]]
            found.append([word, held])
        return found

    def export(self, target, budget):
        """What a worker needs to know. A target may have options after it."""
        path = self.folder / (target.replace(" ", "") + (".onnx" if target == "onnx" else ""))
        context = max(budget.longest, self.longest(budget))
        if not path.exists():
            command = [self.quench, "export", self.model, "--to", *target.split(), "-o", path, "--context", context]
            run([*command, "--dtype", self.format()])
        return {
            "rule": self.rule.name,
            "path": str(path),
            "cases": str(self.folder / "words.json"),
            "symbols": self.symbols,
            "output": self.output,
            "format": self.format(),
        }
