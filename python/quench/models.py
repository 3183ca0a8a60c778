"""Compiled models: from a rule to a transformer, words through it, its weights, its proof, its circuit."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Literal, Union, cast

import numpy as np
import numpy.typing as npt

from quench import _quench, display
from quench._quench import Report, Summary, Verdict
from quench.answers import Answer
from quench.certificates import Certificate
from quench.errors import IoError, UserError
from quench.names import AnswerKind, Engine, Format, Path
from quench.rules import Rule, RuleLike, as_rule, parse

if TYPE_CHECKING:
    import torch

    from quench.quench_torch import QuenchModel

__all__ = ["AttentionMap", "Coordinate", "Model", "Runner", "Softened", "Stream", "Trace", "Traced", "Word", "certify", "check", "compile", "load", "soften", "verify"]

Word = Union[str, Sequence[str], "npt.NDArray[np.integer[Any]]"]
"""A word as text; symbol by symbol; or the numbers of its symbols, as an array of integers."""

Target = Literal["hf", "hf-custom", "transformer-lens", "interpbench", "torch", "onnx", "circuit", "circuit-dot"]
Weights = Literal["f32", "f64"]


class Runner:
    """A model prepared for many words, in a number format and an engine. Several threads may use it at once.

    >>> import numpy, quench
    >>> runner = quench.compile("odd(#<[Q_1])").runner(format="f64")
    >>> runner("0110").values
    array([False,  True, False, False])
    >>> runner(numpy.array([0, 1, 1, 0], dtype=numpy.int32)).accept      # 0 is the symbol '1', 1 is any other
    False
    """

    __slots__ = ("_inner",)

    def __init__(self, inner: _quench.Runner):
        self._inner = inner

    def __call__(self, word: Word) -> Answer:
        """The answer at every position. Raises LengthRefused beyond `longest`. An array of int32 is read where it is."""
        if isinstance(word, str):
            return Answer(*self._inner.run(word))
        if isinstance(word, np.ndarray):
            return Answer(*self._inner.run_numbers(as_numbers(word)))
        return Answer(*self._inner.run_symbols(list(word)))

    def all(self, words: Sequence[str]) -> list[Answer]:
        """Of many words; the engine "bits" takes them side by side."""
        return [Answer(*one) for one in self._inner.run_all(list(words))]

    @property
    def longest(self) -> int:
        """The greatest length that is not refused; 2**53 stands for no limit."""
        return self._inner.longest()

    @property
    def certified(self) -> bool:
        """Whether `longest` is a certificate's."""
        return self._inner.certified()

    @property
    def warnings(self) -> list[str]:
        return self._inner.warnings()


def as_numbers(word: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    if word.ndim != 1 or not np.issubdtype(word.dtype, np.integer):
        raise UserError("the numbers of a word are an array of integers with one dimension")
    if word.dtype != np.int32 and word.size and (word.min() < -1 or word.max() >= 2**31):
        raise UserError("the numbers of symbols are small")
    return np.ascontiguousarray(word, dtype=np.int32)


class Stream:
    """One symbol after the other, each answered at once, for models compiled as decoders.

    >>> import quench
    >>> stream = quench.compile("H (Q_r -> O Q_g)", decoder=True).stream()
    >>> [stream.push(symbol) for symbol in "xgr"]
    [True, True, True]
    """

    __slots__ = ("_inner",)

    def __init__(self, inner: _quench.Stream):
        self._inner = inner

    def push(self, symbol: str) -> bool:
        """The truth at the next position."""
        return self._inner.push(symbol)

    def reset(self) -> None:
        """Back to the empty word."""
        self._inner.reset()

    def __len__(self) -> int:
        return self._inner.length()

    @property
    def longest(self) -> int:
        return self._inner.longest()


class Coordinate:
    """What a coordinate of the residual stream holds, from after sublayer `first` to after sublayer `last`; 0 is the
    embedding, then attention and feed-forward of every layer in turn. Coordinates are reused."""

    __slots__ = ("boolean", "first", "high", "index", "last", "low", "name")

    def __init__(self, tenant: dict[str, Any]):
        self.index: int = tenant["coordinate"]
        self.name: str = tenant["name"]
        self.first: int = tenant["from"]
        self.last: int = tenant["to"]
        self.boolean: bool = tenant["boolean"]
        self.low: float | None = tenant["low"]
        self.high: float | None = tenant["high"]

    def __repr__(self) -> str:
        return f"Coordinate({self.index}: {self.name!r} in sublayers {self.first} to {self.last})"


class AttentionMap:
    """The weights of one head on a word: `weights[i, j]` is what position i gives to position j."""

    __slots__ = ("head", "layer", "name", "symbols", "weights")

    def __init__(self, layer: int, head: int, name: str, symbols: list[str], weights: npt.NDArray[np.float64]):
        self.layer = layer
        self.head = head
        self.name = name
        self.symbols = symbols
        self.weights = weights

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.asarray(self.weights, dtype=dtype)

    def __repr__(self) -> str:
        return f"AttentionMap(layer={self.layer}, head={self.head}, name={self.name!r}, {len(self.symbols)} positions)"

    def _repr_svg_(self) -> str:
        return display.attention_svg(self.symbols, self.weights, f"{self.layer}.{self.head} {self.name}")


class Traced:
    """What a coordinate holds on a word, after a sublayer at which it is born or changes."""

    __slots__ = ("coordinate", "sublayer", "values")

    def __init__(self, coordinate: Coordinate, sublayer: int, values: npt.NDArray[np.float64]):
        self.coordinate = coordinate
        self.sublayer = sublayer
        self.values = values

    def __repr__(self) -> str:
        return f"Traced({self.coordinate.name!r} after sublayer {self.sublayer})"


class Trace:
    """Everything that a network holds and attends to on a word.

    >>> import quench
    >>> trace = quench.compile("Q_a S Q_b").trace("cbaa")
    >>> trace["Q_a"]
    array([0., 0., 1., 1.])
    >>> trace.heads[0].weights[3].argmax()          # the last position looks at the b
    np.int64(1)
    """

    __slots__ = ("answer", "heads", "symbols", "values")

    def __init__(self, symbols: list[str], answer: Answer, heads: list[AttentionMap], values: list[Traced]):
        self.symbols = symbols
        self.answer = answer
        self.heads = heads
        """The weights of every head, in order."""
        self.values = values
        """By sublayer."""

    def __getitem__(self, name: str) -> npt.NDArray[np.float64]:
        """What the coordinate of this name holds at its birth."""
        for one in self.values:
            if one.coordinate.name == name:
                return one.values
        raise KeyError(name)

    def __repr__(self) -> str:
        return f"Trace({len(self.symbols)} positions, {len(self.values)} values, {len(self.heads)} heads)"

    def _repr_html_(self) -> str:
        rows = [
            [one.sublayer, one.coordinate.index, one.coordinate.name, *(f"{value:.4g}" for value in one.values)]
            for one in self.values
        ]
        return display.table(["sublayer", "coordinate", "holds", *self.symbols], rows)


class Model:
    """A transformer. It never changes; threads may share it.

    >>> import quench
    >>> m = quench.compile("Q_a S Q_b", decoder=True)
    >>> m.symbols
    ['a', 'b']
    >>> m("cbaac").values
    array([False,  True,  True,  True, False])
    >>> m("cba").accept
    True
    """

    __slots__ = ("_document", "_inner", "_runner")

    def __init__(self, inner: _quench.Model):
        self._inner = inner
        self._document: dict[str, Any] | None = None
        self._runner: Runner | None = None

    # What it is

    @property
    def summary(self) -> Summary:
        """Layers, heads, width, parameters, masks, temperatures."""
        return self._inner.summary()

    @property
    def source(self) -> str:
        """The rule it was compiled from, as text. A claim of the file: quench.check examines it."""
        return self._inner.source()

    @property
    def symbols(self) -> list[str]:
        """The symbols it tells apart. Words may have others, which it takes for one and the same."""
        return self._inner.symbols()

    @property
    def answers(self) -> AnswerKind:
        return cast(AnswerKind, self._inner.answers())

    @property
    def document(self) -> dict[str, Any]:
        """Everything but the weights: the JSON document of the model file (docs/model-format.md)."""
        if self._document is None:
            self._document = json.loads(_quench.document(self._inner))
        return self._document

    @property
    def coordinates(self) -> list[Coordinate]:
        """What the residual stream holds, where and when, in the rule's words."""
        return [Coordinate(tenant) for tenant in self.document["tenants"]]

    @property
    def certificate(self) -> Certificate | None:
        """The one it carries. Raises IoError if that is damaged."""
        found = _quench.certificate_of(self._inner)
        return None if found is None else Certificate(found)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of weights and metadata without the certificate."""
        return self._inner.fingerprint()

    def tensors(self) -> dict[str, npt.NDArray[np.float64]]:
        """The weights by their names in the model file.

        >>> import quench
        >>> quench.compile("Q_a S Q_b").tensors()["embedding"].shape
        (3, 6)
        """
        return _quench.tensors(self._inner)

    def circuit(self) -> dict[str, Any]:
        """The true circuit: nodes, and an edge for everything one reads from another (docs/exports.md).

        >>> import quench
        >>> sorted(quench.compile("prev Q_a").circuit())
        ['edges', 'format', 'nodes', 'recipe', 'source', 'version']
        """
        circuit: dict[str, Any] = json.loads(self.export("circuit")["circuit.json"])
        return circuit

    # Words through it

    def runner(self, format: Format = "f64", engine: Engine = "auto", hard: bool = False, uncertified: bool = False) -> Runner:
        """Prepared for many words. Words beyond what the certificate answers for are refused, unless `uncertified`."""
        return Runner(_quench.Runner(self._inner, format, engine, hard, uncertified))

    def __call__(
        self, word: Word, format: Format = "f64", engine: Engine = "auto", hard: bool = False, uncertified: bool = False
    ) -> Answer:
        """The answer at every position of a word."""
        if (format, engine, hard, uncertified) != ("f64", "auto", False, False):
            return self.runner(format, engine, hard, uncertified)(word)
        if self._runner is None:
            self._runner = self.runner()
        return self._runner(word)

    def accepts(self, word: Word) -> bool:
        return self(word).accept

    def stream(self, format: Format = "f64", uncertified: bool = False) -> Stream:
        """Raises UserError, naming the head or encoding, for models that need to know what comes later."""
        return Stream(_quench.Stream(self._inner, format, uncertified))

    def trace(
        self,
        word: str,
        format: Format = "f64",
        hard: bool = False,
        ablate: Sequence[tuple[int, int]] = (),
        patch: Sequence[tuple[str, int, float]] = (),
        attention: bool = True,
    ) -> Trace:
        """What the network holds after every sublayer, and what its heads attend to, by the reference engine. `ablate` has heads
        (layer, head) that contribute nothing; `patch` has (name of a coordinate, position from 1, value) to be overwritten.

        >>> import quench
        >>> quench.compile("Q_a S Q_b").trace("cba", ablate=[(0, 0)]).answer.accept
        False
        """
        symbols, answer, heads, values = _quench.trace(self._inner, word, format, hard, list(ablate), list(patch), attention)
        names = [[head["name"] for head in layer["heads"]] for layer in self.document["layers"]]
        coordinates = self.coordinates
        return Trace(
            symbols,
            Answer(*answer),
            [AttentionMap(layer, head, names[layer][head], symbols, weights) for layer, head, weights, _ in heads],
            [Traced(coordinates[tenant], sublayer, held) for tenant, sublayer, held in values],
        )

    def warmed(self, factor: float) -> Model:
        """The same network with every temperature times a factor: above 1 warmer, towards 0 colder. Without a certificate."""
        return Model(_quench.warmed(self._inner, factor))

    def attention(self, word: str, layer: int = 0, head: int = 0, format: Format = "f64", hard: bool = False) -> AttentionMap:
        """What one head looks at, on a word of up to 4096 symbols.

        >>> import quench
        >>> quench.compile("prev Q_a").attention("abca").weights[2].round(2)
        array([0., 1., 0., 0.])
        """
        weights = _quench.head_attention(self._inner, word, layer, head, format, hard)
        name = self.document["layers"][layer]["heads"][head]["name"]
        return AttentionMap(layer, head, name, self.split(word), weights)

    def split(self, word: str) -> list[str]:
        """The symbols of a word."""
        return list(word) if all(len(symbol) == 1 for symbol in self.symbols) else word.split()

    # Out into the world

    def save(self, path: Path, even_if_large: bool = False) -> None:
        """As one .safetensors file, whole or not at all."""
        _quench.save(self._inner, os.fspath(path), even_if_large)

    def export(self, target: Target, context: int = 1024, dtype: Weights = "f32") -> dict[str, bytes]:
        """What `quench export --to` writes, as bytes by name. Raises UserError if the target cannot hold the model."""
        return _quench.export_files(self._inner, target, context, dtype)

    def to_hf(self, folder: Path, n_ctx: int = 1024, dtype: Weights = "f32", custom: bool = False) -> None:
        """A folder for Hugging Face: a stock GPT-2, for decoders; or any model, with code of ours, if `custom`."""
        _quench.export_folder(self._inner, "hf-custom" if custom else "hf", os.fspath(folder), n_ctx, dtype)

    def to_onnx(self, path: Path, dtype: Weights = "f32") -> None:
        """One file of plain operators, opset 17."""
        content = self.export("onnx", dtype=dtype)["model.onnx"]
        try:
            FilePath(path).write_bytes(content)
        except OSError as error:
            raise IoError(f"{os.fspath(path)}: {error.strerror}") from error

    def to_torch(self, dtype: torch.dtype | None = None) -> QuenchModel:
        """An nn.Module with TransformerLens' hook names (quench.quench_torch), in float32 unless told otherwise."""
        import torch

        from quench.quench_torch import QuenchModel

        return QuenchModel.from_bytes(self.export("torch", dtype="f64")["model.safetensors"], dtype or torch.float32)

    def to_transformer_lens(self, n_ctx: int = 512, dtype: Weights = "f32") -> Any:
        """A decoder as a model of TransformerLens: a TransformerBridge in version 4, a HookedTransformer before."""
        from quench.lens import load_transformer_lens

        return load_transformer_lens(self.export("transformer-lens", n_ctx, dtype))

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        return (load_bytes, (_quench.save_bytes(self._inner),))

    def __repr__(self) -> str:
        summary = self.summary
        return f"Model({summary.recipe}, {summary.layers} layers, {summary.heads} heads, width {summary.width})"

    def _repr_html_(self) -> str:
        summary, certificate = self.summary, self.certificate
        lengths = [entry for entry in (certificate.entries if certificate else []) if entry.summation == "any"]
        return display.definitions(
            [
                ("rule", self.source.strip()),
                ("logic", summary.logic),
                ("recipe", summary.recipe),
                ("kind", summary.kind),
                ("size", f"{summary.layers} layers, {summary.heads} heads, width {summary.width}, {summary.hidden_units} hidden units"),
                ("parameters", f"{summary.parameters} ({summary.nonzero_parameters} nonzero)"),
                ("temperature", ", ".join(summary.temperatures)),
                ("masks", ", ".join(summary.masks)),
                ("positions", ", ".join(summary.position_encodings)),
                ("certified", ", ".join(f"{one.format} {display.length(one.length)}" for one in lengths) or "nothing"),
            ]
        )


def compile(
    rule: RuleLike,
    decoder: bool = False,
    recipe: str = "auto",
    sharpen: Literal["", "temperature", "position"] = "",
    gamma: float | None = None,
    digits: bool = False,
    certify: bool = True,
    length: int | None = None,
    unshared: bool = False,
) -> Model:
    """From a rule to a transformer. `decoder`: heads that look to the left only; `digits`: exact in half formats; `length`: the
    longest word that the recipe "exact" serves; `unshared`: a coordinate of its own for every value, so that the circuit has fewer edges. Raises RuleError if no recipe covers the rule, or the one asked for does not.

    >>> import quench
    >>> quench.compile("Q_a S Q_b").summary.layers
    1
    """
    return Model(_quench.compile(as_rule(rule)._inner, recipe, decoder, sharpen, gamma, digits, certify, length, unshared))


def compile_for_length(
    rule: RuleLike, length: int, format: Format = "f32", decoder: bool = False, recipe: str = "auto", digits: bool = False
) -> Model | None:
    """The smallest model, of a few, that is certified up to a length in a format; None if there is no way.

    >>> import quench
    >>> quench.compile_for_length("odd(#<[Q_1])", 100_000).certificate.length("f32") >= 100_000
    True
    """
    found = _quench.compile_for_length(as_rule(rule)._inner, length, format, recipe, decoder, "", digits)
    return None if found is None else Model(found)


def load(path: Path) -> Model:
    """From a model file. Raises IoError on files that cannot be read or are no models."""
    return Model(_quench.load(os.fspath(path)))


def load_bytes(content: bytes, name: str = "model") -> Model:
    """From what such a file holds; the name is for messages."""
    return Model(_quench.load_bytes(content, name))


def certify(model: Model, formats: Sequence[Format] = ()) -> Certificate:
    """Derives the certificate of a model from its weights; of f64, f32, bf16 and f16 unless told.

    >>> import quench
    >>> quench.certify(quench.compile("Q_a S Q_b", certify=False), ["bf16"])
    Certificate(bf16 64)
    """
    return Certificate(_quench.certify(model._inner, list(formats)))


def check(model: Model, certificate: Certificate | None = None) -> Verdict:
    """What the independent checker finds, with code of its own, of a certificate: the model's unless another is given.

    >>> import quench
    >>> quench.check(quench.compile("Q_a S Q_b")).computes_rule
    True
    """
    return _quench.check(model._inner, None if certificate is None else certificate._inner)


def verify(
    model: Model,
    rule: RuleLike | None = None,
    exhaustive: int | None = None,
    random_count: int | None = None,
    random_length: int = 200,
    seed: int = 1,
    threads: int = 0,
    format: Format = "f64",
    engine: Engine = "auto",
    hard: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> Report:
    """A model against a rule, by default its own, word by word: all words up to `exhaustive` and `random_count` random ones; if
    neither is given, up to 100,000 short words and 200 random ones. `progress(done, total)` is called now and then; what it
    raises ends the work, and so does Ctrl-C.

    >>> import quench
    >>> quench.verify(quench.compile("Q_a S Q_b"), exhaustive=5).differences
    0
    """
    against = as_rule(rule) if rule is not None else rule_of(model)
    return _quench.verify(
        against._inner, model._inner, exhaustive, random_count, random_length, seed, threads, format, engine, hard, progress
    )


def rule_of(model: Model) -> Rule:
    if not model.source:
        raise UserError("this model does not say of which rule it is; name one")
    return parse(model.source)


class Softened:
    """A hard-attention model made soft, and how."""

    def __init__(self, inner: _quench.Softened):
        self.model = Model(inner.model)
        """With its certificate."""
        self.length = inner.length
        """Up to which it is right, in exact arithmetic."""
        self.gap = inner.gap
        """By which way the gap was established: proof, interval or exhaustive."""
        self.report = inner.report
        """The derivation, as a table."""
        self.derivation: dict[str, Any] = json.loads(inner.report_json)

    def __repr__(self) -> str:
        return f"Softened(length={self.length}, gap={self.gap!r})"


def soften(
    model: Model,
    gap: Literal["", "proof", "interval", "exhaustive"] = "",
    length: int | None = None,
    constants: Literal["ours", "paper"] = "ours",
) -> Softened:
    """Hard attention replaced by softmax, at a temperature that the model's own gap asks for (docs/soften.md). Raises UserError,
    naming the head, where there is no such temperature.

    >>> import quench
    >>> quench.soften(quench.compile("prev Q_a", recipe="tight"), length=16).length
    16
    """
    return Softened(_quench.soften(model._inner, gap, length, constants == "paper"))
